/* refused: run
 * main: own
 * message: write_caller\.c:2[0-9]: memory at 0x[0-9a-f]* is written, which is not the program.s own
 * A run that counts in its caller's variable. Declared it would be put back; on the heap or in a global, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <verso/native.h>

typedef struct work {
    double *x, *y;
    size_t n;
    double size;
} work;

static void run(void *context) {
    work *work = context;
    for (size_t i = 0; i < work->n; i++)
        work->y[i] = sin(work->x[i]);
    for (size_t i = 0; i < work->n; i++)
        work->size += work->y[i] * work->y[i];
    work->y[0] += work->size;
}

int main(void) {
    double y[2] = {0}, by_x[2], of_y[2] = {1, 1}, unused;
    work work = {.x = malloc(2 * sizeof(double)), .y = y, .n = 2};
    verso_array wrt = {work.x, 2, VERSO_DOUBLE, by_x},
                of[] = {{y, 2, VERSO_DOUBLE, of_y}, {&work.size, 1, VERSO_DOUBLE, &unused}};
    verso_native_options options = {.cuts = UINT64_MAX};
    verso_native_report report = {0};
    work.x[0] = 0.5, work.x[1] = 0.25, unused = 0;
    if (verso_vjp(run, &work, &wrt, 1, of, 2, &options, &report) != VERSO_OK)
        return printf("refused although all was declared: %s\n", report.error.message), 1;
    work.size = 0;
    if (verso_vjp(run, &work, &wrt, 1, of, 1, NULL, &report) != VERSO_OK)
        return printf("refused at one go: %s\n", report.error.message), 1;
    if (verso_vjp(run, &work, &wrt, 1, of, 1, &options, &report) == VERSO_OK)
        return 1;
    printf("%s\n", report.error.message);
    return 0;
}
