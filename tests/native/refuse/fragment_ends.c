/* refused: link
 * message: fragment_ends\.c:10: error: the fragment part ends in more than one place
 * Two ends of one begin. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

double f(const double *x, size_t n) {
    double u = x[0];
    verso_fragment_begin("part");
    if (n > 1) {
        u = sin(u);
        verso_fragment_end();
    } else {
        u = cos(u);
        verso_fragment_end();
        u *= 2;
    }
    return u;
}
