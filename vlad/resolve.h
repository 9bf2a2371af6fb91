/* From trees to core expressions: where each variable lies, what lambdas capture, what is needed when. */
#ifndef VLAD_RESOLVE_H
#define VLAD_RESOLVE_H

#include "vlad/memory.h"
#include "vlad/tree.h"

typedef struct vlad_resolver {
    vlad_sources *sources;
    vlad_stack tasks;                   /* what is still to do, the next on top */
    vlad_stack path;                    /* frames that a variable must be brought into */
    vlad_stack patterns;                /* that are being made */
    uint32_t lambdas, letrecs, numbers; /* so far */
    uint32_t locals_most;               /* of any frame */
    size_t entries;                     /* of environments and of what is needed: see resolve_sets.c */
    verso_error *error;
} vlad_resolver;

void vlad_resolver_init(vlad_resolver *resolver, vlad_sources *sources);
void vlad_resolver_free(vlad_resolver *resolver);

/* A tree without free variables; the definitions that it mentions have binders, which it binds. *locals: of its frame.
 */
verso_status vlad_resolve(vlad_resolver *resolver, const vlad_tree *tree, const vlad_expression **expression,
                          uint32_t *locals, verso_error *error);

/* ---- What is needed (resolve_sets.c) ---- */

/* When all parts of an expression are there. `depth` is the first local that it binds itself, if any. */
verso_status vlad_resolve_needs(vlad_resolver *r, vlad_expression *e, uint32_t depth);
/* Counts entries, `count` of them; refuses what would take more than a program of its size can need. */
verso_status vlad_resolve_count(vlad_resolver *r, vlad_place place, size_t count);

#endif
