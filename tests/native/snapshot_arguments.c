/* Checkpointed calls write through their arguments: to heap blocks, to arrays on the stack, to members of structs, to
 * the same array twice, backwards from its end, and counted from 1. What they access is overwritten or freed later.
 * at: 0.7,1.1,0.3,0.9 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline)) static

typedef struct particle {
    double mass, place[3], speed[3];
    int kind;
} particle;

APART void smooth(double *u, int n) {
    for (int i = 1; i < n - 1; i++)
        u[i] = 0.5 * u[i] + 0.25 * u[i - 1] * u[i + 1];
}

APART void combine(double *to, const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++)
        to[i] = to[i] + a[i] * b[n - 1 - i];
}

APART void push(double *place, const double *speed, double t) {
    for (int i = 0; i < 3; i++)
        place[i] += t * speed[i] * speed[(i + 1) % 3];
}

APART void move(particle *p, double t) {
    push(p->place, p->speed, t);
    p->speed[p->kind] *= p->mass;
}

APART void one(double *out, double q) {
    *out = *out * q + 1;
}

APART double from_end(double *end, int n) {
    double s = 0;
    while (n-- > 0) {
        end--;
        s = 0.5 * s + 0.1 * *end * *end;
        *end = s;
    }
    return s;
}

/* As programs do that were Fortran once: elements 1 to n. */
APART double from_one(double *u, int n) {
    double s = 0;
    for (int i = 1; i <= n; i++)
        s += 0.1 * u[i] * u[i] * i, u[i] = s;
    return s;
}

APART double outer(double *u, double *end, int n, double q) {
    double inner[4] = {q, 2 * q, 3, 4}, next[4] = {1, q, q * q, 2};
    double volatile gap = from_one(inner - 1, 4);
    combine(u, inner, next, 3);
    one(&next[3], q);
    return from_end(end, n) + from_end(inner + 4, 4) + next[3] + 0 * gap;
}

double f(const double *x, size_t n) {
    double a[8], b[8], c[8], scalar = x[0], sum = 0;
    for (int i = 0; i < 8; i++)
        a[i] = x[i % n], b[i] = x[(i + 1) % n] * i, c[i] = 1;
    for (int k = 0; k < 4; k++) {
        double *below = malloc(8 * sizeof *below), *heap = malloc(8 * sizeof *heap), *filled = malloc(24),
               *after = malloc(24);
        memcpy(heap, a, sizeof a);
        memcpy(below, b, sizeof b);
        memcpy(filled, b, 24);
        memcpy(after, c, 24);
        particle p = {.mass = x[1], .place = {x[2], x[3], 1}, .speed = {a[1], b[2], c[3]}, .kind = k % 3};
        smooth(heap, 8);
        smooth(a + 1, 6);
        combine(c, a, b, 8);
        combine(a, a, a, 4);
        combine(heap, heap + 4, c, 4);
        move(&p, 0.1 * x[0]);
        one(&scalar, 0.3);
        one(&p.mass, scalar);
        sum += 0.1 * from_end(b + 8, 8) + 0.1 * from_end(filled + 3, 3) + 0.01 * from_one(heap - 1, 8);
        sum += 0.01 * outer(after, after + 3, 3, x[k]) + p.place[0] * p.place[1] + p.mass * p.speed[k % 3];
        sum += heap[3] + below[4] + filled[1] + after[2];
        memset(heap, 1, 64);
        free(filled);
        free(heap);
        free(below);
        filled = malloc(40);
        for (int i = 0; i < 5; i++)
            filled[i] = sum;
        sum += 0.001 * filled[k];
        free(filled);
        free(after);
    }
    for (int i = 0; i < 8; i++)
        sum += 0.01 * (a[i] + b[i] + c[i]), a[i] = b[i] = c[i] = 0;
    return sum + scalar;
}
