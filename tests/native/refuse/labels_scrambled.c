/* at: 0.7,1.1
 * refused: link
 * message: labels_scrambled\.c:[0-9]+: .*f computes with the addresses of labels.*use a switch
 * The address of a label is scrambled before it is jumped to. */
#include <stddef.h>
#include <stdint.h>

static volatile uintptr_t key = 0x5555;

double f(const double *x, size_t n) {
    uintptr_t scrambled[] = {(uintptr_t)&&first ^ key, (uintptr_t)&&second ^ key};
    double sum = 0;
    size_t i = 0;
next:
    if (i == n)
        return sum;
    goto *(void *)(scrambled[i++ & 1] ^ key);
first:
    sum += x[0] * x[0];
    goto next;
second:
    sum *= x[1];
    goto next;
}
