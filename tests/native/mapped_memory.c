/* at: 0.3,1.7,-0.4
 * Memory that is mapped, written, read and unmapped: it is zero at first, and numbers in it have derivatives. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { COUNT = 600, TIMES = 3 };

static double *map(size_t count) {
    return mmap(NULL, count * sizeof(double), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (int time = 0; time < TIMES; time++) {
        double *a = map(COUNT), *b = map(COUNT);
        if (a == MAP_FAILED || b == MAP_FAILED || (uintptr_t)a % 4096 != 0)
            return -1;
        for (int i = 0; i < COUNT; i++)
            sum += a[i]; /* zeros */
        for (int i = 0; i < COUNT; i++)
            a[i] = sin(x[i % n] * i);
        for (int i = 1; i < COUNT; i++)
            b[i] = a[i] + 0.1 * a[i - 1] * a[i] + b[i - 1] * 0.5;
        sum += b[COUNT - 1] + a[17] * b[30];
        munmap(a, COUNT * sizeof(double));
        munmap(b, COUNT * sizeof(double));
    }
    return sum;
}
