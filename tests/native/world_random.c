/* at: 0.7,1.1,0.25
 * flags: -fno-inline
 * The C library's random numbers: a run that is repeated draws the same ones. Both generators, also with an array and a
 * formula of the program's own. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static double spread(const double *x, double u) {
    double sample = x[0] + x[1] * (u - 0.5);
    return exp(-x[2] * sample * sample);
}

static double own_array(const double *x) {
    int array[16]; /* on the stack, where capsules put other things back */
    double sum = 0;
    char *before = initstate(7, (char *)array, sizeof array);
    for (int i = 0; i < 5; i++)
        sum += spread(x, (double)random() / RAND_MAX);
    setstate(before);
    return sum;
}

double f(const double *x, size_t n) {
    unsigned short formula[7] = {1, 2, 3, 4, 5, 6, 7}, mine[3] = {1, 2, 3};
    unsigned own = 5;
    double sum = 0;
    (void)n;
    srand(12);
    for (int i = 0; i < 40; i++)
        sum += spread(x, (double)rand() / RAND_MAX) + spread(x, (double)rand_r(&own) / RAND_MAX);
    sum += own_array(x);
    sum += spread(x, (double)random() / RAND_MAX);
    srand48(4);
    for (int i = 0; i < 40; i++)
        sum += spread(x, drand48()) * spread(x, erand48(mine));
    lcong48(formula);
    for (int i = 0; i < 40; i++)
        sum += spread(x, (double)lrand48() * 0x1p-31) - spread(x, (double)mrand48() * 0x1p-32);
    return sum;
}
