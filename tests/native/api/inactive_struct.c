/* foreign: library.c
 * As inactive_writes.c, in a program that has floats, too: some members of a struct are overwritten. */
#include "expect.h"

#include <stddef.h>
#include <verso/native.h>

struct body {
    double mass;
    int count;
    float charge;
    double position[3];
};

VERSO_INACTIVE void foreign_settle(struct body *body, double *energy);

static double f(const double *x, size_t n) {
    struct body body = {x[0], 3, (float)x[1], {x[0], x[1], x[n - 1]}};
    double energy = x[0] * x[1];
    foreign_settle(&body, &energy);
    return body.mass * x[0] + body.count * x[1] + body.charge + energy * x[1] +
           body.position[0] * body.position[1] * body.position[2];
}

int main(void) {
    double x[2] = {0.5, 2}, gradient[2], tangent;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 2, gradient, NULL, &report, &error));
    EXPECT_CLOSE(gradient[0], 2 * 0.5 + 0.3 * 2);
    EXPECT_CLOSE(gradient[1], 4 + 0.7 + 0.3 * 0.5);
    EXPECT_OK(verso_directional(f, x, 2, (double[]){1, 10}, &tangent, &report, &error));
    EXPECT_CLOSE(tangent, gradient[0] + 10 * gradient[1]);
    printf("\n");
    return failed;
}
