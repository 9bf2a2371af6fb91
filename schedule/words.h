/* A schedule in words, from its spec alone: what pictures and run reports call it and its tiers. */
#ifndef VERSO_SCHEDULE_WORDS_H
#define VERSO_SCHEDULE_WORDS_H

#include <verso/schedule.h>

#include "base/text.h"

/* Whether schedules of this kind read `slots`. */
bool verso_kind_has_slots(verso_schedule_kind kind);
/* How many tiers a schedule of this spec has; at most VERSO_TIERS_MAX. */
size_t verso_spec_tiers(const verso_schedule_spec *spec);
/* "memory", "disk", or "0", "1", … for levels; "none" where there is none. */
const char *verso_spec_tier_name(const verso_schedule_spec *spec, size_t tier);
/* The same within a sentence: "memory", "disk", "tier 2". */
verso_number verso_spec_tier_title(const verso_schedule_spec *spec, size_t tier);
/* "revolve: 100 steps, 5 slots". `steps` may have been learnt later than the spec was made; VERSO_UNKNOWN: never. */
void verso_spec_title(const verso_schedule_spec *spec, uint64_t steps, verso_text *text);

#endif
