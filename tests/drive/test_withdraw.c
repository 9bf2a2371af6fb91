/* Tests capsules that no record refers to: if they are discarded before the writer begins with them, they are never
 * written. A durable capsule that is discarded is written and removed, because a record in between may refer to it.
 */
#include "base/worker.h"
#include "store/file.h"
#include "tests/support/folder.h"
#include "tests/support/toy.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- A worker that is held up until the test lets it go ---- */

typedef struct gate {
    verso__job job;
    pthread_mutex_t mutex;
} gate;

static verso_status pass(verso__job *job, verso_error *error) {
    gate *self = (gate *)job;
    (void)error;
    pthread_mutex_lock(&self->mutex);
    pthread_mutex_unlock(&self->mutex);
    return VERSO_STATUS_OK;
}

static void leave(verso__job *job) {
    (void)job;
}

static void put(const verso_store *store, const verso_capsule_name *name) {
    void *bytes;
    assert_int_equal(store->operations->reserve(store->self, name, 100, &bytes, NULL), VERSO_STATUS_OK);
    memset(bytes, 7, 100);
    assert_int_equal(store->operations->commit(store->self, name, NULL), VERSO_STATUS_OK);
}

/* Files in the folder whose names do not begin with a dot. */
static size_t files_in(const char *folder) {
    size_t count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void withdrawn_before_it_is_written(void **state) {
    (void)state;
    char *folder = folder_new();
    gate held = {.job = {NULL, pass, leave}, .mutex = PTHREAD_MUTEX_INITIALIZER};
    verso__worker *worker;
    verso_store store;
    verso_store_usage before, after;
    const verso_capsule_name kept = {VERSO_CAPSULE_STATE, 1, 0}, withdrawn = {VERSO_CAPSULE_STATE, 2, 0},
                             discarded = {VERSO_CAPSULE_STATE, 3, 0};
    const verso_file_store_options options = {
        .size = sizeof(verso_file_store_options), .directory = folder, .durable = true};
    assert_int_equal(verso__worker_new(false, &worker, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__store_file_open_with(&options, worker, &store, NULL), VERSO_STATUS_OK);
    put(&store, &kept);
    assert_int_equal(store.operations->sync(store.self, NULL), VERSO_STATUS_OK);
    store.operations->usage(store.self, &before);

    pthread_mutex_lock(&held.mutex);
    assert_int_equal(verso__worker_submit(worker, &held.job, NULL), VERSO_STATUS_OK);
    put(&store, &withdrawn);
    put(&store, &discarded);
    assert_int_equal(verso__store_file_withdraw(&store, &withdrawn, NULL), VERSO_STATUS_OK);
    assert_int_equal(store.operations->discard(store.self, &discarded, NULL), VERSO_STATUS_OK);
    put(&store, &withdrawn); /* the name is free at once */
    assert_int_equal(verso__store_file_withdraw(&store, &withdrawn, NULL), VERSO_STATUS_OK);
    pthread_mutex_unlock(&held.mutex);
    assert_int_equal(store.operations->sync(store.self, NULL), VERSO_STATUS_OK);

    store.operations->usage(store.self, &after);
    assert_int_equal(after.bytes_written, 2 * before.bytes_written);
    assert_int_equal(files_in(folder), 1);
    /* What is written already is removed. */
    assert_int_equal(verso__store_file_withdraw(&store, &kept, NULL), VERSO_STATUS_OK);
    assert_int_equal(store.operations->sync(store.self, NULL), VERSO_STATUS_OK);
    assert_int_equal(files_in(folder), 0);
    assert_int_equal(verso__store_file_withdraw(&store, &kept, NULL), VERSO_STATUS_STATE);
    verso_store_close(&store);
    verso__worker_free(worker);
    folder_remove(folder);
}

/* A run whose steps cost nothing against a file: it keeps no more files than slots, and nothing but its adjoint stays.
 */
static void run_with_short_steps(void **state) {
    (void)state;
    const uint64_t steps = 20000, slots = 40;
    char *folder = folder_new();
    toy_result expected = toy_reference(steps);
    toy model;
    toy_open(&model, steps, true);
    verso_run_options options;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    verso_error error = {0};
    verso_run_options_init(&options);
    options.spec = toy_spec(VERSO_KIND_RESILIENT, steps, slots);
    options.directory = folder;
    if (verso_run(&model.program, &options, &report, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    toy_result result = toy_result_of(&model);
    assert_true(toy_equal(&result, &expected));
    uint64_t file = report.capsule_size + 4096; /* more than a capsule's file has */
    assert_true(report.tiers[0].bytes_peak <= 2 * (slots + 3) * file);
    toy_close(&model);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(withdrawn_before_it_is_written),
        cmocka_unit_test(run_with_short_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
