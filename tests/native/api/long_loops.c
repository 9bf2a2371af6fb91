/* Loops that are longer than the tape should be between two safepoints: one that LLVM vectorises, one whose iterations
 * depend on each other, one with two ways out, one that is entered in two places, all inside another loop. Cut at every
 * safepoint, no stretch is longer than a megabyte, and the gradient has the bits of one go. A loop that records nothing
 * comes to safepoints all the same, and lowers the limit of the tape there. */
#include "../../../native/state.h"
#include "expect.h"

#include "../../support/cuts.h"
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { LONG = 100000, SHORTER = 1000, IDLE = 1 << 22 };

static void scale(double *u, double by) {
    for (int i = 0; i < LONG; i++)
        u[i] = u[i] * u[i] * by + 0.01;
}

static double climb(double y, int rounds) {
    for (int i = 0; i < rounds; i++)
        y = sqrt(y * y + 1e-3);
    return y;
}

static double search(const double *u, double from, int rounds) {
    double sum = from;
    for (int i = 0; i < rounds; i++) {
        if (sum > 1e9)
            return 0;
        sum += u[i] * sin(sum);
        if (sum < -1e9)
            break;
    }
    return sum;
}

static double entangled(double u, double v, int late, int rounds) {
    int i = 0;
    if (late)
        goto second;
first:
    u = u * 0.999 + v * v * 1e-3;
second:
    v = cos(v) + 0.1 * u;
    if (++i < rounds)
        goto first;
    return u + v;
}

static double f(const double *x, size_t n) {
    double *u = malloc(LONG * sizeof *u), sum = 0;
    for (int i = 0; i < LONG; i++)
        u[i] = x[(size_t)i % n];
    for (size_t step = 0; step + 1 < n; step++) {
        scale(u, x[0]);
        sum += climb(x[1], LONG) + search(u, x[2], LONG) + entangled(x[0], x[1], (n + step) % 2 == 0, SHORTER);
    }
    free(u);
    return sum;
}

/* ---- A loop that records nothing ---- */

static char *limits[2];
static const verso__native_state *state_of_main; /* thread-local: differentiated code cannot name it */

VERSO_INACTIVE static void note_limit(int when) {
    limits[when] = state_of_main->tape_limit;
}

static double after_idling(const double *x, size_t n) {
    unsigned state = (unsigned)n;
    note_limit(0);
    for (int i = 0; i < IDLE; i++)
        state = state * 1664525u + 1013904223u ^ state >> 7;
    note_limit(1);
    return x[state % n] * x[0];
}

/* Something is recorded before the loop. */
static double after_recording(const double *x, size_t n) {
    double before = sin(x[0] * x[1]);
    unsigned state = (unsigned)n;
    note_limit(0);
    for (int i = 0; i < IDLE; i++)
        state = state * 1664525u + 1013904223u ^ state >> 7;
    note_limit(1);
    return x[state % n] * before;
}

int main(void) {
    state_of_main = &verso__native_now;
    double x[3] = {0.7, 1.1, 0.25}, whole[3], cut[3];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT, stretches = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, whole, NULL, &report, &error));
    EXPECT(report.tape_bytes > 6 << 20, "the whole tape takes %zu bytes only", report.tape_bytes);
    EXPECT_OK(verso_gradient(f, x, 3, cut, cut_at(UINT64_MAX, 0), &stretches, &error));
    EXPECT(memcmp(whole, cut, sizeof cut) == 0, "cut, the gradient has other bits");
    EXPECT(stretches.tape_bytes <= 1 << 20, "the longest stretch takes %zu bytes", stretches.tape_bytes);
    EXPECT(stretches.recordings > 2 * SHORTER, "%llu stretches", (unsigned long long)stretches.recordings);
    EXPECT_OK(verso_gradient(after_idling, x, 3, whole, NULL, &report, &error));
    EXPECT(limits[0] > limits[1], "a loop that records nothing leaves the limit where it was");
    EXPECT_OK(verso_gradient(after_recording, x, 3, whole, NULL, &report, &error));
    EXPECT(limits[0] > limits[1], "behind a recording, a loop that records nothing leaves the limit where it was");
    printf(failed ? "\n" : " longest stretch %zu of %llu\n", stretches.tape_bytes,
           (unsigned long long)stretches.recordings);
    return failed;
}
