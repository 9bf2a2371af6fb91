/* at: 0.31,-1.17,5.77,0.003
 * noise: 1e-11
 * A mathematical library in the manner of musl and of Arm's routines: doubles as integers of 64 bits, rounding by the
 * sum with a large number, tables that are indexed by leading bits. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BITS = 4, COUNT = 1 << BITS };

static uint64_t as_bits(double d) {
    union {
        double d;
        uint64_t i;
    } u = {d};
    return u.i;
}

static double as_double(uint64_t i) {
    union {
        uint64_t i;
        double d;
    } u = {i};
    return u.d;
}

static uint64_t powers[COUNT]; /* bits of 2^(i / COUNT), less i in the exponent's last bits */
static double inverses[COUNT], logs[COUNT];

static void make_tables(void) {
    double root = 1.0442737824274138403; /* 2^(1/16) */
    for (int i = 0; i < COUNT; i++) {
        double power = 1, c = 0.6875 + (i + 0.5) / COUNT * 0.6875;
        for (int k = 0; k < i; k++)
            power *= root;
        powers[i] = as_bits(power) - ((uint64_t)i << (52 - BITS));
        inverses[i] = 1 / c;
        double s = (c - 1) / (c + 1), sum = 0;
        for (int k = 41; k > 0; k -= 2)
            sum = sum * s * s + 1.0 / k;
        logs[i] = 2 * s * sum;
    }
}

static double my_exp(double x) {
    static const double shift = 0x1.8p52;
    double z = x * (1.44269504088896338700 * COUNT), kd = z + shift;
    uint64_t ki = as_bits(kd);
    kd -= shift;
    double r = x - kd * (0.69314718055994530942 / COUNT);
    double scale = as_double(powers[ki % COUNT] + (ki << (52 - BITS)));
    double sum = 0;
    for (int i = 12; i > 0; i--)
        sum = (sum + 1) * r / i;
    return scale + scale * sum;
}

static double my_log(double x) {
    static const uint64_t offset = 0x3fe6000000000000; /* 0.6875 */
    uint64_t ix = as_bits(x), shifted = ix - offset;
    int i = (int)((shifted >> (52 - BITS)) % COUNT);
    int64_t k = (int64_t)shifted >> 52;
    double z = as_double(ix - (shifted & 0xfffULL << 52)), r = z * inverses[i] - 1, sum = 0;
    for (int n = 30; n > 0; n--)
        sum = r * (1.0 / n - sum);
    return (double)k * 0.69314718055994530942 + logs[i] + sum;
}

static double my_rint(double x) {
    static const double to_integer = 0x1p52;
    double y = x < 0 ? x - to_integer + to_integer : x + to_integer - to_integer;
    return y == 0 ? 0 : y;
}

static double my_floor(double x) {
    int e = (int)(as_bits(x) >> 52 & 0x7ff);
    if (e >= 0x3ff + 52)
        return x;
    double y = my_rint(x) - x;
    return y > 0 ? x + y - 1 : x + y;
}

static double my_trunc(double x) {
    uint64_t bits = as_bits(x);
    int e = (int)(bits >> 52 & 0x7ff) - 0x3ff + 12;
    if (e >= 52 + 12)
        return x;
    uint64_t mask = e < 12 ? ~((uint64_t)1 << 63) : (uint64_t)-1 >> e;
    return as_double(bits & ~mask);
}

static double my_frexp(double x, int *e) {
    uint64_t bits = as_bits(x);
    *e = (int)(bits >> 52 & 0x7ff) - 0x3fe;
    return as_double((bits & 0x800fffffffffffff) | 0x3fe0000000000000);
}

double f(const double *x, size_t n) {
    double sum = 0;
    int e = 0;
    make_tables();
    for (size_t i = 0; i < n; i++) {
        double a = x[i], b = my_exp(0.3 * a) + 0.1, c = a - my_trunc(a), d = a - my_floor(a);
        sum += my_exp(a) + b * my_log(b) + (a - my_rint(a)) * a + c * c + d * d;
        sum += my_frexp(b, &e) * e;
    }
    return sum;
}
