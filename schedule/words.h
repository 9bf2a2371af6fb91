/* Describes a schedule in words from its spec alone, for pictures and run reports. */
#ifndef VERSO_SCHEDULE_WORDS_H
#define VERSO_SCHEDULE_WORDS_H

#include <verso/schedule.h>

#include "base/text.h"

/* Returns whether schedules of this kind read `slots`. */
bool verso__kind_has_slots(verso_schedule_kind kind);
/* Returns the number of tiers of a schedule of this spec; at most VERSO_TIERS_MAX. */
size_t verso__spec_tiers(const verso_schedule_spec *spec);
/* Returns the number of slots of the tier, numbered from 0; VERSO_UNKNOWN: unlimited. */
uint64_t verso__spec_capacity(const verso_schedule_spec *spec, size_t tier);
/* Returns "memory", "disk", or "0", "1", ... for levels; "none" if the tier does not exist. */
const char *verso__spec_tier_name(const verso_schedule_spec *spec, size_t tier);
/* The same for use within a sentence: "memory", "disk", "tier 2". */
verso__number verso__spec_tier_title(const verso_schedule_spec *spec, size_t tier);
/* Writes "revolve: 100 steps, 5 slots". `steps` may have become known after the spec was made; VERSO_UNKNOWN: it
 * never did. */
void verso__spec_title(const verso_schedule_spec *spec, uint64_t steps, verso__text *text);

#endif
