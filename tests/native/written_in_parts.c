/* at: 0.7,-1.1,0.25
 * flags: -fno-inline
 * Numbers in memory that are written in parts, all of them in the end: by words in either order, by bytes, across the
 * border of two; made of integers; and integers beside numbers and where numbers were. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MANY = 40 };

typedef union words {
    double number;
    uint32_t half[2];
    unsigned char byte[8];
} words;

typedef struct tagged {
    int tag;
    union {
        double number;
        int integer;
        struct {
            short low, high;
        } shorts;
    } as;
    int beside;
} tagged;

static void copy_up(volatile uint32_t *to, const volatile uint32_t *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

static void copy_down(volatile uint32_t *to, const volatile uint32_t *from, size_t count) {
    for (size_t i = count; i-- > 0;)
        to[i] = from[i];
}

/* The first halves of all numbers, then the others. */
static void copy_halves(volatile uint32_t *to, const volatile uint32_t *from, size_t count) {
    for (size_t half = 0; half < 2; half++)
        for (size_t i = half; i < count; i += 2)
            to[i] = from[i];
}

static void copy_bytes_down(volatile unsigned char *to, const volatile unsigned char *from, size_t count) {
    for (size_t i = count; i-- > 0;)
        to[i] = from[i];
}

/* 5 bytes and 3; from the middle of one number to the middle of the next. */
static void copy_pieces(unsigned char *to, const unsigned char *from, size_t piece) {
    memcpy(to, from, piece);
    memcpy(to + piece, from + piece, 8 - piece);
}

static void copy_across(uint32_t *to, const uint32_t *from) {
    memcpy(to + 1, from + 1, 8);
    to[3] = from[3];
    memcpy(to + 4, from + 4, 12);
    to[0] = from[0];
    to[7] = from[7];
}

static void make_power(words *power, int k) {
    power->half[1] = 0x3ff00000u + ((uint32_t)k << 20);
    power->half[0] = 0;
}

static void set_high(words *number, int k) {
    number->half[1] = 0x3ff00000u + ((uint32_t)k << 20);
}

static double words_copied(const double *x, size_t n) {
    words from = {.number = x[0] * x[1]}, over = {.number = x[2]}, fresh, again = {.number = x[0]};
    double before = over.number * over.number;
    copy_up(over.half, from.half, 2);
    copy_down(fresh.half, over.half, 2);
    copy_bytes_down(again.byte, fresh.byte, 8);
    copy_pieces(fresh.byte, again.byte, n + 2);
    return over.number * fresh.number * again.number + before;
}

static double arrays_copied(const double *x) {
    double from[MANY], to[MANY], sum = 0;
    for (int i = 0; i < MANY; i++) {
        from[i] = sin(i * x[0] + x[1]);
        to[i] = x[2] * i;
    }
    copy_halves((uint32_t *)to, (uint32_t *)from, 2 * (MANY - 4));
    copy_across((uint32_t *)(to + MANY - 4), (uint32_t *)(from + MANY - 4));
    for (int i = 0; i < MANY; i++)
        sum += to[i] * to[i];
    return sum;
}

static double made_of_integers(const double *x, size_t n) {
    words power = {.number = x[0] * x[2]}, one = {.number = 1};
    double before = power.number;
    make_power(&power, (int)n);
    set_high(&one, (int)n + 1);
    return before * power.number + one.number * x[1];
}

static void set_integer(tagged *value, int integer) {
    value->tag = 1;
    value->as.integer = integer;
    value->beside++;
}

static void set_number(tagged *value, double number) {
    value->tag = 2;
    value->as.number = number;
    value->beside--;
}

static double get(const tagged *value) {
    return value->tag == 1 ? value->as.integer * 3 + value->as.shorts.low + 1 : value->as.number;
}

static double tagged_values(const double *x, size_t n) {
    tagged values[3] = {{.beside = 2}, {.beside = 3}, {.beside = 4}};
    double sum = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        tagged *a = &values[i % 3], *b = &values[(i + 1) % 3];
        set_number(a, x[i % n] * x[0]);
        sum += get(a) * x[1];
        *b = *a;
        set_integer(a, (int)i);
        sum = sum * get(a) + get(b) * a->beside;
        *b = *a;
        b->as.integer++;
        sum += get(b) * x[2];
    }
    return sum;
}

double f(const double *x, size_t n) {
    return words_copied(x, n) + arrays_copied(x) + made_of_integers(x, n) + tagged_values(x, n);
}
