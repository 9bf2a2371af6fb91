/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Variadic arguments of all kinds beside each other: integers, strings, pointers to numbers, structs in registers and
 * in memory, long double. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct pair {
    double a, b;
} pair;

typedef struct tagged {
    int tag;
    double value;
} tagged;

typedef struct large {
    double v[5];
    int used;
} large;

/* d number, i integer, p pointer to a number, s pair, t tagged, b large, l long double */
static double fold(const char *kinds, ...) {
    va_list arguments;
    double sum = 0;
    va_start(arguments, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'd': sum += va_arg(arguments, double); break;
        case 'i': sum *= va_arg(arguments, int); break;
        case 'p': sum += *va_arg(arguments, const double *) * 2; break;
        case 's': {
            pair p = va_arg(arguments, pair);
            sum += p.a * p.b;
            break;
        }
        case 't': {
            tagged t = va_arg(arguments, tagged);
            sum += t.tag * sin(t.value);
            break;
        }
        case 'b': {
            large b = va_arg(arguments, large);
            for (int i = 0; i < b.used; i++)
                sum += b.v[i] * b.v[i];
            break;
        }
        case 'l': sum += (double)sqrtl(va_arg(arguments, long double)); break;
        }
    va_end(arguments);
    return sum;
}

double f(const double *x, size_t n) {
    (void)n;
    pair p = {x[0], x[1] * x[2]};
    tagged t = {3, x[3]};
    large b = {{x[0], x[1], x[2], 0.5, 9}, 4};
    double s = fold("dipstbl", x[0], 2, &x[1], p, t, b, (long double)x[2] + 1);
    s += fold("sssssssbtiiiiiiiiddddl", p, p, p, (pair){x[3], x[0]}, p, p, p, b, t, 1, 1, 1, 1, 2, 1, 1, 1, x[1], x[2],
              s, 4.0, (long double)s * s);
    return s + fold("tlblt", t, 2.0L, b, (long double)x[0], (tagged){-1, s});
}
