/* A wrong partial derivative: tangents and bars agree with each other, but not with the function. */
#include <math.h>
#include <verso/rev.h>

static double cube(double x) {
    return x * x * x;
}
derivative(cube(x), 3 * x * x * 1.01);

static double square(double x) {
    return x * x;
}
derivative(square(x), 2 * x);

rev void cubes(double *out, const double *x, passive int n) {
    for (int i = 0; i < n; i++) {
        *out += cube(x[i]);
    }
}

rev void squares(double *out, const double *x, passive int n) {
    for (int i = 0; i < n; i++) {
        *out += square(x[i]);
    }
}
