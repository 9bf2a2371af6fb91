/* at: 0.7,1.3
 * An interpreter whose values are unions with a tag, and boxes of 64 bits that are doubles or, in what would be a NaN,
 * integers. LLVM keeps halves of the unions in registers of their own. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct value {
    union {
        int32_t i;
        double d;
        void *p;
    } u;
    int64_t tag; /* 0: an integer */
} value;

static value of_number(double d) {
    value v;
    v.u.d = d;
    v.tag = 7;
    return v;
}

static double number_of(value v) {
    return v.tag != 0 ? v.u.d : v.u.i;
}

/* In one variable that is a number now and an integer then. */
static double run(const char *code, const double *x) {
    value stack[8], top = of_number(x[0]);
    int depth = 0;
    for (;; code++)
        switch (*code) {
        case 'x':
            top = of_number(x[0] + depth);
            stack[depth++] = top;
            break;
        case 'y':
            top = of_number(x[1]);
            stack[depth++] = top;
            break;
        case 'i':
            top.u.i = depth + 40000;
            top.tag = 0;
            stack[depth++] = top;
            break;
        case '+':
            top = of_number(number_of(stack[depth - 1]) + number_of(stack[depth - 2]));
            stack[--depth - 1] = top;
            break;
        case '*':
            top = of_number(number_of(stack[depth - 1]) * number_of(stack[depth - 2]));
            stack[--depth - 1] = top;
            break;
        default: return number_of(top) + number_of(stack[0]);
        }
}

/* ---- Boxes ---- */

typedef union box {
    double d;
    uint64_t bits;
    struct {
        uint32_t low, high;
    } word;
    struct {
        uint16_t part[4];
    } parts;
} box;

enum { INTEGER = 0xfff9 };

static box boxed(double d) {
    box b = {.d = d};
    if (d != d)
        b.bits = (uint64_t)0x7ff8 << 48;
    return b;
}

static box boxed_integer(int32_t i) {
    box b;
    b.bits = (uint64_t)INTEGER << 48 | (uint32_t)i;
    return b;
}

static double unboxed(const box *b) {
    return b->parts.part[3] == INTEGER ? (double)(int32_t)b->word.low : b->d;
}

static double horner(const double *x, size_t n) {
    box numbers[6], sum = boxed_integer(0);
    for (int i = 0; i < 6; i++)
        numbers[i] = i % 2 == 0 ? boxed_integer(i + 1) : boxed(x[i % n] * i);
    for (int i = 0; i < 6; i++) {
        box next = numbers[i];
        if (sum.word.high >> 16 == INTEGER && next.word.high >> 16 == INTEGER)
            sum = boxed_integer((int32_t)(sum.word.low + next.word.low));
        else
            sum = boxed(unboxed(&sum) * x[1] + unboxed(&next));
    }
    return unboxed(&sum);
}

double f(const double *x, size_t n) {
    return run("xixi+*xi++x*+iii***y*.", x) * 1e-12 + run("ii+y*.", x) * 1e-4 + horner(x, n);
}
