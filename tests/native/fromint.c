/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Floats built from integers, in unions. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef union fi {
    float f;
    int32_t i;
    uint32_t u;
} fi;
static float pow2(int e) {
    fi v;
    v.i = (e + 127) << 23;
    return v.f;
}
static float rnd(uint32_t *seed) {
    fi v;
    *seed = *seed * 1664525u + 1013904223u;
    v.u = 0x3f800000u | *seed >> 9;
    return v.f - 1;
}
double f(const double *x, size_t n) {
    uint32_t seed = 7;
    double s = 0;
    fi box[4];
    for (size_t i = 0; i < 40; i++) {
        fi *b = &box[i % 4];
        if (i % 3 == 0)
            b->i = (int)i;
        else
            b->f = (float)x[i % n] * rnd(&seed);
        if (i % 3 != 0)
            s += (double)(b->f * pow2((int)i % 5 - 2));
        else
            s += b->i * x[0];
    }
    return s;
}
