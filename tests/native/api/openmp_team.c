/* flags: -fopenmp
 * link: -fopenmp
 * Parallel loops are recorded by several threads at a time. Whenever these run, wherever they are delayed, and whether
 * one thread computes everything because the sweep is cut, a gradient has the same bits; so has a tangent. A thread
 * that fails ends the differentiation with its message. The argument is the number of runs for each number of
 * threads. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, gettid */
#include "../../support/cuts.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <verso/native.h>

enum { N = 40, STEPS = 3, DELAYED = 24 };

/* ---- Programs ---- */

static double smoothed(const double *x, size_t n) {
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), sum = 0, last = 0, scale = 0.5 * x[0], most = 0;
    double bins[4] = {0};
    memcpy(u, x, n * sizeof *u);
    memcpy(v, x, n * sizeof *v);
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for firstprivate(scale) lastprivate(last)
        for (size_t i = 1; i < n - 1; i++) {
            v[i] = u[i] + scale * sin(u[i - 1] - 2 * u[i] * u[i + 1]);
            last = v[i] * x[i];
        }
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum, bins) reduction(max : most)
        for (int i = 0; i < (int)n; i++) {
            sum += v[i] * u[n - 1 - i] + last;
            bins[i % 4] += v[i] * v[i];
            most = v[i] > most ? v[i] : most;
        }
#pragma omp parallel num_threads(3)
        {
            double part = 0;
#pragma omp for schedule(guided) nowait
            for (int i = (int)n - 1; i >= 0; i -= 2)
                part += u[i] * exp(-v[i]);
#pragma omp for schedule(static, 2) nowait reduction(* : scale)
            for (int i = 0; i < 6; i++)
                scale *= 1 + 1e-2 * part * x[i];
#pragma omp critical
            sum = 0.9 * sum + part;
        }
        double *swap = u;
        u = v;
        v = swap;
    }
    sum += bins[0] * bins[1] - bins[2] / (1 + bins[3] * bins[3]) + most * scale;
    free(u);
    free(v);
    return sum;
}

static double *elsewhere; /* numbers without shadow memory */

static double strays(const double *x, size_t n) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        if (i == n - 1) /* in the last thread */
            elsewhere[i] = x[i];
        sum += i == n - 1 ? x[i] * elsewhere[i] : x[i];
    }
    return sum;
}

/* ---- Delays ---- */

extern void (*verso__native_team_pause)(void); /* native/sweep/team.h */
static _Atomic unsigned moments, others;

static void delay(void) {
    unsigned now = atomic_fetch_add(&moments, 1);
    if (omp_get_thread_num() > 0)
        atomic_fetch_add(&others, 1);
    unsigned long long mixed = (now + 1) * 0x9e3779b97f4a7c15u;
    struct timespec time = {.tv_nsec = (long)(mixed >> 48)};
    if ((mixed >> 33) % 3 == 0)
        nanosleep(&time, NULL);
}

/* ---- Checks ---- */

static int failures;
static verso_error error;

static void expect(bool holds, const char *what, int threads) {
    if (holds)
        return;
    printf("%s, %d threads: %s\n", what, threads, error.message);
    failures++;
}

static void check_bits(int threads, int runs) {
    double x[N], gradient[N], again[N], direction[N], tangent, tangent_again, dot = 0;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < N; i++) {
        x[i] = 0.4 + 0.3 * sin(2.3 * i);
        direction[i] = cos(1.7 * i);
    }
    omp_set_num_threads(threads);
    verso__native_team_pause = NULL;
    expect(verso_gradient(smoothed, x, N, gradient, NULL, &report, &error) == VERSO_STATUS_OK, "gradient", threads);
    expect(verso_directional(smoothed, x, N, direction, &tangent, NULL, &error) == VERSO_STATUS_OK, "tangent", threads);
    for (int i = 0; i < N; i++)
        dot += gradient[i] * direction[i];
    expect(fabs(dot - tangent) <= 1e-11 * (1 + fabs(tangent)), "the tangent is another one", threads);
    size_t tape = report.tape_bytes;
    for (int k = 0; k < runs; k++) {
        verso__native_team_pause = k % 4 != 3 ? delay : NULL;
        const verso_native_options *options = k % 8 == 7 ? cut_at(4, (unsigned)k) : NULL;
        expect(verso_gradient(smoothed, x, N, again, options, &report, &error) == VERSO_STATUS_OK, "again", threads);
        expect(memcmp(gradient, again, sizeof gradient) == 0, "the gradient has other bits", threads);
        expect(options != NULL || report.tape_bytes == tape, "the recording has another length", threads);
        verso_directional(smoothed, x, N, direction, &tangent_again, NULL, &error);
        expect(memcmp(&tangent, &tangent_again, sizeof tangent) == 0, "the tangent has other bits", threads);
    }
}

static void check_failure(void) {
    double x[N] = {1}, direction[N] = {1}, tangent, gradient[N];
    elsewhere = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    omp_set_num_threads(3);
    verso_status status = verso_directional(strays, x, N, direction, &tangent, NULL, &error);
    expect(status == VERSO_STATUS_INVALID && strstr(error.message, "no shadow memory") != NULL, "a failure", 3);
    expect(gettid() == getpid(), "another thread has returned", 3);
    status = verso_gradient(smoothed, x, N, gradient, NULL, NULL, &error);
    expect(status == VERSO_STATUS_OK, "after a failure", 3);
}

int main(int argc, char **argv) {
    setenv("OMP_WAIT_POLICY", "passive", 1);
    for (int threads = 1; threads <= 5; threads++)
        check_bits(threads, argc > 1 ? atoi(argv[1]) : DELAYED);
    expect(others > 0, "no other thread has computed anything", 5);
    check_failure();
    return failures > 0;
}
