/* Profiles as bytes: what is read is what was written, in every number that is predicted from it; and no change of any
 * byte, and no truncation, is taken for a profile. Trees whose checksum fits and that no program could have are
 * refused. VERSO_SEED says which trees; it is printed. With VERSO_FUZZ_SEEDS=DIRECTORY seeds of the fuzzer are left
 * there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/words.h"
#include "profile/effects.h"
#include "profile/file.h"
#include "profile/profile.h"
#include "profile/sites.h"
#include "tests/support/random_spec.h"

enum { PROFILES = 60, SITES = 6, CHOICES = 20, DEEPEST = 4 };

static const verso_site sites[SITES] = {{"main", "step", "ice.c:1", 0, false, false, false},
                                        {"step", "solve", "ice.c:20", 1, true, false, false},
                                        {"step", "solve", "ice.c:20", 2, false, false, false},
                                        {"solve", "*", "function solve", 0, true, false, false},
                                        {"solve", "norm", "a dir/norm.c:7", 3, false, false, false},
                                        {"norm", "norm", "a dir/norm.c:9", 0, false, false, true}};

/* ---- Making ---- */

/* The same body each time for the same seed: calls that are alike. */
static void watch(verso__calltree *tree, uint64_t seed, int depth) {
    random_source source = random_from_seed((seed + 1) * UINT64_C(0x9e3779b97f4a7c15));
    uint64_t body[8];
    size_t count = depth == 0 ? 0 : 1 + random_below(&source, 5), begin = count, end = count;
    if (count > 0 && random_below(&source, 2) == 0) { /* these calls are in the step of a fixed point */
        begin = random_below(&source, count);
        end = begin + random_below(&source, count - begin);
    }
    for (size_t i = 0; i < count; i++) {
        if (i == begin)
            assert_int_equal(verso__calltree_mark(tree, VERSO_CALLTREE_FIXED, 16), VERSO_STATUS_OK);
        body[i] = random_below(&source, 4);
        assert_int_equal(
            verso__calltree_meet(tree, (uint32_t)random_below(&source, SITES), 8 * body[i], 16 * (1 + body[i] % 3)),
            VERSO_STATUS_OK);
        verso__calltree_add_seconds(tree, 0.25 * (double)body[i]);
        verso__calltree_set_off_bytes(tree, body[i] == 2 ? 24 : 0);
        if (i == end)
            assert_int_equal(verso__calltree_mark(tree, VERSO_CALLTREE_FIXED_END, 64), VERSO_STATUS_OK);
    }
    assert_int_equal(verso__calltree_end(tree, 8 * random_below(&source, 10)), VERSO_STATUS_OK);
    for (size_t i = count; i-- > 0;) {
        assert_int_equal(verso__calltree_descend(tree), VERSO_STATUS_OK);
        watch(tree, body[i], depth - 1);
    }
}

static verso_profile *make(uint64_t seed, int depth) {
    verso__calltree *tree = verso__calltree_new();
    watch(tree, seed, depth);
    assert_int_equal(verso__calltree_finish(tree), VERSO_STATUS_OK);
    verso_profile *profile = verso__profile_new(
        tree, sites, SITES, &(verso__profile_run){1.5, 0.5, 1e-9, 1e-10, 1000, 2000, 0.25, true, false, 3000});
    assert_non_null(profile);
    return profile;
}

static verso_profile *parse(const unsigned char *bytes, size_t size) {
    verso_profile *profile = NULL;
    verso_error error = {0};
    verso_status status = verso__profile_parse(bytes, size, "FILE", &profile, &error);
    assert_true(status == VERSO_STATUS_OK ? profile != NULL : profile == NULL && error.status == VERSO_STATUS_CORRUPT);
    assert_true(status == VERSO_STATUS_OK || strstr(error.message, "'FILE'") != NULL);
    return profile;
}

static void seal(unsigned char *bytes, size_t size) {
    unsigned char *at = bytes + size - VERSO_WORD;
    verso__put_word(&at, verso__checksum(bytes, size - VERSO_WORD));
}

/* ---- Tests ---- */

static void expect_same(const verso_profile *a, const verso_profile *b, random_source *source) {
    assert_int_equal(verso_profile_sites(a), verso_profile_sites(b));
    for (size_t i = 0; i < SITES; i++) {
        verso_site one = verso_profile_site(a, i), other = verso_profile_site(b, i);
        assert_string_equal(one.caller, other.caller);
        assert_string_equal(one.callee, other.callee);
        assert_string_equal(one.where, other.where);
        assert_true(one.number == other.number && one.on == other.on && one.always == other.always &&
                    one.never == other.never);
    }
    for (int k = 0; k < CHOICES; k++) {
        bool on[SITES];
        verso__effect ours[SITES], theirs[SITES];
        for (size_t i = 0; i < SITES; i++)
            on[i] = random_below(source, 2);
        verso_profile_cost one = verso__profile_effects(a, on, ours), other = verso__profile_effects(b, on, theirs);
        assert_true(one.peak_bytes == other.peak_bytes && one.turn_bytes == other.turn_bytes &&
                    one.seconds == other.seconds);
        for (size_t i = 0; i < SITES; i++)
            assert_true(ours[i].site == theirs[i].site && ours[i].calls == theirs[i].calls &&
                        ours[i].group == theirs[i].group && ours[i].peak_bytes == theirs[i].peak_bytes &&
                        ours[i].turn_bytes == theirs[i].turn_bytes && ours[i].seconds == theirs[i].seconds);
    }
}

static void leave_seed(const unsigned char *bytes, size_t size, int number) {
    const char *folder = getenv("VERSO_FUZZ_SEEDS");
    char path[512];
    if (folder == NULL || size > 4000)
        return;
    snprintf(path, sizeof path, "%s/profile-%d", folder, number);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int k = 0; k < PROFILES; k++) {
        size_t size, again;
        verso_profile *profile = make(random_below(&source, UINT64_MAX), k % (DEEPEST + 1));
        unsigned char *bytes = verso__profile_bytes(profile, &size), *copy;
        assert_non_null(bytes);
        if (k < 8)
            leave_seed(bytes, size, k);
        verso_profile *read = parse(bytes, size);
        assert_non_null(read);
        expect_same(profile, read, &source);
        copy = verso__profile_bytes(read, &again);
        assert_true(again == size && memcmp(bytes, copy, size) == 0);
        verso__dealloc(copy);
        verso__dealloc(bytes);
        verso_profile_free(read);
        verso_profile_free(profile);
    }
}

static void files_are_written_and_read(void **state) {
    (void)state;
    char path[] = "/tmp/verso-profile-XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    random_source source = random_from_seed(1);
    verso_profile *profile = make(2, 2), *read = NULL;
    verso_error error = {0};
    assert_int_equal(verso_profile_write(profile, path, &error), VERSO_STATUS_OK);
    assert_int_equal(verso_profile_read(path, &read, &error), VERSO_STATUS_OK);
    expect_same(profile, read, &source);
    unlink(path);
    verso_profile_free(read);
    assert_int_equal(verso_profile_read(path, &read, &error), VERSO_STATUS_IO);
    assert_null(read);
    assert_int_equal(verso_profile_write(profile, "/none/such", &error), VERSO_STATUS_IO);
    verso_profile_free(profile);
}

static void damage_is_found(void **state) {
    (void)state;
    size_t size;
    verso_profile *profile = make(3, 2);
    unsigned char *bytes = verso__profile_bytes(profile, &size);
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 8; bit += 3) {
            bytes[i] ^= (unsigned char)(1 << bit);
            assert_null(parse(bytes, size));
            bytes[i] ^= (unsigned char)(1 << bit);
        }
        assert_null(parse(bytes, i));
    }
    verso_profile_free(parse(bytes, size));
    verso__dealloc(bytes);
    verso_profile_free(profile);
}

/* Sets every word to misleading values and corrects the checksum. A profile that is still accepted must yield
 * predictions. */
static void no_word_leads_astray(void **state) {
    (void)state;
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      7,
                                      UINT32_MAX,
                                      UINT64_C(1) << 32,
                                      UINT64_MAX / 2,
                                      UINT64_MAX,
                                      0x7ff0000000000000 /* infinity */,
                                      0xbff0000000000000 /* -1 */};
    size_t size, refused = 0, tried = 0;
    verso_profile *profile = make(4, DEEPEST);
    for (uint64_t seed = 5; verso__calltree_count(profile->tree) < 6; seed++) {
        verso_profile_free(profile);
        profile = make(seed, DEEPEST);
    }
    unsigned char *bytes = verso__profile_bytes(profile, &size);
    for (size_t at = 2 * VERSO_WORD; at + VERSO_WORD < size; at += VERSO_WORD)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            unsigned char *copy = memcpy(verso__alloc(size, 1), bytes, size), *to = copy + at;
            verso__put_word(&to, values[k]);
            seal(copy, size);
            verso_profile *read = parse(copy, size);
            bool on[SITES] = {true, true, true, true, true, true};
            verso__effect effects[SITES];
            if (read != NULL && verso_profile_sites(read) == SITES)
                (void)verso__profile_effects(read, on, effects);
            tried++;
            refused += read == NULL;
            verso_profile_free(read);
            verso__dealloc(copy);
        }
    print_message("%zu of %zu changes refused\n", refused, tried);
    assert_true(refused > tried / 2);
    verso__dealloc(bytes);
    verso_profile_free(profile);
}

/* A profile of a run that calls site 0 twice, which calls site 1. */
static verso_profile *profile_of_two_calls(void) {
    verso__calltree *tree = verso__calltree_new();
    for (int i = 0; i < 2; i++)
        assert_int_equal(verso__calltree_meet(tree, 0, 8, 160), VERSO_STATUS_OK);
    assert_int_equal(verso__calltree_end(tree, 8), VERSO_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(verso__calltree_descend(tree), VERSO_STATUS_OK);
        assert_int_equal(verso__calltree_meet(tree, 1, 24, 32), VERSO_STATUS_OK);
        assert_int_equal(verso__calltree_end(tree, 40), VERSO_STATUS_OK);
        assert_int_equal(verso__calltree_descend(tree), VERSO_STATUS_OK);
        assert_int_equal(verso__calltree_end(tree, 400), VERSO_STATUS_OK);
    }
    assert_int_equal(verso__calltree_finish(tree), VERSO_STATUS_OK);
    return verso__profile_new(tree, sites, 2, &(verso__profile_run){.seconds = 0.5});
}

/* Each field in turn gets a value that contradicts the rest of the profile. */
static void impossible_trees_are_refused(void **state) {
    (void)state;
    enum { HEADER = 15, A_SITE = 5, A_NODE = 8 };
    enum { NODE_SITE, NODE_FIRST, NODE_SNAPSHOT, NODE_BEHIND, NODE_STRAIGHT, NODE_CALLS, NODE_SECONDS, NODE_MISSING };
    verso_profile *profile = profile_of_two_calls();
    size_t size;
    unsigned char *bytes = verso__profile_bytes(profile, &size);
    const size_t nodes = HEADER + 2 * A_SITE, cells = nodes + 3 * A_NODE;
    const struct {
        size_t word;
        uint64_t value;
    } wrong[] = {{6, 0x7ff0000000000000},                    /* a gradient without end */
                 {7, 0xbff0000000000000},                    /* -1 s of running forward, */
                 {8, 0xbff0000000000000},                    /* of copying, */
                 {9, 0xbff0000000000000},                    /* of fresh memory */
                 {10, UINT64_MAX / 2},                       /* memory that overflows with a peak */
                 {11, UINT64_MAX / 2},                       /* and within a budget */
                 {12, 0x3ff0000000000000},                   /* of half a run, though it was not cut */
                 {13, 2},                                    /* without an end, though it was not cut */
                 {HEADER + 4, 2},                            /* neither on nor off */
                 {HEADER, 0},                                /* a site without a caller */
                 {nodes + NODE_SITE, 2},                     /* a site that is not there */
                 {nodes + NODE_SITE, UINT32_MAX},            /* a second whole run */
                 {nodes + 2 * A_NODE + NODE_SITE, 0},        /* and none */
                 {nodes + NODE_FIRST, 0},                    /* a call within itself */
                 {nodes + A_NODE + NODE_FIRST, 3},           /* a cell that is not there */
                 {nodes + NODE_CALLS, 3},                    /* more calls than those around it make */
                 {nodes + A_NODE + NODE_CALLS, 1},           /* fewer */
                 {nodes + 2 * A_NODE + NODE_CALLS, 2},       /* two runs */
                 {nodes + NODE_SNAPSHOT, UINT64_MAX / 2},    /* a peak that overflows */
                 {nodes + NODE_STRAIGHT, UINT64_MAX / 2},    /* and when the site is off */
                 {nodes + NODE_SECONDS, 0xbff0000000000000}, /* -1 */
                 {nodes + NODE_MISSING, 0x3ff0000000000000}, /* half a call */
                 {cells, 3},                                 /* a node that is not there */
                 {cells, VERSO_CALLTREE_FIXED},              /* a step of a fixed point that does not end */
                 {cells, VERSO_CALLTREE_FIXED_END},          /* one that does not begin */
                 {cells, 2},                                 /* the whole run within a call of it */
                 {cells + 1, 0},                             /* a list without end */
                 {cells + 3 + 1, 2},                         /* one that goes on behind */
                 {cells + 2, UINT64_MAX - 50}};              /* records that overflow */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        unsigned char *copy = memcpy(verso__alloc(size, 1), bytes, size), *to = copy + wrong[i].word * VERSO_WORD;
        verso__put_word(&to, wrong[i].value);
        seal(copy, size);
        if (parse(copy, size) != NULL)
            fail_msg("change %zu was read", i);
        verso__dealloc(copy);
    }
    bytes[size - VERSO_WORD - 1] = '\n'; /* in a place */
    seal(bytes, size);
    assert_null(parse(bytes, size));
    verso__dealloc(bytes);
    verso_profile_free(profile);
}

/* ---- The text of sites ---- */

static verso_status keep(void *context, const char *text, size_t size) {
    strncat(context, text, size);
    return VERSO_STATUS_OK;
}

static void sites_are_read_as_written(void **state) {
    (void)state;
    for (unsigned choice = 0; choice < 1u << SITES; choice++) {
        verso_site written[SITES], read[SITES];
        verso__plan plan = {choice % 3 * 1000, choice % 2 * 5000, choice % 2 * 70, choice % 2 * 9}, planned = {0};
        char text[4096] = "";
        verso__text to = {.sink = keep, .context = text};
        verso_error error;
        for (unsigned i = 0; i < SITES; i++) {
            written[i] = read[i] = sites[i];
            written[i].on = (choice >> i & 1) && !sites[i].never;
        }
        verso__sites_put(written, SITES, &plan, &to);
        assert_int_equal(verso__text_close(&to), VERSO_STATUS_OK);
        assert_int_equal(verso__sites_apply(read, SITES, "text", text, &planned, &error), VERSO_STATUS_OK);
        assert_true(planned.memory == plan.memory);
        assert_true(plan.memory == 0 ||
                    (planned.leaf == plan.leaf && planned.tape == plan.tape && planned.capsule == plan.capsule));
        for (unsigned i = 0; i < SITES; i++)
            assert_true(read[i].on == written[i].on);
    }
    verso_site list[SITES];
    verso__plan plan = {0};
    verso_error error;
    memcpy(list, sites, sizeof list);
    assert_int_equal(verso__sites_apply(list, SITES, "t", "on step solve ice.c:20#3", &plan, &error),
                     VERSO_STATUS_INVALID);
    assert_int_equal(verso__sites_apply(list, SITES, "t", "on step solve *#2\noff * norm *\n# on\n", &plan, &error),
                     VERSO_STATUS_OK);
    assert_true(list[2].on && list[1].on && !list[5].on);
    assert_int_equal(verso__sites_apply(list, SITES, "t", "memory 2M\nstep 3M 1M 5k # so", &plan, &error),
                     VERSO_STATUS_OK);
    assert_true(plan.memory == 2000000 && plan.leaf == 3000000 && plan.tape == 1000000 && plan.capsule == 5000);
    static const char *const wrong[] = {"memory", "memory much", "memory 1 2", "step 1", "step 1 x 2", "step 1 2 3 4"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(verso__sites_apply(list, SITES, "t", wrong[i], &plan, &error), VERSO_STATUS_INVALID);
    assert_true(plan.memory == 2000000 && plan.leaf == 3000000 && plan.tape == 1000000 && plan.capsule == 5000);
}

/* No text overrides a mark in the source; a text that names the function and contradicts the mark is refused. */
static void marks_are_kept(void **state) {
    (void)state;
    verso_site list[] = {{"f", "a", "m.c:1", 0, false, false, true},
                         {"f", "b", "m.c:2", 1, true, true, false},
                         {"f", "c", "m.c:3", 2, false, false, false}};
    verso__plan plan = {0};
    verso_error error;
    assert_int_equal(verso__sites_apply(list, 3, "t", "on * * *", &plan, &error), VERSO_STATUS_OK);
    assert_true(!list[0].on && list[1].on && list[2].on);
    assert_int_equal(verso__sites_apply(list, 3, "t", "off f * *\noff * a *\non * b m.c:2", &plan, &error),
                     VERSO_STATUS_OK);
    assert_true(!list[0].on && list[1].on && !list[2].on);
    assert_int_equal(verso__sites_apply(list, 3, "t", "on * c *\non f a *", &plan, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "t:2: calls of 'a' cannot be checkpointed: the source marks it"));
    assert_int_equal(verso__sites_apply(list, 3, "t", "off * b *", &plan, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "t:1: calls of 'b' are always checkpointed"));
    char text[4096] = "";
    verso__text to = {.sink = keep, .context = text};
    list[0].on = true;
    list[1].on = false;
    verso__sites_put(list, 3, &plan, &to);
    assert_int_equal(verso__text_close(&to), VERSO_STATUS_OK);
    assert_non_null(strstr(text, "off  f  a"));
    assert_non_null(strstr(text, "on   f  b"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read),
                                       cmocka_unit_test(files_are_written_and_read),
                                       cmocka_unit_test(damage_is_found),
                                       cmocka_unit_test(no_word_leads_astray),
                                       cmocka_unit_test(impossible_trees_are_refused),
                                       cmocka_unit_test(sites_are_read_as_written),
                                       cmocka_unit_test(marks_are_kept)};
    return cmocka_run_group_tests_name("profile files", tests, NULL, NULL);
}
