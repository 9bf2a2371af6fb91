/* Budgets with call sites whose snapshots exceed the recordings of their calls: steps then take many times their
 * length. No budget is refused if a smaller one works, the least budget of a message works at the first try, and
 * gradients have the same bits. If nothing else helps, no call is checkpointed. */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

#define APART __attribute__((noinline)) /* calls must remain to be checkpointed */

enum { CELLS = 60, STEPS = 400, INNER = 12 };

APART static double friction(double thickness, double speed) {
    return 1 + thickness * thickness / (1 + speed * speed);
}

APART static void relax(const double *ice, double *speed) {
    for (int i = 0; i < CELLS; i++) {
        double left = i > 0 ? speed[i - 1] : 0, right = i + 1 < CELLS ? speed[i + 1] : 0;
        speed[i] = (ice[i] * 0.05 + 0.4 * (left + right)) / (friction(ice[i], speed[i]) + 0.8);
    }
}

APART static void step(double *ice, double *speed) {
    for (int k = 0; k < INNER; k++)
        relax(ice, speed);
    for (int i = 1; i < CELLS; i++)
        ice[i] += 0.1 * (ice[i - 1] * speed[i - 1] - ice[i] * speed[i]);
}

static double volume(const double *x, size_t n) {
    double ice[CELLS], speed[CELLS] = {0}, sum = 0;
    for (int i = 0; i < CELLS; i++)
        ice[i] = x[(size_t)i % n];
    for (int t = 0; t < STEPS; t++)
        step(ice, speed);
    for (int i = 0; i < CELLS; i++)
        sum += ice[i] * ice[i];
    return sum;
}

static const double x[5] = {1.5, 1.4, 1.2, 1.1, 0.9};
static double expected[5];

static verso_status try(uint64_t memory) {
    double gradient[5] = {0};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_native_options options = {.size = sizeof options, .memory = memory};
    verso_status status = verso_gradient(volume, x, 5, gradient, &options, &report, &error);
    if (status == VERSO_STATUS_OK) {
        EXPECT(memcmp(gradient, expected, sizeof gradient) == 0, "%zu bytes: other bits", (size_t)memory);
        EXPECT(report.peak_bytes <= memory, "%zu bytes: the peak is %zu", (size_t)memory, report.peak_bytes);
    }
    return status;
}

/* Returns the least budget that the last message names. */
static uint64_t named(void) {
    const char *word = strstr(error.message, "at least ");
    EXPECT(word != NULL, "no least budget in: %s", error.message);
    return word != NULL ? strtoull(word + strlen("at least "), NULL, 10) : 0;
}

static void check(const char *text) {
    EXPECT_OK(verso_sites_switch("all", "off * * *", &error));
    EXPECT_OK(verso_sites_switch("sites", text, &error));
    EXPECT(try(100000) == VERSO_STATUS_IMPOSSIBLE, "%s: 100 kB suffice", text);
    uint64_t least = named();
    for (uint64_t memory = least; memory < 32000000 && !failed; memory *= 3)
        EXPECT(try(memory) == VERSO_STATUS_OK, "%s: %zu bytes, of which %zu must suffice: %s", text, (size_t)memory,
               (size_t)least, error.message);
}

int main(void) {
    EXPECT_OK(verso_gradient(volume, x, 5, expected, NULL, NULL, &error));
    check("on * friction *");
    check("on * * *");
    check("on * relax *");
    return failed;
}
