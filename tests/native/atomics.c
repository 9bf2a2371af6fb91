/* at: 0.7,1.1,-0.4
 * Atomic changes of numbers, in one thread: C's own, compare and exchange on numbers and on their bits, and integers.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static _Atomic double total;
static _Atomic float narrow;
static _Atomic uint64_t bits;
static atomic_int count;

static void add_to_bits(double value) {
    uint64_t old = atomic_load(&bits), new;
    do {
        double number;
        memcpy(&number, &old, sizeof number);
        number += value;
        memcpy(&new, &number, sizeof new);
    } while (!atomic_compare_exchange_weak(&bits, &old, new));
}

double f(const double *x, size_t n) {
    double kept, expected = 0;
    atomic_store(&total, 0);
    atomic_store(&narrow, 1);
    atomic_store(&bits, 0);
    atomic_store(&count, 0);
    for (size_t i = 0; i < n; i++) {
        total += x[i] * x[i];
        narrow *= 2;
        add_to_bits(x[i] * total);
        atomic_fetch_add(&count, 1);
    }
    atomic_compare_exchange_strong(&total, &expected, 1);
    double old = atomic_exchange(&total, x[0] * expected);
    uint64_t last = atomic_exchange(&bits, 0);
    memcpy(&kept, &last, sizeof kept);
    return kept * total + old * atomic_load(&count) + (double)narrow;
}
