/* Finds the other parts of Verso: in a build folder next to the running `verso`, in an installation at fixed places
 * relative to it, else at the configured installation paths. */
#ifndef CC_DRIVER_PLACES_H
#define CC_DRIVER_PLACES_H

#include "cc/driver/words.h"

typedef struct driver_places {
    const char *transform; /* path of the transformer, or VERSO_TRANSFORM of the environment; NULL: not found */
    const char *library;   /* path of libverso.a; NULL: not found */
    const char *include;   /* folder that contains verso/native.h; NULL: not found */
} driver_places;

/* `kept` owns the strings. */
driver_places driver_places_find(driver_words *kept);

/* Linker arguments for the libraries that libverso.a needs; NULL ends the list. */
extern const char *const driver_library_links[];

#endif
