/* A generator of random C programs: generate FIRST COUNT [DROPPED...]
 *
 * One C file on standard output with COUNT functions `double pSEED_f(const double *x, size_t n)`, one a seed from FIRST
 * on, and tables of them for tests/native/random.c. Every program ends, has no undefined behaviour and computes the
 * same from the same input; a seed is the same program on every machine and wherever it stands. With COUNT 1, the
 * statements whose numbers are given are left out while all others stay as they were, which is how
 * tests/native/native_random.sh reduces a program; how many statements there are is in the last line.
 *
 * What keeps the programs sane
 *   range       every number in memory is in [-1, 1]: an expression knows a bound of itself and is scaled or put
 *               through sin or squash before it is stored, so no value overflows and no derivative grows without end
 *   ends        loops have small bounds; a call passes fuel on and takes from a budget of the whole run
 *   lifetimes   pointers point to what lives at least as long as the function they are in, and to blocks that are
 *               neither freed nor moved before its end
 *   indices     are taken modulo the length
 *   order       an expression has no side effects; calls are statements of their own
 *
 * The variables of a function (the number of each kind is random):
 *   aK double, wK float, vK[LENGTH] array of doubles, pK pointer to a number, hK heap block that stays (two may change
 *   places), r0 heap block that is reallocated, sK struct; iK counters of the loops around; globals gK, gv, gs
 *
 *   generator.h   what the files share
 *   text.c        chance, and lines of C
 *   expressions.c places and expressions
 *   statements.c  statements
 *   nests.c       programs of loop nests over arrays: those with seeds from FIRST_NEST on
 *   programs.c    functions, whole programs, the command */
#ifndef NATIVE_GENERATOR_H
#define NATIVE_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#define FIRST_NEST 1000000000u

enum { TEXT = 8192, INPUTS = 6, BLOCK = 5, GLOBALS = 3, GLOBAL_ARRAY = 4, STATEMENTS = 4096, FUNCTIONS = 5 };

/* What a function is called with, besides fuel. */
typedef enum shape { NUMBERS, ARRAY, BY_VALUE, BY_POINTER, SINGLE, SHAPES } shape;

typedef struct generator {
    uint64_t random;
    char prefix[24];   /* of global names: "p17_" */
    int indent, muted; /* muted: what is generated is left out */
    int statements, labels;
    bool dropped[STATEMENTS];
    shape shapes[FUNCTIONS];
    int functions;
    /* Of the function at hand: how many variables of each kind; what parameters there are. */
    int doubles, floats, arrays, lengths[3], pointers, blocks, structs;
    bool growing;    /* r0 */
    bool inputs;     /* x */
    bool array;      /* p and n */
    bool pointed, u; /* q, u */
    int counters;    /* loops around the statement */
    int depth;       /* statements around it */
} generator;

/* A piece of C, and a bound of its absolute value. */
typedef struct expression {
    char text[TEXT];
    double bound;
} expression;

/* ---- text.c ---- */

uint32_t draw(generator *g, uint32_t below);
bool chance(generator *g, uint32_t percent);
/* One line with its indentation; open also opens a brace. Nothing while muted. */
void line(const generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void open_block(generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void close_block(generator *g);
void set(expression *e, double bound, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- expressions.c ---- */

/* A double that can be assigned to. A lasting one may also be pointed to. */
expression place(generator *g);
expression lasting_place(generator *g);
expression leaf(generator *g);
expression condition(generator *g);
/* An expression that may be stored: its bound is 1. */
expression storable(generator *g, int depth);

/* ---- statements.c ---- */

void statements(generator *g, int count);

/* ---- nests.c ---- */

/* A whole program, with what precedes all programs of this kind. */
void nests(generator *g);
extern const char nests_prelude[];

#endif
