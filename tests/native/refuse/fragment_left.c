/* refused: link
 * message: fragment_left\.c:11: error: the fragment part can be left without verso_fragment_end
 * A return within a fragment. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

double f(const double *x, size_t n) {
    double u = x[0];
    (void)n;
    verso_fragment_begin("part");
    if (u > 3)
        return u;
    u = sin(u);
    verso_fragment_end();
    return u * u;
}
