/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: packed_half\.c:1[0-9]: a part of a floating-point number whose derivative is needed is written here
 * As low_word_memory.c, at an odd multiple of 4. */
#include <stddef.h>
#include <stdint.h>

#pragma pack(4)
typedef struct packed {
    int tag;
    double number;
} packed;
#pragma pack()

static void clear_low(uint32_t *half) {
    *half = 0;
}

double f(const double *x, size_t n) {
    packed head = {1, x[0] * x[n - 1]};
    clear_low((uint32_t *)(void *)((char *)&head + offsetof(packed, number)));
    return head.number * x[0];
}
