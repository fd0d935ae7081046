// STREAM in flat and in nested parallel regions: what the parts of this program share.
#pragma once

#include "domains.h"

#include <stddef.h>

enum { most_teams = 1024, most_members = 8192, page_doubles = 4096 / sizeof(double) };

typedef enum { kind_stream, kind_nested, kind_twisted, kind_imbalanced } Kind;

// What the program tells Lares about its data.
typedef enum { tell_none, tell_threads, tell_next_touch, tell_migrate, tell_mixed } Tell;

// Which vectors of the second phase are another team's.
typedef enum { data_remote, data_mixed } Data;

typedef struct {
  Kind kind;
  Tell tell;
  Data data;
  long teams, inner;  // 0: as many as there are domains, or processors in each
  long times;         // passes; of twisted, those of phase 1
  long passes;        // of phase 2
  double mb;          // 10^6 bytes of one vector of one team
  long loads[most_teams];
  long load_count;
  long spoil;  // 1: one value is changed before the check
  Domains domains;
} Options;

extern const char* const kind_names[];
extern const char* const tell_names[];
extern const char* const data_names[];

// Reads the settings; exit status 2 and one sentence for one that is wrong.
void read_options(int argc, char** argv, Options* o);

typedef struct {
  double *a, *b, *c;
  size_t count;
} Vectors;

typedef enum { kernel_copy, kernel_scale, kernel_add, kernel_triad, kernel_count } Kernel;

extern const char* const kernel_names[];

// Seconds of one kernel's passes; only the team's outer thread writes it.
typedef struct {
  double least, most, sum;
  long passes;
} Times;

// A team and the vectors that it wrote first.
typedef struct {
  int number;
  Vectors own;
  int* homes;                 // of each member's piece: the domain of who wrote it first
  int members;                // how many threads the inner region had at least
  Times times[kernel_count];  // of a phase
  double seconds;             // of a phase
  long ran_in[most_domains];  // passes of members by domain; added to by all of them
  double local, bytes;        // of a phase; as above
  long triads;                // passes of phase 2 over the vectors, counted by each member
  long wrong;
} Team;

double seconds_now(void);

// --- vectors.c

// The part of `count` that belongs to a member: whole pages, so that each has one home.
typedef struct {
  size_t begin, end;
} Piece;
Piece piece_of(size_t count, int member, int members);

void make_vectors(Vectors* v, double mb);

// STREAM's four kernels, and the triad with a factor of its own, over a piece.
void run_kernel(Kernel kernel, const Vectors* v, Piece p);
void run_triad(const Vectors* v, double factor, Piece p);

// Values that tell team and index apart.
void write_first(const Vectors* v, int team, Piece p);

// How many values are not exactly what `passes` of all four kernels make of the first ones.
long wrong_after_passes(const Vectors* v, int team, long passes, Piece p);
// The same for a triad over vectors whose b and c are those of these teams.
long wrong_after_triad(const Vectors* v, int team_of_b, int team_of_c, double factor, Piece p);

// --- team.c

// Called by a team's outer thread, once for each piece, in an inner region.
void initialise(const Options* o, Team* team);
// Notes where a member runs and whether `bytes` of data, first written in `home`, are there.
void note_place(const Options* o, Team* team, int home, double bytes);
void note_members(Team* team, int members);
void note_time(Times* times, double seconds);
// All four kernels, `o->times` times, an inner region each.
void run_stream(const Options* o, Team* team);
void check_stream(const Options* o, Team* team);

// --- twisted.c, imbalanced.c

// The vectors that a team uses in phase 2.
Vectors twisted_vectors(const Options* o, const Team* teams, int team);
// Phase 1 or 2 of one team, called by its outer thread.
void run_phase(const Options* o, Team* teams, int team, int phase);
void check_phase(const Options* o, Team* teams, int team, int phase);
// The passes of a team. Of more loads than teams, the last ones count: the paper's 15, 15, 30, 1
// are 30, 1 for two teams.
long load_of(const Options* o, long team);
void run_imbalanced(const Options* o, Team* team);
void check_imbalanced(const Options* o, Team* team);

// --- tell.c: what Lares is told, by the thread that calls

// After a member's first touch: its domain is the home. The kernel tells nodes only, and caches can
// be domains, too.
void tell_home(const Options* o, const Vectors* v, Piece p);
// After the first touch: whose the vectors are. For a team's outer thread.
void tell_own(const Options* o, const Team* team);
// Before phase 2: what is used from now on. For a team's outer thread.
void tell_twisted(const Options* o, const Team* team, const Vectors* used);
// In phase 2, before the first pass. For a member.
void tell_piece_of_phase(const Options* o, const Vectors* used, Piece p);
// In the imbalanced region: whose a piece is; how many passes are left over it.
void tell_piece(const Options* o, const Vectors* v, Piece p);
void tell_load(const Options* o, long passes_left);

// --- report.c

// What became of pages between two moments: snapshots of the homes that Lares knows.
typedef struct {
  int* homes;
  size_t pages;
} Homes;
Homes homes_now(const Team* teams, long count);
double bytes_that_moved(const Homes* before, const Homes* after);

void print_head(const Options* o, const Team* teams, double seconds);
// The rates, places and time of each team in the phase that has ended.
void print_phase(const Options* o, const Team* teams);
// Ends the line; the number of wrong values.
long print_end(const Options* o, const Team* teams);
