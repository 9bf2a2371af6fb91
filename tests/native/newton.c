/* at: 2.7,3.1,0.4
 * flags: -fno-inline
 * Newton's method until it stands still: for a root, for an implicit function, for a system of two equations. */
#include <math.h>
#include <stddef.h>

static double square_root(double c) {
    double u = c;
    for (int i = 0; i < 50; i++) {
        double next = 0.5 * (u + c / u);
        if (fabs(next - u) < 1e-14 * u)
            return next;
        u = next;
    }
    return u;
}

static double kepler(double mean, double eccentricity) {
    double e = mean, step;
    do {
        step = (e - eccentricity * sin(e) - mean) / (1 - eccentricity * cos(e));
        e -= step;
    } while (fabs(step) > 1e-13);
    return e;
}

static void two_equations(double a, double b, double *u, double *v) {
    for (int i = 0; i < 30; i++) {
        double r = *u * *u + *v * *v - a, s = *u * *v - b;
        double determinant = 2 * *u * *u - 2 * *v * *v;
        double du = (r * *u - s * 2 * *v) / determinant, dv = (2 * *u * s - *v * r) / determinant;
        *u -= du;
        *v -= dv;
        if (du * du + dv * dv < 1e-28)
            break;
    }
}

double f(const double *x, size_t n) {
    (void)n;
    double u = 2, v = 0.1;
    two_equations(x[0] * x[1], x[2], &u, &v);
    return square_root(x[0]) + kepler(x[1], x[2]) * x[0] + u * u * v;
}
