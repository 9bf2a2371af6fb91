/* The call sites of the program, and which of them are checkpointed. */
#ifndef NATIVE_API_SITES_H
#define NATIVE_API_SITES_H

#include "native/api/settings.h"
#include "profile/plan.h"

#include <verso/native.h>

/* Returns all call sites in the order of verso_site_get, in memory that the caller must free with
 * verso__dealloc. NULL if there is no memory. */
verso_site *verso__native_sites_list(size_t *count);
/* Applies VERSO_SITES, VERSO_CHECKPOINT and VERSO_NOCHECKPOINT, once in a process. To be called before a
 * gradient. */
verso_status verso__native_sites_apply_settings(const verso__native_settings *settings, verso_error *error);
/* Returns whether someone has chosen which calls are checkpointed, perhaps none. */
bool verso__native_sites_are_chosen(void);
/* Returns the index in verso__native_callsites of the site with this index in verso_site_get. */
uint32_t verso__native_site_number(size_t index);

/* Returns the plan that texts of sites have set. */
const verso__plan *verso__native_sites_plan(void);

#endif
