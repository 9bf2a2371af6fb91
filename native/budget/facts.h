/* Facts: what a durable run depends on, and what must be equal in all its processes. */
#ifndef NATIVE_BUDGET_FACTS_H
#define NATIVE_BUDGET_FACTS_H

#include "native/sweep/sweep.h"

/* One fact. facts.c lists the kinds, and what `key` and `value` mean for each. */
typedef struct verso__native_fact {
    uint64_t kind, key, value;
} verso__native_fact;

typedef struct verso__native_facts {
    verso__native_fact *list;
    size_t count, room;
    bool failed; /* there was no memory for a fact */
} verso__native_facts;

/* Gathers the facts of this process. Requires that the program is at its beginning. Free them also after a failure. */
verso_status verso__native_facts_gather(verso__native_facts *facts, verso_error *error);
void verso__native_facts_free(verso__native_facts *facts);
/* Returns true if the facts differ. Then `text` gets a clause about the first difference, which fits after "the run
 * cannot be continued: ". */
bool verso__native_facts_differ(const verso__native_facts *before, const verso__native_facts *now, char *text,
                                size_t size);

#endif
