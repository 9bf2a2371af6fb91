/* at: 0.5,1.2,-0.7
 * flags: -O0
 * noise: 1e-7
 * As the front end leaves it: all variables in memory; a switch, a goto within, a struct that comes and goes, numbers
 * of other types, a long jump that leaves a fragment. */
#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <verso/native.h>

typedef struct state {
    double u;
    float w;
    long double z;
    int turns;
} state;

static jmp_buf back;

static double checked(double u) {
    if (u > 2)
        longjmp(back, 1);
    return u * u;
}

double f(const double *x, size_t n) {
    state now = {.u = 1, .w = 0.5F, .z = 0.25L};
    volatile double kept = 1;
    for (size_t i = 0; i < 2 * n; i++) {
        verso_fragment_begin("turn");
        switch (i % 3) {
        case 0: now.u += sin(x[i % n]); break;
        case 1: now.w = (float)(now.w * 1.1 + x[i % n]); goto both;
        default:
            now.z *= 1 + 0.1L * x[i % n];
        both:
            now.turns++;
        }
        verso_fragment_end();
    }
    if (setjmp(back) == 0) {
        verso_fragment_begin("jumps");
        kept = checked(now.u);
        kept += checked(now.u + 2);
        verso_fragment_end();
    }
    return now.u * now.w + (double)now.z * now.turns + kept;
}
