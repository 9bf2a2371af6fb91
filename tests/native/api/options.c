/* What is asked and what is reported: no options and no report, an empty input, a tape that is too small (refused, and
 * the next call works), numbers of safepoints and stretches. */
#include "expect.h"

#include "../../support/cuts.h"
#include <string.h>
#include <verso/native.h>

static double f(const double *x, size_t n) {
    double sum = 1;
    for (size_t i = 0; i < 20000 * n; i++)
        sum = sin(sum + x[i % n]);
    return sum;
}

int main(void) {
    double x[3] = {0.7, 1.1, 0.25}, first[3], second[3], tangent;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT, cut = VERSO_NATIVE_REPORT_INIT;
    EXPECT(verso_gradient(f, x, 3, first, NULL, NULL, NULL) == VERSO_STATUS_OK, "without options and report");
    EXPECT(verso_directional(f, x, 3, first, &tangent, NULL, NULL) == VERSO_STATUS_OK, "without a report");
    EXPECT(verso_gradient(f, x, 3, second,
                          &(verso_native_options){.size = sizeof(verso_native_options), .tape_limit = 64}, &report,
                          &error) != VERSO_STATUS_OK,
           "60,000 sines fit in 64 bytes of tape");
    EXPECT(strlen(error.message) > 0, "a failure without a message");
    EXPECT_OK(verso_gradient(f, x, 3, second, NULL, &report, &error));
    EXPECT(memcmp(first, second, sizeof first) == 0, "after a failure the gradient has other bits");
    EXPECT(report.recordings == 1, "%llu stretches, uncut", (unsigned long long)report.recordings);
    EXPECT(report.steps == 1 && report.forward_steps == 0, "steps");
    EXPECT(report.tape_bytes > 0 && report.peak_bytes >= report.tape_bytes, "bytes");
    EXPECT(report.seconds_forward >= 0 && report.seconds_reverse >= 0, "seconds");
    EXPECT_OK(verso_gradient(f, x, 3, second, cut_at(5, 7), &cut, &error));
    EXPECT(memcmp(first, second, sizeof first) == 0, "cut, the gradient has other bits");
    EXPECT(cut.recordings > 1 && cut.recordings <= 6, "%llu stretches with five cuts",
           (unsigned long long)cut.recordings);
    EXPECT(cut.safepoints > 1 && cut.steps == cut.safepoints + 1, "safepoints when cut");
    EXPECT(cut.tape_bytes < report.tape_bytes, "the longest stretch has a tape as long as the whole");
    EXPECT(verso_gradient(f, x, 0, second, NULL, &report, &error) == VERSO_STATUS_OK, "no inputs: %s", error.message);
    printf(failed ? "\n" : " reports\n");
    return failed;
}
