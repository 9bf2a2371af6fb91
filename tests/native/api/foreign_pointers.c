/* foreign: keeper.c
 * Foreign functions that write behind pointers in structs, in lists, in what they were passed before: numbers that they
 * overwrite have no derivative any more, the others keep theirs. */
#include "expect.h"

#include "../../support/cuts.h"
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

typedef struct array {
    const char *name;
    double *data;
    size_t count;
} array;

typedef struct chain {
    struct chain *next;
    double value;
} chain;

typedef struct handle handle;

VERSO_INACTIVE void keeper_read(const char *path, array *into);
VERSO_INACTIVE void keeper_shift(chain *first, double value);
VERSO_INACTIVE handle *keeper_open(double *into);
VERSO_INACTIVE double keeper_advance(handle *handle);
VERSO_INACTIVE void keeper_each(void (*function)(void *, int), void *context, int count);
void keeper_begin(void);

enum { MANY = 100, LARGE = 20000 };

static double saved[MANY], *large;

/* A descriptor of a static array, as compilers of Fortran make them. */
static double through_descriptor(const double *x, size_t n) {
    array into = {"saved", saved, MANY};
    for (size_t i = 0; i < MANY; i++)
        saved[i] = x[i % n];
    keeper_begin();
    keeper_read("/dev/zero", &into);
    double sum = x[0];
    for (size_t i = 0; i < MANY; i++)
        sum += saved[i] * saved[i] + saved[i];
    return sum;
}

/* Half of it: the rest keeps its derivatives. */
static double through_part(const double *x, size_t n) {
    double *block = malloc(MANY * sizeof *block), sum = 0;
    array *into = malloc(sizeof *into);
    *into = (array){"part", block + MANY / 4, MANY / 2};
    for (size_t i = 0; i < MANY; i++)
        block[i] = x[i % n] * x[i % n];
    keeper_begin();
    keeper_read("/dev/zero", into);
    for (size_t i = 0; i < MANY; i++)
        sum += block[i];
    free(into);
    free(block);
    return sum;
}

static double through_list(const double *x, size_t n) {
    chain *first = NULL;
    double sum = 0;
    for (size_t i = 0; i < 10; i++) {
        chain *link = malloc(sizeof *link);
        *link = (chain){first, x[i % n]};
        first = link;
    }
    keeper_shift(first, 3);
    while (first != NULL) {
        chain *next = first->next;
        sum += first->value * x[0];
        free(first);
        first = next;
    }
    return sum;
}

/* The library has the address since it was opened. */
static double through_handle(const double *x, size_t n) {
    double *pair = malloc(2 * sizeof *pair);
    pair[0] = x[0], pair[1] = x[n - 1] * x[0];
    handle *handle = keeper_open(pair);
    double before = pair[0] + pair[1];
    double position = keeper_advance(handle);
    double sum = before + pair[0] * pair[1] * position;
    free(pair);
    return sum;
}

/* The same, and it has seen so much before that Verso does not look each time. */
static double through_handle_late(const double *x, size_t n) {
    for (size_t i = 0; i < LARGE; i++)
        large[i] = x[i % n];
    handle *handle = keeper_open(large);
    keeper_advance(handle);
    return large[0] + large[1] + large[2];
}

static double level;

static void set_level(void *context, int i) {
    (void)context;
    level = i;
}

static double through_callback(const double *x, size_t n) {
    level = x[0] * x[n - 1];
    double before = level;
    keeper_each(set_level, NULL, 4);
    return before + level * x[0];
}

static void expect_derivatives(double (*f)(const double *, size_t), double first, double second) {
    double x[2] = {0.5, 2}, gradient[2], tangent;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int cut = 0; cut < 3; cut++) {
        EXPECT_OK(verso_gradient(f, x, 2, gradient,
                                 cut_at(cut == 0   ? 0
                                        : cut == 1 ? 3
                                                   : UINT64_MAX,
                                        5),
                                 &report, &error));
        EXPECT_CLOSE(gradient[0], first);
        EXPECT_CLOSE(gradient[1], second);
    }
    EXPECT_OK(verso_directional(f, x, 2, (double[]){1, 10}, &tangent, &report, &error));
    EXPECT_CLOSE(tangent, first + 10 * second);
}

int main(void) {
    double x[2] = {0.5, 2}, gradient[2];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    expect_derivatives(through_descriptor, 1, 0);
    expect_derivatives(through_part, 25, 100);
    expect_derivatives(through_list, 75, 0);
    expect_derivatives(through_handle, 1 + 2 + 0.25 * 2, 0.5 + 0.25 * 0.5);
    expect_derivatives(through_callback, 2 + 3, 0.5);
    large = malloc(LARGE * sizeof *large);
    EXPECT(verso_gradient(through_handle_late, x, 2, gradient, NULL, &report, &error) == VERSO_STATUS_INVALID &&
               strstr(error.message, "was passed before") != NULL,
           "not refused: %s", error.message);
    free(large);
    printf("\n");
    return failed;
}
