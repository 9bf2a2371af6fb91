/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-strict-aliasing
 * Generic swap through char buffers. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static void swap(void *a, void *b, size_t size) {
    char t[64];
    memcpy(t, a, size);
    memcpy(a, b, size);
    memcpy(b, t, size);
}
static void swap_bytes(void *a, void *b, size_t size) {
    unsigned char *p = a, *q = b;
    while (size--) {
        unsigned char t = *p;
        *p++ = *q;
        *q++ = t;
    }
}
static void swap_words(void *a, void *b, size_t size) {
    uint32_t *p = a, *q = b;
    for (size /= 4; size--; p++, q++) {
        uint32_t t = *p;
        *p = *q;
        *q = t;
    }
}
typedef struct s {
    float a;
    double b;
    float c;
} s;
double f(const double *x, size_t n) {
    (void)n;
    float g[4] = {(float)x[0], (float)x[1], (float)x[2], (float)x[3]};
    double d[4] = {x[0], x[1] * x[1], x[2], x[3]};
    long double l[2] = {x[0] * x[1], x[2]};
    s t[3] = {{(float)x[0], x[1], (float)x[2]}, {(float)x[3], x[2], 1}, {2, x[0], (float)x[1]}};
    swap(&g[0], &g[3], 4);
    swap_bytes(&g[1], &g[2], 4);
    swap_words(&g[0], &g[1], 4);
    swap(&d[0], &d[3], 8);
    swap_bytes(&d[1], &d[2], 8);
    swap_words(&d[0], &d[1], 8);
    swap(&l[0], &l[1], 16);
    swap_bytes(&l[0], &l[1], 16);
    swap_words(&l[0], &l[1], 16);
    swap(&t[0], &t[1], sizeof *t);
    swap_bytes(&t[1], &t[2], sizeof *t);
    swap_words(&t[0], &t[2], sizeof *t);
    double r = 0;
    for (int i = 0; i < 4; i++)
        r += (double)g[i] * (i + 1) * d[i];
    for (int i = 0; i < 3; i++)
        r += (double)t[i].a * t[i].b + (double)t[i].c * (i + 2);
    return r + (double)(l[0] * l[0] * l[1]);
}
