/* at: 0.6,1.3,0.8
 * cuts: 12
 * noise: 1e-10
 * Through GSL's adaptive quadrature: a singular integrand, one over a half line, one that oscillates. */
#include <gsl/gsl_integration.h>
#include <math.h>

static double singular(double z, void *context) {
    const double *p = context;
    return log(p[0] * z) / sqrt(z) * cos(p[1] * z);
}

static double half_line(double z, void *context) {
    const double *p = context;
    return exp(-p[2] * z) / (1 + p[0] * z * z);
}

static double wave(double z, void *context) {
    const double *p = context;
    return sin(12 * p[1] * z) * exp(p[0] * z);
}

double f(const double *x, size_t n) {
    double parameters[3] = {x[0], x[1], x[2]}, first, second, third, error;
    size_t evaluations;
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(200);
    gsl_function functions[] = {{singular, parameters}, {half_line, parameters}, {wave, parameters}};
    (void)n;
    gsl_integration_qags(&functions[0], 0, 1, 0, 1e-9, 200, workspace, &first, &error);
    gsl_integration_qagiu(&functions[1], x[2], 0, 1e-10, 200, workspace, &second, &error);
    gsl_integration_qng(&functions[2], 0, 1 + x[2], 0, 1e-10, &third, &error, &evaluations);
    gsl_integration_workspace_free(workspace);
    return first * second + third;
}
