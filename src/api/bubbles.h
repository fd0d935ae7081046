// What of memory.h concerns whoever places threads.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Thread i of the next team uses chunk i of this memory, which stays where it is.
__attribute__((visibility("hidden"))) void lares_tell_next_team_data(const void* memory,
                                                                     size_t bytes, size_t chunk);

#ifdef __cplusplus
}
#endif
