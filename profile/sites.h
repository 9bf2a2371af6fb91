/* Which sites are on, as text: verso.sites.
 *
 *     # a line for each call: on or off, the caller, the callee, where
 *     on  step    solve   ice.c:120
 *     off solve   matvec  ice.c:88
 *     off solve   dot     ice.c:90#4
 *     off *       norm    *
 *
 * `*` stands for anything, so the last line is about all calls of `norm`. A number behind a place picks the call with
 * that number (verso_site.number) out of several of one function in one line. Lines count from the first to the last. A
 * line that is about no call at all is an error: the program is another one than the text was made for. */
#ifndef PROFILE_SITES_H
#define PROFILE_SITES_H

#include "base/text.h"

#include <verso/profile.h>

/* Switches sites of the list. `name` begins messages. VERSO_INVALID: a line is about no call, or is none; those before
 * it count. */
verso_status verso_sites_apply(verso_site *sites, size_t count, const char *name, const char *text, verso_error *error);
/* A line for each, so that reading it switches them as they are in the list, whatever they were before. */
void verso_sites_put(const verso_site *sites, size_t count, verso_text *text);
/* Whether caller, callee and place do not say which of the list it is: its number does. */
bool verso_site_is_one_of_several(const verso_site *sites, size_t count, size_t index);

#endif
