/* at: 0.3,1.7,-0.4
 * Mapped memory that grows and shrinks by mremap, with what is in it, and whose rights stay what they are. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096, PER_PAGE = PAGE / sizeof(double) };

double f(const double *x, size_t n) {
    double sum = 0;
    size_t pages = 1;
    double *numbers = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (numbers == MAP_FAILED || mprotect(numbers, PAGE, PROT_READ | PROT_WRITE) != 0)
        return -1;
    numbers[0] = x[0];
    for (size_t i = 1; i < 3 * PER_PAGE; i++) {
        if (i == pages * PER_PAGE) {
            double *grown = mremap(numbers, pages * PAGE, (pages + 1) * PAGE, MREMAP_MAYMOVE);
            if (grown == MAP_FAILED || grown[i] != 0)
                return -2;
            numbers = grown, pages++;
        }
        numbers[i] = 0.5 * numbers[i - 1] + sin(x[i % n] * (double)i);
    }
    sum = numbers[7] * numbers[3 * PER_PAGE - 1];
    if (mremap(numbers, pages * PAGE, PAGE, 0) != numbers)
        return -3;
    sum += numbers[3] * x[1];
    munmap(numbers, PAGE);
    return sum;
}
