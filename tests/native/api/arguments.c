/* Arguments that make no sense: each is refused with a message that names it, and the next call works. */
#include "expect.h"

#include <string.h>
#include <verso/native.h>

static double f(const double *x, size_t n) {
    return n == 0 ? 0 : x[0] * x[n - 1];
}

static double values[4] = {1, 2, 3, 4}, result, derivative[4];

static void run(void *context) {
    (void)context;
    result = values[0] * values[1];
}

/* One bad region among the inputs. */
static void expect_refused(verso_array region, const char *words) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double one = 1;
    verso_array of = {&result, 1, VERSO_SCALAR_DOUBLE, &one};
    EXPECT(verso_vjp(run, NULL, &region, 1, &of, 1, NULL, &report, &error) == VERSO_STATUS_INVALID, "not refused: %s",
           words);
    EXPECT(strstr(error.message, words), "'%s' instead of '%s'", error.message, words);
}

int main(void) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT(verso_gradient(NULL, values, 4, derivative, NULL, &report, &error) == VERSO_STATUS_INVALID, "no function");
    EXPECT(strstr(error.message, "no function"), "%s", error.message);
    EXPECT(verso_gradient(f, NULL, 4, derivative, NULL, &report, &error) == VERSO_STATUS_INVALID, "no input");
    EXPECT(verso_gradient(f, values, 4, NULL, NULL, &report, &error) == VERSO_STATUS_INVALID,
           "no place for the gradient");
    EXPECT(verso_directional(f, values, 4, derivative, NULL, &report, &error) == VERSO_STATUS_INVALID,
           "no place for the derivative");
    EXPECT(verso_vjp(NULL, NULL, NULL, 0, NULL, 0, NULL, &report, &error) == VERSO_STATUS_INVALID, "no function");
    EXPECT(verso_vjp(run, NULL, NULL, 3, NULL, 0, NULL, &report, &error) == VERSO_STATUS_INVALID,
           "regions that are NULL");
    expect_refused((verso_array){values, 4, (verso_scalar)17, derivative}, "type is 17");
    expect_refused((verso_array){NULL, 4, VERSO_SCALAR_DOUBLE, derivative}, "no data");
    expect_refused((verso_array){values, 4, VERSO_SCALAR_DOUBLE, NULL}, "no derivative");
    expect_refused((verso_array){(char *)values + 1, 2, VERSO_SCALAR_DOUBLE, derivative}, "not a multiple of 4");
    expect_refused((verso_array){values, (size_t)1 << 60, VERSO_SCALAR_DOUBLE, derivative}, "no shadow memory");
    EXPECT_OK(verso_gradient(f, values, 4, derivative, NULL, &report, &error));
    EXPECT_CLOSE(derivative[0], 4.0);
    EXPECT_CLOSE(derivative[3], 1.0);
    printf(failed ? "\n" : " all refused\n");
    return failed;
}
