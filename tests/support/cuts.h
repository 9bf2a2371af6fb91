/* Gradients whose reverse sweep is cut into stretches, by which tests compare capsules and recordings at safepoints. */
#ifndef TESTS_SUPPORT_CUTS_H
#define TESTS_SUPPORT_CUTS_H

#include <verso/native.h>

#ifdef __cplusplus
extern "C"
#endif
    void
    verso__native_cut_next(uint64_t cuts, uint64_t seed); /* native/api/derive.h */

/* The next gradient is cut at `cuts` random safepoints (UINT64_MAX: at all). Returns the options to pass to it. */
static inline const verso_native_options *cut_at(uint64_t cuts, uint64_t seed) {
    static const verso_native_options defaults = VERSO_NATIVE_OPTIONS_INIT;
    verso__native_cut_next(cuts, seed);
    return &defaults;
}

#endif
