/* The planets by a leapfrog, and what round-off does to it (paper, appendix F and figure 6). Prints a table of the mean
 * error of the planets' positions after a number of steps against a run in long double, and with a file name draws it:
 *
 *   regular     ordinary C
 *   reversible  differences in ancillas, whose round-off is dropped with them
 *   cumulative  differences computed in the positions themselves and undone there: round-off stays in the positions
 *
 * in double and, after `verso rev`, in float. After `verso rev` the reversible run is also undone to the first day,
 * and the gradient of the Earth's last distance with respect to the first velocities is compared with differences. No
 * states are kept, for any number of steps. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

#ifdef VERSO_REV_GENERATED
enum { KINDS = 6 };
#else
enum { KINDS = 3 }; /* not counting those in float */
#endif
enum { BODIES = 9, NUMBERS = 3 * BODIES, RUNS = 7 };

/* ---- Reversible ------------------------------------------------------------------------------------------------- */

rev void kick(double *velocity, const double *position, passive const double *mass, passive double dt) {
    for (int i = 0; i < BODIES; i++) {
        for (int j = 0; j < BODIES; j++) {
            if (i != j) {
                anc double dx = 0;
                anc double dy = 0;
                anc double dz = 0;
                anc double square = 0;
                anc double factor = 0;
                compute {
                    dx += position[3 * j] - position[3 * i];
                    dy += position[3 * j + 1] - position[3 * i + 1];
                    dz += position[3 * j + 2] - position[3 * i + 2];
                    square += dx * dx + dy * dy + dz * dz;
                    factor += dt * mass[j] / (square * sqrt(square));
                }
                use {
                    velocity[3 * i] += factor * dx;
                    velocity[3 * i + 1] += factor * dy;
                    velocity[3 * i + 2] += factor * dz;
                }
            }
        }
    }
}

rev void leapfrog(double *position, double *velocity, passive const double *mass, passive double dt,
                  passive int steps) {
    for (int s = 0; s < steps; s++) {
        kick(velocity, position, mass, dt);
        for (int i = 0; i < NUMBERS; i++) {
            position[i] += dt * velocity[i];
        }
    }
}

/* The positions of j are made relative to i and back: listing 26 of the paper. */
rev void kick_cumulative(double *velocity, double *position, passive const double *mass, passive double dt) {
    for (int i = 0; i < BODIES; i++) {
        for (int j = 0; j < BODIES; j++) {
            if (i != j) {
                anc double square = 0;
                anc double factor = 0;
                for (int c = 0; c < 3; c++) {
                    position[3 * j + c] -= position[3 * i + c];
                }
                compute {
                    for (int c = 0; c < 3; c++) {
                        square += position[3 * j + c] * position[3 * j + c];
                    }
                    factor += dt * mass[j] / (square * sqrt(square));
                }
                use {
                    for (int c = 0; c < 3; c++) {
                        velocity[3 * i + c] += factor * position[3 * j + c];
                    }
                }
                for (int c = 0; c < 3; c++) {
                    position[3 * j + c] += position[3 * i + c];
                }
            }
        }
    }
}

rev void leapfrog_cumulative(double *position, double *velocity, passive const double *mass, passive double dt,
                             passive int steps) {
    for (int s = 0; s < steps; s++) {
        kick_cumulative(velocity, position, mass, dt);
        for (int i = 0; i < NUMBERS; i++) {
            position[i] += dt * velocity[i];
        }
    }
}

/* The same in float; only after `verso rev`. */
rev_instantiate(kick, float);
rev_instantiate(leapfrog, float);
rev_instantiate(kick_cumulative, float);
rev_instantiate(leapfrog_cumulative, float);

/* ---- Regular ---------------------------------------------------------------------------------------------------- */

#define REGULAR(name, real, root) \
    static void name(real *x, real *v, const real *mass, real dt, int steps) { \
        for (int s = 0; s < steps; s++) { \
            for (int i = 0; i < BODIES; i++) \
                for (int j = 0; j < BODIES; j++) { \
                    if (i == j) \
                        continue; \
                    real dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1], dz = x[3 * j + 2] - x[3 * i + 2]; \
                    real square = dx * dx + dy * dy + dz * dz, factor = dt * mass[j] / (square * root(square)); \
                    v[3 * i] += factor * dx; \
                    v[3 * i + 1] += factor * dy; \
                    v[3 * i + 2] += factor * dz; \
                } \
            for (int i = 0; i < NUMBERS; i++) \
                x[i] += dt * v[i]; \
        } \
    }
REGULAR(regular, double, sqrt)
#ifdef VERSO_REV_GENERATED
REGULAR(regular_float, float, sqrtf)
#endif
REGULAR(regular_long, long double, sqrtl)

/* ---- The planets ------------------------------------------------------------------------------------------------ */

/* Mass (of the Sun), semi-major axis (AU), eccentricity, inclination, node, perihelion, mean anomaly (degrees), about
 * the year 2000. */
static const double planets[BODIES - 1][7] = {
    {1.6601e-7, 0.387098, 0.205630, 7.005, 48.331, 29.124, 174.796},
    {2.4478e-6, 0.723332, 0.006772, 3.39458, 76.680, 54.884, 50.115},
    {3.0035e-6, 1.000001, 0.0167086, 0.00005, -11.26064, 114.20783, 358.617},
    {3.2272e-7, 1.523679, 0.0934, 1.850, 49.558, 286.502, 19.373},
    {9.5479e-4, 5.2044, 0.0489, 1.303, 100.464, 273.867, 20.020},
    {2.8588e-4, 9.5826, 0.0565, 2.485, 113.665, 339.392, 317.020},
    {4.3662e-5, 19.2184, 0.046381, 0.773, 74.006, 96.998857, 142.2386},
    {5.1514e-5, 30.11, 0.009456, 1.767975, 131.784, 276.336, 256.228},
};

static const double DEGREE = 3.14159265358979323846 / 180, GRAVITY = 39.47841760435743; /* AU^3 / year^2 */

/* Mass is multiplied by the gravitational constant. */
static void place(const double *p, double *x, double *v) {
    double e = p[2], mean = p[6] * DEGREE, anomaly = mean, a = p[1];
    for (int i = 0; i < 50; i++)
        anomaly = mean + e * sin(anomaly);
    double speed = sqrt(GRAVITY / a) / (1 - e * cos(anomaly)), flat = sqrt(1 - e * e);
    double plane[2][2] = {{a * (cos(anomaly) - e), a * flat * sin(anomaly)},
                          {-speed * sin(anomaly), speed * flat * cos(anomaly)}};
    double i = p[3] * DEGREE, node = p[4] * DEGREE, w = p[5] * DEGREE;
    double axes[2][3] = {{cos(node) * cos(w) - sin(node) * sin(w) * cos(i),
                          sin(node) * cos(w) + cos(node) * sin(w) * cos(i), sin(w) * sin(i)},
                         {-cos(node) * sin(w) - sin(node) * cos(w) * cos(i),
                          -sin(node) * sin(w) + cos(node) * cos(w) * cos(i), cos(w) * sin(i)}};
    for (int c = 0; c < 3; c++) {
        x[c] = plane[0][0] * axes[0][c] + plane[0][1] * axes[1][c];
        v[c] = plane[1][0] * axes[0][c] + plane[1][1] * axes[1][c];
    }
}

static void solar_system(double *x, double *v, double *mass) {
    memset(x, 0, 3 * sizeof *x);
    memset(v, 0, 3 * sizeof *v);
    mass[0] = GRAVITY;
    for (int i = 0; i < BODIES - 1; i++) {
        place(planets[i], x + 3 * (i + 1), v + 3 * (i + 1));
        mass[i + 1] = GRAVITY * planets[i][0];
    }
}

/* ---- Round-off -------------------------------------------------------------------------------------------------- */

static const char *const kinds[6] = {"double (cumulative)", "double (reversible)", "double (regular)",
                                     "float (cumulative)",  "float (reversible)",  "float (regular)"};

static double mean_error(const long double *exact, const double *found) {
    double sum = 0;
    for (int i = 1; i < BODIES; i++) {
        long double square = 0;
        for (int c = 0; c < 3; c++)
            square += (found[3 * i + c] - exact[3 * i + c]) * (found[3 * i + c] - exact[3 * i + c]);
        sum += (double)sqrtl(square) / (BODIES - 1);
    }
    return sum;
}

typedef struct state {
    double x[NUMBERS], v[NUMBERS], mass[BODIES];
} state;

static void run_double(int kind, state *s, double dt, int steps) {
    if (kind == 0)
        leapfrog_cumulative(s->x, s->v, s->mass, dt, steps);
    else if (kind == 1)
        leapfrog(s->x, s->v, s->mass, dt, steps);
    else
        regular(s->x, s->v, s->mass, dt, steps);
}

#ifdef VERSO_REV_GENERATED
static void run_float(int kind, state *s, double dt, int steps) {
    float x[NUMBERS], v[NUMBERS], mass[BODIES];
    for (int i = 0; i < NUMBERS; i++) {
        x[i] = (float)s->x[i];
        v[i] = (float)s->v[i];
        mass[i / 3] = (float)s->mass[i / 3];
    }
    if (kind == 0)
        leapfrog_cumulative_float(x, v, mass, (float)dt, steps);
    else if (kind == 1)
        leapfrog_float(x, v, mass, (float)dt, steps);
    else
        regular_float(x, v, mass, (float)dt, steps);
    for (int i = 0; i < NUMBERS; i++)
        s->x[i] = x[i];
}
#endif

static void errors_of(int steps, double dt, double *errors) {
    state first, s;
    long double exact[NUMBERS], v_long[NUMBERS], mass_long[BODIES];
    solar_system(first.x, first.v, first.mass);
    for (int i = 0; i < NUMBERS; i++) { /* all start from the same numbers, rounded to float */
        exact[i] = first.x[i] = (float)first.x[i];
        v_long[i] = first.v[i] = (float)first.v[i];
    }
    for (int i = 0; i < BODIES; i++)
        mass_long[i] = first.mass[i] = (float)first.mass[i];
    regular_long(exact, v_long, mass_long, dt, steps);
    for (int kind = 0; kind < KINDS; kind++) {
        s = first;
#ifdef VERSO_REV_GENERATED
        if (kind >= 3)
            run_float(kind - 3, &s, dt, steps);
#endif
        if (kind < 3)
            run_double(kind, &s, dt, steps);
        errors[kind] = mean_error(exact, s.x);
    }
}

/* Both axes are logarithmic: steps from 10 to 10^4, errors from 1e-16 to 10. */
static int draw(const char *file, const int *steps, double errors[RUNS][KINDS]) {
    static const char *const colours[6] = {"#d62728", "#1f77b4", "#ff7f0e", "#9467bd", "#2ca02c", "#8c564b"};
    FILE *out = fopen(file, "w");
    if (!out) {
        perror(file);
        return 1;
    }
    fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg' width='720' height='440' font-family='sans-serif' "
                 "font-size='12'>\n<rect width='720' height='440' fill='white'/>\n");
    for (int e = -16; e <= 0; e += 2)
        fprintf(out, "<path d='M70 %d H500' stroke='#ddd'/><text x='62' y='%d' text-anchor='end'>1e%d</text>\n",
                30 - 22 * e, 34 - 22 * e, e);
    for (int r = 0; r < RUNS; r++)
        fprintf(out, "<text x='%.0f' y='408' text-anchor='middle'>%d</text>\n", 90 + 130 * log10(steps[r] / 10.0),
                steps[r]);
    fprintf(out, "<text x='285' y='430' text-anchor='middle'>time steps</text>\n<text x='16' y='210' "
                 "transform='rotate(-90 16 210)' text-anchor='middle'>mean error of positions, AU</text>\n");
    for (int k = 0; k < KINDS; k++) {
        fprintf(out, "<polyline fill='none' stroke='%s' stroke-width='2' %s points='", colours[k],
                k % 3 == 1 ? "stroke-dasharray='6 4'" : "");
        for (int r = 0; r < RUNS; r++)
            fprintf(out, "%.1f,%.1f ", 90 + 130 * log10(steps[r] / 10.0), 30 - 22 * log10(fmax(errors[r][k], 1e-16)));
        fprintf(out, "'/>\n<path d='M515 %d h24' stroke='%s' stroke-width='2' %s/><text x='545' y='%d'>%s</text>\n",
                60 + 24 * k, colours[k], k % 3 == 1 ? "stroke-dasharray='6 4'" : "", 64 + 24 * k, kinds[k]);
    }
    fprintf(out, "</svg>\n");
    return fclose(out) != 0;
}

/* ---- Backwards -------------------------------------------------------------------------------------------------- */

#ifdef VERSO_REV_GENERATED
static double earth(const double *x) {
    return sqrt(pow(x[9] - x[0], 2) + pow(x[10] - x[1], 2) + pow(x[11] - x[2], 2));
}

static int backwards(int steps, double dt) {
    double x0[NUMBERS], v0[NUMBERS], mass[BODIES], x[NUMBERS], v[NUMBERS], xb[NUMBERS] = {0}, vb[NUMBERS] = {0},
                                                                           h = 1e-7;
    double back = 0, difference = 0;
    solar_system(x0, v0, mass);
    for (int sign = -1; sign <= 1; sign += 2) {
        memcpy(x, x0, sizeof x);
        memcpy(v, v0, sizeof v);
        v[10] += sign * h;
        leapfrog(x, v, mass, dt, steps);
        difference += sign * earth(x) / (2 * h);
    }
    memcpy(x, x0, sizeof x);
    memcpy(v, v0, sizeof v);
    leapfrog(x, v, mass, dt, steps);
    for (int c = 0; c < 3; c++) {
        xb[9 + c] = (x[9 + c] - x[c]) / earth(x);
        xb[c] = -xb[9 + c];
    }
    leapfrog_adj(x, xb, v, vb, mass, dt, steps);
    for (int i = 0; i < NUMBERS; i++)
        back = fmax(back, fmax(fabs(x[i] - x0[i]), fabs(v[i] - v0[i])));
    printf("%d steps back to the first day within %.1e; derivative of the Earth's distance %.9g, by differences %.9g\n",
           steps, back, vb[10], difference);
    return back > 1e-6 || fabs(vb[10] - difference) > 1e-4 * fabs(difference);
}
#endif

int main(int count, char **arguments) {
    static const int steps[RUNS] = {10, 30, 100, 300, 1000, 3000, 10000};
    double errors[RUNS][KINDS];
    int wrong = 0;
    printf("%8s", "steps");
    for (int k = 0; k < KINDS; k++)
        printf(" %19s", kinds[k]);
    printf("\n");
    for (int r = 0; r < RUNS; r++) {
        errors_of(steps[r], 0x1p-9, errors[r]); /* exact in float, too */
        printf("%8d", steps[r]);
        for (int k = 0; k < KINDS; k++)
            printf(" %19.3e", errors[r][k]);
        printf("\n");
        for (int k = 1; k < KINDS; k += 3)
            wrong |= errors[r][k] > 2 * errors[r][k + 1];
    }
#ifdef VERSO_REV_GENERATED
    wrong |= backwards(2000, 0x1p-9);
#endif
    if (count > 1)
        wrong |= draw(arguments[1], steps, errors);
    return wrong;
}
