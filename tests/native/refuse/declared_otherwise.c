/* at: 0.7,1.1
 * refused: link
 * message: declared_otherwise\.c:[0-9]+: .*bsearch is declared with another type than in the C library; include its header
 * A function of the C library under a declaration of the program's own. */
#include <stddef.h>

double bsearch(double);

double f(const double *x, size_t n) {
    return bsearch(x[0]) * x[n - 1];
}
