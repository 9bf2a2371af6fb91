/* Tests what the death of a process costs, as docs/durable.md promises. The process is killed at every callback; the
 * next one repeats no more forward and reversed steps than were run since the last restart point (and, if states were
 * in memory, than lie between the adjoint and the next older capsule in a file).
 *
 * The bounds follow from walking the schedule and counting the steps between two restart points. In the background
 * the newest restart point, but only that one, may not be written yet, so the bound is twice as large. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS, which POSIX.1-2008 does not have */
#include "base/system.h"
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct promise {
    trial_case what;
    uint64_t steps;
    uint64_t distance, adjoint_distance; /* of the spec: resilient */
    uint64_t option_distance;            /* adjoint_distance of the options */
    bool always; /* an interval so short that there is a restart point before every step and after every reversed one */
    bool memory; /* states are in memory: a death loses them */
    bool background; /* on a disk that is slow */
} promise;

/* A sync takes longer than all steps of a run together. */
static int slow_sync(const verso__system *system, int file) {
    (void)system;
    (void)file;
    const struct timespec time = {0, 200000};
    return nanosleep(&time, NULL);
}

static verso__system slow;

/* ---- What the schedule does between two restart points ---- */

typedef struct bound {
    uint64_t forward, reversed; /* the most between two restart points */
    uint64_t gap;               /* the most steps from a state in a file to the next one above it, or to the end */
} bound;

typedef struct walk {
    uint64_t forward, reversed, adjoint, stored; /* since the last restart point; where it was */
    bool sweeping_back;
} walk;

static void restart_point(walk *now) {
    now->forward = now->reversed = 0;
    now->stored = now->adjoint;
}

static void note(const walk *now, bound *most) {
    most->forward = now->forward > most->forward ? now->forward : most->forward;
    most->reversed = now->reversed > most->reversed ? now->reversed : most->reversed;
}

static void step_of(const promise *given, const verso_action *action, bool in_files, walk *now, bound *most) {
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE: now->forward = given->always ? 1 : now->forward + action->to - action->from; break;
    case VERSO_ACTION_REVERSE:
        now->forward += !now->sweeping_back; /* to the last state, where the adjoint starts */
        now->reversed += action->from - action->to;
        now->adjoint = action->to;
        now->sweeping_back = true;
        break;
    default: break;
    }
    note(now, most);
    bool due = given->option_distance > 0 && now->sweeping_back && now->stored - now->adjoint >= given->option_distance;
    if ((action->kind == VERSO_ACTION_STORE && in_files && !now->sweeping_back) ||
        action->kind == VERSO_ACTION_STORE_ADJOINT || (action->kind == VERSO_ACTION_REVERSE && (due || given->always)))
        restart_point(now);
}

static bound walk_through(const promise *given, const verso_schedule_spec *spec) {
    verso_schedule *schedule;
    verso_action action;
    bound most = {0};
    walk now = {.adjoint = given->steps, .stored = given->steps};
    uint64_t last = 0;
    assert_int_equal(verso_schedule_new(spec, &schedule, NULL), VERSO_STATUS_OK);
    do {
        assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
        bool in_files = action.tier > 0 || spec->kind == VERSO_KIND_RESILIENT;
        if (action.kind == VERSO_ACTION_STORE && in_files && !now.sweeping_back) {
            most.gap = action.from - last > most.gap ? action.from - last : most.gap;
            last = action.from;
        }
        step_of(given, &action, in_files, &now, &most);
    } while (action.kind != VERSO_ACTION_DONE);
    most.gap = given->steps - last > most.gap ? given->steps - last : most.gap;
    verso_schedule_free(schedule);
    if (given->distance > 0) { /* the closed form holds for every schedule */
        uint64_t distance = given->distance, adjoint_distance = given->adjoint_distance;
        assert_true(most.gap <= distance && most.reversed <= adjoint_distance);
        assert_true(most.forward <= distance + adjoint_distance * (distance - 1));
    }
    if (given->background) {
        most.forward *= 2;
        most.reversed *= 2;
    }
    most.gap *= given->memory;
    return most;
}

/* ---- Deaths ---- */

/* Where a child's counts outlive it. */
static trial *shared_trial(void) {
    trial *one = mmap(NULL, sizeof *one, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(one != MAP_FAILED);
    return one;
}

static void open_promised(const promise *given, const char *directory, trial *one) {
    trial_open(one, &given->what, given->steps, directory);
    if (given->distance > 0)
        one->options.spec.distance = given->distance;
    if (given->adjoint_distance > 0)
        one->options.spec.adjoint_distance = given->adjoint_distance;
    one->options.adjoint_distance = given->option_distance;
    if (given->always)
        one->options.interval = 1e-9;
    if (given->background) {
        slow = verso__system_machine;
        slow.sync = slow_sync;
        one->options.foreground = false;
        one->system = &slow;
    }
}

/* True when it died. */
static bool die_at(const promise *given, const char *directory, uint64_t call, trial *one) {
    open_promised(given, directory, one);
    one->model.kill_after = call;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(trial_run(one) == VERSO_STATUS_OK ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

typedef struct toll {
    uint64_t forward, reversed, recovered;
    bool first_sweep; /* it died in it */
} toll;

/* What the death at that callback cost; false when there was none. */
static bool measure(const promise *given, const char *directory, uint64_t call, const trial *undisturbed, toll *cost) {
    trial *first = shared_trial();
    folder_empty(directory);
    bool died = die_at(given, directory, call, first);
    if (died) {
        trial second;
        open_promised(given, directory, &second);
        if (trial_run(&second) != VERSO_STATUS_OK)
            fail_msg("%s", second.error.message);
        assert_true(toy_equal(&second.result, &undisturbed->result));
        uint64_t forward = first->model.advanced + second.model.advanced;
        /* What the first process left on the disk may even save the second one a step. */
        cost->forward = forward > undisturbed->model.advanced ? forward - undisturbed->model.advanced : 0;
        cost->reversed = first->model.reversed + second.model.reversed - undisturbed->model.reversed;
        cost->recovered = (uint64_t)second.report.recovered_steps;
        cost->first_sweep = first->model.reversed == 0;
        trial_close(&second);
    }
    munmap(first, sizeof *first);
    return died;
}

static void keep_to(const promise *given, const bound *most, const toll *cost, uint64_t call) {
    uint64_t distance = given->distance * (given->background ? 2 : 1);
    if (cost->first_sweep && given->distance > 0 && cost->forward > distance)
        fail_msg("%s, killed at callback %llu: %llu steps of the first sweep repeated, more than %llu",
                 given->what.word, (unsigned long long)call, (unsigned long long)cost->forward,
                 (unsigned long long)distance);
    if (cost->reversed > most->reversed)
        fail_msg("%s, killed at callback %llu: %llu reversed steps repeated, more than %llu", given->what.word,
                 (unsigned long long)call, (unsigned long long)cost->reversed, (unsigned long long)most->reversed);
    if (cost->recovered > most->gap)
        fail_msg("%s, killed at callback %llu: %llu steps to bring states back", given->what.word,
                 (unsigned long long)call, (unsigned long long)cost->recovered);
    if (cost->forward > most->forward + cost->recovered)
        fail_msg("%s, killed at callback %llu: %llu forward steps repeated, more than %llu + %llu", given->what.word,
                 (unsigned long long)call, (unsigned long long)cost->forward, (unsigned long long)most->forward,
                 (unsigned long long)cost->recovered);
}

static void keep_promise(const promise *given) {
    char *directory = folder_new();
    trial undisturbed;
    open_promised(given, directory, &undisturbed);
    bound most = walk_through(given, &undisturbed.options.spec);
    assert_int_equal(trial_run(&undisturbed), VERSO_STATUS_OK);
    toll cost = {0}, worst = {0};
    for (uint64_t call = 1; measure(given, directory, call, &undisturbed, &cost); call++) {
        worst.forward = cost.forward > worst.forward ? cost.forward : worst.forward;
        worst.reversed = cost.reversed > worst.reversed ? cost.reversed : worst.reversed;
        worst.recovered = cost.recovered > worst.recovered ? cost.recovered : worst.recovered;
        keep_to(given, &most, &cost, call);
    }
    print_message("%s, %llu steps: at worst %llu of %llu forward, %llu of %llu reversed, %llu of %llu recovered\n",
                  given->what.word, (unsigned long long)given->steps, (unsigned long long)worst.forward,
                  (unsigned long long)most.forward, (unsigned long long)worst.reversed,
                  (unsigned long long)most.reversed, (unsigned long long)worst.recovered, (unsigned long long)most.gap);
    trial_close(&undisturbed);
    folder_remove(directory);
}

static const trial_case resilient = {.word = "resilient", .kind = VERSO_KIND_RESILIENT, .slots = 5};

static void all_in_files(void **state) {
    (void)state;
    const uint64_t distances[] = {8, 10, 20};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        for (uint64_t adjoint_distance = 1; adjoint_distance <= 9; adjoint_distance += 4)
            keep_promise(&(promise){
                .what = resilient, .steps = 36, .distance = distances[i], .adjoint_distance = adjoint_distance});
}

static void partly_in_memory(void **state) {
    (void)state;
    for (uint64_t distance = 1; distance <= 9; distance += 4) {
        keep_promise(&(promise){.what = trial_cases[0], .steps = 40, .option_distance = distance, .memory = true});
        keep_promise(&(promise){.what = trial_cases[3], .steps = 20, .option_distance = distance, .memory = true});
    }
}

static void on_a_slow_disk(void **state) {
    (void)state;
    keep_promise(&(promise){.what = resilient, .steps = 24, .distance = 8, .adjoint_distance = 5, .background = true});
    keep_promise(
        &(promise){.what = trial_cases[3], .steps = 14, .option_distance = 4, .memory = true, .background = true});
}

/* Not only in the first sweep. */
static void at_an_interval(void **state) {
    (void)state;
    keep_promise(&(promise){.what = trial_cases[3], .steps = 14, .always = true, .memory = true});
    keep_promise(&(promise){.what = resilient, .steps = 24, .distance = 8, .adjoint_distance = 9, .always = true});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_in_files),
        cmocka_unit_test(partly_in_memory),
        cmocka_unit_test(on_a_slow_disk),
        cmocka_unit_test(at_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
