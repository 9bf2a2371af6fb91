/* Which files in a directory are capsules, by their names alone: whole ones, and halves that a process left which died
 * while it wrote them. */
#ifndef VERSO_STORE_LISTING_H
#define VERSO_STORE_LISTING_H

#include "base/status.h"
#include "base/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <verso/capsule.h>

typedef struct verso_listed {
    verso_capsule_name name;
    bool writing; /* half-written */
} verso_listed;

typedef struct verso_listing {
    verso_listed *list; /* in any order */
    size_t count, room;
    bool no_memory; /* while it is read */
} verso_listing;

/* A directory that is not there is empty. The listing is to be freed also after an error. */
verso_status verso_listing_read(const verso_system *system, const char *directory, verso_listing *listing,
                                verso_error *error);
void verso_listing_free(verso_listing *listing);

#endif
