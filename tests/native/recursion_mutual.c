/* at: 0.6,1.3
 * flags: -fno-inline
 * Functions that call each other: three numbers in a ring, and a small recursive-descent evaluator of a formula. */
#include <ctype.h>
#include <math.h>
#include <stddef.h>

static double odd(double u, int n);

static double even(double u, int n) {
    return n <= 0 ? u : odd(u * 1.01 + 0.1, n - 1);
}

static double odd(double u, int n) {
    return n <= 0 ? u * u : even(u * u * 0.3 + 0.2, n - 1);
}

typedef struct parser {
    const char *at;
    const double *x;
} parser;

static double sum(parser *p);

static double factor(parser *p) {
    double value;
    if (*p->at == '(') {
        p->at++;
        value = sum(p);
        p->at++;
    } else if (*p->at == '-') {
        p->at++;
        value = -factor(p);
    } else if (isdigit((unsigned char)*p->at)) {
        value = *p->at++ - '0';
    } else {
        value = p->x[*p->at++ - 'a'];
    }
    return value;
}

static double product(parser *p) {
    double value = factor(p);
    while (*p->at == '*' || *p->at == '/')
        value = *p->at++ == '*' ? value * factor(p) : value / factor(p);
    return value;
}

static double sum(parser *p) {
    double value = product(p);
    while (*p->at == '+')
        p->at++, value += product(p);
    return value;
}

double f(const double *x, size_t n) {
    (void)n;
    parser p = {"(a*a+3*b)/(2+a*-b*(1+b))+a/(b+4)", x};
    double total = sum(&p);
    for (int i = 0; i < 7; i++)
        total += even(x[0], i) * odd(x[1], i);
    return total;
}
