/* flags: -fno-inline -fno-strict-aliasing
 * As odd_random.c, in a program that makes numbers of integers. */
#define WITH_DOUBTS
#include "odd_random.c"
