/* Which sites are on, as text: verso.sites.
 *
 *     # a line for each call: on or off, the caller, the callee, where
 *     on  step    solve   ice.c:120
 *     off solve   matvec  ice.c:88
 *     off solve   dot     ice.c:90#4
 *     off *       norm    *
 *     memory 20000000
 *     step   300000000 12000000 280000
 *
 * `*` stands for anything, so the last line is about all calls of `norm`. A number behind a place picks the call with
 * that number (verso_site.number) out of several of one function in one line. Lines count from the first to the last. A
 * line that is about no call at all is an error: the program is another one than the text was made for.
 *
 * `memory` is a budget, as VERSO_MEMORY has it (0: none); `step` is the length of a step of the schedule by which it is
 * kept, in bytes of recording, and how many of them recording it takes with these calls checkpointed; then how large
 * a capsule is (profile/plan.h).
 * Without it the run time chooses. */
#ifndef PROFILE_SITES_H
#define PROFILE_SITES_H

#include "base/text.h"
#include "profile/plan.h"

#include <verso/profile.h>

/* Switches sites of the list, and changes the plan by what is said of it. `name` begins messages. VERSO_INVALID: a line
 * is about no call, or is none; those before it count. */
verso_status verso_sites_apply(verso_site *sites, size_t count, const char *name, const char *text, verso_plan *plan,
                               verso_error *error);
/* A line for each, so that reading it switches them as they are in the list, whatever they were before. */
void verso_sites_put(const verso_site *sites, size_t count, const verso_plan *plan, verso_text *text);
/* Whether caller, callee and place do not say which of the list it is: its number does. */
bool verso_site_is_one_of_several(const verso_site *sites, size_t count, size_t index);

#endif
