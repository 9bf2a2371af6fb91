/* Writes core expressions of VLAD as text, for tests that compare them with the expected ones:
 *
 *   x.l0 y.c1 z.g0 f.s1            a variable: local, captured, of the group, a sibling
 *   (lambda P [l0 c1] BODY)        a closure, and where its captured variables are; P: l0, a constant, (P . P)
 *   (let P ARGUMENT BODY)
 *   (letrec l2 [l0] (f P BODY) ... BODY)    its first local, its group
 *   (call F A) (if A B C) (sqrt A) (+ A B) (vector-set A B C) */
#ifndef VERSO_TESTS_VLAD_CORE_H
#define VERSO_TESTS_VLAD_CORE_H

#include "vlad/core.h"

/* Returns the text, which the caller frees. Recursive, so for small programs only. */
char *vlad_core_text(const vlad_expression *expression);

#endif
