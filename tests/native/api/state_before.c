/* Memory that the program made before it asks for a gradient: heap blocks, globals, the caller's stack. The function
 * reads it, changes some, frees some and allocates more; what it reads is not differentiated, and all is as the plain
 * call leaves it. */
#include "expect.h"

#include "../../support/cuts.h"
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

typedef struct list {
    double value;
    struct list *next;
} list;

static list *samples;
static double *table, total;
static int calls;

static void push(double value) {
    list *made = malloc(sizeof *made);
    *made = (list){value, samples};
    samples = made;
}

static double f(const double *x, size_t n) {
    double sum = 0;
    calls++;
    for (list *at = samples; at; at = at->next)
        sum += at->value * x[0] + sin(at->value * x[n - 1]);
    table = realloc(table, 40 * sizeof *table);
    for (int i = 0; i < 40; i++)
        table[i] = i < 3 ? table[i] : x[0] * i;
    total = sum * table[1] + table[39];
    list *gone = samples;
    samples = samples->next;
    push(gone->value);
    list *kept = samples;
    samples = samples->next;
    free(gone);
    free(kept);
    push(0.25);
    return total;
}

static void start(void) {
    samples = NULL;
    for (int i = 1; i < 5; i++)
        push(0.5 * i);
    push(0.25);
    table = malloc(3 * sizeof *table);
    memcpy(table, (double[]){1, 2, 3}, 3 * sizeof *table);
}

static void finish(void) {
    while (samples) {
        list *next = samples->next;
        free(samples);
        samples = next;
    }
    free(table);
}

int main(void) {
    double x[2] = {0.7, 1.1}, first[2], second[2], expected[2] = {0, 0};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    start();
    double y = f(x, 2);
    finish();
    for (double value = 0.25; value <= 2; value += value < 0.5 ? 0.25 : 0.5) {
        expected[0] += 2 * value;
        expected[1] += 2 * value * cos(value * x[1]);
    }
    expected[0] += 39;
    for (int cut = 0; cut < 2; cut++) {
        double *gradient = cut ? second : first;
        start();
        calls = 0;
        EXPECT_OK(verso_gradient(f, x, 2, gradient, cut_at(cut ? UINT64_MAX : 0, 0), &report, &error));
        EXPECT_CLOSE(report.value, y);
        EXPECT_CLOSE(total, y);
        EXPECT_CLOSE(gradient[0], expected[0]);
        EXPECT_CLOSE(gradient[1], expected[1]);
        EXPECT(calls == 1, "f was seen to run %d times instead of once", calls);
        EXPECT_CLOSE(table[39], 39 * x[0]);
        EXPECT_CLOSE(samples->value, 0.25);
        finish();
    }
    EXPECT(memcmp(first, second, sizeof first) == 0, "cut, the gradient has other bits");
    printf(failed ? "\n" : " heap, globals\n");
    return failed;
}
