/* The C interface of Lares. Link with liblares: find_package(Lares) gives Lares::lares, pkg-config
   gives lares. A program needs none of this to run under `lares run`. */
#ifndef LARES_LARES_H
#define LARES_LARES_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library in use, "MAJOR.MINOR.PATCH". A constant string; never NULL.
   Thread safety: any thread, any time. */
const char* lares_version(void);

/* 1 if this process was started by `lares run` and Lares schedules the tasks of its OpenMP regions,
   else 0: when it was started plainly, when the library of `lares run` could not be loaded (a
   statically linked or a setuid program), and when it leaves all tasks to the stock runtime.
   It does not tell whether a task has run yet. Thread safety: any thread, any time. */
int lares_active(void);

#ifdef __cplusplus
}
#endif

#endif /* LARES_LARES_H */
