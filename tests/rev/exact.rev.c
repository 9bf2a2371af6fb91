/* Exact numbers: after `verso rev`, functions on `fixed` and `ulog` restore the same bits after any number of steps,
 * and their adjoints are those of the same functions on doubles. In plain mode they run forward. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/rev.h>

/* A pendulum by leapfrog. */
rev void pendulum(fixed *angle, fixed *speed, passive int steps) {
    for (int s = 0; s < steps; s++) {
        *speed -= rev_fixed(0.01 * sin(rev_fixed_value(*angle)));
        *angle += rev_fixed(0.01 * rev_fixed_value(*speed));
    }
}

rev void combine(fixed *y, const fixed *a, const fixed *x, passive int n) {
    for (int i = 0; i < n; i++) {
        y[i] += *a * x[i];
        y[i] -= x[i] / *a;
    }
}

/* Each product of all others. */
rev void products(ulog *p, const ulog *x, passive int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i != j) {
                p[i] *= x[j];
            }
        }
        p[i] /= x[i];
    }
}

static void pendulum_double(double *angle, double *speed, int steps) {
    for (int s = 0; s < steps; s++) {
        *speed -= 0.01 * sin(*angle);
        *angle += 0.01 * *speed;
    }
}

static int wrong(int holds, const char *what) {
    if (!holds)
        printf("exact: %s\n", what);
    return !holds;
}

#ifdef VERSO_REV_GENERATED
static int pendulum_backwards(fixed angle, fixed speed, int steps) {
    fixed angle0 = angle, speed0 = speed;
    double angle_bar = 1, speed_bar = 0, slope[2], h = 1e-6;
    pendulum(&angle, &speed, steps);
    pendulum_inv(&angle, &speed, steps);
    int bad = wrong(memcmp(&angle, &angle0, sizeof angle) == 0, "the angle is not back to the bit");
    bad |= wrong(memcmp(&speed, &speed0, sizeof speed) == 0, "the speed is not back to the bit");
    pendulum(&angle, &speed, steps);
    pendulum_adj(&angle, &angle_bar, &speed, &speed_bar, steps);
    bad |= wrong(memcmp(&angle, &angle0, sizeof angle) == 0, "the angle is not back to the bit after the adjoint");
    for (int i = 0; i < 2; i++) {
        double a[2] = {rev_fixed_value(angle0), rev_fixed_value(angle0)},
               s[2] = {rev_fixed_value(speed0), rev_fixed_value(speed0)};
        for (int side = 0; side < 2; side++) {
            *(i == 0 ? &a[side] : &s[side]) += side ? h : -h;
            pendulum_double(&a[side], &s[side], steps);
        }
        slope[i] = (a[1] - a[0]) / (2 * h);
    }
    bad |=
        wrong(fabs(angle_bar - slope[0]) < 1e-5 * fabs(slope[0]) && fabs(speed_bar - slope[1]) < 1e-5 * fabs(slope[1]),
              "the pendulum's adjoint");
    return bad;
}

static int combine_backwards(fixed *y, fixed *a, fixed *x, int n) {
    fixed y0[5], y1[5];
    double y_bar[5] = {1, 2, 3, 4, 5}, a_bar = 0, x_bar[5] = {0}, a_value = rev_fixed_value(*a), expected = 0;
    memcpy(y1, y, sizeof y1);
    combine_inv(y, a, x, n);
    memcpy(y0, y, sizeof y0);
    combine(y, a, x, n);
    int bad = wrong(memcmp(y, y1, sizeof y1) == 0, "combine is not back to the bit");
    combine_adj(y, y_bar, a, &a_bar, x, x_bar, n);
    bad |= wrong(memcmp(y, y0, sizeof y0) == 0, "combine is not back to the bit after the adjoint");
    for (int i = 0; i < n; i++) {
        expected += (i + 1) * rev_fixed_value(x[i]) * (1 + 1 / (a_value * a_value));
        bad |= wrong(fabs(x_bar[i] - (i + 1) * (a_value - 1 / a_value)) < 1e-10, "the bar of x in combine");
    }
    return bad | wrong(fabs(a_bar - expected) < 1e-10, "the bar of a in combine");
}

static int products_backwards(ulog *p, ulog *x, int n) {
    ulog p1[5];
    double p_bar[5] = {1, 2, 3, 4, 5}, x_bar[5] = {0};
    memcpy(p1, p, sizeof p1);
    products_inv(p, x, n);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad |= wrong(p[i].log.raw == 0, "products are not back to the bit");
    products(p, x, n);
    bad |= wrong(memcmp(p, p1, sizeof p1) == 0, "products are not there again to the bit");
    products_adj(p, p_bar, x, x_bar, n);
    for (int j = 0; j < n; j++) /* bars are by logarithms */
        bad |= wrong(fabs(x_bar[j] - (15 - 2 * (j + 1))) < 1e-12, "the bar of a product");
    return bad;
}
#endif

int main(void) {
    fixed angle = rev_fixed(1), speed = rev_fixed(0.25), y[5], x[5], a = rev_fixed(1.75);
    ulog p[5], u[5];
    double product = 1, angle_double = 1, speed_double = 0.25;
    for (int i = 0; i < 5; i++) {
        y[i] = rev_fixed(0.1 * i);
        x[i] = rev_fixed(1.0 / (i + 3));
        p[i] = rev_ulog(1);
        u[i] = rev_ulog(0.5 + i);
        product *= 0.5 + i;
    }
    pendulum(&angle, &speed, 1000);
    pendulum_double(&angle_double, &speed_double, 1000);
    int bad = wrong(fabs(rev_fixed_value(angle) - angle_double) < 1e-9, "the pendulum");
    combine(y, &a, x, 5);
    bad |= wrong(fabs(rev_fixed_value(y[2]) - (0.2 + 1.75 / 5 - 1 / (5 * 1.75))) < 1e-12, "combine");
    products(p, u, 5);
    bad |= wrong(fabs(rev_ulog_value(p[1]) - product / (1.5 * 1.5)) < 1e-10, "products");
#ifdef VERSO_REV_GENERATED
    bad |= pendulum_backwards(rev_fixed(1), rev_fixed(0.25), 100000);
    bad |= combine_backwards(y, &a, x, 5);
    bad |= products_backwards(p, u, 5);
#endif
    if (!bad)
        printf("exact: all good\n");
    return bad;
}
