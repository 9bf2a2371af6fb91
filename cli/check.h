/* The parts of `verso check`: the findings of the tests (check.c reads them) and their output (check_page.c). */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/derive.h"

#include <stdio.h>

enum { CHECK_TAYLOR_MAX = 32 };

/* The findings of verso_check, as harness/main.c writes them. verso_check_report in <verso/native.h> defines each
 * number. */
typedef struct check_findings {
    uint64_t steps; /* safepoints of the run */
    struct {
        double plain;    /* value of a plain call */
        double recorded; /* value of a recorded run */
        double bound;    /* largest difference between them that passes */
        uint64_t other;  /* output numbers whose bits differ between runs */
        bool fast;       /* the function was compiled with fast-math */
        bool passed;
    } value;
    struct {
        double slope;                     /* derivative by central differences */
        double doubt;                     /* its estimated error */
        double nearby_least, nearby_most; /* range of the derivatives at neighbouring points; NaN: not computed */
        bool ill_conditioned;
    } difference;
    struct {
        double reverse, tangent; /* the same derivative by reverse and by tangent mode */
        double bound;            /* largest difference between them that passes */
        bool passed;
    } dot;
    struct {
        size_t count;                       /* number of steps h */
        double h[CHECK_TAYLOR_MAX];         /* step sizes */
        double remainder[CHECK_TAYLOR_MAX]; /* absolute remainders */
        double order[CHECK_TAYLOR_MAX];     /* order from this step to the next; NaN: not significant */
        double observed;                    /* order of the whole series */
        double noise;                       /* size of the rounding errors in the remainders */
        bool linear;                        /* the remainders are too small to show an order */
        bool passed;
    } taylor;
    struct {
        uint64_t sweeps;    /* number of reverse sweeps that were cut */
        uint64_t stretches; /* number of stretches in all of them */
        uint64_t differing; /* numbers of the gradient whose bits differ */
        bool passed;
    } cuts;
    struct {
        bool asked;           /* a budget or schedule was given */
        uint64_t differing;   /* numbers of the gradient whose bits differ */
        const char *schedule; /* the schedule that was played, in words */
        bool passed;
    } budget;
    bool passed; /* all tests passed */
} check_findings;

/* Prints the findings as a table with a verdict, and as JSON. */
void check_print_page(FILE *out, const derive *task, const check_findings *findings);
void check_print_json(FILE *out, const check_findings *findings);

#endif
