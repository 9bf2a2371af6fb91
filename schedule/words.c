/* See words.h. The number of tiers is computed here from the spec, and not by each kind, so that code without a
 * schedule (the report of a finished run) names the same tiers. */
#include "schedule/words.h"

#include <string.h>

size_t verso__spec_tiers(const verso_schedule_spec *spec) {
    switch (spec->kind) {
    case VERSO_KIND_DISK:
    case VERSO_KIND_PERIODIC:
    case VERSO_KIND_TWO_LEVEL: return 2;
    case VERSO_KIND_ONLINE: return spec->with_disk ? 2 : 1;
    case VERSO_KIND_LEVELS: return spec->tier_count < VERSO_TIERS_MAX ? spec->tier_count : VERSO_TIERS_MAX;
    default: return 1;
    }
}

uint64_t verso__spec_capacity(const verso_schedule_spec *spec, size_t tier) {
    switch (spec->kind) {
    case VERSO_KIND_LEVELS: return spec->tiers[tier].capacity;
    case VERSO_KIND_NONE: return 1;
    case VERSO_KIND_STORE_ALL:
    case VERSO_KIND_EVERY_K: return VERSO_UNKNOWN;
    case VERSO_KIND_TREEVERSE:
    case VERSO_KIND_BINARY: return spec->space > 0 ? spec->space : VERSO_UNKNOWN;
    case VERSO_KIND_TWO_LEVEL: return spec->slots;
    default: return tier == 0 ? spec->slots : VERSO_UNKNOWN;
    }
}

const char *verso__spec_tier_name(const verso_schedule_spec *spec, size_t tier) {
    static const char *const numbers[VERSO_TIERS_MAX] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    if (tier >= verso__spec_tiers(spec))
        return "none";
    if (spec->kind == VERSO_KIND_LEVELS)
        return numbers[tier];
    return tier == 0 ? "memory" : "disk";
}

verso__number verso__spec_tier_title(const verso_schedule_spec *spec, size_t tier) {
    verso__number title;
    strcpy(title.text, spec->kind == VERSO_KIND_LEVELS ? "tier " : "");
    strcat(title.text, verso__spec_tier_name(spec, tier));
    return title;
}

bool verso__kind_has_slots(verso_schedule_kind kind) {
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

void verso__spec_title(const verso_schedule_spec *spec, uint64_t steps, verso__text *text) {
    verso__text_escaped(text, verso_kind_word(spec->kind));
    if (steps == VERSO_UNKNOWN)
        verso__text_string(text, ": steps not known");
    else
        verso__text_print(text, ": %s step%s", verso__grouped(steps).text, steps == 1 ? "" : "s");
    if (verso__kind_has_slots(spec->kind))
        verso__text_print(text, ", %s slot%s", verso__grouped(spec->slots).text, spec->slots == 1 ? "" : "s");
    else if (spec->kind == VERSO_KIND_LEVELS)
        verso__text_print(text, ", %zu tier%s", spec->tier_count, spec->tier_count == 1 ? "" : "s");
    else if (spec->kind == VERSO_KIND_EVERY_K)
        verso__text_print(text, ", k = %s", verso__grouped(spec->distance).text);
}
