/* at: 0.7,-1.1,0.25
 * flags: -fno-inline
 * Doubles at odd multiples of 4, written by words, all of them in the end; and integers beside them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma pack(4)
typedef struct packed {
    int tag;
    double number;
    int beside;
} packed;
#pragma pack()

static void copy_words(packed *to, const packed *from) {
    volatile uint32_t *a = (uint32_t *)(void *)to;
    const volatile uint32_t *b = (const uint32_t *)(const void *)from;
    for (size_t i = sizeof *to / 4; i-- > 0;)
        a[i] = b[i];
}

static void set(packed *at, int tag, double number) {
    at->tag = tag;
    at->number = number;
    at->beside = tag + 1;
}

double f(const double *x, size_t n) {
    packed all[3];
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        set(&all[0], (int)i, x[i] * x[0]);
        set(&all[1], 2, x[1]);
        copy_words(&all[1], &all[0]);
        all[1].tag++;
        all[1].beside--;
        all[2] = all[1];
        sum += all[1].number * all[2].number * all[2].tag + all[2].beside * x[2];
    }
    return sum;
}
