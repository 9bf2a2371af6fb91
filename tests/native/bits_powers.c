/* at: 0.7,-1.1,0.25,1.9
 * flags: -fno-inline
 * Powers of two put together of exponents, in members that hold other numbers at other times, through pointers that
 * may point anywhere; and what <math.h> calls frexp and ldexp by hand. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct part {
    int exponent;
    union {
        double number;
        uint64_t bits;
    } scale;
} part;

static void set_power(part *of) {
    of->scale.bits = (uint64_t)(of->exponent + 1023) << 52;
}

static void set_number(part *of, double number) {
    of->scale.number = number;
}

static void put_power(void *where, int exponent) {
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    memcpy(where, &bits, sizeof bits);
}

static double fraction(double number, int *exponent) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    *exponent = (int)(bits >> 52 & 0x7ff) - 1022;
    bits = (bits & UINT64_C(0x800fffffffffffff)) | UINT64_C(0x3fe0000000000000);
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double scaled(double number, int exponent) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits += (uint64_t)exponent << 52;
    memcpy(&number, &bits, sizeof number);
    return number;
}

double f(const double *x, size_t n) {
    part parts[4];
    double sum = 0, anywhere[3] = {x[0], x[1], 2};
    for (size_t turn = 0; turn < 12; turn++) {
        part *one = &parts[turn % 4];
        one->exponent = (int)(turn % 5) - 2;
        if (turn % 3 == 0)
            set_number(one, x[turn % n] * sum);
        else
            set_power(one);
        sum += one->scale.number * x[(turn + 1) % n];
        put_power(turn % 2 == 0 ? (void *)&anywhere[turn % 3] : (void *)&one->scale, one->exponent);
        sum += (anywhere[0] * anywhere[1] + anywhere[2]) * x[2] + one->scale.number * 0.1;
        anywhere[(turn + 1) % 3] = x[turn % n] * 1.5;
        int exponent;
        double rest = fraction(x[turn % n] * 3.1, &exponent);
        sum += rest * scaled(x[3] * 1.3, exponent);
    }
    return sum;
}
