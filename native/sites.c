/* The public side of checkpointed calls: which there are, and switching them. See verso/native.h and profile/sites.h,
 * which has the text; callsites.c does the work. */
#define _GNU_SOURCE /* strverscmp */
#include "native/native.h"

#include "base/alloc.h"
#include "base/file.h"
#include "native/settings.h"
#include "profile/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_sites(const void *a, const void *b) {
    const verso_native_callsite *one = *(verso_native_callsite *const *)a, *other = *(verso_native_callsite *const *)b;
    int order = strverscmp(one->where, other->where);
    if (order == 0)
        order = strcmp(one->caller, other->caller);
    return order != 0 ? order : (one->number > other->number) - (one->number < other->number);
}

/* Made when somebody asks first. NULL: there is no memory, or there are none. */
static verso_native_callsite **sorted(void) {
    size_t count;
    verso_native_callsite *sites = verso_native_callsites(&count), **list = verso_native_runtime.sites;
    if (list != NULL || count == 0)
        return list;
    list = verso_alloc(count, sizeof(verso_native_callsite *));
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = &sites[i];
    qsort(list, count, sizeof(verso_native_callsite *), compare_sites);
    return verso_native_runtime.sites = list;
}

size_t verso_site_count(void) {
    size_t count;
    verso_native_callsites(&count);
    return sorted() != NULL ? count : 0;
}

static void turn(verso_native_callsite *site, bool on) {
    if (site->kind != VERSO_NATIVE_SITE_ALWAYS)
        site->on = on;
}

verso_site verso_site_get(size_t index) {
    const verso_native_callsite *site = sorted()[index];
    return (verso_site){site->caller, site->callee,  site->where,
                        site->number, site->on != 0, site->kind == VERSO_NATIVE_SITE_ALWAYS};
}

void verso_site_set(size_t index, bool on) {
    turn(sorted()[index], on);
}

uint32_t verso_native_site_number(size_t index) {
    size_t count;
    return (uint32_t)(sorted()[index] - verso_native_callsites(&count));
}

verso_site *verso_native_sites_list(size_t *count) {
    verso_native_callsites(count);
    verso_site *sites = verso_alloc(*count + 1, sizeof *sites);
    if (sites == NULL || (*count > 0 && sorted() == NULL)) {
        verso_dealloc(sites);
        return NULL;
    }
    for (size_t i = 0; i < *count; i++)
        sites[i] = verso_site_get(i);
    return sites;
}

verso_status verso_sites_switch(const char *name, const char *text, verso_error *error) {
    size_t count;
    verso_site *sites = verso_native_sites_list(&count);
    if (sites == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the list of calls.");
    verso_status status = verso_sites_apply(sites, count, name, text, &verso_native_runtime.plan, error);
    for (size_t i = 0; i < count; i++)
        verso_site_set(i, sites[i].on);
    verso_dealloc(sites);
    return status;
}

verso_status verso_sites_read(const char *path, verso_error *error) {
    char *text;
    size_t size;
    verso_status status = verso_file_whole(&verso_system_machine, path, &text, &size, error);
    if (status == VERSO_OK)
        status = verso_sites_switch(path, text, error);
    verso_dealloc(text);
    return status;
}

/* Names of functions, with commas between. */
static verso_status switch_functions(const char *variable, const char *names, const char *how, verso_error *error) {
    verso_status status = VERSO_OK;
    char line[VERSO_MESSAGE_MAX];
    for (const char *name = names; name != NULL && status == VERSO_OK;) {
        size_t length = strcspn(name, ",");
        if (length == 0 || length > sizeof line / 2)
            return verso_fail(error, VERSO_INVALID, "%s: expected names of functions, with commas between.", variable);
        snprintf(line, sizeof line, "%s * %.*s *", how, (int)length, name);
        status = verso_sites_switch(variable, line, error);
        name = name[length] != '\0' ? name + length + 1 : NULL;
    }
    return status;
}

verso_status verso_native_sites_told(const verso_native_settings *settings, verso_error *error) {
    if (verso_native_runtime.sites_told)
        return VERSO_OK;
    verso_status status = settings->sites != NULL ? verso_sites_read(settings->sites, error) : VERSO_OK;
    if (status == VERSO_OK)
        status = switch_functions("VERSO_CHECKPOINT", settings->checkpoint, "on", error);
    if (status == VERSO_OK)
        status = switch_functions("VERSO_NOCHECKPOINT", settings->nocheckpoint, "off", error);
    verso_native_runtime.sites_told = status == VERSO_OK;
    return status;
}
