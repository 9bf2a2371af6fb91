/* Lennard-Jones: energy and two steps with neighbour lists, arrays of structs, a cutoff. */
#include "bench/array/kernel.h"

enum { ATOMS = 600, MOST = 40, STEPS = 4, SIDE = 9 };
const size_t kernel_inputs = 3 * ATOMS;
typedef struct vec {
    real x, y, z;
} vec;
typedef struct list {
    int count, of[MOST];
} list;

static void place(const double *x, vec *p) {
    for (int i = 0; i < ATOMS; i++) {
        p[i].x = R(1.1) * (i % SIDE) + R(0.1) * R(x[3 * i]);
        p[i].y = R(1.1) * (i / SIDE % SIDE) + R(0.1) * R(x[3 * i + 1]);
        p[i].z = R(1.1) * (i / SIDE / SIDE) + R(0.1) * R(x[3 * i + 2]);
    }
}

static NOINLINE void find_neighbours(const vec *p, list *lists) {
    for (int i = 0; i < ATOMS; i++) {
        lists[i].count = 0;
        for (int j = i + 1; j < ATOMS && lists[i].count < MOST; j++) {
            real dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
            if (dx * dx + dy * dy + dz * dz < R(4))
                lists[i].of[lists[i].count++] = j;
        }
    }
}

static NOINLINE void forces(const vec *p, const list *lists, vec *f) {
    for (int i = 0; i < ATOMS; i++)
        f[i] = (vec){0, 0, 0};
    for (int i = 0; i < ATOMS; i++)
        for (int k = 0; k < lists[i].count; k++) {
            int j = lists[i].of[k];
            real dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
            real r2 = dx * dx + dy * dy + dz * dz;
            if (r2 > R(3.6))
                continue;
            real s = 1 / r2, s3 = s * s * s, g = 24 * s * s3 * (2 * s3 - 1);
            f[i].x += g * dx, f[i].y += g * dy, f[i].z += g * dz;
            f[j].x -= g * dx, f[j].y -= g * dy, f[j].z -= g * dz;
        }
}

static void move(vec *p, const vec *f) {
    for (int i = 0; i < ATOMS; i++) {
        p[i].x += R(1e-4) * f[i].x;
        p[i].y += R(1e-4) * f[i].y;
        p[i].z += R(1e-4) * f[i].z;
    }
}

double kernel(const double *x, size_t n) {
    static list lists[ATOMS];
    vec *p = malloc(ATOMS * sizeof *p), *f = malloc(ATOMS * sizeof *f);
    real sum = 0;
    (void)n;
    place(x, p);
    find_neighbours(p, lists);
    for (int t = 0; t < STEPS; t++) {
        forces(p, lists, f);
        move(p, f);
    }
    for (int i = 0; i < ATOMS; i++)
        sum += p[i].x * (i % 3) + p[i].y * p[i].z;
    free(p), free(f);
    return sum;
}
