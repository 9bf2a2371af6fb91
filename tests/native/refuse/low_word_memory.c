/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: low_word_memory\.c:1[0-9].*a part of a floating-point number whose derivative is needed is written here
 * As low_word.c, but the number is in memory: no pass sees both writes. */
#include <stddef.h>
#include <stdint.h>

typedef union words {
    double number;
    uint32_t half[2];
} words;

static void clear_low(words *head) {
    head->half[0] = 0;
}

double f(const double *x, size_t n) {
    words head = {.number = x[0] * x[n - 1]};
    clear_low(&head);
    return head.number * x[0];
}
