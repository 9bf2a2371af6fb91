/* See effects.h. Each site is switched, and the whole gradient predicted again, so the effects are exact. */
#include "profile/effects.h"

#include "profile/profile.h"

#include <stdlib.h>

const char *verso__effect_word(verso__effect_group group) {
    static const char *const words[] = {"both", "free", "trade", "off", "fixed", "never"};
    return words[group];
}

const char *verso__effect_heading(verso__effect_group group) {
    static const char *const headings[] = {"Switching these off saves time and memory",
                                           "Switching these off saves time and leaves the peak unchanged",
                                           "Switching these off saves time and costs memory",
                                           "Off; switching these on changes",
                                           "Always or never checkpointed, as the source says",
                                           "Not called"};
    return headings[group];
}

static verso__effect_group group_of(const verso_site *site, bool was_on, uint64_t calls, int64_t peak_bytes) {
    if (site->never || (site->always && calls > 0))
        return VERSO_EFFECT_FIXED;
    if (calls == 0)
        return VERSO_EFFECT_NEVER;
    if (!was_on)
        return VERSO_EFFECT_OFF;
    return peak_bytes < 0 ? VERSO_EFFECT_BOTH : peak_bytes == 0 ? VERSO_EFFECT_FREE : VERSO_EFFECT_TRADE;
}

static int compare_effects(const void *a, const void *b) {
    const verso__effect *one = a, *other = b;
    if (one->group != other->group)
        return one->group < other->group ? -1 : 1;
    if (one->seconds != other->seconds)
        return one->seconds < other->seconds ? -1 : 1;
    return (one->site > other->site) - (one->site < other->site);
}

verso_profile_cost verso__profile_effects(const verso_profile *profile, bool *on, verso__effect *effects) {
    const verso__calltree_node *nodes = verso__calltree_nodes(profile->tree);
    verso_profile_cost now = verso_profile_predict(profile, on);
    for (size_t i = 0; i < profile->count; i++)
        effects[i] = (verso__effect){.site = i};
    for (size_t i = 0; i < verso__calltree_count(profile->tree); i++)
        if (nodes[i].site != VERSO_CALLTREE_NONE)
            effects[nodes[i].site].calls += nodes[i].calls;
    for (size_t i = 0; i < profile->count; i++) {
        on[i] = !on[i];
        verso_profile_cost then = verso_profile_predict(profile, on);
        on[i] = !on[i];
        effects[i].seconds = then.seconds - now.seconds;
        effects[i].turn_bytes = (int64_t)(then.turn_bytes - now.turn_bytes);
        effects[i].peak_bytes = (int64_t)(then.peak_bytes - now.peak_bytes);
        effects[i].group = group_of(&profile->sites[i], on[i], effects[i].calls, effects[i].peak_bytes);
    }
    if (profile->count > 0)
        qsort(effects, profile->count, sizeof *effects, compare_effects);
    return now;
}
