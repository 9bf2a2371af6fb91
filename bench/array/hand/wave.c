/* Every step has a plane of its own, which is kept. The adjoint scatters to three buffers, which are turned round, too;
 * it has separate loops for neighbours in the row, so that they are vectorised. */
#include "bench/array/wave.c"
#include "bench/array/hand/hand.h"

/* da: adjoint of `after`, which is used up; dn: of `now`; db: of `before`. lap: kept Laplacians are computed again. */
static void reverse_borders(real *restrict da, real *restrict dn) {
    const int nx = NX, ny = NY;
#define BORDER(at, in) \
    do { \
        dn[in] += da[at]; \
        da[in] += R(0.3) * da[at]; \
        dn[at] -= R(0.3) * da[at]; \
        da[at] = 0; \
    } while (0)
    for (int i = nx - 1; i-- > 1;) {
        BORDER(i * ny + ny - 1, i * ny + ny - 2);
        BORDER(i * ny, i * ny + 1);
    }
    for (int j = ny - 1; j-- > 1;) {
        BORDER((nx - 1) * ny + j, (nx - 2) * ny + j);
        BORDER(j, ny + j);
    }
}

static NOINLINE void reverse(const real *restrict u, const real *restrict speed, real *restrict da, real *restrict dn,
                             real *restrict db, real *restrict ds) {
    const int ny = NY;
    reverse_borders(da, dn);
    for (int i = 1; i < NX - 1; i++) {
        for (int j = 1; j < ny - 1; j++) {
            int at = i * ny + j;
            real w = speed[at] * da[at];
            ds[at] += da[at] * (u[at - 1] + u[at + 1] + u[at - ny] + u[at + ny] - 4 * u[at]);
            dn[at] += 2 * da[at] - 4 * w;
            db[at] -= da[at];
            dn[at - ny] += w;
            dn[at + ny] += w;
        }
        for (int at = i * ny + 1; at < i * ny + ny - 1; at++)
            dn[at - 1] += speed[at] * da[at];
        for (int at = i * ny + 1; at < i * ny + ny - 1; at++)
            dn[at + 1] += speed[at] * da[at];
        memset(da + i * ny + 1, 0, (NY - 2) * sizeof *da);
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    enum { ALL = NX * NY };
    real *planes = reals((STEPS + 2) * ALL), *speed = reals(ALL), *after = reals(ALL), sum = 0;
    field f = {NX, NY, planes, planes + ALL, after, speed};
    fill(x, &f);
    for (int t = 0; t < STEPS; t++) {
        f.after = planes + (t + 2) * ALL;
        memcpy(f.after, t == 0 ? after : f.before, ALL * sizeof(real));
        f.before = planes + t * ALL, f.now = planes + (t + 1) * ALL;
        step(&f);
    }
    real *da = reals(ALL), *dn = zeros(ALL), *db = zeros(ALL), *ds = zeros(ALL);
    for (int i = 0; i < ALL; i++) {
        sum += f.now[i] * f.now[i] * (i % 3);
        da[i] = 2 * f.now[i] * (i % 3);
    }
    /* Corners are never written: they wander with the buffers, three of them. */
    for (int t = STEPS; t-- > 0;) {
        reverse(planes + (t + 1) * ALL, speed, da, dn, db, ds);
        real *old = da;
        da = dn, dn = db, db = old;
    }
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++) {
            int at = i * NY + j;
            gradient[i] += ds[at] * R(0.25) * x[NX + j];
            gradient[NX + j] += ds[at] * R(0.25) * x[i];
            if ((i + j) % 5 == 0)
                gradient[j] += da[at] + dn[at];
        }
    free(planes), free(speed), free(after), free(da), free(dn), free(db), free(ds);
    return sum;
}
