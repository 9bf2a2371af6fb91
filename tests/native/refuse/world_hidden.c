/* at: 0.7,1.1
 * refused: run
 * cuts: all
 * message: world_hidden\.c:1[0-9]: fmemopen keeps state that Verso cannot save and restore
 * The C library writes to the program's memory when the stream is flushed, not when something is printed. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <stdio.h>

double f(const double *x, size_t n) {
    char text[32] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sin(x[i]) * fprintf(stream, "%zu", i);
    fclose(stream);
    return sum * (text[1] - '0');
}
