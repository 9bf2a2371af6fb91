/* at: 0.5,1.2,-0.7,0.3
 * Fragments in fragments, in branches, with one name in two functions, and with an exit from a loop inside. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <verso/native.h>

__attribute__((noinline)) static double settle(double u, double v) {
    double w = u;
    verso_fragment_begin("inner");
    for (int i = 0; i < 20; i++) {
        double next = 0.5 * cos(w) + 0.2 * v;
        if (fabs(next - w) < 1e-3)
            break;
        if (!isfinite(next))
            abort();
        w = next;
    }
    verso_fragment_end();
    return w + u;
}

double f(const double *x, size_t n) {
    double sum = 0;
    verso_fragment_begin("outer");
    for (size_t i = 0; i + 1 < n; i++) {
        double u = x[i] * x[i + 1];
        verso_fragment_begin("inner");
        u = settle(u, x[i]) + settle(x[i], u);
        verso_fragment_end();
        if (i % 2 == 0) {
            verso_fragment_begin("even");
            sum += sin(u) * x[i];
            verso_fragment_end();
        } else {
            verso_fragment_begin("odd");
            sum += exp(-u * u);
            verso_fragment_end();
        }
    }
    verso_fragment_end();
    return sum;
}
