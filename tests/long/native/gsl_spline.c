/* at: random:12:0.2:1.8
 * noise: 1e-11
 * Through GSL's interpolation: three kinds of splines through computed values; their values, slopes and integrals. */
#include <gsl/gsl_interp.h>
#include <gsl/gsl_spline.h>
#include <math.h>

static double use(const gsl_interp_type *type, const double *at, const double *values, size_t count, double z) {
    gsl_interp_accel *accelerator = gsl_interp_accel_alloc();
    gsl_spline *spline = gsl_spline_alloc(type, count);
    gsl_spline_init(spline, at, values, count);
    double result = gsl_spline_eval(spline, z, accelerator) + gsl_spline_eval_deriv(spline, 0.5 * z, accelerator) +
                    gsl_spline_eval_integ(spline, at[0], z, accelerator);
    gsl_spline_free(spline);
    gsl_interp_accel_free(accelerator);
    return result;
}

double f(const double *x, size_t n) {
    double at[16], values[16];
    for (size_t i = 0; i < n; i++) {
        at[i] = (i ? at[i - 1] : 0) + 0.2 + 0.1 * x[i];
        values[i] = sin(x[i] * (double)(i + 1)) * x[n - 1 - i];
    }
    double z = 1.7 + 0.3 * x[0];
    return use(gsl_interp_cspline, at, values, n, z) + use(gsl_interp_akima, at, values, n, z) * x[1] +
           use(gsl_interp_steffen, at, values, n, z) + use(gsl_interp_polynomial, at, values, 5, 0.9);
}
