/* Profiles when the n-th allocation fails, for every n: made, written, read, searched, tuned and shown as pages, each
 * is an error and nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "profile/effects.h"
#include "profile/file.h"
#include "profile/page.h"
#include "profile/profile.h"
#include "tests/support/folder.h"

enum { SITES = 8, STEPS = 70 }; /* more than the first room of any table */

static const verso_site sites[SITES] = {
    {"main", "step", "ice.c:1", 0, true, false, false},    {"step", "solve", "ice.c:20", 1, true, false, false},
    {"step", "solve", "ice.c:20", 2, false, false, false}, {"solve", "*", "function solve", 0, true, false, false},
    {"solve", "norm", "norm.c:7", 3, true, false, false},  {"norm", "dot", "norm.c:9", 0, true, true, false},
    {"norm", "dot", "norm.c:10", 0, true, false, false},   {"step", "never", "ice.c:30", 3, false, false, false}};
static char *folder, path[4096];

typedef verso_status trial(const verso_profile *profile, verso_error *error);

/* ---- What is tried ---- */

/* No two calls are alike. */
static void watch(verso__calltree *tree, uint32_t site, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        (void)verso__calltree_meet(tree, site, 8 * i, 16 + 16 * i);
        verso__calltree_add_seconds(tree, 1e-3 * site);
        verso__calltree_set_off_bytes(tree, site == 6 ? 8 : 0);
    }
    (void)verso__calltree_end(tree, 8 * count);
    for (unsigned i = count; i-- > 0;)
        if (verso__calltree_descend(tree) == VERSO_STATUS_OK)
            watch(tree, site + 1, site < 3 ? 2 : site < 6 ? 1 + i % 2 : 0);
}

static verso_profile *make(void) {
    verso__calltree *tree = verso__calltree_new();
    if (tree == NULL)
        return NULL;
    watch(tree, 0, STEPS);
    if (verso__calltree_finish(tree) == VERSO_STATUS_OK)
        return verso__profile_new(tree, sites, SITES,
                                  &(verso__profile_run){.seconds = 0.5, .forward = 0.1, .copy = 1e-10, .touch = 1e-10});
    verso__calltree_free(tree);
    return NULL;
}

static verso_status making(const verso_profile *profile, verso_error *error) {
    verso_profile *made = make();
    bool on[SITES] = {false};
    if (made != NULL)
        assert_int_equal(verso_profile_predict(made, on).peak_bytes, verso_profile_predict(profile, on).peak_bytes);
    verso_profile_free(made);
    *error = (verso_error){.status = made == NULL ? VERSO_STATUS_NO_MEMORY : VERSO_STATUS_OK, .message = "-"};
    return error->status;
}

static verso_status writing(const verso_profile *profile, verso_error *error) {
    return verso_profile_write(profile, path, error);
}

static verso_status reading(const verso_profile *profile, verso_error *error) {
    verso_profile *read;
    verso_status status = verso_profile_read(path, &read, error);
    assert_int_equal(read == NULL, status != VERSO_STATUS_OK);
    if (read != NULL)
        assert_int_equal(verso_profile_sites(read), verso_profile_sites(profile));
    verso_profile_free(read);
    return status;
}

static verso_status swallow(void *context, const char *text, size_t size) {
    (void)context;
    (void)text;
    (void)size;
    return VERSO_STATUS_OK;
}

static verso_status tuning(const verso_profile *profile, verso_error *error) {
    verso__tuning tuned;
    verso_status status = verso__tuning_open(profile, UINT64_C(1) << 40, VERSO_TUNE_BEST, &tuned, error);
    if (status == VERSO_STATUS_OK) {
        bool on[SITES];
        verso__effect effects[SITES];
        memcpy(on, tuned.chosen, sizeof on);
        verso__profile_view view = {.program = "ice", .profile = profile, .effects = effects};
        view.cost = verso__profile_effects(profile, on, effects);
        status = verso__tuning_html(&view, &tuned, &view.cost, swallow, NULL);
        *error = (verso_error){.status = status, .message = "-"};
    }
    verso__tuning_close(&tuned);
    return status;
}

/* A search that cannot try everything. */
static verso_status searching(const verso_profile *profile, verso_error *error) {
    verso__front front;
    verso_status status = verso__front_find(profile->tree, SITES, 2000, &front);
    if (status == VERSO_STATUS_OK)
        assert_true(front.count > 0 && !front.exact);
    verso__front_free(&front);
    *error = (verso_error){.status = status, .message = "-"};
    return status;
}

/* ---- Every allocation ---- */

static void try_every(trial *one, const verso_profile *profile) {
    uint64_t live = verso__alloc_live(), n = 1;
    for (;; n++) {
        verso_error error = {0};
        verso__alloc_fail_at(n);
        verso_status status = one(profile, &error);
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), live);
        if (status == VERSO_STATUS_OK)
            break;
        assert_int_equal(status, VERSO_STATUS_NO_MEMORY);
        assert_int_equal(error.status, VERSO_STATUS_NO_MEMORY);
        assert_true(error.message[0] != '\0');
    }
    assert_true(n > 1); /* something was allocated */
}

static void failures_are_errors_and_lose_nothing(void **state) {
    (void)state;
    verso_profile *profile = make();
    verso_error error;
    assert_non_null(profile);
    try_every(making, profile);
    try_every(writing, profile);
    assert_int_equal(verso_profile_write(profile, path, &error), VERSO_STATUS_OK);
    try_every(reading, profile);
    try_every(tuning, profile);
    try_every(searching, profile);
    verso_profile_free(profile);
}

static int prepare(void **state) {
    (void)state;
    folder = folder_new();
    snprintf(path, sizeof path, "%s/profile", folder);
    return 0;
}

static int end(void **state) {
    (void)state;
    unlink(path);
    folder_remove(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(failures_are_errors_and_lose_nothing)};
    return cmocka_run_group_tests_name("profiles, failing allocations", tests, prepare, end);
}
