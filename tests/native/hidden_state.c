/* at: 0.7,1.1,0.25
 * strtok keeps its place in a variable that must be restored when a stretch is run again. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static double weigh(const double *x, size_t n, double weight) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sin(weight * x[i]) * x[i];
    return sum;
}

double f(const double *x, size_t n) {
    char text[] = "0.5;1.25;2;3.5;0.75";
    double product = 1;
    for (char *part = strtok(text, ";"); part; part = strtok(NULL, ";"))
        product *= weigh(x, n, atof(part));
    return product;
}
