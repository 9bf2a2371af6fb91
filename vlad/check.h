/* `verso vlad --check`: tests the derivatives that a program takes, where it takes them.
 *
 * The outermost AD operators are tested; operators inside a differentiated function f are part of f. The operator
 * is first applied as usual. Then vlad_check runs, with the same f and x, the dot-product and Taylor tests of
 * native/api/tests.h (Taylor on both sides of x), and compares the cotangent of *j with those of checkpoint-*j for
 * several leaves, which must have the same bits. (If f itself uses checkpoint-*j they may differ by 1e-12, since
 * the leaves change the order of summation.) At each place in the program the first few applications are tested,
 * then those whose number is a power of two.
 *
 * The tests do not affect the program: they repeat the input that f has read, they write no output, and an
 * evaluation that fails or takes much longer than f at x is abandoned and reported. */
#ifndef VLAD_CHECK_H
#define VLAD_CHECK_H

#include "vlad/machine.h"

#include <stdio.h>

/* A place in the program with the worst results found there. */
typedef struct vlad_checked {
    vlad_place place;
    vlad_operator operation;
    uint64_t applied;    /* number of applications */
    uint64_t checked;    /* of these: tested */
    uint64_t failed;     /* of these: failed */
    double apart;        /* difference of the dot products, in the worst application */
    double bound;        /* the difference allowed there */
    bool seen;           /* a Taylor test was possible: f is finite near x */
    double order;        /* the least order of a Taylor test; INFINITY: f was linear wherever it was tested */
    uint64_t ways;       /* cotangents compared */
    uint64_t same;       /* of these: with the same bits */
    char complaint[512]; /* message about the first application that failed: "application 3: ..." */
} vlad_checked;

typedef struct vlad_checking {
    uint64_t seed;     /* of random directions and leaves */
    vlad_stack places; /* of vlad_checked */
    bool incomplete;   /* a place is missing for lack of memory */
} vlad_checking;

/* Initialise and free the record of all tests. */
void vlad_checking_open(vlad_checking *checking, uint64_t seed);
void vlad_checking_close(vlad_checking *checking);

/* Applies and tests the operator of `e`. The machine must not have an interruption pending: the tests evaluate
 * more than the program does. Returns false if the machine has failed. */
bool vlad_check(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);

/* True if the program took derivatives and all tests passed. */
bool vlad_check_holds(const vlad_checking *checking);
/* Prints a table of the places, the failures, and PASS or FAIL. */
void vlad_check_print(const vlad_checking *checking, const vlad_sources *sources, FILE *messages);

#endif
