/* Pictures: well-formed, complete where there is room, small where there is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <verso/picture.h>

#include "schedule/picture.h"

enum { SIZE_LIMIT = 1500 * 1000, TAGS_DEEP = 32, TAG_NAME = 16 };

/* ---- Sinks --------------------------------------------------------------------------------------------------- */

typedef struct page {
    char *text; /* NUL-terminated */
    size_t size;
    size_t capacity;
} page;

static verso_status keep(void *context, const char *text, size_t size) {
    page *page = context;
    if (page->size + size + 1 > page->capacity) {
        page->capacity = 2 * (page->size + size + 1);
        page->text = realloc(page->text, page->capacity);
        assert_non_null(page->text);
    }
    memcpy(page->text + page->size, text, size);
    page->size += size;
    page->text[page->size] = '\0';
    return VERSO_OK;
}

/* Refuses the call that its counter reaches. */
static verso_status refuse(void *context, const char *text, size_t size) {
    (void)text;
    (void)size;
    unsigned *calls_left = context;
    return (*calls_left)-- == 0 ? VERSO_IO : VERSO_OK;
}

/* ---- Well-formedness ----------------------------------------------------------------------------------------- */

typedef struct open_tags {
    char names[TAGS_DEEP][TAG_NAME];
    size_t depth;
} open_tags;

static size_t name_length(const char *at) {
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
}

/* From after a tag's name to its '>'; every attribute is name="value". */
static const char *skip_attributes(const char *at) {
    for (;;) {
        at += strspn(at, " \n");
        if (*at == '>' || (*at == '/' && at[1] == '>'))
            return at;
        at += strcspn(at, "=<>");
        assert_int_equal(at[0], '=');
        assert_int_equal(at[1], '"');
        at += 2;
        size_t length = strcspn(at, "\"<>");
        assert_int_equal(at[length], '"');
        at += length + 1;
    }
}

static const char *check_tag(open_tags *open, const char *at) {
    bool closing = *at == '/';
    at += closing;
    size_t length = name_length(at);
    assert_in_range(length, 1, TAG_NAME - 1);
    const char *name = at;
    at = skip_attributes(at + length);
    if (closing) {
        assert_true(open->depth > 0);
        const char *opened = open->names[--open->depth];
        assert_true(strlen(opened) == length && strncmp(opened, name, length) == 0);
    } else if (*at == '>' && strncmp(name, "meta", length) != 0) {
        assert_true(open->depth < TAGS_DEEP);
        memcpy(open->names[open->depth], name, length);
        open->names[open->depth++][length] = '\0';
    }
    return at + (*at == '/' ? 2 : 1);
}

static void check_entity(const char *at) {
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found = found || strncmp(at, known[i], strlen(known[i])) == 0;
    assert_true(found);
}

static void check_well_formed(const char *text) {
    open_tags open = {.depth = 0};
    const char *at = text;
    if (strncmp(at, "<!DOCTYPE html>", 15) == 0)
        at += 15;
    while (*at != '\0') {
        at += strcspn(at, "<&");
        if (*at == '&')
            check_entity(at++);
        else if (*at == '<')
            at = check_tag(&open, at + 1);
    }
    assert_int_equal(open.depth, 0);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
}

static size_t count(const char *text, const char *word) {
    size_t times = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        times++;
    return times;
}

/* ---- Every kind ---------------------------------------------------------------------------------------------- */

static verso_schedule_spec example(verso_schedule_kind kind, uint64_t steps, uint64_t slots) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = steps;
    spec.slots = slots;
    spec.write_cost = spec.read_cost = 3;
    spec.distance = kind == VERSO_KIND_EVERY_K ? steps / slots + 1 : 2 * steps / slots + 1;
    spec.adjoint_distance = steps / 8 + 1;
    spec.with_disk = true;
    spec.tier_count = 2;
    spec.tiers[0] = (verso_tier){slots, 0, 0};
    spec.tiers[1] = (verso_tier){slots, 2, 1};
    return spec;
}

static page draw(const verso_schedule_spec *spec,
                 verso_status (*picture)(const verso_schedule_spec *, verso_sink, void *, verso_error *)) {
    page page = {NULL, 0, 0};
    verso_error error = {0};
    verso_status status = picture(spec, keep, &page, &error);
    if (status != VERSO_OK)
        fail_msg("%s, %llu steps: %s", verso_kind_word(spec->kind), (unsigned long long)spec->steps, error.message);
    check_well_formed(page.text);
    return page;
}

static void every_capsule_of_a_small_schedule_is_a_bar(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 5, 20, 100};
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            verso_schedule_spec spec = example((verso_schedule_kind)kind, sizes[i], 6);
            verso_cost cost;
            verso_error error = {0};
            if (verso_schedule_simulate(&spec, &cost, &error) != VERSO_OK)
                fail_msg("%s: %s", verso_kind_word(spec.kind), error.message);
            size_t writes = 0;
            for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
                writes += (size_t)cost.writes[tier];
            page page = draw(&spec, verso_picture_svg);
            assert_int_equal(count(page.text, "class=\"bar "), writes);
            assert_int_equal(count(page.text, "<title>adjoint of state"), cost.adjoint_stores);
            free(page.text);
        }
    }
}

static void nothing_to_reverse_is_a_picture_too(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = example((verso_schedule_kind)kind, 0, 6);
        page page = draw(&spec, verso_picture_svg);
        assert_non_null(strstr(page.text, "nothing to reverse"));
        free(page.text);
    }
}

static void costs_of_zero_still_take_room(void **state) {
    (void)state;
    verso_schedule_spec spec = example(VERSO_KIND_DISK, 30, 3);
    spec.forward_cost = spec.backward_cost = spec.write_cost = spec.read_cost = 0;
    page page = draw(&spec, verso_picture_svg);
    assert_non_null(strstr(page.text, "class=\"reverse\""));
    free(page.text);
}

static void the_clock_ends_at_the_makespan(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = example((verso_schedule_kind)kind, 90, 6);
        spec.forward_cost = 2;
        spec.backward_cost = 3;
        verso_picture picture;
        assert_int_equal(verso_picture_open(&picture, &spec, NULL), VERSO_OK);
        assert_true(picture.walked.whole && picture.walked.time == (double)picture.cost.makespan);
        verso_picture_close(&picture);
    }
}

static void pages_hold_the_picture_and_the_costs(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = example((verso_schedule_kind)kind, 60, 6);
        page page = draw(&spec, verso_picture_html);
        assert_int_equal(strncmp(page.text, "<!DOCTYPE html>\n", 16), 0);
        assert_int_equal(count(page.text, "<figure>"), 1);
        assert_int_equal(count(page.text, "<table>"), 2);
        assert_non_null(strstr(page.text, verso_kind_word(spec.kind)));
        assert_null(strstr(page.text, "src="));
        assert_null(strstr(page.text, "href="));
        free(page.text);
    }
}

/* ---- Long schedules ------------------------------------------------------------------------------------------ */

static void long_schedules_stay_small(void **state) {
    (void)state;
    static const uint64_t sizes[] = {5000, 1000000};
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            verso_schedule_spec spec = example((verso_schedule_kind)kind, sizes[i], 20);
            page page = draw(&spec, verso_picture_svg);
            assert_in_range(page.size, 1000, SIZE_LIMIT);
            free(page.text);
        }
    }
}

static void the_longest_schedules_say_which_part_is_shown(void **state) {
    (void)state;
    static const verso_schedule_kind kinds[] = {VERSO_KIND_REVOLVE, VERSO_KIND_NONE, VERSO_KIND_RESILIENT,
                                                VERSO_KIND_PERIODIC, VERSO_KIND_EVERY_K};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        verso_schedule_spec spec = example(kinds[i], UINT64_C(1000000000000), 52);
        if (kinds[i] == VERSO_KIND_EVERY_K)
            spec.distance = 1000;
        page page = draw(&spec, verso_picture_svg);
        assert_in_range(page.size, 1000, SIZE_LIMIT);
        assert_non_null(strstr(page.text, "Shown: the first "));
        free(page.text);
    }
}

/* ---- Failures ------------------------------------------------------------------------------------------------ */

static void a_failure_of_the_sink_is_passed_on(void **state) {
    (void)state;
    verso_schedule_spec spec = example(VERSO_KIND_REVOLVE, 1000, 10);
    for (unsigned call = 0; call < 3; call++) {
        verso_error error = {0};
        unsigned calls_left = call;
        assert_int_equal(verso_picture_svg(&spec, refuse, &calls_left, &error), VERSO_IO);
        assert_int_equal(error.status, VERSO_IO);
        calls_left = call;
        assert_int_equal(verso_picture_html(&spec, refuse, &calls_left, NULL), VERSO_IO);
    }
}

static void what_cannot_be_planned_cannot_be_drawn(void **state) {
    (void)state;
    verso_error error = {0};
    page page = {NULL, 0, 0};
    verso_schedule_spec spec = example(VERSO_KIND_REVOLVE, 100, 1);
    spec.slots = 0;
    assert_int_equal(verso_picture_svg(&spec, keep, &page, &error), VERSO_IMPOSSIBLE);
    spec = example(VERSO_KIND_ONLINE, 100, 5);
    spec.steps = VERSO_UNKNOWN;
    assert_int_equal(verso_picture_svg(&spec, keep, &page, &error), VERSO_INVALID);
    assert_int_equal(page.size, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_capsule_of_a_small_schedule_is_a_bar),
        cmocka_unit_test(nothing_to_reverse_is_a_picture_too),
        cmocka_unit_test(costs_of_zero_still_take_room),
        cmocka_unit_test(the_clock_ends_at_the_makespan),
        cmocka_unit_test(pages_hold_the_picture_and_the_costs),
        cmocka_unit_test(long_schedules_stay_small),
        cmocka_unit_test(the_longest_schedules_say_which_part_is_shown),
        cmocka_unit_test(a_failure_of_the_sink_is_passed_on),
        cmocka_unit_test(what_cannot_be_planned_cannot_be_drawn),
    };
    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
