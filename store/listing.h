/* Finds the capsule files in a directory by their names: complete files, and half-written files of processes that
 * died. */
#ifndef VERSO_STORE_LISTING_H
#define VERSO_STORE_LISTING_H

#include "base/status.h"
#include "base/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <verso/capsule.h>

typedef struct verso__listed {
    verso_capsule_name name;
    bool writing; /* the file is half-written */
} verso__listed;

typedef struct verso__listing {
    verso__listed *list; /* in any order */
    size_t count, room;
    bool no_memory; /* reading failed because there was no memory */
} verso__listing;

/* Lists the capsule files of a directory. A directory that does not exist counts as empty. The caller calls
 * verso__listing_free even after an error. */
verso_status verso__listing_read(const verso__system *system, const char *directory, verso__listing *listing,
                                 verso_error *error);
void verso__listing_free(verso__listing *listing);

#endif
