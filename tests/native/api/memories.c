/* Numbers that certainly are constants have no adjoints: a product of a matrix of constants, which is computed in a
 * function of its own, records the constants only, and not what they are multiplied with. */
#include "expect.h"

#include <string.h>
#include <verso/native.h>

enum { N = 6, ROUNDS = 200 };

__attribute__((noinline)) static void turn(double matrix[N][N], const double *from, double *to) {
    for (int i = 0; i < N; i++) {
        to[i] = 0;
        for (int k = 0; k < N; k++)
            to[i] += matrix[i][k] * from[k];
    }
}

static double run(const double *x, double first) {
    double matrix[N][N], state[N], next[N], sum = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            matrix[i][k] = i == k ? first : 0.01 * (i - k);
    memcpy(state, x, sizeof state);
    for (int t = 0; t < ROUNDS; t++) {
        turn(matrix, state, next);
        for (int i = 0; i < N; i++)
            state[i] = next[i] + x[i];
    }
    for (int i = 0; i < N; i++)
        sum += state[i] * state[i];
    return sum;
}

static double constant(const double *x, size_t n) {
    (void)n;
    return run(x, 0.9);
}

int main(void) {
    double x[N] = {0.7, 1.3, -0.4, 2.1, 0.2, -0.9}, gradient[N];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(constant, x, N, gradient, NULL, &report, &error));
    for (int i = 0; i < N; i++) {
        double step = 1e-5, at[N];
        memcpy(at, x, sizeof at);
        at[i] = x[i] + step;
        double high = constant(at, N);
        at[i] = x[i] - step;
        double slope = (high - constant(at, N)) / (2 * step);
        EXPECT(fabs(slope - gradient[i]) < 1e-6 * fabs(slope), "%d: %g, not %g", i, gradient[i], slope);
    }
    size_t most = (size_t)ROUNDS * (N * N + 12) * sizeof(double);
    EXPECT(report.tape_bytes < most, "%zu bytes of tape", report.tape_bytes);
    printf(failed ? "\n" : " %zu bytes of tape\n", report.tape_bytes);
    return failed;
}
