/* refused: link
 * message: fragment_setjmp\.c:15: error: the fragment part calls setjmp
 * A place to jump to in a fragment, which may have ended when somebody jumps. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

#include <setjmp.h>

static jmp_buf back;

double f(const double *x, size_t n) {
    double u = x[0] * (double)n;
    verso_fragment_begin("part");
    if (setjmp(back) == 0)
        u = sin(u);
    verso_fragment_end();
    if (u > 100)
        longjmp(back, 1);
    return u * u;
}
