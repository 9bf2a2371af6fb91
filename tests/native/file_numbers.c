/* at: 0.7,1.3,-0.4,2.1
 * Numbers that go to files and come back carry their derivatives: files that are closed and opened by another name,
 * written over in part, cut off, read at other offsets; a pipe. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 8 };

__attribute__((noinline)) static double in_a_stream(const double *x) {
    double y[MANY], sum = 0, two = 2;
    FILE *file = tmpfile();
    for (int i = 0; i < MANY; i++)
        y[i] = x[i % 4] * x[i % 4] * (i + 1);
    fwrite("odd", 1, 3, file);
    fwrite(y, sizeof *y, MANY, file);
    fseek(file, 3 + 2 * sizeof *y, SEEK_SET);
    fwrite(&two, sizeof two, 1, file); /* a constant over the third */
    memset(y, 0, sizeof y);
    fseek(file, 3, SEEK_SET);
    if (fread(y, sizeof *y, MANY, file) != MANY)
        return -1;
    fclose(file);
    for (int i = 0; i < MANY; i++)
        sum += y[i] * x[1];
    return sum;
}

__attribute__((noinline)) static double by_another_name(const double *x) {
    char name[] = "/tmp/verso-numbers-XXXXXX", other[64];
    double y[MANY], z[MANY] = {0}, sum = 0;
    int file = mkstemp(name);
    for (int i = 0; i < MANY; i++)
        y[i] = x[i % 4] * (i + 2);
    ssize_t done = write(file, y, sizeof y);
    done += pwrite(file, &y[1], 2 * sizeof *y, 4 * sizeof *y);
    close(file);
    snprintf(other, sizeof other, "%s.moved", name);
    rename(name, other);
    file = open(other, O_RDONLY);
    done += pread(file, z, 3 * sizeof *z, 3 * sizeof *z);
    done += read(file, &z[4], sizeof *z);
    close(file);
    unlink(other);
    for (int i = 0; i < MANY; i++)
        sum += z[i] * z[i];
    return done == 14 * sizeof *y ? sum : -1;
}

__attribute__((noinline)) static double cut_off(const double *x) {
    double y = x[0] * x[2], z[2] = {1, 1};
    FILE *file = tmpfile();
    fwrite(&y, sizeof y, 1, file);
    fwrite(&y, sizeof y, 1, file);
    fflush(file);
    if (ftruncate(fileno(file), sizeof y) != 0 || ftruncate(fileno(file), 2 * sizeof y) != 0)
        return -1;
    rewind(file);
    if (fread(z, sizeof *z, 2, file) != 2)
        return -1;
    fclose(file);
    return z[0] * x[3] + z[1] * x[1];
}

__attribute__((noinline)) static double through_a_pipe(const double *x) {
    int ends[2];
    double y[2] = {x[0] * x[1], x[2]}, z[3];
    if (pipe(ends) != 0)
        return -1;
    ssize_t done = write(ends[1], y, sizeof y);
    done += write(ends[1], y, sizeof *y);
    done += read(ends[0], z, sizeof z);
    close(ends[0]);
    close(ends[1]);
    return done > 0 ? z[0] * z[1] + z[2] * z[2] : -1;
}

double f(const double *x, size_t n) {
    return in_a_stream(x) + by_another_name(x) * x[n - 1] + cut_off(x) + through_a_pipe(x);
}
