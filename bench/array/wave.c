/* The wave equation in two dimensions, leapfrog with absorbing borders; three buffers in a struct, turned round. */
#include "bench/array/kernel.h"

enum { NX = 128, NY = 128, STEPS = 24 };
const size_t kernel_inputs = NX + NY;
typedef struct field {
    int nx, ny;
    real *before, *now, *after, *speed;
} field;

static void fill(const double *x, field *f) {
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++) {
            f->speed[i * NY + j] = R(0.25) * R(x[i]) * R(x[NX + j]);
            f->before[i * NY + j] = f->now[i * NY + j] = R(x[j]) * ((i + j) % 5 == 0);
            f->after[i * NY + j] = 0;
        }
}

static NOINLINE void step(field *f) {
    int nx = f->nx, ny = f->ny;
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++) {
            int at = i * ny + j;
            real *u = f->now;
            f->after[at] = 2 * u[at] - f->before[at] +
                           f->speed[at] * (u[at - 1] + u[at + 1] + u[at - ny] + u[at + ny] - 4 * u[at]);
        }
    for (int j = 1; j < ny - 1; j++) {
        f->after[j] = f->now[ny + j] + R(0.3) * (f->after[ny + j] - f->now[j]);
        f->after[(nx - 1) * ny + j] =
            f->now[(nx - 2) * ny + j] + R(0.3) * (f->after[(nx - 2) * ny + j] - f->now[(nx - 1) * ny + j]);
    }
    for (int i = 1; i < nx - 1; i++) {
        f->after[i * ny] = f->now[i * ny + 1] + R(0.3) * (f->after[i * ny + 1] - f->now[i * ny]);
        f->after[i * ny + ny - 1] =
            f->now[i * ny + ny - 2] + R(0.3) * (f->after[i * ny + ny - 2] - f->now[i * ny + ny - 1]);
    }
    real *old = f->before;
    f->before = f->now;
    f->now = f->after;
    f->after = old;
}

static field new_field(void) {
    return (field){NX, NY, reals(NX * NY), reals(NX * NY), reals(NX * NY), reals(NX * NY)};
}

static void free_field(field *f) {
    free(f->before), free(f->now), free(f->after), free(f->speed);
}

double kernel(const double *x, size_t n) {
    field f = new_field();
    real sum = 0;
    (void)n;
    fill(x, &f);
    for (int t = 0; t < STEPS; t++)
        step(&f);
    for (int i = 0; i < NX * NY; i++)
        sum += f.now[i] * f.now[i] * (i % 3);
    free_field(&f);
    return sum;
}
