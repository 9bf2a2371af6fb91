/* Calls: by value, by reference, of structures, of functions that are defined later, recursively, through pointers. */
#include "tests/rev/harness.h"

#include <verso/rev/callee.h>

typedef struct vector {
    double x, y;
} vector;

typedef struct matrix {
    double *value;
    int rows, columns;
    double scale[2];
} matrix;

rev void later(double *out, double x);

rev static void power(double *out, double x, passive int n) {
    *out += n == 0 ? 1 : pow(x, n);
}

rev static inline void add_product(double *out, const double *a, double b) {
    *out += *a * b;
}

rev void values(double *s) {
    power(&s[0], s[1], 3);
    power(s + 2, s[1] * s[3] + 1, 2);
    power(&s[3], 2, 1);
    add_product(&s[1], &s[0], s[2]);
    add_product(&s[2], &s[0], sin(s[3]) * s[1]);
    later(&s[0], s[3]);
}

rev void later(double *out, double x) {
    *out += x * x * x;
}

rev static void length(double *out, const vector *v, vector w) {
    *out += sqrt(v->x * v->x + v->y * v->y) + w.x * w.y;
}

rev static void multiply(double *y, const matrix *m, const double *x) {
    for (int i = 0; i < m->rows; i++)
        for (int k = 0; k < m->columns; k++)
            y[i] += m->value[i * m->columns + k] * x[k] * m->scale[i];
}

rev void structures(double *s) {
    anc vector v = {0};
    anc vector w = {0};
    compute {
        v.x += s[0];
        v.y += s[1] * s[2];
        w.x += s[2];
        w.y += s[0] * s[0];
    }
    use {
        length(&s[3], &v, w);
    }
}

rev static void recursive(double *out, const double *x, passive int n) {
    if (n > 0) {
        *out += x[0] * x[0];
        anc double t = 0;
        recursive(&t, x + 1, n - 1);
        *out += t * x[0];
        undo recursive(&t, x + 1, n - 1);
    }
}

rev_length(recursive, x, n);

rev void recursion(double *s) {
    recursive(&s[0], s + 1, 3);
}

rev static void turn(double *a, double *b, double angle) {
    rot(*a, *b, angle);
    *a += *b * angle;
}

rev void backwards(double *s) {
    turn(&s[0], &s[1], s[2]);
    undo turn(&s[1], &s[3], s[0] * s[2]);
    undo {
        s[2] += s[1] * s[1];
        turn(&s[0], &s[3], s[1]);
        s[1] -= s[3] * s[0];
    }
    anc double t = 0;
    compute {
        power(&t, s[0], 2);
        later(&t, s[1]);
    }
    use {
        s[2] += t * t;
    }
}

rev static void twice(rev void (*step)(double *out, double x), double *out, double x) {
    step(out, x);
    anc double t = 0;
    compute {
        step(&t, x * x);
    }
    use {
        *out += t * x;
    }
}

rev static void four_times(rev void (*step)(double *out, double x), double *out, double x) {
    twice(step, out, x);
    twice(step, out, x + 1);
}

rev void pointers(double *s) {
    twice(later, &s[0], s[1] / 4);
    four_times(later, &s[1], s[0] / 8);
}

/* Written by hand: a shear and its inverse, and what is its own inverse. */
static void shear(double *a, const double *b) {
    *a += *b * *b;
}
static void unshear(double *a, const double *b) {
    *a -= *b * *b;
}
static void mirror(double *a) {
    *a = 1 / *a;
}
#ifdef VERSO_REV_GENERATED
static void shear_adj(double *a, double *a_bar, const double *b, double *b_bar) {
    *a -= *b * *b;
    *b_bar += 2 * *b * *a_bar;
}
static void unshear_adj(double *a, double *a_bar, const double *b, double *b_bar) {
    *a += *b * *b;
    *b_bar -= 2 * *b * *a_bar;
}
static void shear_jvp(double *a, double *a_dot, const double *b, const double *b_dot) {
    *a += *b * *b;
    *a_dot += 2 * *b * *b_dot;
}
static void unshear_jvp(double *a, double *a_dot, const double *b, const double *b_dot) {
    *a -= *b * *b;
    *a_dot -= 2 * *b * *b_dot;
}
static void shear_hvp(double *a, double *a_dot, double *a_bar, double *a_bar_dot, const double *b, const double *b_dot,
                      double *b_bar, double *b_bar_dot) {
    unshear_jvp(a, a_dot, b, b_dot);
    *b_bar_dot += 2 * *b_dot * *a_bar + 2 * *b * *a_bar_dot;
    *b_bar += 2 * *b * *a_bar;
}
static void unshear_hvp(double *a, double *a_dot, double *a_bar, double *a_bar_dot, const double *b,
                        const double *b_dot, double *b_bar, double *b_bar_dot) {
    shear_jvp(a, a_dot, b, b_dot);
    *b_bar_dot -= 2 * *b_dot * *a_bar + 2 * *b * *a_bar_dot;
    *b_bar -= 2 * *b * *a_bar;
}
static void mirror_jvp(double *a, double *a_dot) {
    *a_dot = -*a_dot / (*a * *a);
    *a = 1 / *a;
}
static void mirror_adj(double *a, double *a_bar) {
    *a = 1 / *a;
    *a_bar = -*a_bar / (*a * *a);
}
static void mirror_hvp(double *a, double *a_dot, double *a_bar, double *a_bar_dot) {
    mirror_jvp(a, a_dot);
    *a_bar_dot = -*a_bar_dot / (*a * *a) + 2 * *a_bar * *a_dot / (*a * *a * *a);
    *a_bar = -*a_bar / (*a * *a);
}
#endif
dual(shear, unshear);
selfdual(mirror);

rev void hand_written(double *s) {
    shear(&s[0], &s[1]);
    mirror(&s[0]);
    s[1] += s[0];
    undo shear(&s[0], &s[1]);
    undo mirror(&s[2]);
}

/* Structures that hold pointers: called with bars of the same shape. */
static int matrices_wrong(void) {
    double wrong = 0;
    double value[4] = {1, 2, 3, 4}, x[2] = {5, 6}, y[2] = {0};
    matrix m = {value, 2, 2, {1, 10}};
    multiply(y, &m, x);
    wrong += fabs(y[0] - 17) + fabs(y[1] - 390);
#ifdef VERSO_REV_GENERATED
    double value_bar[4] = {0}, x_bar[2] = {0}, y_bar[2] = {1, 1};
    matrix m_bar = {value_bar, 0, 0, {0}};
    multiply_adj(y, y_bar, &m, &m_bar, x, x_bar);
    wrong += fabs(y[0]) + fabs(y[1]) + fabs(value_bar[1] - 6) + fabs(value_bar[2] - 50) + fabs(x_bar[0] - 31) +
             fabs(m_bar.scale[1] - 39);
#endif
    if (wrong > 1e-9)
        printf("FAILED multiply: off by %g\n", wrong);
    return wrong > 1e-9;
}

int main(int argc, char **argv) {
    static const harness_case cases[] = {CASE(values, 4),    CASE(structures, 4), CASE(recursion, 4),
                                         CASE(backwards, 4), CASE(pointers, 2),   CASE(hand_written, 3)};
    return harness_run(cases, sizeof cases / sizeof *cases, argc, argv) | matrices_wrong();
}
