/* at: 1.0,2.0,0.8,0.6
 * cuts: 12
 * noise: 1e-9
 * Through GSL's minimisers: where a valley that depends on the input is lowest, by BFGS until the gradient is small,
 * and by Brent's method in one dimension. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multimin.h>
#include <math.h>

static double valley(const gsl_vector *v, void *context) {
    const double *p = context;
    double a = gsl_vector_get(v, 0) - p[0], b = gsl_vector_get(v, 1) - p[1];
    return 3 * p[2] * a * a + 2 * b * b + p[3] * a * b + 0.1 * a * a * a * a + cosh(0.2 * a);
}

static void valley_slope(const gsl_vector *v, void *context, gsl_vector *slope) {
    const double *p = context;
    double a = gsl_vector_get(v, 0) - p[0], b = gsl_vector_get(v, 1) - p[1];
    gsl_vector_set(slope, 0, 6 * p[2] * a + p[3] * b + 0.4 * a * a * a + 0.2 * sinh(0.2 * a));
    gsl_vector_set(slope, 1, 4 * b + p[3] * a);
}

static void valley_both(const gsl_vector *v, void *context, double *value, gsl_vector *slope) {
    *value = valley(v, context);
    valley_slope(v, context, slope);
}

static double in_two_dimensions(double *parameters) {
    gsl_multimin_function_fdf function = {valley, valley_slope, valley_both, 2, parameters};
    gsl_multimin_fdfminimizer *minimiser = gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, 2);
    gsl_vector *start = gsl_vector_calloc(2);
    gsl_multimin_fdfminimizer_set(minimiser, &function, start, 0.1, 0.1);
    for (int i = 0; i < 40; i++)
        if (gsl_multimin_fdfminimizer_iterate(minimiser) != GSL_SUCCESS ||
            gsl_multimin_test_gradient(minimiser->gradient, 1e-12) == GSL_SUCCESS)
            break;
    double result = gsl_vector_get(minimiser->x, 0) * gsl_vector_get(minimiser->x, 1);
    gsl_multimin_fdfminimizer_free(minimiser);
    gsl_vector_free(start);
    return result;
}

static double curve(double z, void *context) {
    const double *p = context;
    return exp(p[3] * z) - p[0] * z;
}

static double in_one_dimension(double *parameters) {
    gsl_function function = {curve, parameters};
    gsl_min_fminimizer *minimiser = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    gsl_min_fminimizer_set(minimiser, &function, 0.7, 0.0, 3.0);
    for (int i = 0; i < 8; i++)
        gsl_min_fminimizer_iterate(minimiser);
    double result = gsl_min_fminimizer_f_minimum(minimiser);
    gsl_min_fminimizer_free(minimiser);
    return result;
}

double f(const double *x, size_t n) {
    double parameters[4] = {x[0], x[1], x[2], x[3]};
    (void)n;
    return in_two_dimensions(parameters) + in_one_dimension(parameters);
}
