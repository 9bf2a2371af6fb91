/* A run that advances writes nothing to the tape: its memory stays untouched, which a gradient's does not. */
#include "expect.h"

#include <string.h>
#include <sys/prctl.h>
#include <verso/native.h>

static double x[2] = {0.7, 1.1}, y;

static double step(double a, double b) {
    return a < 100 ? sin(a * b) + a : a * 0.5;
}

static void run(void *context) {
    double a = x[0];
    (void)context;
    for (int i = 0; i < 40000; i++)
        a = step(a, x[1]);
    y = a;
}

/* Kilobytes of the tape that are in memory. It begins at a fixed address: native/memory/space.h. */
static unsigned long tape_in_memory(void) {
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false;
    unsigned long begin, end, kilobytes = 0, more;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            inside = begin >= 0x178000000000 && begin < 0x1b8000000000;
        else if (inside && sscanf(line, "Rss: %lu kB", &more) == 1)
            kilobytes += more;
    }
    if (file)
        fclose(file);
    return kilobytes;
}

int main(void) {
    double gradient[2], one = 1;
    verso_array in = {x, 2, VERSO_SCALAR_DOUBLE, gradient}, out = {&y, 1, VERSO_SCALAR_DOUBLE, &one};
    verso_execution *execution = NULL;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    bool ended = false;
    EXPECT(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0,
           "the run time writes to the tape's first page, which must be small");
    EXPECT(verso_execution_open(run, NULL, NULL, 0, &execution, &error) == VERSO_STATUS_OK, "%s", error.message);
    EXPECT(verso_execution_run(execution, UINT64_MAX, NULL, &ended, &error) == VERSO_STATUS_OK && ended, "%s",
           error.message);
    unsigned long advanced = tape_in_memory();
    double value = y;
    verso_execution_close(execution);
    EXPECT_OK(verso_vjp(run, NULL, &in, 1, &out, 1, NULL, &report, &error));
    unsigned long recorded = tape_in_memory();
    EXPECT(memcmp(&y, &value, sizeof y) == 0, "%.17g advancing, %.17g recording", value, y);
    EXPECT(advanced <= 4, "%lu KB of tape were written to by a run that advanced", advanced);
    EXPECT(recorded * 1024 >= report.tape_bytes, "%lu KB of tape hold a recording of %zu bytes", recorded,
           report.tape_bytes);
    EXPECT(report.tape_bytes > 100000, "the recording is too short to tell: %zu bytes", report.tape_bytes);
    printf(failed ? "\n" : " advancing touches %lu KB of tape, recording %lu KB\n", advanced, recorded);
    return failed;
}
