/* at: 0.7,-1.1,0.3
 * refused: run
 * message: never_runs\.c:1[0-9]: .*half-precision numbers
 * The code of tests/native/never_runs.c, at a point where it runs. */
#include "../never_runs.c"
