// Where the threads of nested teams run, and what moves them, under `lares run --bubbles NAME`.
// Each thing prints one line; bubbles_test.py knows what it must be.
//
//   bubbles places OUTER INNER   a line for each inner thread: outer and inner number, processors
//   bubbles data now|next|team|together   two threads, each with memory that is at home with the
//   other: the
//                                domain of each, and of its inner team, afterwards
//   bubbles steal                two teams of four threads, one with little to do: for each thread
//   of
//                                the other, the domain in which it began and that in which it is
//                                when the other team has ended
//   bubbles own                  a thread that chooses its own processor, which nobody may change
//   bubbles fork                 what a child and a new program may use, made in an inner region
//   bubbles grows                regions of one thread, fifty times, each with a team of two
//   inside,
//                                then of several: the sum of what all have done, and for each
//                                thread of the last inner team whether it is where its master is
//   bubbles trusted OUTER        the same inner regions again and again, with and without barriers,
//                                with few captured variables and with many, of changing sizes; late
//                                ones that make tasks: how many threads have run each kind, and how
//                                many of them were not where their master is
//   bubbles larger               the same region with ever more threads: how many have run, and how
//                                many of them could use several processors
//   bubbles varies               a team that comes again, and one thread with a team in it in its
//                                place: the sum of what all have done
//   bubbles deep                 six levels of regions, a team of 64, teams of one, again and again
#define _GNU_SOURCE
#include <lares/lares.h>
#include <lares/memory.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { page = 4096, bytes = 64 * page };

// As the kernel has them: the C library's function is Lares' while a program runs under it.
static unsigned long processors(void) {
  unsigned long mask[128] = {0};
  syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  return mask[0];
}

static void compute(double seconds) {
  const double end = omp_get_wtime() + seconds;
  volatile unsigned long count = 0;
  while (omp_get_wtime() < end) ++count;
}

static void places(int outer, int inner) {
#pragma omp parallel num_threads(outer)
  {
    const int team = omp_get_thread_num();
#pragma omp parallel num_threads(inner)
    {
#pragma omp barrier
#pragma omp critical
      printf("%d %d %lx\n", team, omp_get_thread_num(), processors());
#pragma omp barrier
    }
#pragma omp barrier
  }
}

// Until four threads have come.
static void meet(int* came) {
  int all = 0;
#pragma omp atomic
  ++*came;
  while (all < 4) {
#pragma omp atomic read
    all = *came;
    sched_yield();
  }
}

// Of a team of two, while another thread's is there, too; -1: they differ. Nobody leaves before all
// know: an idle core might take one that is late.
static int inner_domains(void) {
  static int came = 0, known = 0;
  int here = -1;
  int same = 1;
#pragma omp parallel num_threads(2)
  {
    meet(&came);
    const int domain = lares_domain_here();
    meet(&known);
#pragma omp critical
    {
      if (here >= 0 && domain != here) same = 0;
      here = domain;
    }
  }
  return same ? here : -1;
}

static void data(const char* when) {
  char* memory = lares_alloc(2 * bytes, NULL, 0);
  memset(memory, 1, 2 * bytes);
  // In the books: the pages of this machine may all be on one node.
  for (int i = 0; i < 2; ++i) lares_attach_task(memory + i * bytes, bytes, 1 - i);
  if (strcmp(when, "team") == 0) lares_set_next_team_affinity(memory, 2 * bytes, bytes, 0);
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    const int before = lares_domain_here();
    const enum lares_shake shake = strcmp(when, "next") == 0       ? LARES_SHAKE_NEXT_REGION
                                   : strcmp(when, "together") == 0 ? LARES_SHAKE_TEAM
                                                                   : LARES_SHAKE_NOW;
    // What it had before, where it is: nobody is without data.
    if (strcmp(when, "together") == 0) {
      lares_set_thread_affinity(memory + (1 - me) * bytes, bytes, LARES_SHAKE_NOT);
#pragma omp barrier
      lares_clear_thread_affinity();
    }
    if (strcmp(when, "team") != 0) lares_set_thread_affinity(memory + me * bytes, bytes, shake);
#pragma omp barrier
    const int after = lares_domain_here();
    const int inner = inner_domains();
#pragma omp critical
    printf("%d %d %d %d\n", me, before, after, inner);
  }
  lares_free(memory);
}

static void steal(void) {
#pragma omp parallel num_threads(2)
  {
    const int team = omp_get_thread_num();
#pragma omp parallel num_threads(4)
    {
      const int before = lares_domain_here();
      lares_set_load(team == 0 ? 30 : 1);
      compute(team == 0 ? 0.3 : 0.05);
      const int then = lares_domain_here();
      if (team == 0) compute(0.3);  // who is done first is idle, too
      if (team == 0) {
#pragma omp critical
        printf("%d %d\n", before, then);
      }
    }
  }
}

static int is_beside(unsigned long master) { return (processors() & ~master) == 0; }

static void grows(void) {
  int done = 0;
  int beside[2] = {0, 0};
  for (int round = 0; round < 70; ++round) {
    const int last = round == 69;
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(round < 50 ? 1 : 2) shared(done, beside)
      {
        const unsigned long master = processors();
#pragma omp atomic
        ++done;
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
#pragma omp atomic
          done += 100;
          if (last && is_beside(master)) {
#pragma omp atomic
            ++beside[omp_get_thread_num()];
          }
        }
      }
    }
  }
  printf("%d\n%d %d\n", done, beside[0], beside[1]);
}

static void own(void) {
#pragma omp parallel num_threads(2)
  {
    const int team = omp_get_thread_num();
#pragma omp parallel num_threads(4)
    {
      unsigned long wanted = 0;
      if (team == 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (int cpu = 0; cpu < 64 && CPU_COUNT(&set) == 0; ++cpu) {
          if ((processors() >> cpu & 1) != 0) CPU_SET(cpu, &set);
        }
        sched_setaffinity(0, sizeof set, &set);
        wanted = processors();
      }
      lares_set_load(team == 0 ? 30 : 1);
      compute(team == 0 ? 0.6 : 0.05);
      if (team == 0) {
#pragma omp critical
        printf("%d\n", processors() == wanted);
      }
    }
  }
}

static void make_processes(void) {
  const unsigned long all = processors();
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp critical
  {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      printf("%d\n", processors() == all);
      fflush(stdout);
      _exit(0);
    }
    waitpid(child, NULL, 0);
    if (system("grep Cpus_allowed_list /proc/self/status") != 0) puts("failed");
    fflush(stdout);
  }
}

static long nest(int level) {
  long count = 0;
#pragma omp parallel num_threads(level % 3 == 2 ? 1 : 2) reduction(+ : count)
  count += level == 0 ? 1 : nest(level - 1);
  return count;
}

static void deep(void) {
  omp_set_max_active_levels(8);
  long sum = 0;
  for (int i = 0; i < 20; ++i) {
    sum += nest(5);
#pragma omp parallel num_threads(64) reduction(+ : sum)
    ++sum;
  }
  printf("%ld\n", sum);
}

enum { kinds = 5, trusted_rounds = 120, first_with_tasks = 100 };

// What the threads of inner regions count, by the kind of region.
static long g_ran[kinds], g_away[kinds];

static void count_thread(int kind, unsigned long master) {
#pragma omp atomic
  ++g_ran[kind];
  if (processors() == master) return;
#pragma omp atomic
  ++g_away[kind];
}

static void inner_regions(int round) {
  const unsigned long master = processors();
  // Another size now and then, so that the team that rests does not fit.
  const int size = round % 10 == 9 ? 3 : 2;
#pragma omp parallel num_threads(size)
  count_thread(0, processors());
#pragma omp parallel num_threads(size)
  {
#pragma omp barrier
    count_thread(1, master);
#pragma omp barrier
  }
  long a[7] = {round, 1, 2, 3, 4, 5, 6};
  long b = round, c = 1, d = 2, e = 3, f = 4;
#pragma omp parallel num_threads(size) firstprivate(b, c, d, e, f) shared(a)
  if (a[0] == b && a[1] == c && a[2] == d && a[3] == e && a[4] == f) count_thread(2, master);
  long sum = 0;
#pragma omp parallel for num_threads(size) reduction(+ : sum)
  for (int i = 0; i < 60; ++i) sum += i;
  if (sum == 59 * 30) count_thread(3, master);
#pragma omp parallel num_threads(size)
  {
    if (round < first_with_tasks) {
      count_thread(4, master);
    } else {
#pragma omp task
      count_thread(4, master);
#pragma omp taskwait
    }
  }
}

// Teams that come again and again, and then with more threads, which the runtime makes for them.
static void larger(void) {
  long ran = 0, wide = 0;
  for (int round = 0; round < 60; ++round) {
    const int size = round < 30 ? 2 : round < 40 ? 3 : round < 50 ? 5 : 8;
#pragma omp parallel num_threads(size) reduction(+ : ran, wide)
    {
      const unsigned long mine = processors();
      ++ran;
      if ((mine & (mine - 1)) != 0) ++wide;
    }
  }
  printf("%ld %ld\n", ran, wide);
}

// A team that comes again, and one thread with a team in it in its place.
static void varies(void) {
  int ran = 0;
  for (int round = 0; round < 300; ++round) {
#pragma omp parallel num_threads(round % 3 == 2 ? 1 : 2)
    {
#pragma omp barrier
#pragma omp atomic
      ++ran;
      if (round % 3 == 2) {
#pragma omp parallel num_threads(2 + round % 2)
        {
#pragma omp barrier
#pragma omp atomic
          ran += 100;
        }
      }
    }
  }
  // Who is idle looks at all teams that there are.
#pragma omp parallel num_threads(8)
  compute(omp_get_thread_num() < 2 ? 0.05 : 0);
  printf("%d\n", ran);
}

static void trusted(int outer) {
#pragma omp parallel num_threads(outer)
  for (int round = 0; round < trusted_rounds; ++round) {
    inner_regions(round);
#pragma omp barrier
  }
  for (int kind = 0; kind < kinds; ++kind) printf("%ld %ld\n", g_ran[kind], g_away[kind]);
}

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  if (strcmp(what, "places") == 0 && count > 3) {
    places(atoi(words[2]), atoi(words[3]));
  } else if (strcmp(what, "data") == 0 && count > 2) {
    data(words[2]);
  } else if (strcmp(what, "steal") == 0) {
    steal();
  } else if (strcmp(what, "own") == 0) {
    own();
  } else if (strcmp(what, "fork") == 0) {
    make_processes();
  } else if (strcmp(what, "grows") == 0) {
    omp_set_max_active_levels(3);
    grows();
  } else if (strcmp(what, "trusted") == 0 && count > 2) {
    trusted(atoi(words[2]));
  } else if (strcmp(what, "varies") == 0) {
    varies();
  } else if (strcmp(what, "larger") == 0) {
    larger();
  } else if (strcmp(what, "deep") == 0) {
    deep();
  } else {
    return 2;
  }
  return 0;
}
