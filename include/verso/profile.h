/* What checkpointing calls would cost: one gradient, computed with every site on, tells it for all choices of sites.
 *
 *     verso_profile *profile = NULL;
 *     verso_gradient(f, x, n, gradient, &(verso_native_options){.profile = &profile}, &report);
 *     cost = verso_profile_predict(profile, on);       // on[i]: site i (verso_site_get) is on
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

typedef struct verso_profile verso_profile;

typedef struct verso_profile_cost {
    uint64_t peak_bytes; /* of recordings and snapshots: tape_bytes of the report */
    uint64_t turn_bytes; /* when the reverse sweep begins */
    double seconds;
} verso_profile_cost;

VERSO_API void verso_profile_free(verso_profile *profile); /* NULL is nothing */
/* As many sites as `on` must have. */
VERSO_API size_t verso_profile_sites(const verso_profile *profile);
VERSO_API verso_profile_cost verso_profile_predict(const verso_profile *profile, const bool *on);

#ifdef __cplusplus
}
#endif
#endif
