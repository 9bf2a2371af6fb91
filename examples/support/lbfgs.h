/* L-BFGS: minimises a smooth function of many variables from its values and gradients.
 *
 * Newton's method steps along -H^-1 g, where H is the matrix of second derivatives. For thousands of variables H is too
 * large, but the last steps say how it acts: if a step s changed the gradient by y, then H s is nearly y. L-BFGS keeps
 * the last few pairs (s, y) and computes from them the product of an approximate H^-1 with g, in two short loops
 * (Nocedal 1980). Without pairs the direction is -g.
 *
 * The line search finds a step length t along the direction d with
 *     f(x + t d) <= f(x) + 1e-4 t g.d     sufficient decrease (Armijo)
 *     g(x + t d).d >= 0.9 g.d             sufficient flattening (Wolfe)
 * The second condition makes s.y > 0, which keeps the approximate H^-1 positive. The search doubles t while only the
 * first holds, and bisects once a t is known that is too long. It starts with t = 1, which is nearly always accepted;
 * in the first iteration, whose direction has no scale, with 1 / |g|.
 *
 * The minimisation is deterministic: the same values and gradients lead to the same points. After a crash, a program
 * whose `evaluate` returns stored results repeats the minimisation up to where it was. */
#ifndef EXAMPLES_LBFGS_H
#define EXAMPLES_LBFGS_H

#include <stddef.h>

enum { LBFGS_PAIRS = 20, LBFGS_TRIALS = 30 };

typedef struct lbfgs {
    size_t size;      /* number of variables */
    double *x;        /* in: where to begin; out: the best point */
    void *context;    /* passed to the callbacks */
    double reduction; /* stop when |g| is at most this times the first one */
    int iterations;   /* maximum number of iterations */

    /* Computes value and gradient at x. If it does not return 0, lbfgs_minimise returns that number. */
    int (*evaluate)(void *context, const double *x, double *value, double *gradient);
    /* Called after each iteration; iteration 0 is the initial point. */
    void (*iterated)(void *context, int iteration, double value, double gradient_norm, double step);

    /* Results: value and norm of the gradient at x; norm of the gradient at the initial point. */
    double value, gradient_norm, first_norm;
} lbfgs;

enum { LBFGS_CONVERGED = 0, LBFGS_TOO_MANY = -1, LBFGS_NO_STEP = -2, LBFGS_NO_MEMORY = -3 };

/* Returns one of the codes above, or what `evaluate` returned. */
int lbfgs_minimise(lbfgs *self);

#endif
