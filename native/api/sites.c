/* The public functions for call sites: listing and switching them. See verso/native.h, and profile/sites.h for
 * the text format; callsites.c does the work. */
#define _GNU_SOURCE /* strverscmp */
#include "native/api/api.h"

#include "base/alloc.h"
#include "base/file.h"
#include "native/api/settings.h"
#include "profile/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    verso__native_callsite **list; /* sorted by source location; NULL: not made yet */
    bool applied;                  /* the environment variables were applied */
    bool chosen;                   /* some site was set */
    verso__plan plan;              /* the plan that texts of sites have set */
} sites_state;

static int compare_sites(const void *a, const void *b) {
    const verso__native_callsite *one = *(verso__native_callsite *const *)a,
                                 *other = *(verso__native_callsite *const *)b;
    int order = strverscmp(one->where, other->where);
    if (order == 0)
        order = strcmp(one->caller, other->caller);
    return order != 0 ? order : (one->number > other->number) - (one->number < other->number);
}

/* Returns all sites, sorted. Makes the list at the first call. NULL if there is no memory, or if there are no
 * sites. */
static verso__native_callsite **sorted(void) {
    size_t count;
    verso__native_callsite *sites = verso__native_callsites(&count), **list = sites_state.list;
    if (list != NULL || count == 0)
        return list;
    list = verso__alloc(count, sizeof(verso__native_callsite *));
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = &sites[i];
    qsort(list, count, sizeof(verso__native_callsite *), compare_sites);
    return sites_state.list = list;
}

size_t verso_site_count(void) {
    size_t count;
    verso__native_callsites(&count);
    return sorted() != NULL ? count : 0;
}

static void turn(verso__native_callsite *site, bool on) {
    if (site->kind != VERSO_NATIVE_SITE_ALWAYS && site->mark == VERSO_NATIVE_MARK_NONE)
        site->on = on;
}

verso_site verso_site_get(size_t index) {
    const verso__native_callsite *site = sorted()[index];
    return (verso_site){.caller = site->caller,
                        .callee = site->callee,
                        .where = site->where,
                        .number = site->number,
                        .on = site->on != 0,
                        .always = site->kind == VERSO_NATIVE_SITE_ALWAYS || site->mark == VERSO_NATIVE_MARK_ALWAYS,
                        .never = site->kind != VERSO_NATIVE_SITE_ALWAYS && site->mark == VERSO_NATIVE_MARK_NEVER};
}

void verso_site_set(size_t index, bool on) {
    turn(sorted()[index], on);
    sites_state.chosen = true;
}

bool verso__native_sites_are_chosen(void) {
    return sites_state.chosen;
}

uint32_t verso__native_site_number(size_t index) {
    size_t count;
    return (uint32_t)(sorted()[index] - verso__native_callsites(&count));
}

verso_site *verso__native_sites_list(size_t *count) {
    verso__native_callsites(count);
    verso_site *sites = verso__alloc(*count + 1, sizeof *sites);
    if (sites == NULL || (*count > 0 && sorted() == NULL)) {
        verso__dealloc(sites);
        return NULL;
    }
    for (size_t i = 0; i < *count; i++)
        sites[i] = verso_site_get(i);
    return sites;
}

verso_status verso_sites_switch(const char *name, const char *text, verso_error *error) {
    size_t count;
    verso_site *sites = verso__native_sites_list(&count);
    if (sites == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the list of calls");
    verso_status status = verso__sites_apply(sites, count, name, text, &sites_state.plan, error);
    for (size_t i = 0; i < count; i++)
        verso_site_set(i, sites[i].on);
    verso__dealloc(sites);
    return status;
}

verso_status verso_sites_read(const char *path, verso_error *error) {
    char *text;
    size_t size;
    verso_status status = verso__file_whole(&verso__system_machine, path, &text, &size, error);
    if (status == VERSO_STATUS_OK)
        status = verso_sites_switch(path, text, error);
    verso__dealloc(text);
    return status;
}

/* Switches all calls of the named functions; names are separated by commas. */
static verso_status switch_functions(const char *variable, const char *names, const char *how, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    char line[VERSO_MESSAGE_MAX];
    for (const char *name = names; name != NULL && status == VERSO_STATUS_OK;) {
        size_t length = strcspn(name, ",");
        if (length == 0 || length > sizeof line / 2)
            return verso__fail(error, VERSO_STATUS_INVALID, "%s: expected names of functions, separated by commas",
                               variable);
        snprintf(line, sizeof line, "%s * %.*s *", how, (int)length, name);
        status = verso_sites_switch(variable, line, error);
        name = name[length] != '\0' ? name + length + 1 : NULL;
    }
    return status;
}

verso_status verso__native_sites_apply_settings(const verso__native_settings *settings, verso_error *error) {
    if (sites_state.applied)
        return VERSO_STATUS_OK;
    verso_status status = settings->sites != NULL ? verso_sites_read(settings->sites, error) : VERSO_STATUS_OK;
    if (status == VERSO_STATUS_OK)
        status = switch_functions("VERSO_CHECKPOINT", settings->checkpoint, "on", error);
    if (status == VERSO_STATUS_OK)
        status = switch_functions("VERSO_NOCHECKPOINT", settings->nocheckpoint, "off", error);
    sites_state.applied = status == VERSO_STATUS_OK;
    return status;
}

const verso__plan *verso__native_sites_plan(void) {
    return &sites_state.plan;
}
