/* dlsym: see cc/front/symbols.c. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT: not in POSIX */
#include "native/run/run.h"

#include <dlfcn.h>
#include <string.h>

/* Calls by this name go to the program's version if dlsym has found the function that they would go to. */
void *verso__native_symbol(void *found, const char *name, const verso__native_named *known, uint64_t count) {
    for (uint64_t i = 0; found != NULL && i < count; i++)
        if (strcmp(name, known[i].name) == 0)
            return found == known[i].function || found == dlsym(RTLD_DEFAULT, name) ? known[i].function : found;
    return found;
}
