/* foreign: library.c
 * Foreign functions that are declared inactive and write over numbers that have derivatives: what they write does not
 * depend on anything, so those derivatives are gone, and the others are not. */
#include "expect.h"

#include "../../support/cuts.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

VERSO_INACTIVE void foreign_fill(double *to, size_t count, double value);
VERSO_INACTIVE double foreign_largest(const double *values, size_t count);

static double level;

static double on_the_stack(const double *x, size_t n) {
    double product = x[0] * x[0];
    foreign_fill(&product, 1, 7);
    return product * x[n - 1];
}

static double on_the_heap(const double *x, size_t n) {
    double *numbers = malloc(6 * sizeof *numbers), sum = 0;
    for (size_t i = 0; i < 6; i++)
        numbers[i] = x[i % n] * (double)(i + 1);
    for (size_t i = 0; i < 3; i++) {
        sum += numbers[i] * numbers[i + 1];
        foreign_fill(numbers + i, 2, 0.75);
        sum += numbers[i] * numbers[i + 1] * numbers[i + 2] * foreign_largest(numbers, 6);
    }
    free(numbers);
    return sum;
}

static double in_a_global(const double *x, size_t n) {
    level = x[0];
    double before = level * level;
    foreign_fill(&level, 1, 3);
    double between = level * x[n - 1];
    level *= x[0];
    return before + between + level;
}

enum { MANY = 200000 }; /* more than Verso copies */
static int fresh;
static double numbers[MANY];

static double some(const double *x, size_t n) {
    double several[100], sum = 0;
    for (size_t i = 0; i < 100; i++)
        several[i] = x[i % n];
    foreign_fill(several + 10, 80, 0.25);
    for (size_t i = 0; i < 100; i++)
        sum += several[i] * x[i % n];
    return sum;
}

static double many(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < MANY && !fresh; i++)
        numbers[i] = x[i % n];
    foreign_fill(numbers, MANY, 0.25);
    for (size_t i = 0; i < MANY; i++)
        sum += numbers[i] * x[i % n];
    return sum;
}

static void expect_derivatives(double (*f)(const double *, size_t), double first, double second) {
    double x[2] = {0.5, 2}, gradient[2], tangent;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int cut = 0; cut < 2; cut++) {
        EXPECT_OK(verso_gradient(f, x, 2, gradient, cut_at(cut ? UINT64_MAX : 0, 0), &report, &error));
        EXPECT_CLOSE(gradient[0], first);
        EXPECT_CLOSE(gradient[1], second);
    }
    EXPECT_OK(verso_directional(f, x, 2, (double[]){1, 10}, &tangent, &report, &error));
    EXPECT_CLOSE(tangent, first + 10 * second);
}

static void expect_refusal(double (*f)(const double *, size_t)) {
    double x[2] = {0.5, 2}, gradient[2], tangent;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT(verso_gradient(f, x, 2, gradient, NULL, &report, &error) == VERSO_STATUS_INVALID &&
               strstr(error.message, "not compiled by `verso cc` writes here") != NULL,
           "not refused: %s", error.message);
    EXPECT_OK(verso_directional(f, x, 2, (double[]){1, 10}, &tangent, &report, &error));
    EXPECT(isnan(tangent), "the tangent is %g", tangent);
}

int main(void) {
    expect_derivatives(on_the_stack, 0, 7);
    expect_derivatives(in_a_global, 4, 3);
    expect_derivatives(on_the_heap, 60.25, 31);
    expect_derivatives(some, 40 * 0.25 + 10 * 2 * 0.5, 40 * 0.25 + 10 * 2 * 2);
    expect_refusal(many);
    fresh = 1;
    expect_derivatives(many, 0.25 * MANY / 2, 0.25 * MANY / 2);
    printf("\n");
    return failed;
}
