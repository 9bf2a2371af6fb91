/* A gradient through 100,000 steps in time without a tape of them: a reversible function inside a program of `verso
 * cc`.
 *
 * Eight planets move around their star by leapfrog steps. `miss` is how far the third of them is from a place where it
 * should be at the end; its gradient has the position and velocity of every body at the beginning. The rest of the
 * program is ordinary C. Compiled as it is,
 *
 *     build/verso cc -O2 examples/native/orbits.rev.c -lm -o orbits && ./orbits
 *
 * every step is recorded. With its reversible functions registered,
 *
 *     build/verso rev --register examples/native/orbits.rev.c -o orbits.c
 *     build/verso cc -O2 orbits.c -lm -o orbits && ./orbits
 *
 * recording keeps only the final state, and the sweep runs the steps backwards from there. docs/rev.md
 * explains it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <verso/native.h>
#include <verso/rev.h>

enum { BODIES = 9, NUMBERS = 3 * BODIES, STEPS = 100000, STEPS_CHECKED = 1000 };

/* ---- Reversible ---- */

rev static void kick(passive int bodies, double v[3 * bodies], const double x[3 * bodies], const double mass[bodies],
                     passive double dt) {
    for (int i = 0; i < bodies; i++) {
        for (int j = 0; j < bodies; j++) {
            if (i != j) {
                anc double dx = 0;
                anc double dy = 0;
                anc double dz = 0;
                anc double square = 0;
                anc double factor = 0;
                compute {
                    dx += x[3 * j] - x[3 * i];
                    dy += x[3 * j + 1] - x[3 * i + 1];
                    dz += x[3 * j + 2] - x[3 * i + 2];
                    square += dx * dx + dy * dy + dz * dz;
                    factor += dt * mass[j] / (square * sqrt(square));
                }
                use {
                    v[3 * i] += factor * dx;
                    v[3 * i + 1] += factor * dy;
                    v[3 * i + 2] += factor * dz;
                }
            }
        }
    }
}

rev void orbit(passive int bodies, double x[3 * bodies], double v[3 * bodies], const double mass[bodies],
               passive double dt, passive int steps) {
    for (int s = 0; s < steps; s++) {
        kick(bodies, v, x, mass, dt);
        for (int i = 0; i < 3 * bodies; i++) {
            x[i] += dt * v[i];
        }
    }
}

/* ---- Ordinary C ---- */

static double masses[BODIES] = {1};
static int steps = STEPS;
static const double wanted[3] = {-0.9, 0.4, 0.01};

/* Positions, then velocities, of all bodies at the beginning. */
static double miss(const double *begin, size_t count) {
    double x[NUMBERS], v[NUMBERS], sum = 0;
    memcpy(x, begin, sizeof x);
    memcpy(v, begin + count / 2, sizeof v);
    orbit(BODIES, x, v, masses, 1e-3, steps);
    for (int c = 0; c < 3; c++)
        sum += (x[9 + c] - x[c] - wanted[c]) * (x[9 + c] - x[c] - wanted[c]);
    return sum;
}

static void solar_system(double *x, double *v) {
    for (int i = 1; i < BODIES; i++) {
        double radius = 0.5 * pow(1.4, i), angle = 2.1 * i, speed = sqrt(1 / radius);
        masses[i] = 1e-5 * i;
        x[3 * i] = radius * cos(angle);
        x[3 * i + 1] = radius * sin(angle);
        x[3 * i + 2] = 0.02 * radius * sin(5 * angle);
        v[3 * i] = -speed * sin(angle);
        v[3 * i + 1] = speed * cos(angle);
        v[3 * i + 2] = 0;
    }
}

int main(void) {
    double begin[2 * NUMBERS] = {0}, gradient[2 * NUMBERS];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    verso_check_report check = VERSO_CHECK_REPORT_INIT;
    solar_system(begin, begin + NUMBERS);
    if (verso_gradient(miss, begin, 2 * NUMBERS, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    printf("%d bodies, %d steps: %.12g\n", BODIES, STEPS, report.value);
    for (int i = 0; i < 6; i++)
        printf("  by number %2d of planet 3: %.9g\n", i, gradient[i < 3 ? 9 + i : NUMBERS + 6 + i]);
    printf("tape: %zu bytes\n", report.tape_bytes);
    printf("recording %.2f s, sweep %.2f s\n", report.seconds_forward, report.seconds_reverse);
    steps = STEPS_CHECKED; /* verso_check runs it dozens of times */
    if (verso_check_gradient(miss, begin, 2 * NUMBERS, NULL, &check, &error) != VERSO_STATUS_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    printf("check of %d steps: dot products %s, Taylor's order %.2f, cuts %s\n", steps,
           check.dot_holds ? "hold" : "DO NOT HOLD", check.taylor_order, check.cuts_hold ? "hold" : "DO NOT HOLD");
    return !check.holds;
}
