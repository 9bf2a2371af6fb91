/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Two buffers swapped by pointer in a time loop, in three ways: locals, an array of pointers, a struct through a
 * function. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static void step(const double *from, double *to, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = 0.8 * from[i] + 0.1 * sin(from[(i + 1) % n]) * from[i];
}

typedef struct state {
    double *now, *next;
} state;

static void exchange(state *s) {
    double *keep = s->now;
    s->now = s->next;
    s->next = keep;
}

double f(const double *x, size_t n) {
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), third[4], fourth[4];
    for (size_t i = 0; i < n; i++)
        u[i] = third[i] = x[i];
    double *pair[2] = {third, fourth};
    for (int t = 0; t < 5; t++) {
        step(u, v, n);
        double *swap = u;
        u = v;
        v = swap;
        step(pair[t & 1], pair[!(t & 1)], n);
    }
    state s = {u, pair[1]};
    for (int t = 0; t < 3; t++) {
        step(s.now, s.next, n);
        exchange(&s);
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += s.now[i] * s.next[i] + third[i];
    free(u);
    free(v);
    return sum;
}
