/* refused: link
 * message: fragment_entered\.c:12: error: the fragment part can be entered without its verso_fragment_begin
 * A jump into a fragment. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

double f(const double *x, size_t n) {
    double u = x[0];
    if (n > 3)
        goto inside;
    verso_fragment_begin("part");
    u = sin(u);
inside:
    u *= exp(u);
    verso_fragment_end();
    return u;
}
