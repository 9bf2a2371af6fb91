/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * longjmp as the way out when something is wrong deep inside: frames that are left have worked on numbers. */
#include <math.h>
#include <setjmp.h>
#include <stddef.h>

static jmp_buf escape;
static double progress;

static double logarithm(double u, int depth) {
    progress += 0.1 * u;
    if (u <= 0.3)
        longjmp(escape, 1 + depth);
    return depth == 0 ? log(u) : logarithm(u * 0.8, depth - 1) * u;
}

static double guarded(double u, int depth) {
    volatile double kept = u * u;
    int code = setjmp(escape);
    if (code != 0)
        return kept * code + progress;
    kept += sin(u);
    return logarithm(u, depth) + kept;
}

double f(const double *x, size_t n) {
    double sum = 0;
    progress = 0;
    for (size_t i = 0; i < n; i++)
        sum += guarded(x[i], (int)i + 2) * (double)(i + 1);
    return sum + progress;
}
