/* at: 0.7,1.1,0.25
 * Printing numbers while computing with them: no effect on the derivative. Lengths of what is printed are integers. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static char journal[512];

static void report(const char *what, double value, int step) {
    size_t used = strlen(journal);
    snprintf(journal + used, sizeof journal - used, "%s[%03d]=%+.3e\n", what, step, value);
}

double f(const double *x, size_t n) {
    char line[40], *where = line;
    double sum = 0;
    journal[0] = '\0';
    for (int i = 0; i < 6; i++) {
        sum = sin(sum + x[(size_t)i % n]);
        report("sum", sum, i);
        where = line + sprintf(line, "%.2f %s", sum, i & 1 ? "odd" : "even");
        sum += 0.001 * (double)(where - line) * x[0];
    }
    const char *first = strchr(journal, '=');
    return sum * (double)strlen(journal) + (first ? (double)(first - journal) : 0) * x[1] +
           (strstr(journal, "005") != NULL);
}
