/* The resolution: turns trees into core expressions. It determines the location of each variable, what lambdas
 * capture, and which locals are needed at which point. */
#ifndef VLAD_RESOLVE_H
#define VLAD_RESOLVE_H

#include "vlad/memory.h"
#include "vlad/tree.h"

typedef struct vlad_resolver {
    vlad_sources *sources;
    vlad_stack tasks;    /* work still to be done, the next task on top */
    vlad_stack path;     /* frames that a variable must be captured in */
    vlad_stack patterns; /* patterns that are being made */
    /* numbers made so far */
    uint32_t lambdas, letrecs, numbers;
    uint32_t locals_most; /* maximum over all frames */
    size_t entries;       /* entries of environments and of sets of needed locals (resolve_sets.c) */
    verso_error *error;
} vlad_resolver;

/* Initialise and free a resolver; the sources must outlive it. */
void vlad_resolver_init(vlad_resolver *resolver, vlad_sources *sources);
void vlad_resolver_free(vlad_resolver *resolver);

/* Resolves a tree without free variables. Each definition that it mentions has a binder, which the tree binds.
 * Sets *locals to the size of its frame. */
verso_status vlad_resolve(vlad_resolver *resolver, const vlad_tree *tree, const vlad_expression **expression,
                          uint32_t *locals, verso_error *error);

/* ---- Sets of needed locals (resolve_sets.c) ---- */

/* Computes the sets of an expression whose parts are complete. `depth` is the first local that it binds itself, if
 * any. */
verso_status vlad_resolve_needs(vlad_resolver *r, vlad_expression *e, uint32_t depth);
/* Adds `count` to the entries. Refuses a program that takes far more entries than its size justifies. */
verso_status vlad_resolve_count(vlad_resolver *r, vlad_place place, size_t count);

#endif
