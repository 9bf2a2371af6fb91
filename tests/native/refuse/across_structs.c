/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: a derivative is lost: (moving|copying) 8 bytes
 * A struct of two integers that is laid over the halves of two doubles makes a third of them. */
#include <stddef.h>
#include <string.h>

typedef struct two {
    int a, b;
} two;

static void put(double *to, double number) {
    *to = number;
}

static void copy(two *to, const two *from) {
    *to = *from;
}

double f(const double *x, size_t n) {
    double numbers[2], across;
    put(&numbers[0], x[0]);
    put(&numbers[1], x[n - 1]);
    copy((two *)&across, (two *)((char *)numbers + 4));
    return across * x[1];
}
