/* refused: link
 * message: fragment_array\.c:11: error: the fragment part has an array of variable length or an alloca
 * An array of variable length in a fragment. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

double f(const double *x, size_t n) {
    double u = 0;
    verso_fragment_begin("part");
    double own[n];
    for (size_t i = 0; i < n; i++)
        own[i] = x[i] * x[n - 1 - i];
    for (size_t i = 0; i < n; i++)
        u += sin(own[n - 1 - i]);
    verso_fragment_end();
    return u * u;
}
