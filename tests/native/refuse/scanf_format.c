/* at: 0.7,1.1
 * refused: link
 * message: scanf_format\.c:(1[0-9]|2[0-9]): .*format of .*sscanf
 * sscanf with a format that is not in the program's text: what it writes cannot be known. */
#include <stddef.h>
#include <stdio.h>

static char format[8];

double f(const double *x, size_t n) {
    double scale = 0;
    int count = (int)n;
    snprintf(format, sizeof format, count > 1 ? "%%lf" : "%%*d");
    if (sscanf("2.5", format, &scale) != 1)
        return x[0];
    return scale * x[0] * x[n - 1];
}
