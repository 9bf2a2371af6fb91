/* Tests pictures: they are well-formed, complete if there is room, and small if there is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <verso/picture.h>

#include "schedule/cost.h"
#include "schedule/picture.h"
#include "tests/support/markup.h"

enum { SIZE_LIMIT = 1500 * 1000 };

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

static markup_page draw(const verso_schedule_spec *spec,
                        verso_status (*picture)(const verso_schedule_spec *, verso_sink, void *, verso_error *)) {
    markup_page page = {NULL, 0, 0};
    verso_error error = {0};
    verso_status status = picture(spec, markup_keep, &page, &error);
    if (status != VERSO_STATUS_OK)
        fail_msg("%s, %llu steps: %s", verso_kind_word(spec->kind), (unsigned long long)spec->steps, error.message);
    markup_check(page.text);
    return page;
}

static void every_capsule_of_a_small_schedule_is_a_bar(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 5, 20, 100};
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            verso_schedule_spec spec = example((verso_schedule_kind)kind, sizes[i], 6);
            verso__cost cost;
            verso_error error = {0};
            if (verso__schedule_simulate(&spec, &cost, &error) != VERSO_STATUS_OK)
                fail_msg("%s: %s", verso_kind_word(spec.kind), error.message);
            size_t writes = 0;
            for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
                writes += (size_t)cost.writes[tier];
            markup_page page = draw(&spec, verso_picture_svg);
            assert_int_equal(markup_count(page.text, "class=\"bar "), writes);
            assert_int_equal(markup_count(page.text, "<title>adjoint of state"), cost.adjoint_stores);
            free(page.text);
        }
    }
}

static void nothing_to_reverse_is_a_picture_too(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = example((verso_schedule_kind)kind, 0, 6);
        markup_page page = draw(&spec, verso_picture_svg);
        assert_non_null(strstr(page.text, "nothing to reverse"));
        free(page.text);
    }
}

static void costs_of_zero_still_take_room(void **state) {
    (void)state;
    verso_schedule_spec spec = example(VERSO_KIND_DISK, 30, 3);
    spec.forward_cost = spec.backward_cost = spec.write_cost = spec.read_cost = 0;
    markup_page page = draw(&spec, verso_picture_svg);
    assert_non_null(strstr(page.text, "class=\"reverse\""));
    free(page.text);
}

static void the_clock_ends_at_the_makespan(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = example((verso_schedule_kind)kind, 90, 6);
        spec.forward_cost = 2;
        spec.backward_cost = 3;
        verso__picture picture;
        assert_int_equal(verso__picture_open(&picture, &spec, NULL), VERSO_STATUS_OK);
        assert_true(picture.walked.whole && picture.walked.time == (double)picture.cost.makespan);
        verso__picture_close(&picture);
    }
}

static void pages_hold_the_picture_and_the_costs(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = example((verso_schedule_kind)kind, 60, 6);
        markup_page page = draw(&spec, verso_picture_html);
        assert_int_equal(strncmp(page.text, "<!DOCTYPE html>\n", 16), 0);
        assert_int_equal(markup_count(page.text, "<figure>"), 1);
        assert_int_equal(markup_count(page.text, "<table>"), 2);
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
            markup_page page = draw(&spec, verso_picture_svg);
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
        markup_page page = draw(&spec, verso_picture_svg);
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
        assert_int_equal(verso_picture_svg(&spec, markup_refuse, &calls_left, &error), VERSO_STATUS_IO);
        assert_int_equal(error.status, VERSO_STATUS_IO);
        calls_left = call;
        assert_int_equal(verso_picture_html(&spec, markup_refuse, &calls_left, NULL), VERSO_STATUS_IO);
    }
}

static void what_cannot_be_planned_cannot_be_drawn(void **state) {
    (void)state;
    verso_error error = {0};
    markup_page page = {NULL, 0, 0};
    verso_schedule_spec spec = example(VERSO_KIND_REVOLVE, 100, 1);
    spec.slots = 0;
    assert_int_equal(verso_picture_svg(&spec, markup_keep, &page, &error), VERSO_STATUS_IMPOSSIBLE);
    spec = example(VERSO_KIND_ONLINE, 100, 5);
    spec.steps = VERSO_UNKNOWN;
    assert_int_equal(verso_picture_svg(&spec, markup_keep, &page, &error), VERSO_STATUS_INVALID);
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
