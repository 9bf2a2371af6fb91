/* The parts of `verso check`: what was found, and how it is told. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/derive.h"

#include <stdio.h>

enum { CHECK_TAYLOR_MAX = 16 };

/* What harness/main.c reports of verso_check. */
typedef struct check_findings {
    double value;
    uint64_t steps; /* safepoints */
    struct {
        double reverse, tangent, difference, tolerance; /* the difference is relative */
        bool passed;
    } dot;
    struct {
        size_t count;
        double h[CHECK_TAYLOR_MAX], remainder[CHECK_TAYLOR_MAX], order[CHECK_TAYLOR_MAX]; /* order[0] means nothing */
        double observed, wanted; /* the order that counts, and how much it must be */
        bool exact;              /* the remainders vanish: the function is linear */
        bool passed;
    } taylor;
    struct {
        uint64_t sweeps, stretches, differing; /* over all sweeps */
        bool passed;
    } cuts;
    bool passed;
} check_findings;

void check_print_page(FILE *out, const derive *task, const check_findings *findings);
void check_print_json(FILE *out, const check_findings *findings);

#endif
