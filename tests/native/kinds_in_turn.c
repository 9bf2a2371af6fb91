/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -O1
 * A float and a double in turn, many of them: LLVM makes vectors of what is done to their cells. */
#include <stddef.h>

typedef struct pair {
    float single;
    double number;
} pair;

double f(const double *x, size_t n) {
    pair pairs[8];
    double sum = 0;
    for (size_t i = 0; i < 8; i++) {
        pairs[i].single = (float)x[i % n];
        pairs[i].number = x[(i + 1) % n];
    }
    for (size_t i = 0; i < 8; i++)
        sum += pairs[i].number * (double)pairs[i].single * (double)(i + 1);
    return sum;
}
