/* What a durable run of a compiled program stores in its directory beside its journal (durable.c). */
#ifndef NATIVE_BUDGET_DURABLE_H
#define NATIVE_BUDGET_DURABLE_H

#include "native/budget/facts.h"

/* The division of a durable run's budget, which all its processes use. */
typedef struct verso__native_kept {
    uint64_t leaf, capsule, longer, cells, log; /* as in verso__native_division */
    uint64_t steps;                             /* number of steps; VERSO_UNKNOWN: not known until the run ends */
    uint64_t begun_anew;                        /* how often the run had begun anew before this division */
} verso__native_kept;

typedef struct verso__native_durable {
    const struct verso__system *system;
    char *directory;           /* absolute path; NULL: the run is not durable */
    char *path;                /* path of the file `native` */
    struct verso__lock *lock;  /* held while this process runs */
    verso__native_facts facts; /* what the run depends on, in this process */
    verso__native_kept kept;   /* read from the file, or to be written to it */
    bool continued;            /* the directory holds a run with the division `kept` */
    verso_identity identity;   /* checksum of the file: the program's identity for the driver */
} verso__native_durable;

/* Returns true if these options ask for a durable run. `run` may be NULL. */
bool verso__native_is_durable(const verso_run_options *run);
/* Locks the directory and reads what is stored there. Fails if the directory holds a run that this process cannot
 * continue. Requires that the program is at its beginning. Close it also after a failure. */
verso_status verso__native_durable_open(const verso_run_options *run, verso__native_durable *durable,
                                        verso_error *error);
/* Stores durable->kept. Abandons a run in the directory that has another division. */
verso_status verso__native_durable_keep(verso__native_durable *durable, verso_error *error);
/* Abandons the run in the directory, if there is one. */
verso_status verso__native_durable_abandon(verso__native_durable *durable, verso_error *error);
/* Writes a file of the directory and replaces an older one atomically. */
verso_status verso__native_durable_replace(const verso__native_durable *durable, const char *name, const void *bytes,
                                           size_t size, verso_error *error);
/* Closes the log and releases the lock. */
void verso__native_durable_close(verso__native_durable *durable);

#endif
