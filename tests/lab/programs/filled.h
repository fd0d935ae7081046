// An array that a library's constructor fills, and what is then in it.
#pragma once

enum { filled_bytes = 8 << 20 };
extern unsigned char filled[filled_bytes];

// Never 0.
static inline unsigned char filled_value(unsigned long i) { return (unsigned char)(i % 251 + 1); }
