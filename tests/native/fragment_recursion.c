/* at: 0.5,1.2,-0.7,0.3,0.9,0.4,-0.2,1.1
 * A function that calls itself within a fragment, with memory of the heap; the debugger's variables are there.
 * flags: -g */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

typedef struct pair {
    double mean, spread;
} pair;

static pair split(const double *x, size_t n) {
    if (n == 1)
        return (pair){x[0], x[0] * x[0]};
    pair both = {0, 0};
    double *own = malloc(n * sizeof *own), weight;
    if (own == NULL)
        abort();
    memcpy(own, x, n * sizeof *own);
    verso_fragment_begin("halves");
    for (size_t i = 0; i + 1 < n; i++)
        own[i] += 0.1 * own[i + 1] * own[i];
    pair left = split(own, n / 2), right = split(own + n / 2, n - n / 2);
    both.mean = 0.5 * (left.mean + right.mean);
    both.spread = sqrt(1 + left.spread * right.spread);
    weight = left.mean - right.spread;
    verso_fragment_end();
    both.spread += sin(weight) * own[0];
    free(own);
    return both;
}

double f(const double *x, size_t n) {
    pair all = split(x, n);
    return all.mean * all.spread;
}
