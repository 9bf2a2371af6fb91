/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: low_word_float\.c:1[0-9]
 * As refuse/low_word_memory.c, in a program that has floats, too: 4 bytes may then be a number of their own. */
#include <stddef.h>
#include <stdint.h>

typedef union words {
    double number;
    uint32_t half[2];
} words;

static void clear_low(words *head) {
    head->half[0] = 0;
}

static void scale(float *by, double x) {
    *by *= (float)x;
}

double f(const double *x, size_t n) {
    words head = {.number = x[0] * x[n - 1]};
    float factor = 2;
    clear_low(&head);
    scale(&factor, x[1]);
    return head.number * (double)factor;
}
