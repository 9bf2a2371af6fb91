/* Decides whether a loop nest leaves copies to the loops inside it.
 *
 * A time loop whose buffers are swapped reads them through pointers that change in each iteration. Copies at the level
 * of the time loop can serve what is read through pointers that stay the same, such as coefficients, but not the
 * buffers; and loops of a nest with copies get none of their own that would begin with such a pointer. Coefficients
 * lose little by being left to the loops inside, because their copies last (lasting.h). */
#ifndef CC_INSIDE_H
#define CC_INSIDE_H

#include "cc/plan/groups.h"

/* Returns whether loops inside s->nest read numbers repeatedly, or as a stencil, through pointers that are known before
 * these loops but not before the nest. */
bool cc_gains_inside(cc_search *s);

#endif
