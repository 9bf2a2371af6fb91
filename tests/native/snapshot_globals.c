/* Checkpointed calls read and write variables of the program that are written again later: a table, a static counter,
 * a member of a struct, and a table that is reached through a constant.
 * at: 0.7,1.1,0.3 */
#include <stddef.h>

#define APART __attribute__((noinline)) static

static double table[40], weights[3], unrelated[2000];
static struct {
    double before, sum, after;
    int calls;
} state;
static double left[4], right[4];
static double *const sides[] = {left, right};

APART double look_up(double q) {
    double s = 0;
    for (int i = 0; i < 40; i++)
        s += table[i] * q / (i + 1);
    return s;
}

APART double weigh(double q, int first) {
    static double last;
    static int count;
    if (first)
        last = 1, count = 0;
    double s = weights[0] + weights[1] * q + weights[2] * q * q + 0.1 * last + 0.01 * count;
    last = s;
    count++;
    return s;
}

APART void add(double q) {
    state.sum += q * state.before;
    state.after = q * state.sum;
    state.calls++;
}

APART double side(int which, double q) {
    double *at = sides[which];
    at[1] += q * at[0];
    return at[1] * at[2];
}

APART double by_name(const double *numbers, int n, double q) {
    double s = 1;
    for (int i = 0; i < n; i++)
        s += numbers[i] * q;
    return s;
}

double f(const double *x, size_t n) {
    double s = 0;
    state.before = 1.5;
    state.sum = 0.25;
    state.calls = 0;
    for (int i = 0; i < 4; i++)
        left[i] = x[0] + i, right[i] = x[1] * i + 1;
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 40; i++)
            table[i] = x[i % n] * (1 + 0.1 * k);
        for (int i = 0; i < 3; i++)
            weights[i] = x[i] * x[k % 3] + 0.2;
        for (int i = 0; i < 2000; i++)
            unrelated[i] = x[0] * i + k;
        s += look_up(x[0] + k);
        s += 0.01 * weigh(s, k == 0) - 0.01 * weigh(0.5 * s, 0);
        add(0.1 * s);
        s += 0.001 * side(k % 2, s);
        s += 0.001 * by_name(table, 40, s) * by_name(weights, 3, 0.1);
        s += 1e-6 * unrelated[7 * k];
    }
    for (int i = 0; i < 40; i++)
        table[i] = -7;
    return s + state.sum + 0.1 * state.after + state.calls;
}
