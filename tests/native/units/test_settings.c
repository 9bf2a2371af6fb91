/* Tests the settings of gradients as text: sizes, schedules, reports; from options and from the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quantity.h"
#include "native/api/settings.h"

/* ---- Sizes ---- */

static void sizes_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {
        {"0", 0},           {"4096", 4096},       {"64k", 64000},        {"64K", 64000},           {"64M", 64000000},
        {"64MB", 64000000}, {"1.5G", 1500000000}, {"2T", 2000000000000}, {"1e6", 1000000},         {"64Ki", 65536},
        {"64kiB", 65536},   {"1.5Mi", 1572864},   {"0.5Gi", 536870912},  {"16TiB", 17592186044416}};
    static const char *const bad[] = {"",
                                      "B",
                                      "M",
                                      "Mi",
                                      "-1",
                                      "x",
                                      "64X",
                                      "64iB",
                                      "64Mib",
                                      "0.5",
                                      "1.0001k",
                                      "0.3Ki",
                                      "18446744073709551615",
                                      "20000000000000000000",
                                      "99999999Ti",
                                      "1e30",
                                      "64 M",
                                      "1e-3",
                                      "64MM"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t bytes = 1;
        assert_null(verso__bytes_read(good[i].text, strlen(good[i].text), &bytes));
        assert_int_equal(bytes, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes;
        assert_non_null(verso__bytes_read(bad[i], strlen(bad[i]), &bytes));
    }
}

/* ---- Schedules ---- */

static verso__spec_text read_good(const char *text) {
    verso__spec_text read = {0};
    verso_error error = {0};
    if (verso__spec_text_read("NAME", text, VERSO_LEAF_BYTES, &read, &error) != VERSO_STATUS_OK)
        fail_msg("%s: %s", text, error.message);
    assert_true(read.is_set);
    return read;
}

static void schedules_are_read(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        char text[128];
        const char *word = verso_kind_word((verso_schedule_kind)kind);
        bool far = strstr("every-k resilient single-recovery two-level", word) != NULL;
        snprintf(text, sizeof text, "%s%s", word,
                 kind == VERSO_KIND_LEVELS ? ",levels=1:0:0"
                 : far                     ? ",distance=7"
                                           : "");
        verso__spec_text read = read_good(text);
        assert_true(!read.automatic && (int)read.spec.kind == kind && read.spec.steps == 0);
    }
    assert_true(read_good("auto").automatic && read_good("auto,leaf=64k").leaf == 64000);
    assert_int_equal(read_good("revolve,slots=1k").spec.slots, 1000);
    assert_int_equal(read_good("binary,slots=5").spec.space, 5);
    assert_int_equal(read_good("treeverse,space=3,time=4").spec.time, 4);
    assert_int_equal(read_good("treeverse,split=bisection,log").spec.split, VERSO_SPLIT_BISECTION);
    assert_true(read_good("online,slots=2,disk").spec.with_disk && read_good("online,write=1").spec.with_disk);
    assert_int_equal(read_good("continuous,slots=2").spec.distance, 1);
    verso_schedule_spec spec = read_good("disk,slots=4,forward=0.25,write=1.5,leaf=1Mi").spec;
    assert_true(spec.forward_cost == 25 && spec.backward_cost == 100 && spec.write_cost == 150 && spec.read_cost == 0);
    spec = read_good("levels,levels=4:0:0,16:1:2,inf:9.5:7").spec;
    assert_true(spec.tier_count == 3 && spec.tiers[1].capacity == 16 && spec.tiers[2].capacity == VERSO_UNKNOWN &&
                spec.tiers[2].write_cost == 95 && spec.tiers[1].read_cost == 20);
}

static void bad_schedules_are_refused_in_words(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "'' is not a kind"},
        {"revolv", "'revolv' is not a kind of schedule; the kinds are auto, store-all"},
        {"Auto", "'Auto' is not a kind"},
        {"revolve,", "'' is not a parameter"},
        {"revolve,slot=1", "'slot=1' is not a parameter of a schedule"},
        {"revolve,slots", "slots takes a value after '='"},
        {"revolve,slots=", "slots: '' is not a number"},
        {"revolve,slots=two", "slots: 'two' is not a number"},
        {"revolve,slots=-2", "slots: '-2' is negative"},
        {"revolve,log", "revolve does not take log"},
        {"revolve,steps=10", "the program determines the number of steps"},
        {"auto,slots=3", "auto does not take slots"},
        {"auto,write=3", "auto does not take write"},
        {"binary,log=3", "log takes no value"},
        {"binary,log,space=3", "log cannot be combined with space or time"},
        {"binary,slots=3,space=3", "slots is the same as space for binary"},
        {"binary,space=0", "binary is impossible without slots"},
        {"binary,split=middle", "split: 'middle' is not 'binomial', 'bisection' or 'halves'"},
        {"binary,leaf=0", "leaf: '0' is not a length of a step"},
        {"binary,leaf=x", "leaf: 'x' is not a number of bytes"},
        {"levels", "levels needs levels=SLOTS:WRITE:READ"},
        {"levels,levels=4", "levels: '4' is not of the form CAP:WRITE:READ"},
        {"levels,4:0:0", "'4:0:0' is not a parameter"},
        {"levels,levels=1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0", "no more than 8 tiers"},
        {"resilient,slots=3", "resilient needs distance=STEPS"},
        {"disk,write=0.0000000001", "write: '0.0000000001' has more than 9 decimals"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        verso__spec_text read = {0};
        verso_error error = {0};
        assert_int_equal(verso__spec_text_read("NAME", bad[i].text, VERSO_LEAF_BYTES, &read, &error),
                         VERSO_STATUS_INVALID);
        assert_false(read.is_set);
        if (strncmp(error.message, "NAME: ", 6) != 0 || strstr(error.message, bad[i].says) == NULL)
            fail_msg("%s: %s", bad[i].text, error.message);
    }
}

static void reports_have_a_kind(void **state) {
    (void)state;
    const char *path;
    verso_error error;
    assert_int_equal(verso__native_report_read("NAME", "a.b/report.json", &path, NULL), VERSO_STATUS_OK);
    assert_string_equal(path, "a.b/report.json");
    assert_int_equal(verso__native_report_read("NAME", "x.html", &path, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__native_report_read("NAME", "json", &path, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso__native_report_read("NAME", "a.json/report", &path, &error), VERSO_STATUS_INVALID);
}

/* ---- The environment ---- */

static void say(const char *memory, const char *schedule, const char *run, const char *report) {
    setenv("VERSO_MEMORY", memory, 1);
    setenv("VERSO_SCHEDULE", schedule, 1);
    setenv("VERSO_RUN", run, 1);
    setenv("VERSO_REPORT", report, 1);
}

static void an_empty_variable_says_nothing(void **state) {
    (void)state;
    verso__native_settings settings;
    verso_native_options chosen, nothing = {0};
    verso_run_options run;
    say("", "", "", "");
    assert_int_equal(verso__native_settings_read(&settings, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__native_settings_apply(&settings, &nothing, &chosen, &run, NULL), VERSO_STATUS_OK);
    assert_true(settings.memory == 0 && !settings.schedule.is_set && settings.report == NULL && chosen.run == NULL);
}

static void the_environment_counts_where_options_say_nothing(void **state) {
    (void)state;
    verso__native_settings settings;
    verso_native_options chosen, nothing = {0};
    verso_run_options run, own;
    say("64M", "revolve,slots=7,leaf=4k", "somewhere", "there.json");
    assert_int_equal(verso__native_settings_read(&settings, NULL), VERSO_STATUS_OK);
    assert_string_equal(settings.report, "there.json");
    assert_int_equal(verso__native_settings_apply(&settings, &nothing, &chosen, &run, NULL), VERSO_STATUS_OK);
    assert_true(chosen.run == &run && !run.automatic && run.spec.kind == VERSO_KIND_REVOLVE && run.spec.slots == 7);
    assert_true(run.memory == 64000000 && chosen.leaf == 4000);
    assert_string_equal(run.directory, "somewhere");

    verso_run_options_init(&own);
    own.spec.kind = VERSO_KIND_MIXED;
    own.spec.slots = 2;
    own.directory = "elsewhere";
    verso_native_options options = {.size = sizeof(verso_native_options), .memory = 5, .leaf = 6, .run = &own};
    assert_int_equal(verso__native_settings_apply(&settings, &options, &chosen, &run, NULL), VERSO_STATUS_OK);
    assert_true(run.spec.kind == VERSO_KIND_MIXED && run.spec.slots == 2 && run.memory == 5 && chosen.leaf == 6);
    assert_string_equal(run.directory, "elsewhere");
    own.automatic = true;
    assert_int_equal(verso__native_settings_apply(&settings, &options, &chosen, &run, NULL), VERSO_STATUS_OK);
    assert_true(run.spec.kind == VERSO_KIND_REVOLVE && run.memory == 5);
}

static void bad_variables_are_named(void **state) {
    (void)state;
    verso__native_settings settings;
    verso_error error = {0};
    say("lots", "", "", "");
    assert_int_equal(verso__native_settings_read(&settings, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "VERSO_MEMORY: 'lots'"));
    say("0", "", "", "");
    assert_int_equal(verso__native_settings_read(&settings, &error), VERSO_STATUS_INVALID);
    say("", "revolve,slots=x", "", "");
    assert_int_equal(verso__native_settings_read(&settings, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "VERSO_SCHEDULE: slots: 'x'"));
    say("", "", "", "report.txt");
    assert_int_equal(verso__native_settings_read(&settings, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "VERSO_REPORT: 'report.txt'"));
}

static void seconds_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"60", 60}, {"0.5", 0.5}, {"1e3", 1000}, {"0.3", 0.3}, {"2k", 2000}, {"000.250", 0.25}};
    static const char *const bad[] = {"",   "0",    "0.0", "-1",    "x",          "1 s", "1e99",
                                      "1s", "1e-9", ".",   "1e400", "0x10000000", "nan", "inf"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double seconds = 0;
        assert_int_equal(verso__seconds_read("NAME", good[i].text, &seconds, NULL), VERSO_STATUS_OK);
        assert_true(seconds == good[i].seconds);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        verso_error error = {0};
        double seconds = 7;
        assert_int_equal(verso__seconds_read("NAME", bad[i], &seconds, &error), VERSO_STATUS_INVALID);
        assert_true(seconds == 7 && strncmp(error.message, "NAME: '", 7) == 0);
    }
}

static void limits_are_read(void **state) {
    (void)state;
    verso__limits limits;
    verso_error error = {0};
    verso_run_options run = {.interval = 3};
    setenv("VERSO_INTERVAL", "5", 1);
    setenv("VERSO_TIME_LIMIT", "0.5", 1);
    assert_int_equal(verso__limits_read(&limits, NULL), VERSO_STATUS_OK);
    assert_true(limits.interval == 5 && limits.time_limit == 0.5);
    verso__limits_apply(&limits, &run); /* options that the program set take precedence */
    assert_true(run.interval == 3 && run.time_limit == 0.5);
    assert_int_equal(verso__limits_options(&limits, NULL, "7", NULL), VERSO_STATUS_OK);
    assert_true(limits.interval == 5 && limits.time_limit == 7);
    assert_int_equal(verso__limits_options(&limits, "soon", NULL, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "--interval: 'soon'"));
    setenv("VERSO_TIME_LIMIT", "late", 1);
    assert_int_equal(verso__limits_read(&limits, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "VERSO_TIME_LIMIT: 'late'"));
    unsetenv("VERSO_INTERVAL");
    setenv("VERSO_TIME_LIMIT", "", 1);
    assert_int_equal(verso__limits_read(&limits, NULL), VERSO_STATUS_OK);
    assert_true(limits.interval == 0 && limits.time_limit == 0);
}

static void an_offload_is_read(void **state) {
    (void)state;
    verso__native_offload_text read;
    assert_int_equal(verso__native_offload_read("NAME", "/scratch", &read, NULL), VERSO_STATUS_OK);
    assert_true(strcmp(read.directory, "/scratch") == 0 && read.memory == 0 && !read.synchronous);
    assert_int_equal(verso__native_offload_read("NAME", "a b,synchronous,limit=64Mi", &read, NULL), VERSO_STATUS_OK);
    assert_true(strcmp(read.directory, "a b") == 0 && read.memory == 64 << 20 && read.synchronous);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "the name of the directory is empty"},   {",limit=1M", "the name of the directory is empty"},
        {"/x,", "'' is not an option of an offload"}, {"/x,limit", "'limit' is not an option of an offload"},
        {"/x,limit=", "'limit=' is not an option"},   {"/x,limit=lots", "limit: 'lots' is not a number of bytes"},
        {"/x,limit=0", "limit: '0' must be greater"}, {"/x,synchronously", "'synchronously' is not an option"},
        {"/x,limit=1M,", "'' is not an option"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        verso_error error = {0};
        assert_int_equal(verso__native_offload_read("NAME", bad[i].text, &read, &error), VERSO_STATUS_INVALID);
        assert_true(read.directory[0] == '\0');
        if (strncmp(error.message, "NAME: ", 6) != 0 || strstr(error.message, bad[i].says) == NULL)
            fail_msg("%s: %s", bad[i].text, error.message);
    }
    char longer[2 * VERSO_OFFLOAD_TEXT];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(verso__native_offload_read("NAME", longer, &read, NULL), VERSO_STATUS_INVALID);
}

static void an_offload_or_a_budget(void **state) {
    (void)state;
    verso__native_settings settings = {.offload = {.directory = "/there", .memory = 5}};
    verso_native_options chosen, nothing = VERSO_NATIVE_OPTIONS_INIT;
    verso_native_options budget = {.size = sizeof budget, .memory = 1000},
                         own = {.size = sizeof own, .offload_directory = "/own"};
    verso_native_options both = {.size = sizeof(verso_native_options), .offload_directory = "/own", .memory = 1000};
    verso_run_options run;
    assert_int_equal(verso__native_settings_apply(&settings, &nothing, &chosen, &run, NULL), VERSO_STATUS_OK);
    assert_true(strcmp(chosen.offload_directory, "/there") == 0 && chosen.offload_memory == 5 && chosen.run == NULL);
    assert_int_equal(verso__native_settings_apply(&settings, &own, &chosen, &run, NULL), VERSO_STATUS_OK);
    assert_true(strcmp(chosen.offload_directory, "/own") == 0 && chosen.offload_memory == 0);
    assert_int_equal(verso__native_settings_apply(&settings, &budget, &chosen, &run, NULL), VERSO_STATUS_OK);
    assert_true(chosen.offload_directory == NULL && chosen.run == &run);
    assert_int_equal(verso__native_settings_apply(&settings, &both, &chosen, &run, NULL), VERSO_STATUS_INVALID);
    settings.memory = 1000;
    assert_int_equal(verso__native_settings_apply(&settings, &nothing, &chosen, &run, NULL), VERSO_STATUS_INVALID);
    assert_int_equal(verso__native_settings_apply(&settings, &own, &chosen, &run, NULL), VERSO_STATUS_OK);
    assert_true(chosen.run == NULL);
}

static void slots_need_a_number_or_a_budget(void **state) {
    (void)state;
    verso__native_settings settings = {.schedule = read_good("revolve")};
    verso_native_options chosen, nothing = {0}, budget = {.memory = 1000};
    verso_run_options run;
    verso_error error = {0};
    assert_int_equal(verso__native_settings_apply(&settings, &nothing, &chosen, &run, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "revolve needs a number of capsules"));
    assert_int_equal(verso__native_settings_apply(&settings, &budget, &chosen, &run, &error), VERSO_STATUS_OK);
}

/* Where steps are counted, a leaf is a number of them. */
static void leaves_may_be_steps(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"binary,leaf=abc", "NAME: leaf: 'abc' is not a number"},
        {"binary,leaf=1.5", "leaf: '1.5' is not a whole number"},
        {"binary,leaf=64Mi", "leaf: '64Mi' is not a number"},
        {"binary,leaf=0", "leaf: '0' is not a number of steps; it must be at least 1"},
        {"binary,steps=3", "leaf=LENGTH sets how much is recorded at a time"},
    };
    verso__spec_text read;
    verso_error error = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(verso__spec_text_read("NAME", bad[i].text, VERSO_LEAF_STEPS, &read, &error),
                         VERSO_STATUS_INVALID);
        if (strstr(error.message, bad[i].message) == NULL || strstr(error.message, "byte") != NULL)
            fail_msg("%s: %s", bad[i].text, error.message);
    }
    assert_int_equal(verso__spec_text_read("NAME", "binary,leaf=2k", VERSO_LEAF_STEPS, &read, &error), VERSO_STATUS_OK);
    assert_true(read.leaf == 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(schedules_are_read),
        cmocka_unit_test(bad_schedules_are_refused_in_words),
        cmocka_unit_test(reports_have_a_kind),
        cmocka_unit_test(an_empty_variable_says_nothing),
        cmocka_unit_test(the_environment_counts_where_options_say_nothing),
        cmocka_unit_test(bad_variables_are_named),
        cmocka_unit_test(seconds_are_read),
        cmocka_unit_test(limits_are_read),
        cmocka_unit_test(an_offload_is_read),
        cmocka_unit_test(an_offload_or_a_budget),
        cmocka_unit_test(leaves_may_be_steps),
        cmocka_unit_test(slots_need_a_number_or_a_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
