/* at: 0.37,0.83,1.9,-0.61
 * flags: -O3 -march=native -fno-math-errno
 * Functions of the C library that touch no memory when there is no errno: the versions that record do. */
#include "library_versions.c"
