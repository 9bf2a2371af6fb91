/* at: 0.7,1.1
 * refused: run
 * cuts: all
 * message: world_format\.c:1[0-9]: fprintf with %n writes what Verso cannot see
 * printf writes to memory, as its format says. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

double f(const double *x, size_t n) {
    FILE *file = tmpfile();
    int written = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "%zu and %5.2f%n\n", i, 1.5, &written);
        sum += sin(x[i]) * written;
    }
    fclose(file);
    return sum;
}
