/* Tests the log of the outside world: a run receives the same answers again, from wherever it continues; a run that
 * makes other calls gets an error that says where. Random number generators continue as they did. Writes to memory
 * that no capsule holds are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "tests/support/native_program.h"
#include "tests/support/random_spec.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t seed;

/* ---- Calls, on the private stack ---- */

enum { CALLS = 3000, BYTES_MOST = 200, STRING_MOST = 50 };

/* The outside world of the test: its answers differ each time. All fields except `asked` are the run's view of it. */
static struct {
    uint64_t asked;
    uint64_t result;
    unsigned char bytes[BYTES_MOST];
    char string[STRING_MOST];
    int error;
} answer;

static const verso__native_outside calls[2] = {{5, "file.c:5: read"}, {0xfffffe, "file.c:6: write"}};

static void ask(uint64_t which) {
    random_source source = random_from_seed(seed + which);
    answer.asked++;
    answer.result = random_below(&source, BYTES_MOST);
    memset(answer.bytes, (int)which, answer.result);
    memset(answer.string, 'a' + (int)(which % 20), which % (STRING_MOST - 1));
    answer.string[which % (STRING_MOST - 1)] = '\0';
    if (which % 3 == 0)
        errno = (int)(which % 100);
}

/* Makes the call with this number in the run. */
static void call(uint64_t which) {
    memset(answer.bytes, 0xee, sizeof answer.bytes);
    memset(answer.string, 0xee, sizeof answer.string);
    answer.result = UINT64_MAX;
    errno = 1000;
    if (verso__native_world_begin(&calls[which % 2]))
        ask(which);
    verso__native_world_data(&answer.result, sizeof answer.result);
    verso__native_world_data(answer.bytes, answer.result);
    verso__native_world_data(NULL, 100);
    verso__native_world_string(NULL);
    verso__native_world_string(answer.string);
    verso__native_world_end();
    answer.error = errno;
}

static struct {
    uint64_t first, count;        /* calls to be made; */
    uint64_t places[CALLS + 1];   /* how far in the log before each of them */
    uint64_t wrong;               /* answers that were not what they should be */
    void (*instead)(uint64_t at); /* of the last one */
} script;

static void look(uint64_t which) {
    random_source source = random_from_seed(seed + which);
    bool right =
        answer.result == random_below(&source, BYTES_MOST) && strlen(answer.string) == which % (STRING_MOST - 1);
    for (uint64_t i = 0; i < BYTES_MOST; i++)
        right = right && answer.bytes[i] == (i < answer.result ? (unsigned char)which : 0xee);
    right = right && answer.error == (which % 3 == 0 ? (int)(which % 100) : 1000);
    script.wrong += !right;
}

static void run(void *context) {
    (void)context;
    for (uint64_t i = script.first; i < script.first + script.count; i++) {
        script.places[i] = verso__native_world_at();
        if (script.instead != NULL && i + 1 == script.first + script.count) {
            script.instead(i);
            return;
        }
        call(i);
        look(i);
    }
    script.places[script.first + script.count] = verso__native_world_at();
}

static verso__native_job job = {.run = run};

static verso__native_outcome go(uint64_t first, uint64_t count, void (*instead)(uint64_t at)) {
    script.first = first, script.count = count, script.instead = instead;
    verso__native_start(VERSO_NATIVE_PRIMAL);
    return verso__native_go(VERSO_NATIVE_PRIMAL);
}

static void open_world(void) {
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    verso__native_world_open();
    answer.asked = script.wrong = 0;
}

static void close_world(void) {
    assert_true(verso__native_world_bytes() > 0);
    assert_true(verso__native_world_close() > 0);
    assert_int_equal(verso__native_world_bytes(), 0);
    verso__native_leave();
}

static void what_was_given_is_given_again(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    random_source source = random_from_seed(seed);
    open_world();
    assert_int_equal(go(0, CALLS, NULL), VERSO_NATIVE_ENDED);
    assert_int_equal(answer.asked, CALLS);
    uint64_t end = verso__native_world_at();
    for (int i = 0; i < 200; i++) {
        uint64_t first = random_below(&source, CALLS), count = random_below(&source, CALLS - first) + 1;
        verso__native_world_rewind(script.places[first]);
        assert_int_equal(go(first, count, NULL), VERSO_NATIVE_ENDED);
    }
    verso__native_world_rewind(0);
    assert_int_equal(go(0, CALLS, NULL), VERSO_NATIVE_ENDED);
    assert_int_equal(verso__native_world_at(), end);
    assert_int_equal(answer.asked, CALLS);
    assert_int_equal(script.wrong, 0);
    assert_in_range(verso__native_world_bytes(), end, 4 * end);
    close_world();
}

/* The run is restored before its end, and continues beyond the point that it had reached. */
static void a_run_goes_on_where_it_has_not_been(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    open_world();
    for (uint64_t reached = 1; reached <= CALLS; reached += reached / 2 + 1) {
        verso__native_world_rewind(0);
        assert_int_equal(go(0, reached, NULL), VERSO_NATIVE_ENDED);
        assert_int_equal(answer.asked, reached);
    }
    assert_int_equal(script.wrong, 0);
    close_world();
}

/* ---- Other courses ---- */

static void another_call(uint64_t which) {
    verso__native_world_begin(&calls[1 - which % 2]);
}

static void more_data(uint64_t which) {
    verso__native_world_begin(&calls[which % 2]);
    verso__native_world_data(answer.bytes, sizeof answer.bytes);
    verso__native_world_data(answer.bytes, sizeof answer.bytes);
}

static void less_data(uint64_t which) {
    verso__native_world_begin(&calls[which % 2]);
    verso__native_world_data(&answer.result, sizeof answer.result);
    verso__native_world_end();
}

/* Makes a call with other data than the first run: bytes that are no length are read as the length of a string. */
static void no_string(uint64_t which) {
    verso__native_world_begin(&calls[which % 2]);
    verso__native_world_data(answer.bytes, 4);
    verso__native_world_string((char *)answer.bytes);
}

static void beyond_the_end(uint64_t which) {
    verso__native_world_rewind(verso__native_world_size() + 8);
    verso__native_world_begin(&calls[which % 2]);
}

static void unspeakable(uint64_t which) {
    verso__native_world_refuse(&calls[which % 2]);
}

static void writes_by_format(uint64_t which) {
    verso__native_world_format(&calls[which % 2], "%d %%n %5.2lf %s n");
    verso__native_world_format(&calls[which % 2], "%");
    verso__native_world_format(&calls[which % 2], "ten %-10.*s%lln");
}

static void a_different_path_is_refused_with_its_place(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    static const struct {
        void (*instead)(uint64_t);
        const char *message;
    } courses[] = {{another_call, "behaved differently when it was repeated"},
                   {more_data, "behaved differently when it was repeated"},
                   {less_data, "behaved differently when it was repeated"},
                   {no_string, "behaved differently when it was repeated"},
                   {beyond_the_end, "behaved differently when it was repeated"},
                   {unspeakable, "cannot save and restore"},
                   {writes_by_format, "with %n writes what Verso cannot see"}};
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++) {
        open_world();
        assert_int_equal(go(0, 20, NULL), VERSO_NATIVE_ENDED);
        verso__native_world_rewind(0);
        assert_int_equal(go(0, 11, courses[i].instead), VERSO_NATIVE_FAILED);
        assert_int_equal(verso__native_failure_now()->status, VERSO_STATUS_INVALID);
        if (strstr(verso__native_failure_now()->message, courses[i].message) == NULL)
            fail_msg("%zu: %s", i, verso__native_failure_now()->message);
        assert_non_null(strstr(verso__native_failure_now()->message, "file.c:"));
        assert_int_equal(script.wrong, 0);
        close_world();
    }
}

/* ---- Generators ---- */

enum { DRAWN = 12 };

static void draw(double *into) {
    verso__native_world_random();
    for (int i = 0; i < DRAWN; i += 3) {
        into[i] = (double)rand();
        into[i + 1] = drand48();
        into[i + 2] = (double)random();
    }
}

static void generators_go_on_as_they_did(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    static char array[256];
    unsigned short formula[7] = {9, 8, 7, 6, 5, 4, 3};
    double before[DRAWN], middle[DRAWN], after[DRAWN], again[DRAWN];
    verso__native_capsule capsules[3] = {{0}};
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    verso__native_world_open();
    srandom((unsigned)seed);
    srand48((long)seed);
    assert_int_equal(verso__native_capsule_take(&capsules[0], NULL), VERSO_STATUS_OK); /* before they are used */
    draw(before);
    char *home = initstate(3, array, sizeof array);
    lcong48(formula);
    assert_int_equal(verso__native_capsule_take(&capsules[1], NULL),
                     VERSO_STATUS_OK); /* with an array of another kind */
    draw(middle);
    setstate(home);
    srand48(5);
    assert_int_equal(verso__native_capsule_take(&capsules[2], NULL), VERSO_STATUS_OK);
    draw(after);
    const double *expected[] = {before, middle, after};
    for (int i = 0; i < 30; i++) {
        int which = i * 7 % 3;
        verso__native_capsule_restore(&capsules[which]);
        draw(again);
        assert_memory_equal(again, expected[which], sizeof again);
        if (which == 1) {
            setstate(home);
            srand48(5);
            draw(again);
            assert_memory_equal(again, after, sizeof again);
        }
    }
    for (int i = 0; i < 3; i++)
        verso__native_capsule_free(&capsules[i]);
    verso__native_world_close();
    verso__native_leave();
}

/* ---- Writes outside ---- */

static struct {
    const void *pointer;
    verso__native_write writes[3];
} writing;

static void write_through(void *context) {
    (void)context;
    verso__native_check_write(writing.pointer, writing.writes);
}

static verso__native_outcome written(verso__native_job *of, const void *pointer, int64_t first, int64_t second) {
    assert_int_equal(verso__native_enter(of, NULL), VERSO_STATUS_OK);
    verso__native_world_open();
    assert_true(verso__native_now.inside < UINT64_MAX);
    writing.pointer = pointer;
    writing.writes[0] = (verso__native_write){first, "file.c:7"};
    writing.writes[1] = (verso__native_write){second, "file.c:8"};
    verso__native_start(VERSO_NATIVE_PRIMAL);
    verso__native_outcome outcome = verso__native_go(VERSO_NATIVE_PRIMAL);
    verso__native_world_close();
    assert_true(verso__native_now.inside == UINT64_MAX);
    verso__native_leave();
    return outcome;
}

static void only_what_capsules_hold_may_be_written(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    double numbers[100], unused[100];
    verso_array wrt[] = {{numbers + 10, 10, VERSO_SCALAR_DOUBLE, unused},
                         {numbers + 15, 20, VERSO_SCALAR_DOUBLE, unused}};
    verso_array of[] = {{numbers + 50, 1, VERSO_SCALAR_DOUBLE, unused}, {numbers + 11, 2, VERSO_SCALAR_DOUBLE, unused}};
    verso__native_job declared = {.run = write_through, .wrt = wrt, .wrt_count = 2, .of = of, .of_count = 2};
    assert_int_equal(written(&declared, NULL, 0, 800), VERSO_NATIVE_ENDED);
    assert_int_equal(written(&declared, &chain_sum, 0, 0), VERSO_NATIVE_ENDED);
    for (int64_t i = 0; i < 100; i++) {
        bool near_one = (i >= 8 && i <= 36) || (i >= 48 && i <= 52), within = (i >= 10 && i < 35) || i == 50;
        verso__native_outcome outcome = written(&declared, numbers, 8 * 50, 8 * i);
        if (within)
            assert_int_equal(outcome, VERSO_NATIVE_ENDED);
        else if (!near_one)
            assert_int_equal(outcome, VERSO_NATIVE_FAILED);
    }
    assert_int_equal(written(&declared, numbers, 8 * 90, 8 * 11), VERSO_NATIVE_FAILED);
    assert_int_equal(verso__native_failure_now()->status, VERSO_STATUS_INVALID);
    assert_non_null(strstr(verso__native_failure_now()->message, "file.c:7: memory at 0x"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_given_is_given_again),
        cmocka_unit_test(a_run_goes_on_where_it_has_not_been),
        cmocka_unit_test(a_different_path_is_refused_with_its_place),
        cmocka_unit_test(generators_go_on_as_they_did),
        cmocka_unit_test(only_what_capsules_hold_may_be_written),
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("the outside world", tests, NULL, NULL);
}
