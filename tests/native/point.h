/* The point at which a program of this folder is differentiated, as its opening comment has it. */
#ifndef NATIVE_POINT_H
#define NATIVE_POINT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void usage(const char *what) {
    fprintf(stderr, "harness: %s\n", what);
    exit(2);
}

static double *numbers(size_t n) {
    double *block = calloc(n + 1, sizeof *block);
    if (!block)
        usage("no memory");
    return block;
}

/* In (-1, 1), the same in every run. */
static double chance(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1.0;
}

/* "V1,V2,..." or "random:COUNT:LOW:HIGH". */
static double *read_point(const char *text, size_t *n) {
    double low, high, *x;
    size_t count = 1;
    if (sscanf(text, "random:%zu:%lf:%lf", &count, &low, &high) == 3) {
        uint64_t state = 1;
        x = numbers(*n = count);
        for (size_t i = 0; i < count; i++)
            x[i] = low + (high - low) * 0.5 * (1 + chance(&state));
        return x;
    }
    for (const char *comma = text; (comma = strchr(comma, ',')); comma++)
        count++;
    x = numbers(count);
    for (*n = 0; *n < count; ++*n) {
        char *end;
        x[*n] = strtod(text, &end);
        if (end == text || (*end != ',' && *end != '\0'))
            usage("--at takes numbers, separated by commas");
        text = end + 1;
    }
    return x;
}

#endif
