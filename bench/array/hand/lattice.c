/* Keeps the populations of each step, which the forward run writes to planes of their own. */
#include "bench/array/lattice.c"
#include "bench/array/hand/hand.h"

static NOINLINE real backward(const real *restrict f, const real *restrict dg, real *restrict df, real rate) {
    real drate = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            real in[WAYS], din[WAYS], mass = 0, u = 0, v = 0, dmass = 0, du = 0, dv = 0, denergy = 0;
            for (int q = 0; q < WAYS; q++) {
                in[q] = f[from(q, x, y)];
                mass += in[q];
                u += along[q] * in[q];
                v += across[q] * in[q];
            }
            u /= mass;
            v /= mass;
            real energy = R(1.5) * (u * u + v * v);
            for (int q = 0; q < WAYS; q++) {
                real d = dg[(q * HEIGHT + y) * WIDTH + x], c = 3 * (along[q] * u + across[q] * v);
                real shape = weight[q] * (1 + c + R(0.5) * c * c - energy), drest = rate * d;
                real dshape = drest * weight[q] * mass, dc = 3 * dshape * (1 + c);
                din[q] = d - drest;
                drate += d * (shape * mass - in[q]);
                dmass += drest * shape;
                denergy -= dshape;
                du += dc * along[q];
                dv += dc * across[q];
            }
            du += 3 * u * denergy;
            dv += 3 * v * denergy;
            dmass -= (du * u + dv * v) / mass;
            du /= mass;
            dv /= mass;
            for (int q = 0; q < WAYS; q++)
                df[from(q, x, y)] = din[q] + dmass + du * along[q] + dv * across[q];
        }
    return drate;
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    enum { ALL = WAYS * POINTS };
    real *f = reals((STEPS + 1) * (size_t)ALL), *last = f + STEPS * (size_t)ALL, *d = zeros(ALL), *other = reals(ALL);
    real sum = 0, drate = 0, rate = 1 + R(0.5) * R(x[POINTS]);
    (void)n;
    fill(x, f);
    for (int t = 0; t < STEPS; t++)
        step(f + t * (size_t)ALL, f + (t + 1) * (size_t)ALL, rate);
    for (int i = 0; i < POINTS; i++) {
        real flow = last[POINTS + i] - last[3 * POINTS + i];
        sum += 100 * flow * flow + last[i] * (i % 5);
        d[POINTS + i] += 200 * flow;
        d[3 * POINTS + i] -= 200 * flow;
        d[i] += i % 5;
    }
    for (int t = STEPS - 1; t >= 0; t--) {
        drate += backward(f + t * (size_t)ALL, d, other, rate);
        real *swap = d;
        d = other;
        other = swap;
    }
    for (int i = 0; i < POINTS; i++) {
        gradient[i] = 0;
        for (int q = 0; q < WAYS; q++)
            gradient[i] += d[q * POINTS + i] * weight[q] * R(0.1) * (q % 3);
    }
    gradient[POINTS] = R(0.5) * drate;
    free(f), free(d), free(other);
    return sum;
}
