/* Flow on a periodic lattice (lattice Boltzmann, nine directions): tables of constants, indices that wrap. */
#include "bench/array/kernel.h"

enum { WIDTH = 64, HEIGHT = 48, POINTS = WIDTH * HEIGHT, WAYS = 9, STEPS = 16 };
const size_t kernel_inputs = POINTS + 1;

static const int along[WAYS] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, across[WAYS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const real weight[WAYS] = {R(4) / 9,  R(1) / 9,  R(1) / 9,  R(1) / 9, R(1) / 9,
                                  R(1) / 36, R(1) / 36, R(1) / 36, R(1) / 36};

static inline int from(int way, int x, int y) {
    return (way * HEIGHT + (y - across[way] + HEIGHT) % HEIGHT) * WIDTH + (x - along[way] + WIDTH) % WIDTH;
}

static NOINLINE void step(const real *f, real *g, real rate) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            real in[WAYS], mass = 0, u = 0, v = 0;
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
                real c = 3 * (along[q] * u + across[q] * v);
                real rest = weight[q] * mass * (1 + c + R(0.5) * c * c - energy);
                g[(q * HEIGHT + y) * WIDTH + x] = in[q] + rate * (rest - in[q]);
            }
        }
}

static void fill(const double *x, real *f) {
    for (int q = 0; q < WAYS; q++)
        for (int i = 0; i < POINTS; i++)
            f[q * POINTS + i] = weight[q] * (1 + R(0.1) * R(x[i]) * (q % 3));
}

double kernel(const double *x, size_t n) {
    real *f = reals(WAYS * POINTS), *g = reals(WAYS * POINTS), sum = 0, rate = 1 + R(0.5) * R(x[POINTS]);
    (void)n;
    fill(x, f);
    for (int t = 0; t < STEPS; t++) {
        step(f, g, rate);
        real *other = f;
        f = g;
        g = other;
    }
    for (int i = 0; i < POINTS; i++) {
        real flow = f[POINTS + i] - f[3 * POINTS + i];
        sum += 100 * flow * flow + f[i] * (i % 5);
    }
    free(f), free(g);
    return sum;
}
