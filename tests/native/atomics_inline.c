/* at: 0.7,1.1,-0.4
 * flags: -fopenmp -mcx16
 * foreign: libatomic.c
 * needs: cx16
 * The same as atomics_long.c, where the processor's instruction for 16 bytes changes a long double: its bits are joined
 * with the six bytes beside them. */
#include "atomics_long.c"
