/* at: 0.74,1.13,0.27,2.06
 * flags: -fno-inline
 * One piece of memory used for numbers, then for integers, then for floats, then for numbers again. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

union scratch {
    double numbers[4];
    float floats[8];
    int64_t integers[4];
};

static double as_numbers(union scratch *s, const double *x) {
    for (int i = 0; i < 4; i++)
        s->numbers[i] = sin(x[i]);
    return s->numbers[0] * s->numbers[3] + s->numbers[1] * s->numbers[2];
}

static int64_t as_integers(union scratch *s, const double *x) {
    for (int i = 0; i < 4; i++)
        s->integers[i] = (int64_t)(x[i] * 10) + i;
    return s->integers[1] + s->integers[2];
}

static float as_floats(union scratch *s) {
    for (int i = 0; i < 8; i++)
        s->floats[i] = (float)i;
    return s->floats[3] * s->floats[5];
}

double f(const double *x, size_t n) {
    (void)n;
    union scratch s;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += as_numbers(&s, x) * (double)as_integers(&s, x);
        sum = cos(0.1 * sum) + as_floats(&s) * 0.1 * x[i];
        s.numbers[i] = sum;
        sum += s.numbers[i] * s.numbers[i];
    }
    return sum;
}
