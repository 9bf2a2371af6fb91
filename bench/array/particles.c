/* Soft particles in a box: a cell list with 64-bit indices is made in every step, and particles in neighbouring cells
 * push one another apart. */
#include "bench/array/kernel.h"

#include <stdint.h>

enum { P = 1500, GRID = 20, CELLS = GRID * GRID, STEPS = 8 };
const size_t kernel_inputs = 2 * P;

static const real CUT = R(1) / GRID, STIFF = 40, DT = R(0.01);

typedef struct particle {
    real x, y;
} particle;

typedef struct cells {
    int64_t first[CELLS + 1], list[P];
} cells;

static void fill(const double *x, particle *p, particle *v) {
    for (int i = 0; i < P; i++) {
        real spread = R((i * 1499) % 5003) / 5003;
        p[i] = (particle){2 * R(x[i]) - 1, R(0.5) * spread + R(x[P + (i * 7) % P]) - R(0.5)};
        v[i] = (particle){0, 0};
    }
}

static int64_t place(real at) {
    int64_t place = (int64_t)(at * GRID);
    return place < 0 ? 0 : place >= GRID ? GRID - 1 : place;
}

static NOINLINE void sort(const particle *p, cells *c) {
    int64_t of[P], at[CELLS];
    memset(c->first, 0, sizeof c->first);
    for (int64_t i = 0; i < P; i++) {
        of[i] = place(p[i].y) * GRID + place(p[i].x);
        c->first[of[i] + 1]++;
    }
    for (int64_t k = 0; k < CELLS; k++)
        c->first[k + 1] += c->first[k];
    memcpy(at, c->first, sizeof at);
    for (int64_t i = 0; i < P; i++)
        c->list[at[of[i]]++] = i;
}

static void push_row(const particle *p, particle *f, const cells *c, int64_t i, int64_t from, int64_t to) {
    for (int64_t k = from; k < to; k++) {
        int64_t j = c->list[k];
        real dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, r2 = dx * dx + dy * dy;
        if (j != i && r2 < CUT * CUT) {
            real w = STIFF * (1 - r2 / (CUT * CUT));
            f[i].x += w * dx;
            f[i].y += w * dy;
        }
    }
}

/* Calls one of the functions above for all pairs of a particle and a run of particles in its row of cells and the two
 * rows beside it. */
#define FOR_NEIGHBOURS(call) \
    for (int64_t cy = 0; cy < GRID; cy++) \
        for (int64_t cx = 0; cx < GRID; cx++) \
            for (int64_t a = c->first[cy * GRID + cx]; a < c->first[cy * GRID + cx + 1]; a++) \
                for (int64_t ny = cy > 0 ? cy - 1 : 0; ny <= cy + 1 && ny < GRID; ny++) { \
                    int64_t i = c->list[a], left = cx > 0 ? cx - 1 : 0, right = cx + 1 < GRID ? cx + 1 : GRID - 1; \
                    int64_t from = c->first[ny * GRID + left], to = c->first[ny * GRID + right + 1]; \
                    call; \
                }

static NOINLINE void push(const particle *p, particle *f, const cells *c) {
    memset(f, 0, P * sizeof *f);
    FOR_NEIGHBOURS(push_row(p, f, c, i, from, to))
}

static void move(particle *p, particle *v, const particle *f) {
    for (int i = 0; i < P; i++) {
        v[i].x += DT * f[i].x;
        v[i].y += DT * f[i].y;
        p[i].x += DT * v[i].x;
        p[i].y += DT * v[i].y;
    }
}

static real spread(const particle *p) {
    real sum = 0;
    for (int i = 0; i < P; i++)
        sum += p[i].x * p[i].x * (i % 3) + p[i].x * p[i].y;
    return sum;
}

double kernel(const double *x, size_t n) {
    particle *p = malloc(P * sizeof *p), *v = malloc(P * sizeof *v), *f = malloc(P * sizeof *f);
    cells *c = malloc(sizeof *c);
    (void)n;
    fill(x, p, v);
    for (int t = 0; t < STEPS; t++) {
        sort(p, c);
        push(p, f, c);
        move(p, v, f);
    }
    double value = spread(p);
    free(p);
    free(v);
    free(f);
    free(c);
    return value;
}
