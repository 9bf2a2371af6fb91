/* A routine without a rule: the link warns, and the run refuses it by name. */
#include "../native/api/expect.h"

#include <lapacke.h>
#include <string.h>
#include <verso/native.h>

static double f(const double *x, size_t n) {
    double a[4], left[4], right[4], re[2], im[2];
    memcpy(a, x, n * sizeof *a);
    LAPACKE_dgesvx_work(LAPACK_ROW_MAJOR, 'N', 'N', 2, 0, a, 2, left, 2, NULL, NULL, NULL, NULL, right, 2, re, 2, im,
                        re, im, left, NULL);
    return re[0];
}

int main(void) {
    double x[4] = {1, 2, 3, 4}, gradient[4];
    verso_status status = verso_gradient(f, x, 4, gradient, NULL, NULL, &error);
    printf("%d %s\n", status, error.message);
    return 0;
}
