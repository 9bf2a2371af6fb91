/* at: 0.7,1.1,0.25
 * flags: -fno-inline
 * durable: getcwd returns memory of the C library
 * Files that are opened, written, read and closed while the function is differentiated: each call is made once, however
 * often the run is repeated. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double smooth(const double *x, size_t n, double weight) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sin(weight * x[i]) * x[i];
    return sum;
}

static void fill(FILE *file) {
    static const double raw[3] = {0.5, -1.25, 3};
    for (int i = 0; i < 4; i++)
        fprintf(file, "%d %.17g name%d\n", i, 1.0 / (i + 2), i);
    fputs("a line\nanother, which is longer than the first\n", file);
    fputc('7', file);
    putc('\n', file);
    fwrite(raw, sizeof *raw, 3, file);
    fflush(file);
}

static double read_back(FILE *file, const double *x, size_t n) {
    double sum = 0, number, raw[4] = {x[0], x[1], x[2], x[0] * x[1]};
    char name[16], text[64], *line = NULL;
    size_t room = 0;
    int index;
    for (int i = 0; i < 4; i++)
        if (fscanf(file, "%d %lf %15s", &index, &number, name) == 3)
            sum += smooth(x, n, number) * (index + (double)strlen(name));
    ungetc(getc(file), file);
    sum += fgets(text, sizeof text, file) ? (double)strlen(text) * x[1] : 0; /* the rest of the fourth line */
    sum += fgets(text, sizeof text, file) ? (double)strlen(text) * x[1] : 0;
    sum += (double)getline(&line, &room, file) * smooth(x, n, 0.125);
    sum *= line[2] == 'o' ? x[2] : 1;
    free(line);
    sum += (fgetc(file) - '0') * x[0] + getc(file);
    long at = ftell(file);
    size_t got = fread(raw, sizeof *raw, 4, file); /* three: the fourth keeps its derivative */
    for (size_t i = 0; i < 4; i++)
        sum += raw[i] * smooth(x, n, raw[i]);
    sum += (double)got * (feof(file) ? x[0] : 0) + (double)(ftell(file) - at) * x[1];
    return sum;
}

double f(const double *x, size_t n) {
    FILE *file = tmpfile();
    fill(file);
    rewind(file);
    double sum = read_back(file, x, n);
    fclose(file);
    errno = 0;
    FILE *missing = fopen("/nowhere/at/all", "r");
    sum += smooth(x, n, errno == ENOENT && missing == NULL ? 0.5 : 0.25);
    sum += errno == ENOENT ? x[0] * x[1] : 0;
    char *here = getcwd(NULL, 0), *real = realpath(".", NULL);
    sum += smooth(x, n, here && real && strcmp(here, real) == 0 ? 1.5 : 2.5);
    free(here);
    sum += real[0] == '/' ? x[1] * x[1] : 0;
    free(real);
    return sum;
}
