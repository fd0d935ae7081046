// The settings of the program, KEY=VALUE.
#include "nested_stream.h"

#include <lares/lares.h>
#include <omp.h>
#include <string.h>

const char* const kind_names[] = {"stream", "nested", "twisted", "imbalanced", NULL};
const char* const tell_names[] = {"none", "threads", "next-touch", "migrate", "mixed", NULL};
const char* const data_names[] = {"remote", "mixed", NULL};

static const char program[] = "nested_stream";

static void refuse(const char* key, const char* value, const char* accepted) {
  fprintf(stderr, "%s: %s=%s is not %s\n", program, key, value, accepted);
  exit(2);
}

static long whole_number(const char* key, const char* value, long least, long most) {
  char* end = NULL;
  const long number = strtol(value, &end, 10);
  char accepted[64];
  snprintf(accepted, sizeof accepted, "a whole number from %ld to %ld", least, most);
  if (*value == '\0' || *end != '\0' || number < least || number > most) {
    refuse(key, value, accepted);
  }
  return number;
}

static double megabytes(const char* key, const char* value) {
  char* end = NULL;
  const double number = strtod(value, &end);
  // Written so that it refuses "nan", too.
  if (*value == '\0' || *end != '\0' || !(number >= 0.001 && number <= 1e9)) {
    refuse(key, value, "a size from 0.001 to 1000000000");
  }
  return number;
}

static int one_of(const char* key, const char* value, const char* const* names) {
  char accepted[128] = "one of ";
  for (int i = 0; names[i] != NULL; ++i) {
    if (strcmp(value, names[i]) == 0) return i;
    if (i > 0) strcat(accepted, ", ");
    strcat(accepted, names[i]);
  }
  refuse(key, value, accepted);
  return 0;
}

// "15,15,30,1": the passes of each team.
static void read_loads(const char* value, Options* o) {
  o->load_count = 0;
  for (const char* at = value;; ++at) {
    char* end = NULL;
    const long load = strtol(at, &end, 10);
    if (end == at || load < 1 || load > 1000 || o->load_count == most_teams ||
        (*end != ',' && *end != '\0')) {
      refuse("loads", value, "a list of passes from 1 to 1000, with commas between");
    }
    o->loads[o->load_count++] = load;
    if (*end == '\0') return;
    at = end;
  }
}

static void set(const char* key, const char* value, const char* word, Options* o) {
  if (strcmp(key, "kind") == 0) {
    o->kind = (Kind)one_of(key, value, kind_names);
  } else if (strcmp(key, "tell") == 0) {
    o->tell = (Tell)one_of(key, value, tell_names);
  } else if (strcmp(key, "data") == 0) {
    o->data = (Data)one_of(key, value, data_names);
  } else if (strcmp(key, "teams") == 0) {
    o->teams = whole_number(key, value, 1, most_teams);
  } else if (strcmp(key, "inner") == 0) {
    o->inner = whole_number(key, value, 1, most_members);
  } else if (strcmp(key, "times") == 0) {
    o->times = whole_number(key, value, 1, 1000);
  } else if (strcmp(key, "passes") == 0) {
    o->passes = whole_number(key, value, 1, 1000000);
  } else if (strcmp(key, "mb") == 0) {
    o->mb = megabytes(key, value);
  } else if (strcmp(key, "loads") == 0) {
    read_loads(value, o);
  } else if (strcmp(key, "spoil") == 0) {
    o->spoil = whole_number(key, value, 0, 1);
  } else if (strcmp(key, "domains") == 0) {
    if (!read_domains(value, &o->domains)) refuse(key, value, domains_accepted);
  } else {
    fprintf(stderr,
            "%s: '%s' is none of kind=, tell=, data=, teams=, inner=, times=, passes=, mb=, "
            "loads=, spoil=, domains=\n",
            program, word);
    exit(2);
  }
}

static void read_setting(const char* word, Options* o) {
  char key[16] = "";
  const char* equals = strchr(word, '=');
  const size_t length = equals == NULL ? 0 : (size_t)(equals - word);
  if (length < sizeof key) memcpy(key, word, length);
  set(key, word + length + (equals != NULL), word, o);
}

static long count_domains(const Domains* domains) {
  if (domains->cpus == 0) return lares_domain_count();
  static char seen[most_domains];
  long count = 0;
  for (int cpu = 0; cpu < domains->cpus; ++cpu) {
    count += !seen[domains->of_cpu[cpu]];
    seen[domains->of_cpu[cpu]] = 1;
  }
  return count;
}

// A team for each domain, with a thread for each of its processors; of imbalanced, two.
static void fill_in(Options* o) {
  const long processors = omp_get_num_procs();
  if (o->kind == kind_stream) o->teams = 1;
  if (o->teams == 0) o->teams = count_domains(&o->domains);
  if (o->teams > most_teams) o->teams = most_teams;
  if (o->inner == 0) {
    const long each = processors / o->teams;
    o->inner = (each < 1 ? 1 : each) * (o->kind == kind_imbalanced ? 2 : 1);
  }
}

static void check_together(const Options* o) {
  if (o->tell > tell_threads && o->kind != kind_twisted) {
    refuse("tell", tell_names[o->tell], "for this kind: it takes none or threads");
  }
  if (o->tell == tell_mixed && o->data != data_mixed) {
    refuse("tell", tell_names[o->tell], "for data=remote: it moves the one vector that stayed");
  }
}

void read_options(int argc, char** argv, Options* o) {
  for (int i = 1; i < argc; ++i) read_setting(argv[i], o);
  fill_in(o);
  check_together(o);
}
