/* at: 0.7,1.1,0.25
 * flags: -fno-inline
 * Calls through pointers: a table, a pointer in a struct, one that a function returns, one that is compared. */
#include <math.h>
#include <stddef.h>

typedef double (*operation)(double, double);

static double add(double a, double b) {
    return a + b * b;
}

static double multiply(double a, double b) {
    return a * b + sin(a);
}

static double divide(double a, double b) {
    return a / (1 + b * b);
}

static const operation table[] = {add, multiply, divide};

struct stage {
    operation first, second;
    double weight;
};

static operation choose(double u) {
    return u > 1 ? divide : u > 0.5 ? multiply : add;
}

static double apply(const struct stage *stage, double u, double v) {
    double result = stage->first(u, v) * stage->weight;
    return stage->second ? stage->second(result, u) : result;
}

double f(const double *x, size_t n) {
    struct stage stages[] = {{add, NULL, x[2]}, {multiply, divide, 0.3}, {divide, add, x[0]}};
    double r = 0;
    for (size_t i = 0; i < 12; i++) {
        r += table[i % 3](x[i % n], x[(i + 1) % n]);
        r = apply(&stages[i % 3], r, x[i % n]);
        operation chosen = choose(r);
        r = chosen(r, 0.5) + (chosen == add ? x[0] : 0);
    }
    return r;
}
