/* at: 0.7,1.1
 * refused: run
 * cuts: all
 * message: stdio\.h:[0-9]*: (__overflow keeps state|memory at 0x[0-9a-f]* is written)
 * The C library's headers have code that writes to a stream's buffer; it becomes code of the program. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

double f(const double *x, size_t n) {
    FILE *file = tmpfile();
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += sin(x[i]);
        putc_unlocked('*', file);
    }
    fclose(file);
    return sum;
}
