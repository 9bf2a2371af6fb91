/* flags: -Ofast
 * The same with fast-math. */
#include "check_floats.c"
