/* at: 0.37,1.1
 * Constant tables: coefficients, tables of tables, strings that choose, and a table that is copied and changed. */
#include <math.h>
#include <stddef.h>
#include <string.h>

static const double gauss[3][2] = {{-0.774596669241483, 5.0 / 9}, {0, 8.0 / 9}, {0.774596669241483, 5.0 / 9}};
static const double linear[] = {1, 2}, cubic[] = {0.5, -1, 0.25, 3};
static const struct polynomial {
    const double *coefficients;
    int degree;
    const char *name;
} polynomials[] = {{linear, 1, "linear"}, {cubic, 3, "cubic"}, {gauss[1], 1, "gauss"}};

static double horner(const struct polynomial *p, double u) {
    double value = p->coefficients[p->degree];
    for (int i = p->degree - 1; i >= 0; i--)
        value = value * u + p->coefficients[i];
    return value;
}

double f(const double *x, size_t n) {
    double sum = 0, copy[4];
    for (size_t i = 0; i < sizeof polynomials / sizeof *polynomials; i++)
        for (int k = 0; k < 3; k++)
            sum +=
                gauss[k][1] * horner(&polynomials[i], x[0] + gauss[k][0] * x[1]) * (double)strlen(polynomials[i].name);
    memcpy(copy, cubic, sizeof copy);
    copy[2] = x[n - 1];
    copy[3] *= x[0];
    return sum + horner(&(struct polynomial){copy, 3, ""}, x[1]);
}
