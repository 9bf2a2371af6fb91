/* at: 0.6,1.2,0.9
 * cuts: 7
 * Branches, nested and in loops, of which some sides have nothing to reverse: only integers and control flow. The
 * reverse function does not pass them, and their records do not say which way the run took (cc/plan/shortcuts.c).
 * Other joins are reached by ways of both kinds. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

static uint32_t state;
static int32_t table[16];

__attribute__((noinline)) static double twist(double u, uint32_t k) {
    return k % 2 == 0 ? u * cos(u) : u + 0.25 * u * u;
}

/* Numbers live across branches that do not touch them. */
__attribute__((noinline)) static double across(double u, double v, uint32_t k) {
    uint32_t chosen = 0;
    double kept = u * v;
    if (k % 3 == 0) {
        if (k % 2 == 0)
            state = state * 5 + 1;
        else
            state ^= k << 3;
        chosen = state % 7;
    } else if (k % 3 == 1) {
        for (uint32_t i = 0; i < k % 5; i++)
            table[(state + i) % 16] += (int32_t)i;
        chosen = 3;
    }
    switch (chosen) {
    case 0: state++; break;
    case 1: state += 2; break;
    case 3: table[k % 16] = (int32_t)state; break;
    case 5: kept = twist(kept, k); break; /* one way with something to reverse */
    default: break;
    }
    double result = kept + sin(v);
    if (state % 4 == 1)
        state += 3;
    return result * u;
}

/* All branches of the loop's body are integers; what it adds up comes before them. */
static double loop(const double *x, size_t n, uint32_t turns) {
    double sum = 0;
    for (uint32_t k = 0; k < turns; k++) {
        sum += x[k % n] * x[(k + 1) % n];
        if (table[k % 16] > 2) {
            if (state % 2 == 0)
                table[k % 16] = 0;
            else
                state += k;
        } else {
            table[k % 16]++;
        }
    }
    return sum;
}

double f(const double *x, size_t n) {
    double u = x[0];
    state = 1;
    for (size_t i = 0; i < 16; i++)
        table[i] = (int32_t)i % 4;
    for (uint32_t k = 0; k < 40; k++)
        u = tanh(across(u, x[k % n], k)) + 0.1 * loop(x, n, k % 9);
    return u * u;
}
