/* refused: link
 * message: fragment_name\.c:10: error: the fragment here needs a name that is a string literal: one word
 * A name of two words. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

double f(const double *x, size_t n) {
    double u = x[0] * (double)n;
    verso_fragment_begin("two words");
    u = sin(u);
    verso_fragment_end();
    return u * u;
}
