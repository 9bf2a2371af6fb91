/* Parts of numbers are written in memory, so that the numbers have no derivative that Verso knows: reverse mode refuses
 * and names the place, tangent mode says that it is no number. */
#include "expect.h"

#include <stdint.h>
#include <string.h>
#include <verso/native.h>

typedef union words {
    double number;
    uint32_t half[2];
    unsigned char byte[8];
} words;

static int way;

__attribute__((noinline)) static void write_part(words *number, const words *other) {
    switch (way) {
    case 0: number->half[0] = 0; break;
    case 1: number->half[1] &= 0x7fffffff; break;
    case 2: number->byte[7] &= 0x7f; break;
    case 3: number->byte[2] = 0; break;
    case 4: memset(number, 0, 4); break;
    case 5: memcpy(number, other, 5); break;
    case 6: number->half[1] = other->half[1]; break;
    default: break;
    }
}

static double f(const double *x, size_t n) {
    words number = {.number = x[0] * x[n - 1]}, other = {.number = x[0]};
    write_part(&number, &other);
    return number.number * x[0];
}

int main(void) {
    double x[2] = {-0.5, 2}, gradient[2], direction[2] = {1, 0}, tangent = 0;
    for (way = 0; way < 7; way++) {
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        EXPECT(verso_gradient(f, x, 2, gradient, NULL, &report, &error) == VERSO_STATUS_INVALID,
               "way %d is not refused", way);
        EXPECT(strstr(error.message, way == 5 ? "a derivative is lost" : "parts_tangent.c:") || way == 4, "way %d: %s",
               way, error.message); /* 4: clang makes a store of the call, or does not */
        EXPECT_OK(verso_directional(f, x, 2, direction, &tangent, &report, &error));
        EXPECT(isnan(tangent), "way %d: the tangent is %g", way, tangent);
    }
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 2, gradient, NULL, &report, &error));
    EXPECT_CLOSE(gradient[0], -2.0);
    printf("\n");
    return failed;
}
