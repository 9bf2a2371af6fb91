/* at: 1.1,0.4,0.9,0.7,2.0,1.5
 * cuts: 12
 * noise: 1e-10
 * Through GSL's differential equation solvers: predator and prey by an explicit method with adaptive steps, and a stiff
 * reaction by the implicit one with its Jacobian. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>

static int predators(double t, const double *u, double *du, void *context) {
    const double *p = context;
    du[0] = p[0] * u[0] - p[1] * u[0] * u[1] + 0.1 * sin(t);
    du[1] = p[2] * u[0] * u[1] - p[3] * u[1];
    return GSL_SUCCESS;
}

static int stiff(double t, const double *u, double *du, void *context) {
    const double *p = context;
    (void)t;
    du[0] = -50 * p[0] * (u[0] - u[1]);
    du[1] = p[1] * u[0] - p[2] * u[1] * u[1];
    return GSL_SUCCESS;
}

static int stiff_jacobian(double t, const double *u, double *derivatives, double *by_time, void *context) {
    const double *p = context;
    (void)t;
    derivatives[0] = -50 * p[0];
    derivatives[1] = 50 * p[0];
    derivatives[2] = p[1];
    derivatives[3] = -2 * p[2] * u[1];
    by_time[0] = by_time[1] = 0;
    return GSL_SUCCESS;
}

static double integrate(gsl_odeiv2_system *system, const gsl_odeiv2_step_type *method, double *u, double end,
                        double error) {
    double t = 0;
    gsl_odeiv2_driver *driver = gsl_odeiv2_driver_alloc_y_new(system, method, 1e-3, error, error);
    int status = gsl_odeiv2_driver_apply(driver, &t, end, u);
    gsl_odeiv2_driver_free(driver);
    return status == GSL_SUCCESS ? u[0] * u[1] + u[0] : NAN;
}

double f(const double *x, size_t n) {
    double parameters[4] = {x[0], x[1], x[2], x[3]}, first[2] = {x[4], x[5]}, second[2] = {x[5], 0.3};
    gsl_odeiv2_system explicit_one = {predators, NULL, 2, parameters};
    gsl_odeiv2_system implicit_one = {stiff, stiff_jacobian, 2, parameters};
    (void)n;
    return integrate(&explicit_one, gsl_odeiv2_step_rk8pd, first, 2.0, 1e-9) +
           integrate(&implicit_one, gsl_odeiv2_step_bsimp, second, 1.0, 1e-7);
}
