/* Tests the guarantees of the file store: the contents of its directory, the effect of damaged and foreign files,
 * that callers do not wait for files that are being written, and that the limits hold while the writer is blocked (by
 * a job that waits at a gate). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/file.h"
#include "tests/support/faulty_system.h"
#include "tests/support/folder.h"

#include <pthread.h>
#include <time.h>

enum { SIZE = 1000, HEADER = 104 };

static const verso_capsule_name one = {VERSO_CAPSULE_STATE, 1, 0}, two = {VERSO_CAPSULE_STATE, 2, 1},
                                three = {VERSO_CAPSULE_STATE, 3, 2}, adjoint = {VERSO_CAPSULE_ADJOINT, 1, 0};
static const char file_of_one[] = "state-00000000000000000001", file_of_two[] = "state-00000000000000000002";

/* ---- A folder and a store in it ---- */

typedef struct setup {
    char *folder;
    verso_file_store_options options;
    verso_store store;
} setup;

static int set_up(void **state) {
    setup *all = calloc(1, sizeof *all);
    assert_non_null(all);
    all->folder = folder_new();
    all->options = (verso_file_store_options){.size = sizeof(verso_file_store_options),
                                              .directory = all->folder,
                                              .program = {{1, 2}},
                                              .run = {{3, 4}},
                                              .foreground = true};
    *state = all;
    return 0;
}

static int tear_down(void **state) {
    setup *all = *state;
    verso_store_close(&all->store);
    folder_remove(all->folder);
    free(all);
    return 0;
}

static void open_store(setup *all) {
    verso_error error = {0};
    verso_store_close(&all->store);
    if (verso_store_file_open(&all->options, &all->store, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
}

static void *reserve(setup *all, const verso_capsule_name *name) {
    void *bytes = NULL;
    verso_error error = {0};
    if (all->store.operations->reserve(all->store.self, name, SIZE, &bytes, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    return bytes;
}

static void commit(setup *all, const verso_capsule_name *name) {
    verso_error error = {0};
    if (all->store.operations->commit(all->store.self, name, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
}

/* Its bytes are all `content`. */
static void keep(setup *all, const verso_capsule_name *name, int content) {
    memset(reserve(all, name), content, SIZE);
    commit(all, name);
}

static const unsigned char *borrow(setup *all, const verso_capsule_name *name, int content) {
    const void *bytes;
    size_t size;
    verso_error error = {0};
    if (all->store.operations->borrow(all->store.self, name, &bytes, &size, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(size, SIZE);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(((const unsigned char *)bytes)[i], content);
    return bytes;
}

static void release(setup *all, const verso_capsule_name *name) {
    all->store.operations->release(all->store.self, name);
}

static void look(setup *all, const verso_capsule_name *name, int content) {
    borrow(all, name, content);
    release(all, name);
}

static void refuse_borrow(setup *all, const verso_capsule_name *name, verso_status expected, const char *word) {
    const void *bytes;
    size_t size;
    verso_error error = {0};
    assert_int_equal(all->store.operations->borrow(all->store.self, name, &bytes, &size, &error), expected);
    assert_int_equal(error.status, expected);
    if (strstr(error.message, word) == NULL)
        fail_msg("no '%s' in: %s", word, error.message);
}

static void discard(setup *all, const verso_capsule_name *name) {
    verso_error error = {0};
    if (all->store.operations->discard(all->store.self, name, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
}

static void sync_all(setup *all) {
    verso_error error = {0};
    if (all->store.operations->sync(all->store.self, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
}

static verso_store_usage usage_of(setup *all) {
    verso_store_usage usage;
    all->store.operations->usage(all->store.self, &usage);
    return usage;
}

static verso_status count(void *context, const verso_capsule_name *name) {
    (void)name;
    ++*(size_t *)context;
    return VERSO_STATUS_OK;
}

static size_t held(setup *all) {
    size_t number = 0;
    assert_int_equal(all->store.operations->list(all->store.self, count, &number, NULL), VERSO_STATUS_OK);
    return number;
}

/* ---- The directory ---- */

static void a_directory_is_made_and_used(void **state) {
    setup *all = *state;
    char *below = folder_path(all->folder, "made");
    all->options.directory = below;
    all->options.durable = true;
    open_store(all);
    assert_true(all->store.durable);
    keep(all, &one, 'a');
    keep(all, &adjoint, 'b');
    assert_int_equal(folder_count(below, ""), 2);
    open_store(all); /* again */
    assert_int_equal(held(all), 2);
    look(all, &one, 'a');
    look(all, &adjoint, 'b');
    verso_store_usage usage = usage_of(all);
    assert_int_equal(usage.bytes, 2 * (SIZE + HEADER));
    assert_int_equal(usage.bytes_read, 2 * (SIZE + HEADER));
    free(below);
}

static void what_is_no_directory_is_refused(void **state) {
    setup *all = *state;
    verso_error error = {0};
    folder_write(all->folder, "file", "x", 1);
    char *file = folder_path(all->folder, "file"), *deep = folder_path(all->folder, "no/such");
    verso_store store;
    all->options.directory = file;
    assert_int_equal(verso_store_file_open(&all->options, &store, &error), VERSO_STATUS_IO);
    assert_non_null(strstr(error.message, file));
    all->options.directory = deep;
    assert_int_equal(verso_store_file_open(&all->options, &store, &error), VERSO_STATUS_IO);
    all->options.directory = NULL;
    assert_int_equal(verso_store_file_open(&all->options, &store, &error), VERSO_STATUS_INVALID);
    assert_null(store.operations);
    free(file);
    free(deep);
}

static void foreign_names_stay_and_halves_go(void **state) {
    setup *all = *state;
    folder_write(all->folder, "journal", "x", 1);
    folder_write(all->folder, "state-1", "x", 1);
    folder_write(all->folder, ".writing-other", "x", 1);
    folder_write(all->folder, ".writing-state-00000000000000000001", "x", 1);
    folder_write(all->folder, ".writing-adjoint-00000000000000000001", "x", 1);
    open_store(all);
    assert_int_equal(held(all), 0);
    assert_int_equal(folder_count(all->folder, ""), 3);
    assert_int_equal(folder_count(all->folder, ".writing-"), 1);
}

static void another_runs_capsules_are_not_ours(void **state) {
    setup *all = *state;
    open_store(all);
    keep(all, &one, 'a');
    keep(all, &two, 'a');
    all->options.run.words[1]++;
    open_store(all);
    assert_int_equal(held(all), 0);
    assert_int_equal(usage_of(all).bytes, 0);
    refuse_borrow(all, &one, VERSO_STATUS_STATE, "not held");
    keep(all, &one, 'b'); /* replaces the other one's */
    look(all, &one, 'b');
    all->options.run.words[1]--;
    open_store(all);
    assert_int_equal(held(all), 1);
    look(all, &two, 'a');
    all->options.program.words[0]++;
    open_store(all);
    assert_int_equal(held(all), 0);
}

static void a_damaged_file_is_named_and_can_be_discarded(void **state) {
    setup *all = *state;
    open_store(all);
    for (size_t at = 0; at < HEADER + SIZE; at += 50) { /* in the header and in the contents */
        keep(all, &one, 'a');
        size_t size;
        unsigned char *bytes = folder_read(all->folder, file_of_one, &size);
        assert_non_null(bytes);
        bytes[at] ^= 1;
        folder_write(all->folder, file_of_one, bytes, size);
        free(bytes);
        refuse_borrow(all, &one, VERSO_STATUS_CORRUPT, file_of_one);
        open_store(all);
        if (held(all) == 1) { /* or else the damage makes it another's */
            refuse_borrow(all, &one, VERSO_STATUS_CORRUPT, file_of_one);
            discard(all, &one);
            assert_int_equal(folder_count(all->folder, ""), 0);
        }
    }
    keep(all, &one, 'b');
    look(all, &one, 'b');
}

static void a_file_under_a_wrong_name_is_refused(void **state) {
    setup *all = *state;
    open_store(all);
    keep(all, &one, 'a');
    size_t size;
    unsigned char *bytes = folder_read(all->folder, file_of_one, &size);
    assert_non_null(bytes);
    folder_write(all->folder, file_of_two, bytes, size);
    free(bytes);
    open_store(all);
    assert_int_equal(held(all), 2);
    refuse_borrow(all, &two, VERSO_STATUS_CORRUPT, "step 1, expected 2");
    look(all, &one, 'a');
}

static void compression_may_differ_between_openings(void **state) {
    setup *all = *state;
    for (int level = -1; level < 4; level++) {
        all->options.compression = level;
        open_store(all);
        if (held(all) > 0)
            look(all, &one, 'm' + level - 1);
        if (held(all) > 0)
            discard(all, &one);
        keep(all, &one, 'm' + level);
        verso_store_usage usage = usage_of(all);
        assert_true(level == 0 ? usage.bytes == HEADER + SIZE : usage.bytes < HEADER + SIZE / 4);
    }
}

static void without_durable_nothing_is_synced(void **state) {
    setup *all = *state;
    for (int durable = 0; durable < 2; durable++) {
        faulty_system faulty;
        faulty_system_init(&faulty, NULL);
        verso__system_replace(&faulty.system);
        all->options.durable = durable != 0;
        open_store(all);
        keep(all, &one, 'a');
        keep(all, &two, 'a');
        discard(all, &one);
        discard(all, &two);
        sync_all(all);
        sync_all(all);
        verso_store_close(&all->store);
        assert_int_equal(faulty.of[CALL_SYNC],
                         durable != 0 ? 1 + 2 * 2 + 1
                                      : 0); /* the entry of the directory; file and directory; removals together */
        assert_int_equal(faulty.open_files, 0);
        faulty_system_free(&faulty);
    }
}

/* ---- Limits ---- */

static void a_disk_budget_is_kept(void **state) {
    setup *all = *state;
    verso_error error = {0};
    void *bytes;
    all->options.disk = 2 * (SIZE + HEADER);
    open_store(all);
    keep(all, &one, 'a');
    keep(all, &two, 'b');
    assert_int_equal(all->store.operations->reserve(all->store.self, &three, SIZE, &bytes, &error),
                     VERSO_STATUS_IMPOSSIBLE);
    assert_non_null(strstr(error.message, "at least 3312 bytes"));
    discard(all, &one);
    keep(all, &three, 'c');
    open_store(all);
    assert_int_equal(all->store.operations->reserve(all->store.self, &one, SIZE, &bytes, &error),
                     VERSO_STATUS_IMPOSSIBLE);
    look(all, &three, 'c');
}

/* Compressed files are measured when they are written. */
static void a_disk_budget_is_kept_when_compressing(void **state) {
    setup *all = *state;
    verso_error error = {0};
    all->options.compression = 1;
    all->options.disk = 400;
    open_store(all);
    keep(all, &one, 'a');
    keep(all, &two, 'b');
    uint64_t x = 1;
    unsigned char *bytes = reserve(all, &three); /* does not compress */
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)((x = x * 6364136223846793005u + 1442695040888963407u) >> 56);
    assert_int_equal(all->store.operations->commit(all->store.self, &three, &error), VERSO_STATUS_IMPOSSIBLE);
    assert_non_null(strstr(error.message, "disk budget"));
    open_store(all);
    assert_int_equal(held(all), 2);
    assert_int_equal(folder_count(all->folder, ""), 2);
    look(all, &one, 'a');
}

static void borrowing_counts_too(void **state) {
    setup *all = *state;
    all->options.memory = SIZE + 10;
    open_store(all);
    keep(all, &one, 'a');
    void *bytes;
    verso_error error = {0};
    assert_int_equal(all->store.operations->reserve(all->store.self, &two, SIZE + 11, &bytes, &error),
                     VERSO_STATUS_IMPOSSIBLE);
    assert_non_null(strstr(error.message, "at least 1011 bytes"));
    assert_int_equal(all->store.operations->reserve(all->store.self, &two, 11, &bytes, &error), VERSO_STATUS_OK);
    refuse_borrow(all, &one, VERSO_STATUS_IMPOSSIBLE, "at least 1011 bytes");
    all->store.operations->cancel(all->store.self, &two);
    look(all, &one, 'a');
    assert_true(usage_of(all).memory_peak <= SIZE + 10);
}

/* ---- With the writer held at a gate ---- */

typedef struct gate {
    verso__job job;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool begun, open;
} gate;

static verso_status gate_run(verso__job *job, verso_error *error) {
    (void)error;
    gate *self = (gate *)job;
    pthread_mutex_lock(&self->mutex);
    self->begun = true;
    pthread_cond_broadcast(&self->changed);
    while (!self->open)
        pthread_cond_wait(&self->changed, &self->mutex);
    pthread_mutex_unlock(&self->mutex);
    return VERSO_STATUS_OK;
}

static void gate_dispose(verso__job *job) {
    (void)job;
}

static void gate_close(gate *gate, verso__worker *worker) {
    *gate = (struct gate){.job = {.run = gate_run, .dispose = gate_dispose},
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER};
    assert_int_equal(verso__worker_submit(worker, &gate->job, NULL), VERSO_STATUS_OK);
    pthread_mutex_lock(&gate->mutex);
    while (!gate->begun)
        pthread_cond_wait(&gate->changed, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
}

static void gate_open(gate *gate) {
    pthread_mutex_lock(&gate->mutex);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

static void *gate_open_later(void *argument) {
    gate_open(argument);
    return NULL;
}

/* A store in the background with a worker that the test has, too. */
static verso__worker *open_shared(setup *all) {
    verso__worker *worker = NULL;
    verso_error error = {0};
    all->options.foreground = false;
    assert_int_equal(verso__worker_new(false, &worker, NULL), VERSO_STATUS_OK);
    if (verso__store_file_open_with(&all->options, worker, &all->store, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    return worker;
}

static void what_is_on_its_way_is_lent_at_once(void **state) {
    setup *all = *state;
    verso__worker *worker = open_shared(all);
    gate gate;
    gate_close(&gate, worker);
    void *bytes = reserve(all, &one);
    memset(bytes, 'a', SIZE);
    commit(all, &one);
    assert_ptr_equal(borrow(all, &one, 'a'), bytes); /* the same buffer, though nothing is written */
    assert_int_equal(folder_count(all->folder, ""), 0);
    assert_int_equal(held(all), 1);
    gate_open(&gate);
    sync_all(all);
    assert_int_equal(folder_count(all->folder, ""), 1);
    assert_int_equal(((const unsigned char *)bytes)[SIZE - 1], 'a'); /* still lent */
    release(all, &one);
    assert_int_equal(usage_of(all).bytes_read, 0);
    look(all, &one, 'a');
    assert_int_equal(usage_of(all).bytes_read, SIZE + HEADER);
    verso_store_close(&all->store);
    verso__worker_free(worker);
}

/* Committed, discarded, committed again, and so on, before anything is written: the last one counts. */
static void discarded_and_committed_again(void **state) {
    setup *all = *state;
    for (int durable = 0; durable < 2; durable++) {
        all->options.durable = durable != 0;
        verso__worker *worker = open_shared(all);
        gate gate;
        keep(all, &one, 'x');
        sync_all(all);
        gate_close(&gate, worker);
        for (int i = 0; i < 5; i++) {
            discard(all, &one);
            keep(all, &one, 'a' + i);
            look(all, &one, 'a' + i);
        }
        keep(all, &two, 'z');
        discard(all, &two);
        look(all, &one, 'e');
        gate_open(&gate);
        sync_all(all);
        assert_int_equal(held(all), 1);
        assert_int_equal(folder_count(all->folder, ""), 1);
        look(all, &one, 'e');
        verso_store_usage usage = usage_of(all);
        assert_int_equal(usage.bytes, SIZE + HEADER);
        /* What is not durable is not even written once it is discarded. */
        assert_int_equal(usage.bytes_written, (durable != 0 ? 7 : 2) * (SIZE + HEADER));
        discard(all, &one);
        verso_store_close(&all->store);
        assert_int_equal(folder_count(all->folder, ""), 0);
        verso__worker_free(worker);
    }
}

static void reserving_waits_for_room(void **state) {
    setup *all = *state;
    all->options.memory = 2 * SIZE;
    verso__worker *worker = open_shared(all);
    gate gate;
    pthread_t opener;
    gate_close(&gate, worker);
    keep(all, &one, 'a');
    keep(all, &two, 'b');
    assert_int_equal(usage_of(all).memory, 2 * SIZE);
    assert_int_equal(pthread_create(&opener, NULL, gate_open_later, &gate), 0);
    keep(all, &three, 'c'); /* waits until the gate is open and `one` is written */
    assert_int_equal(pthread_join(opener, NULL), 0);
    sync_all(all);
    look(all, &one, 'a');
    look(all, &two, 'b');
    look(all, &three, 'c');
    assert_int_equal(usage_of(all).memory_peak, 2 * SIZE);
    verso_store_close(&all->store);
    verso__worker_free(worker);
}

/* ---- Reading ahead ---- */

static void expect_and_wait(setup *all, const verso_capsule_name *name) {
    uint64_t before = usage_of(all).bytes_read;
    all->store.operations->expect(all->store.self, name);
    while (usage_of(all).bytes_read == before) {
        const struct timespec moment = {0, 100000};
        (void)nanosleep(&moment, NULL);
    }
}

static void what_is_expected_is_read_ahead(void **state) {
    setup *all = *state;
    verso__worker *worker = open_shared(all);
    keep(all, &one, 'a');
    keep(all, &two, 'b');
    sync_all(all);
    expect_and_wait(all, &one);
    folder_write(all->folder, file_of_one, "x", 1); /* the store does not read it any more */
    all->store.operations->expect(all->store.self, &one);
    look(all, &two, 'b');
    look(all, &one, 'a');
    refuse_borrow(all, &one, VERSO_STATUS_CORRUPT, file_of_one); /* once */
    expect_and_wait(all, &two);
    discard(all, &two); /* what was read ahead goes with it */
    keep(all, &two, 'c');
    sync_all(all);
    look(all, &two, 'c');
    all->store.operations->expect(all->store.self, &one); /* damaged: the hint comes to nothing */
    refuse_borrow(all, &one, VERSO_STATUS_CORRUPT, file_of_one);
    all->store.operations->expect(all->store.self, &three); /* not held */
    verso_store_close(&all->store);
    verso__worker_free(worker);
}

static void expectations_replace_each_other_and_make_room(void **state) {
    setup *all = *state;
    all->options.memory = 2 * SIZE;
    all->options.compression = 1;
    verso__worker *worker = open_shared(all);
    keep(all, &one, 'a');
    keep(all, &two, 'b');
    keep(all, &three, 'c');
    sync_all(all);
    for (int i = 0; i < 200; i++) {
        const verso_capsule_name *names[] = {&one, &two, &three};
        all->store.operations->expect(all->store.self, names[i % 3]);
        if (i % 4 == 0)
            look(all, names[i / 4 % 3], 'a' + i / 4 % 3);
    }
    expect_and_wait(all, &one);
    reserve(all, &adjoint);
    const verso_capsule_name other = {VERSO_CAPSULE_ADJOINT, 2, 1};
    reserve(all, &other);                                 /* a capsule that is only expected takes no room */
    all->store.operations->expect(all->store.self, &two); /* no room: nothing */
    all->store.operations->cancel(all->store.self, &adjoint);
    look(all, &two, 'b');
    assert_true(usage_of(all).memory_peak <= 2 * SIZE);
    expect_and_wait(all, &one); /* and is there at the end */
    verso_store_close(&all->store);
    verso__worker_free(worker);
}

int main(void) {
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_directory_is_made_and_used),
        TEST(what_is_no_directory_is_refused),
        TEST(foreign_names_stay_and_halves_go),
        TEST(another_runs_capsules_are_not_ours),
        TEST(a_damaged_file_is_named_and_can_be_discarded),
        TEST(a_file_under_a_wrong_name_is_refused),
        TEST(compression_may_differ_between_openings),
        TEST(without_durable_nothing_is_synced),
        TEST(a_disk_budget_is_kept),
        TEST(a_disk_budget_is_kept_when_compressing),
        TEST(borrowing_counts_too),
        TEST(what_is_on_its_way_is_lent_at_once),
        TEST(discarded_and_committed_again),
        TEST(reserving_waits_for_room),
        TEST(what_is_expected_is_read_ahead),
        TEST(expectations_replace_each_other_and_make_room),
    };
    return cmocka_run_group_tests_name("store of files", tests, NULL, NULL);
}
