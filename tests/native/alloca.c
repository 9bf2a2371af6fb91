/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * alloca: lists on the stack that grow in a loop, and are gone when the function returns. */
#include <alloca.h>
#include <math.h>
#include <stddef.h>

struct link {
    double value;
    struct link *next;
};

static double list_on_stack(const double *x, size_t n) {
    struct link *head = NULL;
    for (size_t i = 0; i < n; i++) {
        struct link *link = alloca(sizeof *link);
        link->value = x[i] * (head ? head->value : 1);
        link->next = head;
        head = link;
    }
    double sum = 0;
    for (; head; head = head->next)
        sum = sum * 0.5 + sin(head->value);
    return sum;
}

static double *fill(double *into, size_t n, double u) {
    for (size_t i = 0; i < n; i++)
        into[i] = u * (double)i;
    return into;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 1; i <= n; i++) {
        double *row = fill(alloca(i * sizeof *row), i, x[i - 1]);
        sum += list_on_stack(x, i) * row[i - 1] + row[0];
    }
    return sum;
}
