/* at: 0.7,1.3,-0.4
 * cuts: 6
 * Numbers travel as integers and pointers through functions that hardly compute with numbers: parameters and results,
 * values that a loop rotates and exchanges, one that only some branches pass on, and fields of tagged values. The
 * adjoints of these integers lie side by side (cc/reverse/words.c). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef union word {
    double number;
    void *pointer;
    int64_t integer;
} word;

typedef struct tagged {
    word value;
    int tag;
} tagged;

enum { NUMBER, INTEGER, STACK = 8 };
static tagged stack[STACK];
static int64_t steps;

__attribute__((noinline)) static void note(int64_t k) {
    steps += k & 1;
}

__attribute__((noinline)) static word pick(word a, word b, int64_t which) {
    note(which);
    return which % 3 == 0 ? b : a;
}

/* The loop exchanges two words, and a third one follows the first. */
__attribute__((noinline)) static word rotate(word a, word b, int64_t count) {
    word last = b;
    for (int64_t k = 0; k < count; k++) {
        word kept = a;
        note(k);
        if (k % 4 != 3) {
            a = b;
            b = kept;
        }
        last = kept;
    }
    return count % 2 == 0 ? last : pick(a, b, count);
}

__attribute__((noinline)) static void push(int at, word value, int tag) {
    if (tag == INTEGER && value.integer > 1000)
        value.integer -= 1000;
    stack[at % STACK].value = value;
    stack[at % STACK].tag = tag;
    note(at);
}

__attribute__((noinline)) static word pop(int at) {
    tagged *from = &stack[at % STACK];
    note(at);
    return from->value;
}

__attribute__((noinline)) static double work(const double *x, size_t n, int64_t turn) {
    for (size_t i = 0; i < n; i++)
        push((int)i, (word){.number = x[i] * sin(x[(i + 1) % n] + (double)turn)}, NUMBER);
    push((int)n, (word){.integer = 1000 + turn}, INTEGER);
    word first = rotate(pop(0), pop(1), 5 + turn), second = rotate(pop(1), pop(2), 8 + turn);
    push(0, pick(first, second, turn), NUMBER);
    return pop(0).number * first.number + exp(second.number) + (double)pop((int)n).integer * 0.01;
}

double f(const double *x, size_t n) {
    double sum = 0;
    steps = 0;
    for (int64_t turn = 0; turn < 7; turn++)
        sum += work(x, n, turn) * (double)(1 + (steps & 3));
    return sum;
}
