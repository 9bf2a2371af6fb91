/* Tests durable runs: suspended at every step, killed at every callback, killed by SIGKILL at random instants, also
 * while they restart. The gradient has the same bits as that of an undisturbed run.
 *
 * VERSO_KILLS sets the number of kills at random instants (default 100), VERSO_SEED the seed. */
#include "tests/support/folder.h"
#include "tests/support/toy.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Durable runs: schedules with tiers in memory, in files, or in both, of known and of unknown length. */
typedef struct durable_case {
    verso_schedule_kind kind;
    uint64_t slots;
    verso_place first_tier;
    bool unknown, with_disk;
} durable_case;

static const durable_case cases[] = {
    {.kind = VERSO_KIND_DISK, .slots = 3},
    {.kind = VERSO_KIND_RESILIENT, .slots = 5},
    {.kind = VERSO_KIND_ONLINE, .slots = 4, .unknown = true, .with_disk = true},
    {.kind = VERSO_KIND_REVOLVE, .slots = 4},
    {.kind = VERSO_KIND_REVOLVE, .slots = 4, .first_tier = VERSO_PLACE_FILES},
    {.kind = VERSO_KIND_ONLINE, .slots = 4, .unknown = true, .first_tier = VERSO_PLACE_FILES},
    {.kind = VERSO_KIND_ONLINE, .slots = 4, .unknown = true},
    {.kind = VERSO_KIND_TWO_LEVEL, .slots = 6},
    {.kind = VERSO_KIND_LEVELS, .slots = 2},
    {.kind = VERSO_KIND_MIXED, .slots = 4},
    {.kind = VERSO_KIND_SINGLE_RECOVERY, .slots = 5},
    {.kind = VERSO_KIND_CONTINUOUS, .slots = 5},
    {.kind = VERSO_KIND_PERIODIC, .slots = 3},
    {.kind = VERSO_KIND_TREEVERSE, .slots = 3, .first_tier = VERSO_PLACE_FILES},
    {.kind = VERSO_KIND_EVERY_K, .slots = 4, .first_tier = VERSO_PLACE_FILES},
    {.kind = VERSO_KIND_STORE_ALL, .slots = 4, .first_tier = VERSO_PLACE_FILES},
};

enum { CASES = sizeof cases / sizeof *cases };

static void set_options(verso_run_options *options, const durable_case *what, uint64_t steps, const char *folder) {
    verso_run_options_init(options);
    options->spec = toy_spec(what->kind, what->unknown ? VERSO_UNKNOWN : steps, what->slots);
    if (what->unknown)
        options->spec.distance = options->spec.adjoint_distance = 1;
    options->spec.with_disk = what->with_disk;
    options->directory = folder;
    options->places[0] = what->first_tier;
}

static void describe(const durable_case *what, uint64_t steps, char text[128]) {
    snprintf(text, 128, "case %td (%s), %llu steps", what - cases, verso_kind_word(what->kind),
             (unsigned long long)steps);
}

/* ---- Suspension ---- */

static void suspend_every(const durable_case *what, uint64_t steps, uint64_t limit, const toy_result *expected) {
    char *folder = folder_new();
    char text[128];
    describe(what, steps, text);
    verso_status status = VERSO_STATUS_SUSPENDED;
    for (uint64_t processes = 0; status == VERSO_STATUS_SUSPENDED; processes++) {
        toy model;
        toy_open(&model, steps, !what->unknown);
        verso_run_options options;
        verso_run_report report = VERSO_RUN_REPORT_INIT;
        verso_error error = {0};
        set_options(&options, what, steps, folder);
        options.step_limit = limit;
        options.foreground = true;
        status = verso_run(&model.program, &options, &report, &error);
        if (status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED)
            fail_msg("%s, limit %llu, process %llu: %s", text, (unsigned long long)limit, (unsigned long long)processes,
                     error.message);
        assert_int_equal(report.restarts, processes);
        if (report.recovered_steps != 0)
            fail_msg("%s, limit %llu: a suspended run had to compute %llu steps again", text, (unsigned long long)limit,
                     (unsigned long long)report.recovered_steps);
        toy_result result = toy_result_of(&model);
        if (status == VERSO_STATUS_OK && !toy_equal(&result, expected))
            fail_msg("%s, limit %llu: another gradient", text, (unsigned long long)limit);
        toy_close(&model);
        if (processes > 10000)
            fail_msg("%s, limit %llu: no end", text, (unsigned long long)limit);
    }
    folder_remove(folder);
}

static void suspended_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        for (uint64_t steps = 1; steps <= 40; steps = 2 * steps + 3) {
            toy_result expected = toy_reference(steps);
            for (uint64_t limit = 1; limit <= 3 * steps; limit += 1 + limit / 6)
                suspend_every(&cases[i], steps, limit, &expected);
        }
    }
}

/* ---- Death ---- */

/* Starts a child that runs to the end, or dies at the callback `kill_after`. */
static pid_t start_child(const durable_case *what, uint64_t steps, const char *folder, uint64_t kill_after,
                         int result_pipe) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child != 0)
        return child;
    toy model;
    toy_open(&model, steps, !what->unknown);
    model.kill_after = kill_after;
    verso_run_options options;
    verso_error error = {0};
    set_options(&options, what, steps, folder);
    if (verso_run(&model.program, &options, NULL, &error) != VERSO_STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        _exit(1);
    }
    toy_result result = toy_result_of(&model);
    _exit(write(result_pipe, &result, sizeof result) == (ssize_t)sizeof result ? 0 : 2);
}

/* Drops the result of a child that was killed after it had sent its result and before it could end. */
static void forget_result(int result_pipe) {
    struct pollfd waiting = {.fd = result_pipe, .events = POLLIN};
    toy_result result;
    while (poll(&waiting, 1, 0) > 0)
        assert_int_equal(read(result_pipe, &result, sizeof result), sizeof result);
}

/* True when it ended by itself, with a result; false when it was killed. */
static bool reap(pid_t child, int result_pipe, toy_result *result, const char *text) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        forget_result(result_pipe);
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: the process ended with %d", text, status);
    assert_int_equal(read(result_pipe, result, sizeof *result), sizeof *result);
    return true;
}

static void killed_at_every_callback(void **state) {
    (void)state;
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    const uint64_t steps = 17;
    toy_result expected = toy_reference(steps), result;
    for (size_t i = 0; i < CASES; i++) {
        char text[128];
        describe(&cases[i], steps, text);
        bool ended = false;
        for (uint64_t k = 1; !ended; k++) {
            char *folder = folder_new();
            ended = reap(start_child(&cases[i], steps, folder, k, channel[1]), channel[0], &result, text);
            /* Once more, dying a little later, then to the end. */
            if (!ended &&
                !reap(start_child(&cases[i], steps, folder, 1 + k % 5, channel[1]), channel[0], &result, text))
                assert_true(reap(start_child(&cases[i], steps, folder, 0, channel[1]), channel[0], &result, text));
            if (!toy_equal(&result, &expected))
                fail_msg("%s, killed at callback %llu: another gradient", text, (unsigned long long)k);
            folder_remove(folder);
        }
    }
    close(channel[0]);
    close(channel[1]);
}

static uint64_t number_from(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void nap(uint64_t microseconds) {
    struct timespec time = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    nanosleep(&time, NULL);
}

/* Kills processes at random instants of their lives, including their restarts, until the wanted number has died. */
static void killed_at_random(void **state) {
    (void)state;
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    uint64_t seed = number_from("VERSO_SEED", (uint64_t)time(NULL) * 2654435761U + (uint64_t)getpid()) | 1;
    uint64_t wanted = number_from("VERSO_KILLS", 100), kills = 0, runs = 0;
    print_message("VERSO_SEED=%llu\n", (unsigned long long)seed);
    while (kills < wanted) {
        const durable_case *what = &cases[next_random(&seed) % CASES];
        uint64_t steps = next_random(&seed) % 800;
        toy_result expected = toy_reference(steps), result;
        char text[128];
        describe(what, steps, text);
        char *folder = folder_new();
        for (uint64_t patience = 500;; patience += patience / 4) {
            pid_t child = start_child(what, steps, folder, 0, channel[1]);
            nap(next_random(&seed) % patience);
            kill(child, SIGKILL);
            if (reap(child, channel[0], &result, text))
                break;
            kills++;
        }
        if (!toy_equal(&result, &expected))
            fail_msg("%s: another gradient", text);
        folder_remove(folder);
        runs++;
    }
    print_message("%llu kills in %llu runs\n", (unsigned long long)kills, (unsigned long long)runs);
    close(channel[0]);
    close(channel[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        /* Those that fork come first: a sanitizer's fork copies all that was ever touched. */
        cmocka_unit_test(killed_at_every_callback),
        cmocka_unit_test(killed_at_random),
        cmocka_unit_test(suspended_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
