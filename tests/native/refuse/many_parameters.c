/* at: 0.7,1.1
 * refused: link
 * flags: -fno-inline
 * message: many_parameters\.c:[0-9]+: .*sum takes or returns more than [0-9]+ numbers by value; pass a pointer
 * A function with 640 parameters. */
#include <stddef.h>

#define TEN(p) \
    double p##0, double p##1, double p##2, double p##3, double p##4, double p##5, double p##6, double p##7, \
        double p##8, double p##9
#define EIGHTY(p) TEN(p##a), TEN(p##b), TEN(p##c), TEN(p##d), TEN(p##e), TEN(p##f), TEN(p##g), TEN(p##h)
#define TEN_TIMES(u) u, u, u, u, u, u, u, u, u, u
#define EIGHTY_TIMES(u) \
    TEN_TIMES(u), TEN_TIMES(u), TEN_TIMES(u), TEN_TIMES(u), TEN_TIMES(u), TEN_TIMES(u), TEN_TIMES(u), TEN_TIMES(u)

#pragma clang diagnostic ignored "-Wunused-parameter"
double sum(EIGHTY(a), EIGHTY(b), EIGHTY(c), EIGHTY(d), EIGHTY(e), EIGHTY(f), EIGHTY(g), EIGHTY(h));
double sum(EIGHTY(a), EIGHTY(b), EIGHTY(c), EIGHTY(d), EIGHTY(e), EIGHTY(f), EIGHTY(g), EIGHTY(h)) {
    return aa0 * ba1 + ha3 * he4;
}

double f(const double *x, size_t n) {
    double u = x[0], v = x[n - 1];
    return sum(EIGHTY_TIMES(u), EIGHTY_TIMES(v), EIGHTY_TIMES(u), EIGHTY_TIMES(v), EIGHTY_TIMES(u), EIGHTY_TIMES(v),
               EIGHTY_TIMES(u), EIGHTY_TIMES(v));
}
