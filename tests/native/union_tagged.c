/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Tagged unions, as interpreters have their values: numbers, integers, strings and pointers in one place. */
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct value {
    enum { NUMBER, INTEGER, TEXT, REFERENCE, SINGLE } tag;
    union {
        double number;
        long integer;
        const char *text;
        const struct value *reference;
        float single;
    };
} value;

static double number_of(value v) {
    switch (v.tag) {
    case NUMBER: return v.number;
    case INTEGER: return (double)v.integer;
    case TEXT: return (double)strlen(v.text);
    case REFERENCE: return number_of(*v.reference);
    case SINGLE: return v.single;
    }
    return 0;
}

static value combine(const value *a, const value *b) {
    value result = *a;
    if (a->tag == NUMBER || b->tag == NUMBER) {
        result.tag = NUMBER;
        result.number = number_of(*a) * number_of(*b) + sin(number_of(*a));
    } else if (a->tag == INTEGER) {
        result.integer += (long)number_of(*b);
    }
    return result;
}

double f(const double *x, size_t n) {
    value values[6] = {{NUMBER, {.number = x[0]}},
                       {INTEGER, {.integer = 3}},
                       {TEXT, {.text = "four"}},
                       {NUMBER, {.number = x[1]}},
                       {SINGLE, {.single = 0.5f}}};
    values[5] = (value){REFERENCE, {.reference = &values[3]}};
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        value *into = &values[i % 5];
        *into = combine(&values[(i + 1) % 6], &values[(i * 3 + 2) % 6]);
        if (into->tag == NUMBER)
            into->number = sin(into->number) + x[(size_t)i % n];
        sum += number_of(*into) * (i + 1);
    }
    return sum;
}
