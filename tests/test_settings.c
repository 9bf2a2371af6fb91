/* What is said about gradients in words: sizes, schedules, reports; what options say and what the environment says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quantity.h"
#include "native/settings.h"

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
        assert_null(verso_bytes_read(good[i].text, strlen(good[i].text), &bytes));
        assert_int_equal(bytes, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes;
        assert_non_null(verso_bytes_read(bad[i], strlen(bad[i]), &bytes));
    }
}

/* ---- Schedules ---- */

static verso_spec_text read_good(const char *text) {
    verso_spec_text read = {0};
    verso_error error = {0};
    if (verso_spec_text_read("NAME", text, &read, &error) != VERSO_OK)
        fail_msg("%s: %s", text, error.message);
    assert_true(read.said);
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
        verso_spec_text read = read_good(text);
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
        {"", "there is no kind ''"},
        {"revolv", "there is no kind 'revolv' of schedule; there are auto, store-all"},
        {"Auto", "there is no kind 'Auto'"},
        {"revolve,", "'' is no word"},
        {"revolve,slot=1", "'slot=1' is no word of a schedule"},
        {"revolve,slots", "slots takes a value, behind '='"},
        {"revolve,slots=", "slots: '' is not a number"},
        {"revolve,slots=two", "slots: 'two' is not a number"},
        {"revolve,slots=-2", "slots: '-2' is negative"},
        {"revolve,log", "revolve has no use for log"},
        {"revolve,steps=10", "the number of steps is the program's own"},
        {"auto,slots=3", "auto has no use for slots"},
        {"auto,write=3", "auto has no use for write"},
        {"binary,log=3", "log takes no value"},
        {"binary,log,space=3", "log leaves nothing to fix: give space or time without it"},
        {"binary,slots=3,space=3", "slots is the same as space to binary"},
        {"binary,space=0", "binary is impossible without slots"},
        {"binary,split=middle", "split: 'middle' is neither 'bisection' nor 'binomial'"},
        {"binary,leaf=0", "leaf: '0' is no length of a step"},
        {"binary,leaf=x", "leaf: 'x' is not a number of bytes"},
        {"levels", "levels needs levels=SLOTS:WRITE:READ"},
        {"levels,levels=4", "levels: '4' is not of the form CAP:WRITE:READ"},
        {"levels,4:0:0", "'4:0:0' is no word"},
        {"levels,levels=1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0", "no more than 8 tiers"},
        {"resilient,slots=3", "resilient needs distance=STEPS"},
        {"disk,write=0.0000000001", "write: '0.0000000001' has more than 9 decimals"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        verso_spec_text read = {0};
        verso_error error = {0};
        assert_int_equal(verso_spec_text_read("NAME", bad[i].text, &read, &error), VERSO_INVALID);
        assert_false(read.said);
        if (strncmp(error.message, "NAME: ", 6) != 0 || strstr(error.message, bad[i].says) == NULL)
            fail_msg("%s: %s", bad[i].text, error.message);
    }
}

static void reports_have_a_kind(void **state) {
    (void)state;
    const char *path;
    verso_error error;
    assert_int_equal(verso_native_report_read("NAME", "a.b/report.json", &path, NULL), VERSO_OK);
    assert_string_equal(path, "a.b/report.json");
    assert_int_equal(verso_native_report_read("NAME", "x.html", &path, NULL), VERSO_OK);
    assert_int_equal(verso_native_report_read("NAME", "json", &path, &error), VERSO_INVALID);
    assert_int_equal(verso_native_report_read("NAME", "a.json/report", &path, &error), VERSO_INVALID);
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
    verso_native_settings settings;
    verso_native_options chosen, nothing = {0};
    verso_run_options run;
    say("", "", "", "");
    assert_int_equal(verso_native_settings_read(&settings, NULL), VERSO_OK);
    assert_int_equal(verso_native_settings_apply(&settings, &nothing, &chosen, &run, NULL), VERSO_OK);
    assert_true(settings.memory == 0 && !settings.schedule.said && settings.report == NULL && chosen.run == NULL);
}

static void the_environment_counts_where_options_say_nothing(void **state) {
    (void)state;
    verso_native_settings settings;
    verso_native_options chosen, nothing = {0};
    verso_run_options run, own;
    say("64M", "revolve,slots=7,leaf=4k", "somewhere", "there.json");
    assert_int_equal(verso_native_settings_read(&settings, NULL), VERSO_OK);
    assert_string_equal(settings.report, "there.json");
    assert_int_equal(verso_native_settings_apply(&settings, &nothing, &chosen, &run, NULL), VERSO_OK);
    assert_true(chosen.run == &run && !run.automatic && run.spec.kind == VERSO_KIND_REVOLVE && run.spec.slots == 7);
    assert_true(run.memory == 64000000 && chosen.leaf == 4000);
    assert_string_equal(run.directory, "somewhere");

    verso_run_options_init(&own);
    own.spec.kind = VERSO_KIND_MIXED;
    own.spec.slots = 2;
    own.directory = "elsewhere";
    verso_native_options options = {.memory = 5, .leaf = 6, .run = &own};
    assert_int_equal(verso_native_settings_apply(&settings, &options, &chosen, &run, NULL), VERSO_OK);
    assert_true(run.spec.kind == VERSO_KIND_MIXED && run.spec.slots == 2 && run.memory == 5 && chosen.leaf == 6);
    assert_string_equal(run.directory, "elsewhere");
    own.automatic = true;
    assert_int_equal(verso_native_settings_apply(&settings, &options, &chosen, &run, NULL), VERSO_OK);
    assert_true(run.spec.kind == VERSO_KIND_REVOLVE && run.memory == 5);
}

static void bad_variables_are_named(void **state) {
    (void)state;
    verso_native_settings settings;
    verso_error error = {0};
    say("lots", "", "", "");
    assert_int_equal(verso_native_settings_read(&settings, &error), VERSO_INVALID);
    assert_non_null(strstr(error.message, "VERSO_MEMORY: 'lots'"));
    say("0", "", "", "");
    assert_int_equal(verso_native_settings_read(&settings, &error), VERSO_INVALID);
    say("", "revolve,slots=x", "", "");
    assert_int_equal(verso_native_settings_read(&settings, &error), VERSO_INVALID);
    assert_non_null(strstr(error.message, "VERSO_SCHEDULE: slots: 'x'"));
    say("", "", "", "report.txt");
    assert_int_equal(verso_native_settings_read(&settings, &error), VERSO_INVALID);
    assert_non_null(strstr(error.message, "VERSO_REPORT: 'report.txt'"));
}

static void an_offload_is_read(void **state) {
    (void)state;
    verso_native_offload_text read;
    assert_int_equal(verso_native_offload_read("NAME", "/scratch", &read, NULL), VERSO_OK);
    assert_true(strcmp(read.directory, "/scratch") == 0 && read.memory == 0 && !read.synchronous);
    assert_int_equal(verso_native_offload_read("NAME", "a b,synchronous,limit=64Mi", &read, NULL), VERSO_OK);
    assert_true(strcmp(read.directory, "a b") == 0 && read.memory == 64 << 20 && read.synchronous);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "the name of the directory is empty"}, {",limit=1M", "the name of the directory is empty"},
        {"/x,", "'' is no word of an offload"},     {"/x,limit", "'limit' is no word of an offload"},
        {"/x,limit=", "'limit=' is no word"},       {"/x,limit=lots", "limit: 'lots' is not a number of bytes"},
        {"/x,limit=0", "limit: '0' leaves no"},     {"/x,synchronously", "'synchronously' is no word"},
        {"/x,limit=1M,", "'' is no word"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        verso_error error = {0};
        assert_int_equal(verso_native_offload_read("NAME", bad[i].text, &read, &error), VERSO_INVALID);
        assert_true(read.directory[0] == '\0');
        if (strncmp(error.message, "NAME: ", 6) != 0 || strstr(error.message, bad[i].says) == NULL)
            fail_msg("%s: %s", bad[i].text, error.message);
    }
    char longer[2 * VERSO_OFFLOAD_TEXT];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(verso_native_offload_read("NAME", longer, &read, NULL), VERSO_INVALID);
}

static void an_offload_or_a_budget(void **state) {
    (void)state;
    verso_native_settings settings = {.offload = {.directory = "/there", .memory = 5}};
    verso_native_options chosen, nothing = {0}, budget = {.memory = 1000}, own = {.offload = {.directory = "/own"}};
    verso_native_options both = {.offload = {.directory = "/own"}, .memory = 1000};
    verso_run_options run;
    assert_int_equal(verso_native_settings_apply(&settings, &nothing, &chosen, &run, NULL), VERSO_OK);
    assert_true(strcmp(chosen.offload.directory, "/there") == 0 && chosen.offload.memory == 5 && chosen.run == NULL);
    assert_int_equal(verso_native_settings_apply(&settings, &own, &chosen, &run, NULL), VERSO_OK);
    assert_true(strcmp(chosen.offload.directory, "/own") == 0 && chosen.offload.memory == 0);
    assert_int_equal(verso_native_settings_apply(&settings, &budget, &chosen, &run, NULL), VERSO_OK);
    assert_true(chosen.offload.directory == NULL && chosen.run == &run);
    assert_int_equal(verso_native_settings_apply(&settings, &both, &chosen, &run, NULL), VERSO_INVALID);
    settings.memory = 1000;
    assert_int_equal(verso_native_settings_apply(&settings, &nothing, &chosen, &run, NULL), VERSO_INVALID);
    assert_int_equal(verso_native_settings_apply(&settings, &own, &chosen, &run, NULL), VERSO_OK);
    assert_true(chosen.run == NULL);
}

static void slots_need_a_number_or_a_budget(void **state) {
    (void)state;
    verso_native_settings settings = {.schedule = read_good("revolve")};
    verso_native_options chosen, nothing = {0}, budget = {.memory = 1000};
    verso_run_options run;
    verso_error error = {0};
    assert_int_equal(verso_native_settings_apply(&settings, &nothing, &chosen, &run, &error), VERSO_INVALID);
    assert_non_null(strstr(error.message, "revolve needs a number of capsules"));
    assert_int_equal(verso_native_settings_apply(&settings, &budget, &chosen, &run, &error), VERSO_OK);
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
        cmocka_unit_test(an_offload_is_read),
        cmocka_unit_test(an_offload_or_a_budget),
        cmocka_unit_test(slots_need_a_number_or_a_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
