/* Bundle adjustment: squared errors of points seen by cameras (rotation vector, centre, focal length, principal point,
 * two distortions), as in ADBench. Observations name camera and point by integers. */
#include "bench/array/kernel.h"

enum { CAMERAS = 20, POINTS = 1000, SEEN = 8, OBSERVATIONS = SEEN * POINTS, PARAMETERS = 11 };
const size_t kernel_inputs = CAMERAS * PARAMETERS + 3 * POINTS;

typedef struct camera {
    real turn[3], centre[3], focal, principal[2], distortion[2];
} camera;

typedef struct observation {
    int camera, point;
    real at[2];
} observation;

static camera make_camera(const double *x) {
    return (camera){{R(0.2) * R(x[0]), R(-0.3) * R(x[1]), R(0.4) * R(x[2])},
                    {R(x[3]), R(-1) * R(x[4]), R(-4) * R(x[5])},
                    R(2) * R(x[6]),
                    {R(0.1) * R(x[7]), R(0.1) * R(x[8])},
                    {R(0.1) * R(x[9]), R(0.01) * R(x[10])}};
}

static void fill(const double *x, camera *c, real (*p)[3], observation *o) {
    for (int i = 0; i < CAMERAS; i++)
        c[i] = make_camera(x + i * PARAMETERS);
    for (int i = 0; i < 3 * POINTS; i++)
        p[i / 3][i % 3] = R(x[CAMERAS * PARAMETERS + i]);
    for (int i = 0; i < OBSERVATIONS; i++)
        o[i] = (observation){(i * 7 + i / SEEN) % CAMERAS, i / SEEN, {R(0.01) * (i % 17), R(0.02) * (i % 13)}};
}

static inline real inner(const real *a, const real *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const real *a, const real *b, real *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Rodrigues. */
static inline void rotate(const real *turn, const real *v, real *out) {
    real angle = sqrt(inner(turn, turn)), c = cos(angle), s = sin(angle), axis[3], side[3];
    for (int i = 0; i < 3; i++)
        axis[i] = turn[i] / angle;
    cross(axis, v, side);
    real along = inner(axis, v) * (1 - c);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] * c + side[i] * s + axis[i] * along;
}

static inline real residual(const camera *c, const real *p, const real *at) {
    real v[3], w[3], error = 0;
    for (int i = 0; i < 3; i++)
        v[i] = p[i] - c->centre[i];
    rotate(c->turn, v, w);
    real u[2] = {w[0] / w[2], w[1] / w[2]}, r2 = u[0] * u[0] + u[1] * u[1];
    real bend = 1 + c->distortion[0] * r2 + c->distortion[1] * r2 * r2;
    for (int i = 0; i < 2; i++) {
        real e = u[i] * bend * c->focal + c->principal[i] - at[i];
        error += e * e;
    }
    return error;
}

static NOINLINE real total_error(const camera *c, real (*p)[3], const observation *o) {
    real sum = 0;
    for (int i = 0; i < OBSERVATIONS; i++)
        sum += residual(&c[o[i].camera], p[o[i].point], o[i].at);
    return sum;
}

double kernel(const double *x, size_t n) {
    camera *c = malloc(CAMERAS * sizeof *c);
    real(*p)[3] = malloc(POINTS * sizeof *p);
    observation *o = malloc(OBSERVATIONS * sizeof *o);
    (void)n;
    fill(x, c, p, o);
    double value = total_error(c, p, o);
    free(c);
    free(p);
    free(o);
    return value;
}
