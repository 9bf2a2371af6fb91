/* Tests a group of processes that run one computation together, each with its own directory: killed at every
 * callback, with damaged capsules, torn journals and lost directories, they continue together and end with the same
 * bits.
 *
 * Each member is a process; `least` uses shared memory. Each callback is also compared between the members, so that
 * the test fails at once if two of them are at different steps.
 *
 * VERSO_SEED sets the seed of the random part, VERSO_GROUP_RUNS its number of runs (default 40). */
#include "tests/support/folder.h"
#include "tests/support/toy.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
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

enum { MEMBERS = 3, SECONDS_MAX = 20 };

/* Memory that the members of a group share. */
typedef struct meeting {
    pthread_barrier_t barrier;
    unsigned kinds[MEMBERS];
    uint64_t values[MEMBERS];
    toy_result results[MEMBERS];
    uint64_t restarts[MEMBERS];
    uint64_t recovered[MEMBERS]; /* steps */
} meeting;

typedef struct member {
    meeting *shared;
    int number;
    toy model;
    verso_loop own; /* the toy's callbacks, which those below call */
    bool slow;      /* its first step takes long */
    bool terminate; /* it gets a SIGTERM at every 20th step */
} member;

/* Waits until all members have passed a value, and the same `kind`: 0 for an agreement, else a callback, which all
 * members must execute with the same value. */
static uint64_t meet(const member *self, unsigned kind, uint64_t value) {
    meeting *shared = self->shared;
    shared->kinds[self->number] = kind;
    shared->values[self->number] = value;
    pthread_barrier_wait(&shared->barrier);
    uint64_t least = value;
    for (int i = 0; i < MEMBERS; i++) {
        least = shared->values[i] < least ? shared->values[i] : least;
        if (shared->kinds[i] == kind && (kind == 0 || shared->values[i] == value))
            continue;
        fprintf(stderr, "member %d is in callback %u at step %llu, member %d in callback %u at step %llu\n",
                self->number, kind, (unsigned long long)value, i, shared->kinds[i],
                (unsigned long long)shared->values[i]);
        abort();
    }
    pthread_barrier_wait(&shared->barrier);
    return least;
}

static verso_status least(void *context, uint64_t value, uint64_t *result, verso_error *error) {
    (void)error;
    *result = meet(context, 0, value);
    return VERSO_STATUS_OK;
}

static int advance(void *context, uint64_t step) {
    member *self = context;
    meet(self, 1, step);
    if (self->terminate && step % 20 == 10)
        raise(SIGTERM);
    if (self->slow && step == 0)
        nanosleep(&(struct timespec){0, 80000000}, NULL);
    return self->model.loop.advance(&self->model, step);
}

static int adjoint(void *context, uint64_t step) {
    member *self = context;
    meet(self, 2, step);
    return self->model.loop.adjoint(&self->model, step);
}

static int start(void *context, uint64_t steps) {
    member *self = context;
    meet(self, 3, steps);
    return self->model.loop.start(&self->model, steps);
}

static int cost(void *context, uint64_t step, double *value) {
    member *self = context;
    return self->model.loop.cost(&self->model, step, value);
}

static int finished(void *context, uint64_t step) {
    member *self = context;
    return self->model.loop.finished(&self->model, step);
}

/* ---- A run ---- */

typedef struct group_case {
    verso_schedule_kind kind;
    uint64_t slots;
    verso_place first_tier;
    bool unknown, with_disk, automatic;
    uint64_t memory;
    double interval; /* so short that a restart point is always due, for one sooner than for another */
} group_case;

/* Members have states of different sizes: a budget has room for more of them in one than in another. */
static const group_case cases[] = {
    {.kind = VERSO_KIND_DISK, .slots = 3},
    {.kind = VERSO_KIND_RESILIENT, .slots = 5},
    {.kind = VERSO_KIND_ONLINE, .slots = 4, .unknown = true, .with_disk = true},
    {.kind = VERSO_KIND_REVOLVE, .slots = 4},
    {.kind = VERSO_KIND_REVOLVE, .slots = 4, .first_tier = VERSO_PLACE_FILES},
    {.kind = VERSO_KIND_TWO_LEVEL, .slots = 6},
    {.kind = VERSO_KIND_MIXED, .slots = 4},
    {.kind = VERSO_KIND_REVOLVE, .memory = 1200},
    {.automatic = true, .memory = 1200},
    {.automatic = true, .memory = 3000},
    {.automatic = true, .memory = 1200, .unknown = true},
    {.kind = VERSO_KIND_DISK, .slots = 3, .interval = 1e-9},
    {.kind = VERSO_KIND_REVOLVE, .slots = 4, .interval = 2e-3},
    {.kind = VERSO_KIND_ONLINE, .slots = 4, .unknown = true, .interval = 5e-4},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct plan {
    const group_case *what;
    uint64_t steps;
    const char *folder;
    int victim; /* the member that dies */
    uint64_t kill_after;
    uint64_t step_limit;
    bool slow;      /* the victim's first step takes long */
    bool terminate; /* the victim gets signals */
} plan;

static char padding[64 * MEMBERS]; /* of the states, so that they are not equally large */

static void open_member(member *self, const plan *plan, verso_program *program) {
    toy_open(&self->model, plan->steps, !plan->what->unknown);
    if (self->number == plan->victim)
        self->model.kill_after = plan->kill_after;
    self->slow = plan->slow && self->number == plan->victim;
    self->terminate = plan->terminate && self->number == plan->victim;
    self->own = self->model.loop;
    self->own.context = self;
    self->own.advance = advance;
    self->own.adjoint = adjoint;
    self->own.start = start;
    self->own.cost = cost;
    self->own.finished = plan->what->unknown ? finished : NULL;
    if (self->number > 0)
        self->own.state[1] = (verso_region){padding, 64 * (size_t)self->number};
    if (verso_loop_program(&self->own, program, NULL) != VERSO_STATUS_OK)
        abort();
}

/* To find out what happened: VERSO_NOTICES=1. */
static void say(void *context, const char *sentence) {
    fprintf(stderr, "member %d: %s\n", ((member *)context)->number, sentence);
}

static int run_member(meeting *shared, int number, const plan *plan) {
    member self = {.shared = shared, .number = number};
    verso_program program;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    verso_error error = {0};
    char folder[512];
    verso_group group = {&self, least};
    verso_run_options options;
    open_member(&self, plan, &program);
    snprintf(folder, sizeof folder, "%s/%d", plan->folder, number);
    verso_run_options_init(&options);
    options.spec = toy_spec(plan->what->kind, plan->what->unknown ? VERSO_UNKNOWN : plan->steps,
                            plan->what->slots > 0 ? plan->what->slots : 1);
    options.spec.slots = plan->what->slots;
    if (plan->what->unknown)
        options.spec.distance = options.spec.adjoint_distance = 1;
    options.spec.with_disk = plan->what->with_disk;
    options.automatic = plan->what->automatic;
    options.memory = plan->what->memory;
    options.places[0] = plan->what->first_tier;
    options.directory = folder;
    options.group = &group;
    if (getenv("VERSO_NOTICES") != NULL) {
        options.notice = say;
        options.notice_context = &self;
    }
    options.step_limit = plan->step_limit;
    options.on_signal = plan->terminate;
    options.interval = plan->what->interval;
    options.foreground = number == 1;
    verso_status status = verso_run(&program, &options, &report, &error);
    if (status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED)
        fprintf(stderr, "member %d: %s\n", number, error.message);
    self.model.loop.value = self.own.value;
    shared->results[number] = toy_result_of(&self.model);
    shared->restarts[number] = report.restarts;
    shared->recovered[number] = (uint64_t)report.recovered_steps;
    verso_loop_close(&self.own);
    return status == VERSO_STATUS_OK ? 0 : status == VERSO_STATUS_SUSPENDED ? 3 : 1;
}

typedef enum ending { ENDED, SUSPENDED, DIED } ending;

/* Runs a group. If one member fails, the others are killed, as by mpirun. */
static ending run_group(meeting *shared, const plan *plan, const char *text) {
    pid_t children[MEMBERS];
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    memset(shared, 0, sizeof *shared);
    pthread_barrier_init(&shared->barrier, &attributes, MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            alarm(SECONDS_MAX); /* a group that waits for ever has not agreed on something */
            _exit(run_member(shared, i, plan));
        }
    }
    ending result = ENDED;
    int bad = 0;
    for (int left = MEMBERS; left > 0; left--) {
        int status;
        pid_t child = wait(&status);
        assert_true(child > 0);
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        bool good = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
        if (!killed && !good && bad == 0)
            bad = status;
        if (killed)
            result = DIED;
        else if (good && WEXITSTATUS(status) == 3)
            result = SUSPENDED;
        for (int i = 0; i < MEMBERS; i++) {
            if (children[i] == child)
                children[i] = 0;
            else if (!good && children[i] > 0)
                kill(children[i], SIGKILL);
        }
    }
    if (bad != 0)
        fail_msg("%s: a member ended with %d%s", text, bad,
                 WIFSIGNALED(bad) && WTERMSIG(bad) == SIGALRM ? " (it waited for ever)" : "");
    return result;
}

static void check_results(const meeting *shared, const toy_result *expected, const char *text) {
    for (int i = 0; i < MEMBERS; i++)
        if (!toy_equal(&shared->results[i], expected))
            fail_msg("%s: member %d has another gradient", text, i);
}

static meeting *new_meeting(void) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), sizeof(meeting)), 0);
    meeting *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    assert_true(shared != MAP_FAILED);
    fclose(file);
    return shared;
}

/* ---- Undisturbed, suspended, killed ---- */

static void undisturbed(void **state) {
    (void)state;
    meeting *shared = new_meeting();
    for (size_t i = 0; i < CASES; i++) {
        for (uint64_t steps = 0; steps <= 130; steps = 3 * steps + 1) {
            toy_result expected = toy_reference(steps);
            char *folder = folder_new(), text[128];
            plan plan = {.what = &cases[i], .steps = steps, .folder = folder, .victim = 1, .slow = steps == 13};
            snprintf(text, sizeof text, "case %zu, %llu steps", i, (unsigned long long)steps);
            for (int again = 0; again < 2; again++) { /* the second time it is done already */
                assert_int_equal(run_group(shared, &plan, text), ENDED);
                check_results(shared, &expected, text);
            }
            folder_remove(folder);
        }
    }
    munmap(shared, sizeof *shared);
}

static void suspended(void **state) {
    (void)state;
    meeting *shared = new_meeting();
    const uint64_t steps = 40;
    toy_result expected = toy_reference(steps);
    for (size_t i = 0; i < CASES; i++) {
        char *folder = folder_new(), text[128];
        plan plan = {.what = &cases[i], .steps = steps, .folder = folder, .victim = -1, .step_limit = 13};
        snprintf(text, sizeof text, "case %zu, suspended", i);
        while (run_group(shared, &plan, text) == SUSPENDED)
            assert_true(shared->restarts[0] < 100);
        check_results(shared, &expected, text);
        for (int member = 0; member < MEMBERS; member++)
            assert_int_equal(shared->recovered[member], 0);
        folder_remove(folder);
    }
    munmap(shared, sizeof *shared);
}

/* A signal to one member suspends all. */
static void terminated(void **state) {
    (void)state;
    meeting *shared = new_meeting();
    const uint64_t steps = 61;
    toy_result expected = toy_reference(steps);
    for (size_t i = 0; i < CASES; i++) {
        char *folder = folder_new(), text[128];
        plan plan = {.what = &cases[i], .steps = steps, .folder = folder, .victim = (int)(i % MEMBERS)};
        snprintf(text, sizeof text, "case %zu, terminated", i);
        plan.terminate = true;
        assert_int_equal(run_group(shared, &plan, text), SUSPENDED);
        for (int member = 0; member < MEMBERS; member++)
            assert_int_equal(shared->restarts[member], 0);
        for (int turn = 0; turn < 5; turn++) {
            plan.terminate = turn < 2;
            plan.victim = turn % MEMBERS;
            run_group(shared, &plan, text);
        }
        check_results(shared, &expected, text);
        folder_remove(folder);
    }
    munmap(shared, sizeof *shared);
}

static void killed_at_callbacks(void **state) {
    (void)state;
    meeting *shared = new_meeting();
    const uint64_t steps = 17;
    toy_result expected = toy_reference(steps);
    for (size_t i = 0; i < CASES; i++) {
        ending last = DIED;
        for (uint64_t k = 1; last == DIED; k += 1 + i % 3) {
            char *folder = folder_new(), text[128];
            snprintf(text, sizeof text, "case %zu, killed at callback %llu", i, (unsigned long long)k);
            plan plan = {
                .what = &cases[i], .steps = steps, .folder = folder, .victim = (int)(k % MEMBERS), .kill_after = k};
            last = run_group(shared, &plan, text);
            if (last == DIED) { /* once more, another one, a little later; then to the end */
                plan.victim = (int)((k + 1) % MEMBERS);
                plan.kill_after = 1 + k % 5;
                run_group(shared, &plan, text);
                plan.kill_after = 0;
                assert_int_equal(run_group(shared, &plan, text), ENDED);
            }
            check_results(shared, &expected, text);
            folder_remove(folder);
        }
    }
    munmap(shared, sizeof *shared);
}

/* ---- Damaged ---- */

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

static void damage_file(const char *path, uint64_t *seed) {
    size_t size;
    unsigned char *bytes = file_read(path, &size);
    if (size > 0 && next_random(seed) % 2 == 0)
        bytes[next_random(seed) % size] ^= 1 << next_random(seed) % 8;
    else if (size > 0)
        size = next_random(seed) % size;
    file_write(path, bytes, size);
    free(bytes);
}

/* Damages the directory of one member: damages or removes some capsules, cuts off the end of the journal (but not its
 * head), or removes everything. */
static void damage(const char *folder, uint64_t *seed) {
    char own[512];
    snprintf(own, sizeof own, "%s/%d", folder, (int)(next_random(seed) % MEMBERS));
    if (access(own, F_OK) != 0)
        return;
    uint64_t kind = next_random(seed) % 8;
    char **files = folder_files(own);
    for (size_t i = 0; files[i] != NULL && kind > 0; i++) {
        bool capsule = strstr(files[i], "/capsules/") != NULL,
             journal = strcmp(strrchr(files[i], '/'), "/journal") == 0;
        if (capsule && kind < 5 && next_random(seed) % kind == 0)
            damage_file(files[i], seed);
        else if (capsule && kind == 5 && next_random(seed) % 3 == 0)
            assert_int_equal(unlink(files[i]), 0);
        else if (journal && kind > 5) {
            size_t size;
            unsigned char *bytes = file_read(files[i], &size);
            size_t cut = next_random(seed) % 3000, head = 900;
            file_write(files[i], bytes, size > head + cut ? size - cut : size);
            free(bytes);
        }
    }
    folder_files_free(files);
    if (kind == 0)
        folder_empty(own);
}

/* Copies the directory of a member, or replaces it by the copy that was made some time ago. */
static void travel_in_time(const char *folder, const char *copy, bool *copied, uint64_t *seed) {
    char own[512];
    snprintf(own, sizeof own, "%s/%d", folder, 1);
    if (access(own, F_OK) != 0)
        return;
    if (*copied && next_random(seed) % 2 == 0) {
        folder_empty(own);
        folder_copy(copy, own);
    } else {
        folder_empty(copy);
        folder_copy(own, copy);
        *copied = true;
    }
}

/* Runs and damages a group until it ends by itself. */
static void run_disturbed(meeting *shared, const group_case *what, uint64_t steps, uint64_t *seed, const char *text) {
    char *folder = folder_new(), *copy = folder_new();
    bool copied = false;
    for (uint64_t patience = 3 * steps + 10;; patience += patience / 4) {
        plan plan = {.what = what, .steps = steps, .folder = folder};
        plan.victim = (int)(next_random(seed) % MEMBERS);
        plan.kill_after = 1 + next_random(seed) % patience;
        if (run_group(shared, &plan, text) == ENDED)
            break;
        if (next_random(seed) % 2 == 0)
            damage(folder, seed);
        else if (next_random(seed) % 2 == 0)
            travel_in_time(folder, copy, &copied, seed);
    }
    folder_remove(copy);
    folder_remove(folder);
}

static void damaged(void **state) {
    (void)state;
    meeting *shared = new_meeting();
    uint64_t seed = number_from("VERSO_SEED", (uint64_t)time(NULL) * 2654435761U + (uint64_t)getpid()) | 1;
    uint64_t runs = number_from("VERSO_GROUP_RUNS", 40), continued = 0;
    print_message("VERSO_SEED=%llu\n", (unsigned long long)seed);
    for (uint64_t run = 0; run < runs; run++) {
        size_t which = next_random(&seed) % CASES;
        uint64_t steps = next_random(&seed) % 200;
        toy_result expected = toy_reference(steps);
        char text[128];
        snprintf(text, sizeof text, "run %llu, case %zu, %llu steps", (unsigned long long)run, which,
                 (unsigned long long)steps);
        run_disturbed(shared, &cases[which], steps, &seed, text);
        check_results(shared, &expected, text);
        continued += shared->restarts[0];
    }
    print_message("continued %llu times in %llu runs\n", (unsigned long long)continued, (unsigned long long)runs);
    munmap(shared, sizeof *shared);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undisturbed),         cmocka_unit_test(suspended), cmocka_unit_test(terminated),
        cmocka_unit_test(killed_at_callbacks), cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
