// A shared library with regions and orphaned constructs, for programs of another compiler.
#include "orphans.h"

const struct orphans_side foreign_library_side = ORPHANS_SIDE;
