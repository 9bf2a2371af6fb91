/* Reads and writes which call sites are on, as text (verso.sites):
 *
 *     # a line for each call: on or off, the caller, the callee, where
 *     on  step    solve   ice.c:120
 *     off solve   matvec  ice.c:88
 *     off solve   dot     ice.c:90#4
 *     off *       norm    *
 *     memory 20000000
 *     step   300000000 12000000 280000
 *
 * `*` matches anything, so the fifth line applies to all calls of `norm`. A number after a place selects the call
 * with that number (verso_site.number) if a line of the program has several calls of the same function. Later lines
 * override earlier ones. A line that matches no call is an error, because the text was made for another program. So
 * is a line that names a callee and matches only calls that cannot be switched that way (verso_site.always, never);
 * a line with `*` as callee leaves such calls unchanged.
 *
 * `memory` is a budget in bytes, as in VERSO_MEMORY (0: none). `step` gives the length of a step of the schedule in
 * bytes of recording, the bytes of recording that a step takes with these calls checkpointed, and the size of a
 * capsule (profile/plan.h). Without it the run time chooses. */
#ifndef PROFILE_SITES_H
#define PROFILE_SITES_H

#include "base/text.h"
#include "profile/plan.h"

#include <verso/profile.h>

/* Applies a text to the list of sites and to the plan. `name` begins error messages. Returns VERSO_STATUS_INVALID
 * if a line matches no call or is malformed; the lines before it have been applied. */
verso_status verso__sites_apply(verso_site *sites, size_t count, const char *name, const char *text, verso__plan *plan,
                                verso_error *error);
/* Writes a line for each site, such that reading the text switches them as they are in the list, whatever they were
 * before. */
void verso__sites_put(const verso_site *sites, size_t count, const verso__plan *plan, verso__text *text);
/* Returns whether another site has the same caller, callee and place, so that only its number identifies it. */
bool verso__site_is_one_of_several(const verso_site *sites, size_t count, size_t index);

#endif
