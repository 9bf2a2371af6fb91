/* refused: link
 * message: fragment_continued\.c:11: error: the fragment part can be left without verso_fragment_end
 * A fragment that is begun again before it has ended. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

double f(const double *x, size_t n) {
    double u = 0;
    for (size_t i = 0; i < n; i++) {
        verso_fragment_begin("part");
        u += x[i];
        if (u > 3)
            continue;
        u = sin(u);
        verso_fragment_end();
    }
    return u;
}
