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

/* 1 if this process was started by `lares run` and the library that schedules its tasks is loaded,
   else 0: when started plainly, and when `lares run` could not load its library (a statically
   linked or a setuid program). It says nothing about whether a task has run yet.
   Thread safety: any thread, but not while another thread changes the environment. */
int lares_active(void);

#ifdef __cplusplus
}
#endif

#endif /* LARES_LARES_H */
