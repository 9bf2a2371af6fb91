/* Tests of the derivatives that a program takes, where it takes them: `verso vlad --check`.
 *
 * An AD operator that is not within the function of another one is applied as ever. Then, with its function f and its
 * x: the dot-product and Taylor tests of native/tests.h, the latter to both sides; and the cotangent by *j and by
 * checkpoint-*j with several leaves, which has the same bits. (Where f itself uses checkpoint-*j: the same to 1e-12,
 * for it adds up in the order of leaves.) Operators within f are part of f. Of a place in the program that is reached
 * often the first applications are tested, then those whose number is a power of two.
 *
 * The program does not notice: what f reads is read again from what was read, what it writes is written once, and an
 * evaluation of the tests that fails, or takes far longer than f at x, is given up and told. */
#ifndef VLAD_CHECK_H
#define VLAD_CHECK_H

#include "vlad/machine.h"

#include <stdio.h>

/* A place in the program, and the worst that was found there. */
typedef struct vlad_checked {
    vlad_place place;
    vlad_operator operation;
    uint64_t applied, checked, failed;
    double apart, bound; /* of the dot products that are nearest to, or furthest beyond, what is allowed */
    bool seen;           /* by a Taylor test: f is finite near x */
    double order;        /* the least; INFINITY: f is linear wherever it was tested */
    uint64_t ways, same; /* cotangents compared; those that have the same bits */
    char complaint[512]; /* about the first application that failed: "application 3: ..." */
} vlad_checked;

typedef struct vlad_checking {
    uint64_t seed;     /* of directions and leaves */
    vlad_stack places; /* vlad_checked */
    bool incomplete;   /* there was no memory for a place */
} vlad_checking;

void vlad_checking_open(vlad_checking *checking, uint64_t seed);
void vlad_checking_close(vlad_checking *checking);

/* The operator of `e`, applied and tested: while nobody interrupts the machine, for it evaluates more than the program
 * does. */
bool vlad_check(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);

/* Derivatives were taken, and all tests passed. */
bool vlad_check_holds(const vlad_checking *checking);
/* A table of the places, what was wrong, and PASS or FAIL. */
void vlad_check_tell(const vlad_checking *checking, const vlad_sources *sources, FILE *told);

#endif
