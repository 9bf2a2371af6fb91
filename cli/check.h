/* The parts of `verso check`: what was found, and how it is told. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/derive.h"

#include <stdio.h>

enum { CHECK_TAYLOR_MAX = 32 };

/* What harness/main.c reports of verso_check: <verso/native.h> says what is what. */
typedef struct check_findings {
    uint64_t steps; /* safepoints */
    struct {
        double reverse, tangent, bound;
        bool passed;
    } dot;
    struct {
        size_t count;
        double h[CHECK_TAYLOR_MAX], remainder[CHECK_TAYLOR_MAX];
        double order[CHECK_TAYLOR_MAX]; /* from this step to the next */
        double observed, noise;
        bool linear;
        bool passed;
    } taylor;
    struct {
        uint64_t sweeps, stretches, differing;
        bool passed;
    } cuts;
    struct {
        bool asked;
        uint64_t differing;
        const char *schedule;
        bool passed;
    } budget;
    bool passed;
} check_findings;

void check_print_page(FILE *out, const derive *task, const check_findings *findings);
void check_print_json(FILE *out, const check_findings *findings);

#endif
