/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Two names for one piece of memory: what is written by one is read by the other. */
#include <math.h>
#include <stddef.h>

static void accumulate(double *into, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++)
        into[i] += 0.5 * from[n - 1 - i] * into[0];
}

static double through(double *a, double *b) {
    double first = *a;
    *b = sin(*b) + 1;
    double second = *a;
    *a *= second;
    return first + *b * second;
}

typedef struct window {
    double *data;
    size_t length;
} window;

static void shift(window to, window from) {
    for (size_t i = 0; i < to.length; i++)
        to.data[i] = from.data[i] * from.data[from.length - 1];
}

double f(const double *x, size_t n) {
    double data[4], *same = data + 1;
    for (size_t i = 0; i < n; i++)
        data[i] = x[i];
    accumulate(data, data, n);
    double sum = through(&data[1], same) + through(&data[0], same);
    shift((window){data + 1, 3}, (window){data, 3});
    accumulate(same, x, 3);
    return sum + data[1] * data[2] + same[0] * same[2] + data[0];
}
