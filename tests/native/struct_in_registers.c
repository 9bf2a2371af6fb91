/* at: 0.7,-1.1,0.25
 * noise: 2e-6
 * A struct with small members that LLVM keeps in registers through a loop: it forgets how its memory is aligned. */
#include <stddef.h>
#include <string.h>

typedef struct record {
    double m[3];
    char pad;
    float w;
    int tag;
    double d, u;
    short k;
    unsigned field : 3;
} record;

double f(const double *x, size_t n) {
    record a = {.u = x[0], .d = 0.25, .m = {0.1, x[1], 0.1}, .w = (float)x[2], .k = 1}, b = a;
    double *p = &a.d, sum = 0;
    for (size_t i = 0; i < 6; i++) {
        *p = x[i % n] * a.u + b.m[i % 3];
        if (*p > 0.3)
            memcpy(&b, &a, sizeof b);
        else
            memcpy(&a, &b, sizeof a);
        p = &a.m[i % 3];
        a.w *= 0.5f;
        a.k = (short)(a.k + b.k);
        sum += a.d * b.u + (double)b.w * a.k + b.m[1] * *p;
    }
    return sum;
}
