/* See words.h. The number of tiers stands here and not with each kind, so that who has a spec and no schedule (a report
 * of a run that is over) names the same tiers. */
#include "schedule/words.h"

#include <string.h>

size_t verso_spec_tiers(const verso_schedule_spec *spec) {
    switch (spec->kind) {
    case VERSO_KIND_DISK:
    case VERSO_KIND_PERIODIC:
    case VERSO_KIND_TWO_LEVEL: return 2;
    case VERSO_KIND_ONLINE: return spec->with_disk ? 2 : 1;
    case VERSO_KIND_LEVELS: return spec->tier_count < VERSO_TIERS_MAX ? spec->tier_count : VERSO_TIERS_MAX;
    default: return 1;
    }
}

const char *verso_spec_tier_name(const verso_schedule_spec *spec, size_t tier) {
    static const char *const numbers[VERSO_TIERS_MAX] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    if (tier >= verso_spec_tiers(spec))
        return "none";
    if (spec->kind == VERSO_KIND_LEVELS)
        return numbers[tier];
    return tier == 0 ? "memory" : "disk";
}

verso_number verso_spec_tier_title(const verso_schedule_spec *spec, size_t tier) {
    verso_number title;
    strcpy(title.text, spec->kind == VERSO_KIND_LEVELS ? "tier " : "");
    strcat(title.text, verso_spec_tier_name(spec, tier));
    return title;
}

bool verso_kind_has_slots(verso_schedule_kind kind) {
    switch (kind) {
    case VERSO_KIND_REVOLVE:
    case VERSO_KIND_DISK:
    case VERSO_KIND_PERIODIC:
    case VERSO_KIND_ONLINE:
    case VERSO_KIND_MIXED:
    case VERSO_KIND_RESILIENT:
    case VERSO_KIND_CONTINUOUS:
    case VERSO_KIND_SINGLE_RECOVERY:
    case VERSO_KIND_TWO_LEVEL: return true;
    default: return false;
    }
}

void verso_spec_title(const verso_schedule_spec *spec, uint64_t steps, verso_text *text) {
    verso_text_escaped(text, verso_kind_word(spec->kind));
    if (steps == VERSO_UNKNOWN)
        verso_text_string(text, ": steps not known");
    else
        verso_text_print(text, ": %s step%s", verso_grouped(steps).text, steps == 1 ? "" : "s");
    if (verso_kind_has_slots(spec->kind))
        verso_text_print(text, ", %s slot%s", verso_grouped(spec->slots).text, spec->slots == 1 ? "" : "s");
    else if (spec->kind == VERSO_KIND_LEVELS)
        verso_text_print(text, ", %zu tier%s", spec->tier_count, spec->tier_count == 1 ? "" : "s");
    else if (spec->kind == VERSO_KIND_EVERY_K)
        verso_text_print(text, ", k = %s", verso_grouped(spec->distance).text);
}
