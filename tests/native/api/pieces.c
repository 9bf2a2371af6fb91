/* Budgets that are a little too small: the run is recorded in pieces, its end is reversed from those that are left, and
 * only its beginning is run again. Runs of growing length within the same budget have the bits of one that is recorded
 * as a whole, whichever way they take; and a function that was too long before is not tried again. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { SIZE = 40, MEMORY = 6000000 };

static double x[SIZE], y;
static int length;

/* Calls of varying depth: pieces end in the middle of them. */
static double descend(const double *at, double a, int depth) {
    if (depth == 0)
        return a * at[0];
    double b = descend(at + 1, sin(a) + at[depth], depth - 1);
    for (int i = 0; i < depth; i++)
        b += 0.1 * a * at[i];
    return b;
}

static void run(void *context) {
    (void)context;
    double *now = malloc(sizeof x), *next = malloc(sizeof x);
    memcpy(now, x, sizeof x);
    for (int t = 0; t < length; t++) {
        for (int i = 0; i < SIZE; i++)
            next[i] = now[i] + 1e-3 * cos(now[(i + 1) % SIZE] * x[i]);
        for (int i = 0; i < t % 1000 && t % 17 == 0; i++) /* records nothing */
            length += i == 1000;
        next[t % SIZE] += 1e-4 * descend(now, next[0], t % 9);
        double *other = now;
        now = next;
        next = other;
    }
    y = 0;
    for (int i = 0; i < SIZE; i++)
        y += now[i] * now[i];
    free(now);
    free(next);
}

typedef struct seen {
    int one_go, in_part, online;
} seen;

static void compare(int steps, seen *seen) {
    double all[SIZE], within[SIZE], one = 1, value;
    verso_array in = {x, SIZE, VERSO_SCALAR_DOUBLE, all}, out = {&y, 1, VERSO_SCALAR_DOUBLE, &one};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_native_options options = {.size = sizeof(verso_native_options), .memory = MEMORY};
    length = steps;
    EXPECT_OK(verso_vjp(run, NULL, &in, 1, &out, 1, NULL, &report, &error));
    value = y;
    double tape = (double)report.tape_bytes;
    in.derivative = within;
    EXPECT_OK(verso_vjp(run, NULL, &in, 1, &out, 1, &options, &report, &error));
    EXPECT(memcmp(all, within, sizeof all) == 0 && memcmp(&value, &y, sizeof y) == 0, "%d: other bits (%s)", steps,
           report.schedule);
    double factor = (double)(report.forward_steps + report.recordings) / (double)report.steps;
    bool one_go = strcmp(report.schedule, "single pass") == 0, online = strncmp(report.schedule, "online", 6) == 0;
    seen->one_go += one_go;
    seen->online += online;
    seen->in_part += !one_go && !online;
    EXPECT(one_go || online || factor < 2, "%d: steps are run %.2f times", steps, factor);
    EXPECT(tape < 0.7 * MEMORY   ? one_go
           : tape > 1.7 * MEMORY ? online
                                 : true,
           "%d: %.0f bytes of tape, but %s", steps, tape, report.schedule);
    EXPECT(report.tape_bytes <= MEMORY && report.peak_bytes <= MEMORY, "%d: %zu bytes of tape, %zu in all", steps,
           report.tape_bytes, (size_t)report.peak_bytes);
}

int main(void) {
    seen seen = {0};
    for (int i = 0; i < SIZE; i++)
        x[i] = 0.5 + 0.01 * i;
    for (int steps = 1000; steps < 16000; steps += 617)
        compare(steps, &seen);
    for (int steps = 16000; steps > 1000; steps -= 2617) /* what was learnt from a longer run does no harm */
        compare(steps, &(struct seen){0});
    EXPECT(seen.one_go > 3 && seen.in_part > 3 && seen.online > 3, "%d in a single pass, %d in part, %d online",
           seen.one_go, seen.in_part, seen.online);
    printf(failed ? "\n" : " %d in a single pass, %d in part, %d online\n", seen.one_go, seen.in_part, seen.online);
    return failed;
}
