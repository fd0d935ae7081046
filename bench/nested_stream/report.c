// The line of JSON.
#include "nested_stream.h"

#include <lares/memory.h>

static size_t pages_of(const Vectors* v) { return (v->count + page_doubles - 1) / page_doubles; }

Homes homes_now(const Team* teams, long count) {
  Homes homes = {NULL, 0};
  for (long t = 0; t < count; ++t) homes.pages += 3 * pages_of(&teams[t].own);
  homes.homes = fresh("nested_stream", (double)homes.pages * sizeof(int));
  int* at = homes.homes;
  for (long t = 0; t < count; ++t) {
    const Vectors* v = &teams[t].own;
    double* const vectors[] = {v->a, v->b, v->c};
    for (int k = 0; k < 3; ++k) {
      lares_page_homes(vectors[k], v->count * sizeof(double), at, pages_of(v));
      at += pages_of(v);
    }
  }
  return homes;
}

double bytes_that_moved(const Homes* before, const Homes* after) {
  size_t moved = 0;
  for (size_t i = 0; i < before->pages; ++i) moved += before->homes[i] != after->homes[i];
  return (double)moved * page_doubles * sizeof(double);
}

void print_head(const Options* o, const Team* teams, double seconds) {
  printf("{\"kind\":\"%s\",\"tell\":\"%s\",\"data\":\"%s\",\"teams\":%ld,\"inner\":%ld,",
         kind_names[o->kind], tell_names[o->tell], data_names[o->data], o->teams, o->inner);
  printf("\"times\":%ld,\"passes\":%ld,\"mb\":%g,\"loads\":[", o->times, o->passes, o->mb);
  for (long t = 0; t < o->teams; ++t) printf("%s%ld", t == 0 ? "" : ",", load_of(o, t));
  printf("],\"threads\":[");
  for (long t = 0; t < o->teams; ++t) printf("%s%d", t == 0 ? "" : ",", teams[t].members);
  printf("],\"seconds\":%.9f,\"phases\":[", seconds);
}

// 10^6 bytes a second of each kernel that ran.
static void print_rates(const Team* team) {
  int shown = 0;
  printf("\"rates\":{");
  for (Kernel k = kernel_copy; k < kernel_count; ++k) {
    const Times* t = &team->times[k];
    if (t->passes == 0) continue;
    const double mb = 1e-6 * (k < kernel_add ? 2 : 3) * sizeof(double) * (double)team->own.count;
    printf("%s\"%s\":{\"least\":%.3f,\"mean\":%.3f,\"most\":%.3f}", shown++ == 0 ? "" : ",",
           kernel_names[k], mb / t->most, mb * (double)t->passes / t->sum, mb / t->least);
  }
  printf("},");
}

static void print_team(const Team* team) {
  printf("{\"seconds\":%.9f,", team->seconds);
  print_rates(team);
  printf("\"ran_in\":{");
  int shown = 0;
  for (int d = 0; d < most_domains; ++d) {
    if (team->ran_in[d] > 0) printf("%s\"%d\":%ld", shown++ == 0 ? "" : ",", d, team->ran_in[d]);
  }
  printf("},\"local\":%.4f}", team->bytes > 0 ? team->local / team->bytes : 1);
}

void print_phase(const Options* o, const Team* teams) {
  printf("[");
  for (long t = 0; t < o->teams; ++t) {
    if (t > 0) printf(",");
    print_team(&teams[t]);
  }
  printf("]");
}

long print_end(const Options* o, const Team* teams) {
  long wrong = 0;
  for (long t = 0; t < o->teams; ++t) wrong += teams[t].wrong;
  printf("\"wrong\":%ld}\n", wrong);
  return wrong;
}
