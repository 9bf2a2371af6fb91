/* Structs that can grow (base/sized.h): those of older and newer programs, sizes that cannot be right, and reports that
 * are copied back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sized.h"

/* One struct in three versions: that of an older program, of this library, and of a newer program. */
typedef struct older {
    size_t size;
    uint64_t first;
} older;
typedef struct present {
    size_t size;
    uint64_t first, second;
} present;
typedef struct newer {
    size_t size;
    uint64_t first, second, third;
} newer;

#define INIT "THE_INIT_MACRO"

static void same_size_is_copied(void **state) {
    (void)state;
    present given = {.size = sizeof given, .first = 1, .second = 2}, own;
    assert_int_equal(verso__sized_read(&given, &own, sizeof own, INIT, NULL), VERSO_STATUS_OK);
    assert_memory_equal(&given, &own, sizeof own);
}

static void members_that_an_older_program_lacks_are_zero(void **state) {
    (void)state;
    struct {
        older given;
        uint64_t beyond;
    } memory = {.given = {.size = sizeof(older), .first = 1}, .beyond = UINT64_MAX};
    present own = {.second = 7};
    assert_int_equal(verso__sized_read(&memory.given, &own, sizeof own, INIT, NULL), VERSO_STATUS_OK);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.first, 1);
    assert_int_equal(own.second, 0);
}

static void unknown_members_of_a_newer_program_must_be_zero(void **state) {
    (void)state;
    newer given = {.size = sizeof given, .first = 1, .second = 2};
    present own = {0};
    verso_error error = {0};
    assert_int_equal(verso__sized_read(&given, &own, sizeof own, INIT, &error), VERSO_STATUS_OK);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.second, 2);
    for (size_t byte = 0; byte < sizeof given.third; byte++) {
        given.third = UINT64_C(1) << (8 * byte);
        assert_int_equal(verso__sized_read(&given, &own, sizeof own, INIT, &error), VERSO_STATUS_INVALID);
        assert_int_equal(error.status, VERSO_STATUS_INVALID);
        assert_non_null(strstr(error.message, "does not know (" INIT ")"));
    }
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, sizeof(size_t), 2 * sizeof(size_t) - 1, (1 << 20) + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        present given = {.size = sizes[i]}, own = {.first = 5};
        verso_error error = {0};
        assert_int_equal(verso__sized_check(&given, INIT, &error), VERSO_STATUS_INVALID);
        assert_non_null(strstr(error.message, "initialise it with " INIT));
        memset(&error, 0, sizeof error);
        assert_int_equal(verso__sized_read(&given, &own, sizeof own, INIT, &error), VERSO_STATUS_INVALID);
        assert_non_null(strstr(error.message, "initialise it with " INIT));
        assert_int_equal(own.first, 5);
        assert_int_equal(verso__sized_read(&given, &own, sizeof own, INIT, NULL), VERSO_STATUS_INVALID);
    }
    older least = {.size = 2 * sizeof(size_t)};
    assert_int_equal(verso__sized_check(&least, INIT, NULL), VERSO_STATUS_OK);
}

static void reports_are_copied_as_far_as_they_have_room(void **state) {
    (void)state;
    const present own = {.size = sizeof own, .first = 1, .second = 2};
    struct {
        older report;
        uint64_t beyond;
    } old = {.report = {.size = sizeof(older)}, .beyond = 99};
    verso__sized_write(&old.report, &own, sizeof own);
    assert_int_equal(old.report.size, sizeof(older));
    assert_int_equal(old.report.first, 1);
    assert_int_equal(old.beyond, 99);
    newer new = {.size = sizeof new, .third = 99};
    verso__sized_write(&new, &own, sizeof own);
    assert_int_equal(new.size, sizeof new);
    assert_int_equal(new.first, 1);
    assert_int_equal(new.second, 2);
    assert_int_equal(new.third, 99);
}

/* A part of a member may be within the size: nothing after the size is written. */
static void reports_end_at_any_byte(void **state) {
    (void)state;
    const newer own = {.size = sizeof own, .first = UINT64_MAX, .second = UINT64_MAX, .third = UINT64_MAX};
    for (size_t size = 0; size <= sizeof own; size++) {
        unsigned char report[sizeof(newer) + 8] = {0};
        memcpy(report, &size, sizeof size);
        verso__sized_write(report, &own, sizeof own);
        for (size_t i = sizeof size; i < sizeof report; i++)
            assert_int_equal(report[i], i < size ? 0xff : 0);
        assert_memory_equal(report, &size, sizeof size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_size_is_copied),
        cmocka_unit_test(members_that_an_older_program_lacks_are_zero),
        cmocka_unit_test(unknown_members_of_a_newer_program_must_be_zero),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(reports_are_copied_as_far_as_they_have_room),
        cmocka_unit_test(reports_end_at_any_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
