/* Where the driver's companions are: in a build folder beside `verso` itself, in an installed tree at fixed places
 * relative to it, else where they were configured to be. */
#ifndef CC_DRIVER_PLACES_H
#define CC_DRIVER_PLACES_H

#include "cc/driver/words.h"

typedef struct driver_places {
    const char *transform; /* the transformer; VERSO_TRANSFORM in the environment names another. NULL: not found */
    const char *library;   /* libverso.a; NULL: not found */
    const char *include;   /* the folder that has verso/native.h; NULL: not found */
} driver_places;

/* Strings live in `kept`. */
driver_places driver_places_find(driver_words *kept);

/* What libverso.a itself must be linked with; NULL ends the list. */
extern const char *const driver_library_links[];

#endif
