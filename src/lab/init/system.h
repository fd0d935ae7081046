// Makes a Linux system out of a freshly booted kernel.
#ifndef LARES_LAB_INIT_SYSTEM_H
#define LARES_LAB_INIT_SYSTEM_H

/// Mounts what programs expect, loads the modules of the image, brings the loopback network up.
void set_up_system(void);

/// Makes `path` and all folders above it that are missing. Returns 0, or an errno.
int make_folders(const char* path);

/// How many processes the kernel has killed so far because memory ran out.
unsigned killed_for_memory(void);

#endif
