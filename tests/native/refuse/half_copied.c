/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: half_copied\.c:1[0-9].*a part of a floating-point number whose derivative is needed is written here
 * A number is put together in memory, of the first half of another one and of zeros. */
#include <stddef.h>
#include <stdint.h>

typedef union words {
    double number;
    uint32_t half[2];
} words;

static void take_head(words *head, const words *whole) {
    head->half[1] = whole->half[1];
    head->half[0] = 0;
}

double f(const double *x, size_t n) {
    words whole = {.number = x[0] * x[n - 1]}, head;
    take_head(&head, &whole);
    return head.number * x[0];
}
