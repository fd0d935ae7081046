// Constructs of a library in regions of the program, where each may have an OpenMP runtime of its
// own. (A program of its own: libgomp 12 may hang in its own barrier where libomp had a team
// before.)
// conformance: library foreign.c by the other compiler
// conformance: link -ldl
#include "library/sides.h"

static void one_thread_calls_them(void) { one_thread(&program, library()); }
static void tasks_call_them(void) { tasks(&program, library()); }

CASES(CASE(one_thread_calls_them), CASE(tasks_call_them))
