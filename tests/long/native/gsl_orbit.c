/* at: 1.0,0.05,0.1,-0.02,0.9,0.15,1.0,0.02,0.03,0.4
 * cuts: 12
 * noise: 1e-10
 * sites: all
 * A satellite by a user's model through GSL's adaptive Runge-Kutta method: gravity of a flattened planet, of its moon,
 * drag of its air, pressure of light. GSL calls the model through a pointer, the model its terms; each of these calls,
 * GSL's own among them, is checkpointed alone and with others. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>

/* The model's procedures are kept apart, as if they were long. */
#define PROCEDURE __attribute__((noinline)) static

enum { X, V = 3, STATE = 6, MASS = 6, FLATTENING, DRAG, LIGHT };

PROCEDURE double length(const double *a) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

PROCEDURE void add_pull(double mass, const double *from, double *pull) {
    const double far = length(from), strength = mass / (far * far * far);
    for (int i = 0; i < 3; i++)
        pull[i] -= strength * from[i];
}

PROCEDURE void add_flattening(const double *p, const double *x, double *pull) {
    const double far = length(x), up = x[2] / far;
    const double strength = 1.5 * p[FLATTENING] * p[MASS] / pow(far, 5);
    for (int i = 0; i < 3; i++)
        pull[i] -= strength * x[i] * ((i < 2 ? 1 : 3) - 5 * up * up);
}

PROCEDURE void add_moon(double t, const double *x, double *pull) {
    const double moon[3] = {3 * cos(0.2 * t), 3 * sin(0.2 * t), 0.3};
    const double away[3] = {x[0] - moon[0], x[1] - moon[1], x[2] - moon[2]};
    add_pull(0.01, away, pull);
    add_pull(-0.01, (const double[]){-moon[0], -moon[1], -moon[2]}, pull);
}

PROCEDURE double density(const double *x) {
    return exp(-2 * (length(x) - 1));
}

PROCEDURE void add_drag(const double *p, const double *x, const double *v, double *pull) {
    const double wind[3] = {v[0] + 0.05 * x[1], v[1] - 0.05 * x[0], v[2]};
    const double strength = p[DRAG] * density(x) * length(wind);
    for (int i = 0; i < 3; i++)
        pull[i] -= strength * wind[i];
}

PROCEDURE void add_light(const double *p, double t, double *pull) {
    pull[0] += 0.01 * p[LIGHT] * cos(0.01 * t);
    pull[1] += 0.01 * p[LIGHT] * sin(0.01 * t);
}

static int orbit(double t, const double *y, double *dy, void *context) {
    const double *p = context;
    for (int i = 0; i < 3; i++) {
        dy[X + i] = y[V + i];
        dy[V + i] = 0;
    }
    add_pull(p[MASS], y + X, dy + V);
    add_flattening(p, y + X, dy + V);
    add_moon(t, y + X, dy + V);
    add_drag(p, y + X, y + V, dy + V);
    add_light(p, t, dy + V);
    return GSL_SUCCESS;
}

/* Where it is seen from the planet's surface, from time to time. */
PROCEDURE double observe(double t, const double *y) {
    const double place[3] = {cos(t), sin(t), 0};
    const double away[3] = {y[0] - 0.5 * place[0], y[1] - 0.5 * place[1], y[2]};
    return length(away);
}

double f(const double *x, size_t n) {
    enum { LOOKS = 4 };
    double parameters[10], y[STATE], t = 0, sum = 0;
    (void)n;
    for (int i = 0; i < 10; i++)
        parameters[i] = x[i];
    for (int i = 0; i < STATE; i++)
        y[i] = x[i];
    gsl_odeiv2_system system = {orbit, NULL, STATE, parameters};
    gsl_odeiv2_driver *driver = gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-2, 1e-9, 1e-9);
    for (int look = 1; look <= LOOKS; look++) {
        const double target = observe(look, (const double[]){cos(look), sin(look), 0.1});
        if (gsl_odeiv2_driver_apply(driver, &t, look, y) != GSL_SUCCESS)
            sum = NAN;
        const double rest = observe(t, y) - target;
        sum += 0.5 * rest * rest;
    }
    gsl_odeiv2_driver_free(driver);
    return sum;
}
