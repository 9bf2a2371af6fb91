/* refused: link
 * message: fragment_end_alone\.c:12: error: verso_fragment_end ends nothing
 * An end without a begin. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

double f(const double *x, size_t n) {
    double u = x[0];
    (void)n;
    u = sin(u);
    verso_fragment_end();
    return u * u;
}
