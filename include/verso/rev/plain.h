/* The keywords of reversible functions for a compiler that knows none of them: forward, unchecked, in ordinary
 * arithmetic. Only what needs an inverse is left out, and it is refused: `undo` cannot be compiled in plain mode.
 *
 * What differs from the generated functions: `compute` is not undone, so scratch memory of the caller that it fills
 * must be cleared by `irrev { rev_plain_clear(...); }` before it is filled; conditions of `fi`, `from` and `drop` are
 * parsed but not tested; `fixed` and `ulog` are double. In C++ include this header after those of the standard library,
 * which has functions called swap, push and pop. */
#ifndef VERSO_REV_PLAIN_H
#define VERSO_REV_PLAIN_H

#include <verso/rev/fault.h>
#include <verso/rev/stack.h>

typedef double fixed;
typedef double ulog;

REV_FUNCTION fixed rev_fixed(double value) {
    return value;
}

REV_FUNCTION double rev_fixed_value(fixed x) {
    return x;
}

REV_FUNCTION ulog rev_ulog(double value) {
    return value;
}

REV_FUNCTION double rev_ulog_value(ulog u) {
    return u;
}

/* Zeroes scratch memory that a `compute` block has filled in plain mode. The generated functions have undone it. */
#define rev_plain_clear(memory, bytes) memset(memory, 0, bytes)

#define rev
#define anc
#define passive
#define compute
#define use
#define nocheck
#define irrev

/* After a block: the conditions are parsed and never evaluated. */
static inline int rev__conditions(int first, ...) {
    return first;
}
#define fi(...) \
    if (sizeof(rev__conditions(0, __VA_ARGS__)) == 0) { \
    }
#define from(...)
/* `drop v == e;` is a loop that never runs. */
#define drop \
    for (int rev__drop = 0; rev__drop;) \
    rev__drop =

#define swap(a, b) \
    do { \
        __typeof__(a) rev__swapped = (a); \
        (a) = (b); \
        (b) = rev__swapped; \
    } while (0)
/* Turns (a, b) by the angle t. */
#define rot(a, b, t) \
    do { \
        __typeof__(a) rev__a = (a), rev__b = (b); \
        (a) = rev__a * (__typeof__(a))cos(t) - rev__b * (__typeof__(a))sin(t); \
        (b) = rev__a * (__typeof__(a))sin(t) + rev__b * (__typeof__(a))cos(t); \
    } while (0)
#define neg(x) ((x) = -(x))
#define push(stack, x) rev_stack_push(stack, x)
#define pop(stack, x) rev_stack_pop(stack, x)

/* Declarations that only the tool needs; a structure of no size takes the semicolon at file scope. */
#define dual(...) struct rev__declaration
#define selfdual(...) struct rev__declaration
#define derivative(...) struct rev__declaration
#define rev_instantiate(...) struct rev__declaration
#define rev_length(...) struct rev__declaration

/* The text of _Pragma must be one literal. */
#define undo _Pragma("GCC error \"'undo' needs an inverse: translate it with 'verso rev FILE.rev.c -o FILE.c'\"")

#endif
