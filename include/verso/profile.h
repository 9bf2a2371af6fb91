/* Profiles: predict what a gradient costs if other calls are checkpointed. One gradient, computed with all call
 * sites on that may be, gives a profile that predicts all choices of sites.
 *
 *     verso_profile *profile = NULL;
 *     verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
 *     options.profile = &profile;
 *     verso_gradient(f, x, n, gradient, &options, NULL, &error);
 *     cost = verso_profile_predict(profile, on);       // on[i]: site i (verso_profile_site) is on
 *     verso_profile_free(profile);
 *
 * Predicted peaks are exact: a gradient at the same point, with the same choice, takes these bytes of recording.
 * Seconds are sums of measured times.
 *
 * Threads: different threads may use different profiles. Only one thread at a time may use the same profile, because
 * verso_profile_predict writes to working memory in it.
 *
 * Errors: verso_profile_write and verso_profile_read return a status and write a message to *error, which may be NULL.
 * The other functions do not fail. docs/profiling.md explains how to use profiles. */
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

/* A call site: a call in the program whose callee is differentiated. While the site is on, its calls are checkpointed:
 * Verso does not record the call but a snapshot of the program, and when the reverse sweep comes to the call, it
 * restores the program and records the call then. That takes time, and saves memory if the recording is larger than the
 * snapshot. */
typedef struct verso_site {
    const char *caller, *callee; /* names of functions; callee "*": called through a pointer */
    const char *where;           /* place: "file.c:12"; "function f" if the program has no line numbers */
    uint64_t number;             /* of the call in its caller; distinguishes calls in one line */
    bool on;
    bool always; /* cannot be switched off: the callee has only an adjoint in one piece (VERSO_ADJOINT), or is marked
                  * VERSO_CHECKPOINT */
    bool never;  /* cannot be switched on: marked VERSO_NOCHECKPOINT */
} verso_site;

typedef struct verso_profile verso_profile;

/* Costs of a gradient in a single pass. verso_native_report has the fields to compare with. */
typedef struct verso_profile_cost {
    uint64_t peak_bytes;   /* peak of recordings and snapshots: tape_bytes of the report */
    uint64_t turn_bytes;   /* recordings and snapshots when the reverse sweep begins: turn_bytes of the report */
    uint64_t memory_bytes; /* peak_bytes and all other memory of the gradient: at least peak_bytes of the report */
    double seconds;        /* processor time of the gradient */
} verso_profile_cost;

/* Frees a profile. No-op on NULL. */
VERSO_API void verso_profile_free(verso_profile *profile);
/* The number of call sites of the program, which is the length of the array `on` that verso_profile_predict takes.
 * Index i is the site of verso_site_get(i). */
VERSO_API size_t verso_profile_sites(const verso_profile *profile);
/* The site with this index. Its `on` is as it was before the profile, which had all sites on. The profile owns the
 * texts: they are valid until it is freed. */
VERSO_API verso_site verso_profile_site(const verso_profile *profile, size_t index);
/* Predicts the cost of a gradient in which site i is on if on[i] is true. Sites with `always` count as on. */
VERSO_API verso_profile_cost verso_profile_predict(const verso_profile *profile, const bool *on);

/* Write a profile to a file and read it back, to make predictions without the program. The caller frees *profile with
 * verso_profile_free; on failure it is NULL. VERSO_STATUS_CORRUPT: the file is not a profile, has another format
 * version, or is damaged; VERSO_STATUS_IO: it cannot be read or written; VERSO_STATUS_NO_MEMORY. If the environment
 * variable VERSO_PROFILE names a file, the first gradient of a process that succeeds writes its profile there. */
VERSO_API verso_status verso_profile_write(const verso_profile *profile, const char *path, verso_error *error);
VERSO_API verso_status verso_profile_read(const char *path, verso_profile **profile, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
