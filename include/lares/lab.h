/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later */
/* Regions of interest for `lares lab run --count`: whose memory accesses go into a matrix of their
   own, beside the one of the whole program.

       #include <lares/lab.h>
       lares_lab_region_begin("solve");
       ...
       lares_lab_region_end("solve");

   One file, nothing to link with. Outside of the lab each call costs some ten loads from the stack
   and has no effect; where the processor is not an x86-64 one, or the compiler does not understand
   GCC's assembler statements, it is nothing at all. */
#ifndef LARES_LAB_H
#define LARES_LAB_H

#include <stddef.h>
#include <stdint.h>

/* What follows up to LARES_LAB_REGION_END is how a program speaks to the lab: each byte of a
   message is the low byte of the address of one load, an instruction whose displacement is
   LARES_LAB_MARK and which no compiler makes by chance. A message is one of the letters below, the
   region's name, and a zero byte. */
#define LARES_LAB_MARK 0x4c61526e
#define LARES_LAB_TABLE_BYTES 256
#define LARES_LAB_REGION_BEGIN 'B'
#define LARES_LAB_REGION_END 'E'
/* For the lab's own first process: counting starts and stops. */
#define LARES_LAB_PROGRAM_BEGIN 'S'
#define LARES_LAB_PROGRAM_END 'T'

/* Longer names are cut. */
#define LARES_LAB_NAME_BYTES 63

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__x86_64__) && !defined(__ILP32__) && defined(__GNUC__)
/* Sends one message; `name` is cut at its end or after LARES_LAB_NAME_BYTES. */
static inline void lares_lab_internal_send(char what, const char* name) {
  /* The lab keeps messages of different threads apart by the table's address: so it lies on the
     thread's own stack. It is written first, for a page that was never written has no memory. */
  volatile unsigned char room[2 * LARES_LAB_TABLE_BYTES];
  const uintptr_t mask = LARES_LAB_TABLE_BYTES - 1;
  const uintptr_t table = ((uintptr_t)room + mask) & ~mask;
  size_t at = 0;
  unsigned char byte = (unsigned char)what;
  int last = 0;
  room[table - (uintptr_t)room] = 0;
  while (!last) {
    unsigned int loaded;
    __asm__ volatile("movzbl %c2(%%rdi), %%eax"
                     : "=a"(loaded)
                     : "D"(table + byte - LARES_LAB_MARK), "i"(LARES_LAB_MARK)
                     : "memory");
    (void)loaded;
    last = byte == 0;
    if (!last) byte = at < LARES_LAB_NAME_BYTES ? (unsigned char)name[at++] : 0;
  }
}
#else
static inline void lares_lab_internal_send(char what, const char* name) {
  (void)what;
  (void)name;
}
#endif

/* What every thread of every process does from now on is also counted in the region `name`, until
   its end. Regions nest and overlap. A region that begins again goes on with its matrix; one that
   begins while it is open (in another thread, say) ends with its last end.
   `name` is UTF-8 text of up to LARES_LAB_NAME_BYTES bytes, not empty, not "program".
   Thread safety: any thread, any time. */
static inline void lares_lab_region_begin(const char* name) {
  lares_lab_internal_send(LARES_LAB_REGION_BEGIN, name);
}

/* The end of what lares_lab_region_begin() began; without that it has no effect, and the lab says
   so. Thread safety: any thread, any time, also another than the one that began the region. */
static inline void lares_lab_region_end(const char* name) {
  lares_lab_internal_send(LARES_LAB_REGION_END, name);
}

#ifdef __cplusplus
}
#endif

#endif /* LARES_LAB_H */
