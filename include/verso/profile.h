/* What checkpointing calls would cost: one gradient, computed with every site on, tells it for all choices of sites.
 *
 *     verso_profile *profile = NULL;
 *     verso_gradient(f, x, n, gradient, &(verso_native_options){.profile = &profile}, &report);
 *     cost = verso_profile_predict(profile, on);       // on[i]: site i (verso_profile_site) is on
 *     verso_profile_free(profile);
 *
 * Peaks are exact: the bytes of recording that a gradient at the same point takes with that choice are those that are
 * predicted. Seconds are measured ones, added up. */
#ifndef VERSO_PROFILE_H
#define VERSO_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/export.h>
#include <verso/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call in the program whose callee is differentiated. While it is on, the call is not recorded: a snapshot of the
 * program is, and when the reverse sweep comes to the call the program is put back and the call is recorded then. That
 * takes time and, where the recording is larger than the snapshot, saves memory. */
typedef struct verso_site {
    const char *caller, *callee; /* "*": called through a pointer */
    const char *where;           /* "file.c:12"; "function f" when the program has no line numbers */
    uint64_t number;             /* of calls of the caller: tells those in one line apart */
    bool on;
    bool always; /* cannot be switched: its callee has an adjoint in one piece alone (VERSO_ADJOINT) */
} verso_site;

typedef struct verso_profile verso_profile;

typedef struct verso_profile_cost {
    uint64_t peak_bytes;   /* of recordings and snapshots: tape_bytes of the report */
    uint64_t turn_bytes;   /* when the reverse sweep begins */
    uint64_t memory_bytes; /* and all else that the gradient takes: peak_bytes of the report is that, or less */
    double seconds;
} verso_profile_cost;

VERSO_API void verso_profile_free(verso_profile *profile); /* NULL is nothing */
/* As many sites as `on` must have: those of the program, as verso_site_get has them. */
VERSO_API size_t verso_profile_sites(const verso_profile *profile);
/* `on`: as it was when the profile was made, though all were on for that. Its texts live as long as the profile. */
VERSO_API verso_site verso_profile_site(const verso_profile *profile, size_t index);
VERSO_API verso_profile_cost verso_profile_predict(const verso_profile *profile, const bool *on);

/* A profile in a file, for predictions without the program. The environment variable VERSO_PROFILE has that of the
 * first gradient of a process written. VERSO_CORRUPT when the file holds none, or was changed. */
VERSO_API verso_status verso_profile_write(const verso_profile *profile, const char *path, verso_error *error);
VERSO_API verso_status verso_profile_read(const char *path, verso_profile **profile, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
