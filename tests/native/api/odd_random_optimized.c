/* flags: -O3 -fno-inline -fno-strict-aliasing
 * As odd_random.c, where words are passed by value between functions. */
#include "odd_random.c"
