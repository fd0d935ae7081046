#include "lab/image/cpio.hpp"
