/* What switching each site alone would change, in the groups of paper 2, section 6. */
#ifndef PROFILE_EFFECTS_H
#define PROFILE_EFFECTS_H

#include <verso/profile.h>

/* In the order in which they are looked at. */
typedef enum verso_effect_group {
    VERSO_EFFECT_BOTH,  /* switching it off gains time and memory */
    VERSO_EFFECT_FREE,  /* gains time, and the peak stays */
    VERSO_EFFECT_TRADE, /* gains time for memory */
    VERSO_EFFECT_OFF,   /* it is off: what switching it on would change */
    VERSO_EFFECT_NEVER, /* it was not called */
} verso_effect_group;
enum { VERSO_EFFECT_GROUPS = VERSO_EFFECT_NEVER + 1 };

typedef struct verso_effect {
    size_t site;
    verso_effect_group group;
    uint64_t calls;
    double seconds;
    int64_t turn_bytes, peak_bytes;
} verso_effect;

/* For the choice `on`, which is as it was afterwards; returns what that costs. `effects` has room for all sites: sorted
 * by group, then by the time that is gained, or lost least. */
verso_profile_cost verso_profile_effects(const verso_profile *profile, bool *on, verso_effect *effects);

/* "both", "free", "trade", "off", "never": for programs; and a heading for people. */
const char *verso_effect_word(verso_effect_group group);
const char *verso_effect_heading(verso_effect_group group);

#endif
