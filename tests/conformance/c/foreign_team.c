// Constructs of a program in regions of its library, where each may have an OpenMP runtime of its
// own: to a construct, only the threads of its own runtime are a team.
// conformance: library foreign.c by the other compiler
// conformance: link -ldl
#include "library/sides.h"

static void all_threads_call_them(void) { all_threads(library(), &program); }
static void one_thread_calls_them(void) { one_thread(library(), &program); }
static void tasks_call_them(void) { tasks(library(), &program); }

CASES(CASE(all_threads_call_them), CASE(one_thread_calls_them), CASE(tasks_call_them))
