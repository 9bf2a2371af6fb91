/* A wrong hand-written inverse: it squares the wrong number. */
#include <verso/rev.h>

static void shear(double *a, const double *b) {
    *a += *b * *b;
}
static void unshear(double *a, const double *b) {
    *a -= *b * *b * 1.000001;
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
    *b_bar += 2 * *b * *a_bar;
    *b_bar_dot += 2 * *b_dot * *a_bar + 2 * *b * *a_bar_dot;
}
static void unshear_hvp(double *a, double *a_dot, double *a_bar, double *a_bar_dot, const double *b,
                        const double *b_dot, double *b_bar, double *b_bar_dot) {
    shear_jvp(a, a_dot, b, b_dot);
    *b_bar -= 2 * *b * *a_bar;
    *b_bar_dot -= 2 * *b_dot * *a_bar + 2 * *b * *a_bar_dot;
}
#endif
dual(shear, unshear);

rev void twice(double *a, const double *b) {
    shear(a, b);
    shear(a, b);
}

/* What is right stays right. */
rev void right(double *a, const double *b) {
    *a += *b * *b;
}
