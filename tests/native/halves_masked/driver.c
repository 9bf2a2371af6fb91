/* at: 0.7,1.3
 * Values of an interpreter as LLVM returns them from QuickJS's JS_CallInternal: choose.ll. */
#include <stddef.h>
#include <stdint.h>

typedef struct value {
    union {
        int32_t i;
        double d;
        void *p;
    } u;
    int64_t tag;
} value;

enum { INTEGER, FLOAT = 7 };

/* The last number of the stack, or the last integer plus 5 where the count is odd. */
value choose(const value *stack, int64_t count);
void seen(int64_t which);

/* Keeps the two cases apart. */
void seen(int64_t which) {
    static int64_t counts[2];
    counts[which]++;
}

static double number_of(value v) {
    return v.tag == FLOAT ? v.u.d : v.u.i;
}

double f(const double *x, size_t n) {
    value stack[4] = {
        {{.d = x[0] * x[0]}, FLOAT}, {{.i = 3}, INTEGER}, {{.d = x[n - 1] * x[0]}, FLOAT}, {{.i = 4}, INTEGER}};
    double product = 1;
    for (int64_t count = 1; count <= 4; count++)
        product *= number_of(choose(stack, count)) + x[1];
    return product;
}
