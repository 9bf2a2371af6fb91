/* What switching each call site alone would change, in the groups of paper 2, section 6. */
#ifndef PROFILE_EFFECTS_H
#define PROFILE_EFFECTS_H

#include <verso/profile.h>

/* The groups in the order in which they are shown. */
typedef enum verso__effect_group {
    VERSO_EFFECT_BOTH,  /* switching it off saves time and memory */
    VERSO_EFFECT_FREE,  /* switching it off saves time and leaves the peak unchanged */
    VERSO_EFFECT_TRADE, /* switching it off saves time and raises the peak */
    VERSO_EFFECT_OFF,   /* it is off; the effect is that of switching it on */
    VERSO_EFFECT_FIXED, /* it cannot be switched */
    VERSO_EFFECT_NEVER, /* it was not called */
} verso__effect_group;
enum { VERSO_EFFECT_GROUPS = VERSO_EFFECT_NEVER + 1 };

typedef struct verso__effect {
    size_t site; /* index in the profile's list */
    verso__effect_group group;
    uint64_t calls;                 /* how often it was called */
    double seconds;                 /* change of the gradient's duration */
    int64_t turn_bytes, peak_bytes; /* changes in bytes, see verso_profile_cost */
} verso__effect;

/* Fills in the effects relative to the choice `on` and returns the cost of that choice. `on` is changed meanwhile
 * and restored. `effects` has room for all sites; it is sorted by group, then by seconds, the largest saving first. */
verso_profile_cost verso__profile_effects(const verso_profile *profile, bool *on, verso__effect *effects);

/* Returns the group as a word for programs ("both", "free", "trade", "off", "fixed", "never"), and as a heading. */
const char *verso__effect_word(verso__effect_group group);
const char *verso__effect_heading(verso__effect_group group);

#endif
