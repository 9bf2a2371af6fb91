/* Plain mode of <verso/rev.h>: the keywords of reversible functions as macros, for compilers that do not know them. The
 * functions run forward, without checks, in ordinary arithmetic. Only what needs an inverse is missing: `undo` is a
 * compile error.
 *
 * Differences from the generated functions:
 *  - `compute` is not undone. Scratch memory of the caller that it fills must be cleared first, with
 *    `irrev { rev_plain_clear(...); }`.
 *  - The conditions of `fi` and `drop` are parsed but not tested; that of `from` is ignored.
 *  - `fixed` and `ulog` are double.
 *
 * In C++ include this header after those of the standard library, which has functions named swap, push and pop. Thread
 * safety: the macros and functions have no state. Errors: only stacks raise faults (verso/rev/stack.h). */
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

/* Sets scratch memory to zero, before a `compute` block fills it again. No-op in generated mode, where `compute` blocks
 * are undone. */
#define rev_plain_clear(memory, bytes) memset(memory, 0, bytes)

#define rev
#define anc
#define passive
#define compute
#define use
#define nocheck
#define irrev

/* `fi (c, d)` after a block: sizeof parses the conditions but does not evaluate them. `from` drops its condition. */
static inline int rev__conditions(int first, ...) {
    return first;
}
#define fi(...) \
    if (sizeof(rev__conditions(0, __VA_ARGS__)) == 0) { \
    }
#define from(...)
/* `drop v == e;` becomes a loop that never runs. */
#define drop \
    for (int rev__drop = 0; rev__drop;) \
    rev__drop =

#define swap(a, b) \
    do { \
        __typeof__(a) rev__swapped = (a); \
        (a) = (b); \
        (b) = rev__swapped; \
    } while (0)
/* Rotates (a, b) by the angle t. */
#define rot(a, b, t) \
    do { \
        __typeof__(a) rev__a = (a), rev__b = (b); \
        (a) = rev__a * (__typeof__(a))cos(t) - rev__b * (__typeof__(a))sin(t); \
        (b) = rev__a * (__typeof__(a))sin(t) + rev__b * (__typeof__(a))cos(t); \
    } while (0)
#define neg(x) ((x) = -(x))
#define push(stack, x) rev_stack_push(stack, x)
#define pop(stack, x) rev_stack_pop(stack, x)

/* Declarations for `verso rev`. In plain mode each becomes a forward declaration of a struct, so that the semicolon
 * after it is valid at file scope. */
#define dual(...) struct rev__declaration
#define selfdual(...) struct rev__declaration
#define derivative(...) struct rev__declaration
#define rev_instantiate(...) struct rev__declaration
#define rev_length(...) struct rev__declaration

/* A compile error. _Pragma takes a single string literal, so the line must not be broken. */
#define undo _Pragma("GCC error \"'undo' needs an inverse: translate it with 'verso rev FILE.rev.c -o FILE.c'\"")

#endif
