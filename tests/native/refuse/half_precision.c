/* at: 0.7,1.1
 * refused: run
 * message: half_precision\.c:(8|9|10|11): .*(half|_Float16)
 * Numbers of two bytes. */
#include <stddef.h>

double f(const double *x, size_t n) {
    _Float16 small = (_Float16)x[0], sum = 1;
    for (size_t i = 0; i < n; i++)
        sum += small * (_Float16)x[i];
    return (double)sum * x[1];
}
