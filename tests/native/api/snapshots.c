/* Sizes of snapshots of checkpointed calls: a call of a scalar function takes a few hundred bytes, whatever the
 * program's state; what a call reads and what equals the beginning of the run is left out; a call that may access
 * anything takes the whole state. Heap blocks that were freed since are not damaged: the reverse sweep may allocate. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { STATE = 25000, CALLS = 50, LEAST_MOST = 500 };

static double state[STATE], constants[STATE];
static double *volatile kept; /* so that allocations are not optimised away */

__attribute__((noinline)) static double scalar(double q) {
    for (int i = 0; i < 50; i++)
        q -= 0.1 * (q * q - 2);
    return q;
}

__attribute__((noinline)) static double read_only(double q) {
    double s = 0;
    for (int i = 0; i < STATE; i++)
        s += q * constants[i];
    return s;
}

__attribute__((noinline)) static void change(double *u, int n) {
    for (int i = 0; i < n; i++)
        u[i] = u[i] * u[i] + state[i];
}

__attribute__((noinline)) static double unknown(double q) {
    double *made = malloc(sizeof *made);
    kept = made;
    *made = q * q;
    q = *made + state[3];
    free(made);
    return q;
}

/* ---- Its sweep allocates ---- */

__attribute__((noinline)) static double square(double q) {
    return q * q;
}

static double square_record(verso_call *call, double q) {
    verso_keep(call, &q, sizeof q);
    return q * q;
}

static void square_sweep(verso_call *call, double q) {
    double *made[8];
    memcpy(&q, call->kept, sizeof q);
    for (int i = 0; i < 8; i++) {
        kept = made[i] = malloc(64);
        for (int k = 0; k < 8; k++)
            made[i][k] = q + i;
    }
    call->argument[0] = call->result[0] * (made[0][0] + made[7][7] - 7);
    for (int i = 0; i < 8; i++)
        free(made[i]);
}

static double square_tangent(verso_call *call, double q) {
    call->result[0] = 2 * q * call->argument[0];
    return q * q;
}

VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, square_tangent);

static double f(const double *x, size_t n) {
    double s = 0;
    (void)n;
    for (int i = 0; i < STATE; i++)
        state[i] = x[0] * i;
    for (int k = 0; k < CALLS; k++) {
        double *u = malloc(8 * sizeof *u), *more = malloc(8 * sizeof *more), local[8];
        for (int i = 0; i < 8; i++)
            u[i] = local[i] = more[i] = x[0] * i + k;
        s += scalar(x[0] + 1e-3 * k) + 1e-6 * read_only(x[0]) + 1e-3 * square(0.1 * x[0] + k);
        change(u, 8);
        change(local, 7);
        s += 1e-3 * (u[3] * local[2] + more[1] + unknown(0.1 * x[0]));
        free(more);
        free(u);
    }
    return s + state[77];
}

static double gradient(verso_native_report *report) {
    double x = 1, g = 0;
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    memset(state, 0, sizeof state); /* so that the run changes it */
    EXPECT_OK(verso_gradient(f, &x, 1, &g, &options, report, &error));
    return g;
}

/* Checkpoints calls of this function only and returns the bytes that each adds to the recording, less the bytes that
 * its own recording takes. */
static double bytes_of(const char *callee, double expected, double all, uint64_t *snapshots) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (size_t i = 0; i < verso_site_count(); i++)
        verso_site_set(i, strcmp(verso_site_get(i).callee, callee) == 0);
    double g = gradient(&report);
    EXPECT(memcmp(&g, &expected, sizeof g) == 0, "%s: another gradient: %.17g, not %.17g", callee, g, expected);
    EXPECT(report.capsules > 0, "%s: no call was checkpointed", callee);
    *snapshots = report.capsules;
    return ((double)report.turn_bytes - all) / (double)report.capsules;
}

int main(void) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    uint64_t snapshots;
    for (int i = 0; i < STATE; i++)
        constants[i] = 1e-4 * i;
    for (size_t i = 0; i < verso_site_count(); i++)
        verso_site_set(i, false);
    double expected = gradient(&report), all = (double)report.turn_bytes;
    double least = bytes_of("scalar", expected, all, &snapshots);
    EXPECT(least < LEAST_MOST, "a snapshot of a scalar function takes %g bytes", least);
    EXPECT(snapshots == CALLS, "%llu calls", (unsigned long long)snapshots);
    EXPECT(bytes_of("read_only", expected, all, &snapshots) < LEAST_MOST, "memory that is not written is copied");
    double changes = bytes_of("change", expected, all, &snapshots);
    EXPECT(changes > sizeof state / 2 && changes < sizeof state + LEAST_MOST, "a snapshot of `change` takes %g bytes",
           changes);
    EXPECT(snapshots == 2 * CALLS, "%llu calls", (unsigned long long)snapshots);
    EXPECT(bytes_of("unknown", expected, all, &snapshots) > sizeof state, "the whole state is expected");
    return failed;
}
