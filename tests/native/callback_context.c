/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Callbacks with a void * for their context, as libraries take them; one callback calls the library again. */
#include <math.h>
#include <stddef.h>

typedef double (*integrand)(double z, void *context);

static double integrate(integrand function, void *context, double from, double to, int pieces) {
    double h = (to - from) / pieces, sum = 0.5 * (function(from, context) + function(to, context));
    for (int i = 1; i < pieces; i++)
        sum += function(from + i * h, context);
    return sum * h;
}

typedef struct gaussian {
    double centre, width;
    int calls;
} gaussian;

static double bell(double z, void *context) {
    gaussian *g = context;
    g->calls++;
    double u = (z - g->centre) / g->width;
    return exp(-u * u);
}

static double inner_integral(double z, void *context) {
    gaussian moved = *(gaussian *)context;
    moved.centre += z;
    return z * integrate(bell, &moved, 0, z, 6);
}

static double constant(double z, void *context) {
    (void)z;
    return *(const double *)context;
}

double f(const double *x, size_t n) {
    (void)n;
    gaussian g = {x[0], x[1], 0};
    double level = x[2] * x[2];
    double sum = integrate(bell, &g, x[2], x[3], 10) + integrate(inner_integral, &g, 0, x[3], 8);
    return sum + integrate(constant, &level, 0, x[3], 4) * g.calls;
}
