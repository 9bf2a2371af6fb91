/* at: 0.7,1.1,0.3
 * flags: -fno-inline
 * Two numbers change places byte by byte. */
#include <stddef.h>

static void swap(void *a, void *b, size_t size) {
    unsigned char *p = a, *q = b;
    while (size-- > 0) {
        unsigned char keep = *p;
        *p++ = *q;
        *q++ = keep;
    }
}

double f(const double *x, size_t n) {
    double copy[3] = {x[0], x[1], x[n - 1]};
    swap(&copy[0], &copy[1], sizeof copy[0]);
    return copy[0] * copy[0] * copy[1] + copy[2];
}
