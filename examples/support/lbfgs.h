/* L-BFGS: minimises a smooth function of many variables from its values and gradients.
 *
 * Newton's method would step along -H^-1 g, where H is the matrix of second derivatives; for thousands of variables H
 * is too large to have. But how the gradient changed along past steps says how H acts on them: a step s that changed
 * the gradient by y tells H s = y (nearly). L-BFGS keeps the last few pairs (s, y) and from them computes the product
 * of an approximate H^-1 with g in two short loops, the older of the two classics of Nocedal (1980): memory and work
 * are a few vectors. With no pairs yet the direction is -g.
 *
 * Along the direction d a step length t is sought with
 *     f(x + t d) <= f(x) + 1e-4 t g.d             it goes down enough (Armijo), and
 *     g(x + t d).d >= 0.9 g.d                     it has flattened enough (Wolfe),
 * the second of which makes s.y > 0, and so keeps the approximate H^-1 positive. The search doubles t while the first
 * holds and the second does not, and bisects as soon as a t is known that is too long. The first t of an iteration is
 * 1, Newton's, and nearly always taken; only the first iteration, whose direction has no scale, begins with 1 / |g|.
 *
 * All is deterministic: the same values and gradients lead to the same points. Whoever keeps what `evaluate` answered
 * can therefore run the whole thing again after a crash, answer from what was kept, and be where it was. */
#ifndef EXAMPLES_LBFGS_H
#define EXAMPLES_LBFGS_H

#include <stddef.h>

enum { LBFGS_PAIRS = 20, LBFGS_TRIALS = 30 };

typedef struct lbfgs {
    size_t size;      /* variables */
    double *x;        /* in: where to begin; out: the best point */
    void *context;    /* handed to the callbacks */
    double reduction; /* stop when |g| is at most this times the first one */
    int iterations;   /* most iterations */

    /* Value and gradient at a point. Not 0: stop, and return that. */
    int (*evaluate)(void *context, const double *x, double *value, double *gradient);
    /* After each iteration; 0 is the point where it began. */
    void (*iterated)(void *context, int iteration, double value, double gradient_norm, double step);

    /* Out. */
    double value, gradient_norm, first_norm;
} lbfgs;

enum { LBFGS_CONVERGED = 0, LBFGS_TOO_MANY = -1, LBFGS_NO_STEP = -2, LBFGS_NO_MEMORY = -3 };

/* One of the above, or what `evaluate` returned. */
int lbfgs_minimise(lbfgs *self);

#endif
