/* Memory with a home: allocate it where it is wanted, say and ask where it is, move it, let it move
   to whoever touches it next, and know what that costs. Link with liblares (see lares/lares.h).

   A domain is a set of cores that share a memory, numbered from 0; those with memory only (CXL,
   HBM) come last. Under `lares run` the domains are those of the run, and its scheduler learns
   every home that is given here. Otherwise they are the NUMA nodes that the process may use. Where
   all domains share one memory, placing and moving do nothing to the pages but are remembered as
   homes.

   Unless said otherwise a function gives 0, or -1 with errno set: EINVAL for a mistake, which
   lares_memory_error() explains; ENOMEM where memory lacks. A kernel that refuses to place or to
   move (a container) is no mistake: the memory works, and homes stay unknown. All functions may be
   called from any thread. */
#ifndef LARES_MEMORY_H
#define LARES_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): types are named as C names them. */

/* The last mistake of the calling thread as one sentence, "" if there was none. */
const char* lares_memory_error(void);

/* --- Domains --------------------------------------------------------------------------------- */

int lares_domain_count(void);
/* The domain in which the calling thread runs at this moment. */
int lares_domain_here(void);
/* The NUMA node of a domain's memory as the kernel numbers it, or -1. */
int lares_domain_node(int domain);
/* Bytes of a domain's memory, all and free (MaMI's statistics of nodes, ForestGOMP 3.3). */
int lares_domain_memory(int domain, uint64_t* total, uint64_t* available);

/* --- Distributions --------------------------------------------------------------------------- */

enum lares_distribution_kind {
  LARES_FIRST_TOUCH = 0, /* whoever touches a page first has it */
  LARES_ON_DOMAIN,       /* all on domains[0] */
  LARES_INTERLEAVED,     /* a page each in turn, by weights if given */
  LARES_CYCLIC,          /* a block each in turn, by weights if given */
  LARES_RANDOM,          /* a domain by lot for each block */
  LARES_BLOCKED,         /* one piece each, as schedule(static) divides rows */
  LARES_LISTED           /* block i on domains[i]; what is beyond is left alone */
};

/* Blocks begin at the first byte of the range. A page has one home: the block with the greatest
   part of it, of equal parts the first. Fields that are 0 mean the usual: all domains with cores
   and memory (with weights: all domains, lares_domain_count() of them), equal weights, blocks of a
   page (the least for cyclic and random), rows of one byte. */
typedef struct lares_distribution {
  enum lares_distribution_kind kind;
  const int* domains;
  size_t domain_count;
  const uint32_t* weights; /* domain_count of them, for instance bandwidths */
  size_t block;            /* bytes: cyclic, random, listed */
  size_t row;              /* bytes: blocked */
  uint64_t seed;           /* random: same seed, same homes */
} lares_distribution;

/* Blocked by rows of an array in C's order, with 1 to 3 extents: pieces are whole elements, rows or
   planes (Virouleau 2016, 3.3). */
lares_distribution lares_blocked_rows(const size_t* extents, unsigned dimensions, size_t element);

/* --- Allocation ------------------------------------------------------------------------------ */

enum lares_memory_flags {
  /* Aligned to 2 MiB, in huge pages if the kernel has any; each has one home. */
  LARES_HUGE_PAGES = 1,
  /* For lares_set_next_team_affinity only. */
  LARES_MOVE = 2,
  /* All or nothing: every page is made at once and is where `how` says, or the allocation fails
     with ENOMEM. Without it a full node or a refusal of the kernel leaves pages elsewhere. */
  LARES_STRICT = 4
};

/* Zeroed, page-aligned memory; NULL on failure. `how` may be NULL: first touch.
   (mami_malloc, ForestGOMP 3.3; OMPX interleaved_alloc, Schmidl 2016, 3.3.1) */
void* lares_alloc(size_t bytes, const lares_distribution* how, unsigned flags);
/* As realloc(), with a new distribution. The contents are copied. */
void* lares_realloc(void* memory, size_t bytes, const lares_distribution* how, unsigned flags);
int lares_free(void* memory); /* NULL is allowed */
/* The bytes asked for; 0 if it is no memory of lares_alloc. */
size_t lares_size(const void* memory);

/* --- Registration and owners ----------------------------------------------------------------- */

/* Memory that was allocated elsewhere (mami_register, mami_unregister). */
int lares_register(void* memory, size_t bytes);
int lares_unregister(void* memory);

enum lares_owner_kind { LARES_THREAD = 0, LARES_TASK, LARES_TEAM };

/* The calling thread becomes the owner, and its domain the home in the books. No page moves.
   (mami_attach; ForestGOMP 4.2: set_current_thread_affinity) */
int lares_attach_thread(void* memory, size_t bytes);
/* The same for tasks that shall run in a domain, and for a team whose members run in `domains`: a
   piece for each. `team` is a number of the caller's choice. */
int lares_attach_task(void* memory, size_t bytes, int domain);
int lares_attach_team(void* memory, size_t bytes, int64_t team, const int* domains, size_t members);
/* When the next team starts, chunk i becomes its member i's: in the books, or with LARES_MOVE for
   real (set_next_team_affinity, ForestGOMP 4.2). Chunks beyond the last member stay as they are. It
   holds for one team: under `lares run` the next parallel region that any thread starts, also one
   of a single thread; its code runs when the chunks are where they shall be. In a process that was
   started plainly, or if lares_active() is 0, nobody knows of teams: the wish waits until somebody
   calls lares_team_starts. */
int lares_set_next_team_affinity(void* memory, size_t bytes, size_t chunk, unsigned flags);
/* The word of whoever starts threads that a team starts, with its members' domains. Not needed for
   OpenMP under `lares run`. Always 0; cheap if nothing waits. */
int lares_team_starts(const int* domains, size_t members);
/* Bytes that belong to an owner: a thread's number (gettid), a domain, a team's number. */
uint64_t lares_owned(enum lares_owner_kind kind, int64_t id);

/* --- Where is it ----------------------------------------------------------------------------- */

/* Pages of the range by domain, into at most `count` fields; pages that nobody has touched yet, and
   pages of which nothing is known. The last two may be NULL. */
int lares_homes(const void* memory, size_t bytes, uint64_t* pages, size_t count, uint64_t* absent,
                uint64_t* unknown);
/* The domain of each page, -1 if absent or unknown, into at most `count` fields; gives the number
   of pages. */
size_t lares_page_homes(const void* memory, size_t bytes, int* domains, size_t count);

/* --- Moving ---------------------------------------------------------------------------------- */

/* What became of each page; `report` may always be NULL. A page that did not move is where it was.
 */
typedef struct lares_move_report {
  uint64_t pages, in_place;              /* looked at; of those, where they were asked to be */
  uint64_t moved;                        /* of those in place: that were elsewhere */
  uint64_t absent;                       /* not touched yet, or swapped out */
  uint64_t busy, no_room, denied, other; /* pinned; node full; shared with others; anything else */
  int refused;                           /* errno if the kernel refused, or 0; EACCES: a node
                                            that is not in the process' cpuset */
} lares_move_report;

/* To a domain (mami_migrate_on_node; OMPX migrate, Schmidl 2016, 3.3.2), to the caller's domain
   (OMPX fetch), or as a distribution says. Pages at the ends move whole. */
int lares_migrate(void* memory, size_t bytes, int domain, lares_move_report* report);
int lares_fetch(void* memory, size_t bytes, lares_move_report* report);
int lares_distribute(void* memory, size_t bytes, const lares_distribution* how,
                     lares_move_report* report);
/* As lares_distribute; `progress` is called after each batch of pages and stops it by giving 0. */
int lares_distribute_with_progress(void* memory, size_t bytes, const lares_distribution* how,
                                   int (*progress)(void* argument, const lares_move_report* so_far),
                                   void* argument, lares_move_report* report);

/* --- Next touch ------------------------------------------------------------------------------ */

enum lares_next_touch_way {
  LARES_WAY_AUTOMATIC = 0,    /* the first of the following that the kernel allows */
  LARES_WAY_USERFAULT_THREAD, /* system calls on marked memory wait and work */
  LARES_WAY_USERFAULT_SIGNAL, /* faster; system calls on untouched chunks fail with EFAULT */
  LARES_WAY_PROTECT           /* works everywhere; system calls as above; settle before realloc */
};

/* Whole pages inside the range go to the thread that touches them next, `chunk` bytes at a time (0:
   all at once). fork, munmap, madvise and the end of the process lose nothing; a fork ends the
   marks. The range must be private memory, neither executable nor of hugetlbfs. Before Linux 6.8
   not for memory that a device writes to. See docs/memory.md. (mami_migrate_on_next_touch,
   ForestGOMP 3.4; OMPX next_touch, Schmidl 2016, 3.3.2) */
int lares_migrate_on_next_touch(void* memory, size_t bytes, size_t chunk,
                                enum lares_next_touch_way way);
/* The toucher's domain becomes the home in the books, no page moves (attach_on_next_touch,
   ForestGOMP 4.2). */
int lares_attach_on_next_touch(void* memory, size_t bytes, size_t chunk,
                               enum lares_next_touch_way way);

/* How a range was marked. The caller sets `size` to sizeof(lares_mark_report); fields that a later
   version adds are left alone in a shorter one. */
typedef struct lares_mark_report {
  size_t size;
  enum lares_next_touch_way way; /* never LARES_WAY_AUTOMATIC */
  int system_calls_wait;         /* 1: a system call on untouched memory works; 0: EFAULT */
  uint64_t bytes;                /* that wait for their touch */
  uint64_t left;                 /* that stay where they are: pinned, say */
} lares_mark_report;

/* The same, and `report` says how; it may be NULL. It is written on success only. */
int lares_migrate_on_next_touch_with_report(void* memory, size_t bytes, size_t chunk,
                                            enum lares_next_touch_way way,
                                            lares_mark_report* report);
int lares_attach_on_next_touch_with_report(void* memory, size_t bytes, size_t chunk,
                                           enum lares_next_touch_way way,
                                           lares_mark_report* report);
/* Ends the marks of a range without a touch. -1 with errno set if the kernel refuses a part: that
   waits for its touch as before. */
int lares_settle(void* memory, size_t bytes);
/* Touches a range for the calling thread, so that a system call may use it. */
int lares_touch(const void* memory, size_t bytes);

/* --- Copies of what is only read -------------------------------------------------------------- */

/* Copies the range into every other memory, and gives how many copies that made (0 where all
   domains share one memory), or -1. Where memory lacks, a domain reads the original. From then on
   nobody may write to the range but with lares_refresh. The copies end with lares_unreplicate, or
   when lares_free or lares_realloc ends the range. */
int lares_replicate(const void* memory, size_t bytes);
/* Where the calling thread reads this address nearest: in the copy of the domain it runs in, or the
   address itself, where there is none. Takes some tens of nanoseconds and no lock: ask once for a
   table, not for each access, and again when the thread may have moved. */
const void* lares_local(const void* address);
/* Writes a part of the original, which has changed, to the copies. Who reads meanwhile may see old
   and new. */
int lares_refresh(const void* memory, size_t bytes);
/* Ends the copies of the range that begins there: nobody may use them any more. */
int lares_unreplicate(const void* memory);

/* --- Costs ----------------------------------------------------------------------------------- */

/* Nanoseconds for going once over a range of `bytes` in domain `home`, and for moving it (measured
   at the first question); negative for a domain that does not exist. (MaMI's hints, ForestGOMP 3.3)
 */
double lares_cost_read(int from, int home, size_t bytes);
double lares_cost_write(int from, int home, size_t bytes);
double lares_cost_migrate(int home, int to, size_t bytes);
/* After how many sweeps an overhead pays that makes a sweep cost `after` instead of `before`;
   infinite if never (Schmidl 2016, 3.3.3). */
double lares_break_even(double overhead, double before, double after);
/* The same for reading a range from domain `to` as one sentence into `text`, cut to fit. */
int lares_migration_advice(int home, int to, size_t bytes, char* text, size_t room);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* LARES_MEMORY_H */
