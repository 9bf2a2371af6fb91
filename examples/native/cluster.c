/* A cluster of stars, computed in parallel with OpenMP, and where its stars were: the gradient of a misfit with respect
 * to the places, velocities and masses at the beginning.
 *
 * Each star attracts each other one; their places are softened so that close encounters stay harmless. The leapfrog
 * method steps forward. A telescope sees some of the stars from time to time. Nothing in this program prepares it for
 * differentiation.
 *
 *     build/verso cc -O2 -fopenmp examples/native/cluster.c -lm -o cluster && ./cluster [STEPS] */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <verso/native.h>

enum { STARS = 200, STEPS_MOST = 10000, APART = 50, SEEN = 40, INPUTS = 7 * STARS };

static const double TIME_STEP = 2e-3, SOFTENING = 0.05;

static int steps = 400; /* an option */

/* What the telescope has seen: x and y of the first stars. */
static double observed[STEPS_MOST / APART][2 * SEEN];

/* ---- The program ---- */

static void accelerate(const double *place, const double *mass, double *acceleration) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < STARS; i++) {
        double sum[3] = {0, 0, 0};
        for (int j = 0; j < STARS; j++) {
            double away[3], square = SOFTENING * SOFTENING;
            for (int k = 0; k < 3; k++) {
                away[k] = place[3 * j + k] - place[3 * i + k];
                square += away[k] * away[k];
            }
            double pull = mass[j] / (square * sqrt(square));
            for (int k = 0; k < 3; k++)
                sum[k] += pull * away[k];
        }
        for (int k = 0; k < 3; k++)
            acceleration[3 * i + k] = sum[k];
    }
}

static void kick(double *velocity, const double *acceleration, double duration) {
#pragma omp parallel for
    for (int i = 0; i < 3 * STARS; i++)
        velocity[i] += duration * acceleration[i];
}

static void drift(double *place, const double *velocity) {
#pragma omp parallel for
    for (int i = 0; i < 3 * STARS; i++)
        place[i] += TIME_STEP * velocity[i];
}

static double look(const double *place, const double *record) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < SEEN; i++)
        for (int k = 0; k < 2; k++) {
            double rest = place[3 * i + k] - record[2 * i + k];
            sum += 0.5 * rest * rest;
        }
    return sum;
}

/* Returns the misfit, or, if `record` is not NULL, records what the telescope sees. */
static double simulate(const double *start, double (*record)[2 * SEEN]) {
    double *place = malloc(3 * STARS * sizeof *place), *velocity = malloc(3 * STARS * sizeof *velocity);
    double *acceleration = malloc(3 * STARS * sizeof *acceleration), sum = 0;
    const double *mass = start + 6 * STARS;
    memcpy(place, start, 3 * STARS * sizeof *place);
    memcpy(velocity, start + 3 * STARS, 3 * STARS * sizeof *velocity);
    accelerate(place, mass, acceleration);
    for (int step = 1; step <= steps; step++) {
        kick(velocity, acceleration, TIME_STEP / 2);
        drift(place, velocity);
        accelerate(place, mass, acceleration);
        kick(velocity, acceleration, TIME_STEP / 2);
        if (step % APART != 0)
            continue;
        sum += look(place, observed[step / APART - 1]);
        for (int i = 0; i < 2 * SEEN && record != NULL; i++)
            record[step / APART - 1][i] = place[3 * (i / 2) + i % 2];
    }
    free(place);
    free(velocity);
    free(acceleration);
    return sum;
}

static double misfit(const double *start, size_t count) {
    (void)count;
    return simulate(start, NULL);
}

/* ---- Its gradient ---- */

static double uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Places in a ball, and velocities in which it turns. */
static void make_cluster(double *start) {
    uint64_t state = 7;
    for (int i = 0; i < STARS; i++) {
        double *place = &start[3 * i], *velocity = &start[3 * STARS + 3 * i], square;
        do {
            square = 0;
            for (int k = 0; k < 3; k++) {
                place[k] = 2 * uniform(&state) - 1;
                square += place[k] * place[k];
            }
        } while (square > 1);
        velocity[0] = -0.7 * place[1];
        velocity[1] = 0.7 * place[0];
        velocity[2] = 0.1 * (uniform(&state) - 0.5);
        start[6 * STARS + i] = (0.5 + uniform(&state)) / STARS;
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1e3;
}

/* A number that shows whether two gradients have the same bits (FNV-1a). */
static uint64_t bits_of(const double *gradient) {
    uint64_t hash = UINT64_C(14695981039346656037);
    const unsigned char *bytes = (const unsigned char *)gradient;
    for (size_t i = 0; i < INPUTS * sizeof *gradient; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static int check(const double *start, const double *gradient) {
    static double direction[INPUTS];
    double tangent, dot = 0;
    verso_error error;
    for (int i = 0; i < INPUTS; i++) {
        direction[i] = sin(0.7 * i) * (i < 6 * STARS ? 1 : 1e-3);
        dot += gradient[i] * direction[i];
    }
    if (verso_directional(misfit, start, INPUTS, direction, &tangent, NULL, &error) != VERSO_STATUS_OK)
        return fprintf(stderr, "cluster: %s\n", error.message), 1;
    double apart = fabs(dot - tangent) / fabs(tangent);
    printf("derivative in one direction: %.12g, by tangent mode %.12g, relative difference %.0e\n", dot, tangent,
           apart);
    return apart < 1e-10 ? 0 : (fprintf(stderr, "cluster: the two modes disagree\n"), 1);
}

int main(int argc, char **argv) {
    static double truth[INPUTS], start[INPUTS], gradient[INPUTS];
    if (argc > 1)
        steps = atoi(argv[1]);
    if (steps < APART || steps > STEPS_MOST)
        return fprintf(stderr, "usage: cluster [STEPS], at least %d and at most %d\n", APART, STEPS_MOST), 2;
    make_cluster(truth);
    simulate(truth, observed);
    for (int i = 0; i < INPUTS; i++)
        start[i] = truth[i] * (1 + 0.01 * sin(i));
    double began = seconds(), value = misfit(start, INPUTS), plain = seconds() - began;
    printf("%d stars, %d steps: misfit %.12g in %.2f s, %.0f MB\n", STARS, steps, value, plain, megabytes());
    fflush(stdout);
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    began = seconds();
    if (verso_gradient(misfit, start, INPUTS, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return fprintf(stderr, "cluster: %s\n", error.message), 1;
    printf("gradient of %d numbers in %.2f s, %.0f MB; bits %016llx\n", INPUTS, seconds() - began, megabytes(),
           (unsigned long long)bits_of(gradient));
    return check(start, gradient);
}
