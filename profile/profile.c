/* See profile.h and verso/profile.h. */
#include "profile/profile.h"

#include "base/alloc.h"

#include <string.h>

void verso_profile_free(verso_profile *profile) {
    if (profile == NULL)
        return;
    if (profile->count > 0 && profile->sites != NULL)
        verso__dealloc((char *)(uintptr_t)profile->sites[0].caller); /* the block of all texts */
    verso__dealloc(profile->sites);
    verso__dealloc(profile->levels);
    verso__calltree_free(profile->tree);
    verso__dealloc(profile);
}

static const char *copy_text(char **at, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

/* Copies the sites. All texts are in one block, which begins with the first caller. */
static bool copy_sites(verso_profile *profile, const verso_site *sites) {
    size_t size = 1;
    for (size_t i = 0; i < profile->count; i++)
        size += strlen(sites[i].caller) + strlen(sites[i].callee) + strlen(sites[i].where) + 3;
    char *at = verso__alloc(size, 1);
    verso_site *copies = verso__alloc(profile->count, sizeof *copies);
    if (at == NULL || copies == NULL) {
        verso__dealloc(at);
        verso__dealloc(copies);
        return false;
    }
    for (size_t i = 0; i < profile->count; i++) {
        copies[i] = sites[i];
        copies[i].caller = copy_text(&at, sites[i].caller);
        copies[i].callee = copy_text(&at, sites[i].callee);
        copies[i].where = copy_text(&at, sites[i].where);
    }
    profile->sites = copies;
    return true;
}

static bool force_sites(verso_profile *profile) {
    bool *always = verso__alloc(profile->count + 1, sizeof *always);
    if (always == NULL)
        return false;
    for (size_t i = 0; i < profile->count; i++)
        always[i] = profile->sites[i].always;
    verso__calltree_force(profile->tree, always);
    verso__dealloc(always);
    return true;
}

verso_profile *verso__profile_new(verso__calltree *tree, const verso_site *sites, size_t count,
                                  const verso__profile_run *run) {
    verso_profile *profile = verso__alloc(1, sizeof *profile);
    if (profile == NULL) {
        verso__calltree_free(tree);
        return NULL;
    }
    *profile = (verso_profile){.tree = tree, .count = count, .run = *run};
    profile->levels = verso__alloc(verso__calltree_count(tree), sizeof *profile->levels);
    if (profile->levels == NULL || (count > 0 && (!copy_sites(profile, sites) || !force_sites(profile)))) {
        verso_profile_free(profile);
        return NULL;
    }
    return profile;
}

size_t verso_profile_sites(const verso_profile *profile) {
    return profile->count;
}

verso_site verso_profile_site(const verso_profile *profile, size_t index) {
    return profile->sites[index];
}

double verso__profile_seconds(const verso_profile *profile, double seconds, uint64_t peak) {
    return (1 + profile->run.beyond) * (profile->run.seconds + seconds) + profile->run.touch * (double)peak;
}

verso_profile_cost verso_profile_predict(const verso_profile *profile, const bool *on) {
    verso__calltree_cost cost = verso__calltree_predict(profile->tree, on, profile->levels);
    return (verso_profile_cost){.peak_bytes = cost.peak,
                                .turn_bytes = cost.height,
                                .memory_bytes = cost.peak + profile->run.beside,
                                .seconds = verso__profile_seconds(profile, cost.seconds, cost.peak)};
}
