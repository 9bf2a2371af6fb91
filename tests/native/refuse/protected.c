/* at: 0.7,1.1
 * refused: run
 * message: mprotect that takes away the right
 * Memory that shall only be read, within the function that is differentiated. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

double f(const double *x, size_t n) {
    double *numbers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    numbers[0] = x[0] * x[n - 1];
    if (mprotect(numbers, 4096, PROT_READ) != 0)
        return -1;
    return numbers[0];
}
