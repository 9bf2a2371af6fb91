/* at: 0.7,1.3
 * A pointer to words that hold the bits of numbers is copied byte by byte. What is stored through the copy is read
 * through the original. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4 };

static uint64_t *fresh(void) {
    uint64_t *words = malloc(WORDS * sizeof *words);
    if (words == NULL)
        abort();
    for (int i = 0; i < WORDS; i++)
        words[i] = 3;
    return words;
}

/* The number in a word that is copied as an integer through two other blocks. */
__attribute__((noinline)) static double number_in(uint64_t *words) {
    uint64_t *first = fresh(), *second = fresh();
    double number;
    first[1] = words[1];
    for (int i = 0; i < WORDS; i++)
        second[i] = first[i];
    memcpy(&number, &second[1], sizeof number);
    free(first);
    free(second);
    return number;
}

struct box {
    uint64_t *words;
};
static struct box one, two;

__attribute__((noinline)) static void copy(volatile unsigned char *to, const volatile unsigned char *from,
                                           size_t size) {
    for (size_t i = 0; i < size; i++)
        to[i] = from[i];
}

double f(const double *x, size_t n) {
    uint64_t *words = fresh();
    double number = x[0] * x[1];
    (void)n;
    one.words = words;
    copy((unsigned char *)&two, (unsigned char *)&one, sizeof one);
    memcpy(two.words + 1, &number, sizeof number);
    double found = number_in(words);
    free(words);
    return found * x[0];
}
