/* Tests stores with every allocation failing once: the call returns NO_MEMORY and leaks nothing, and the store is as
 * before, so that repeating the call succeeds. Runs in the foreground, where nothing else allocates meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <verso/store.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "store/capsule_file.h"
#include "tests/support/folder.h"

enum { NAMES = 200, SIZE = 300 }; /* enough for the table to grow */

typedef struct trial {
    char *folder;
    int compression; /* < 0: a memory store */
    verso_store store;
    verso_capsule_name name;
    void *bytes;
    const void *seen;
    size_t size, listed;
} trial;

typedef verso_status call(trial *trial, verso_error *error);

/* Calls until it succeeds, the n-th allocation failing for n = 1, 1, 2, 2, 3 … A store may keep what it got before the
 * failure, a buffer or a longer table, but no more than one block a call. Returns how many failures
 * it took. */
static uint64_t until_success(call *call, trial *trial) {
    uint64_t before = 0;
    for (uint64_t k = 2;; k++) {
        verso_error error = {0};
        verso__alloc_fail_at(k / 2);
        verso_status status = call(trial, &error);
        verso__alloc_fail_at(0);
        if (status == VERSO_STATUS_OK)
            return k - 2;
        assert_int_equal(status, VERSO_STATUS_NO_MEMORY);
        assert_int_equal(error.status, VERSO_STATUS_NO_MEMORY);
        assert_true(strlen(error.message) > 0);
        assert_true(k % 2 == 0 || verso__alloc_live() <= before + 1);
        assert_true(k < 1000);
        before = verso__alloc_live();
    }
}

static verso_status call_open(trial *trial, verso_error *error) {
    if (trial->compression < 0)
        return verso_store_memory_open(0, &trial->store, error);
    const verso_file_store_options options = {.size = sizeof(verso_file_store_options),
                                              .directory = trial->folder,
                                              .compression = trial->compression,
                                              .foreground = true};
    return verso_store_file_open(&options, &trial->store, error);
}

static verso_status call_reserve(trial *trial, verso_error *error) {
    return trial->store.operations->reserve(trial->store.self, &trial->name, SIZE, &trial->bytes, error);
}

static verso_status call_borrow(trial *trial, verso_error *error) {
    return trial->store.operations->borrow(trial->store.self, &trial->name, &trial->seen, &trial->size, error);
}

static verso_status call_discard(trial *trial, verso_error *error) {
    return trial->store.operations->discard(trial->store.self, &trial->name, error);
}

static verso_status call_sync(trial *trial, verso_error *error) {
    return trial->store.operations->sync(trial->store.self, error);
}

static verso_status count(void *context, const verso_capsule_name *name) {
    (void)name;
    ((trial *)context)->listed++;
    return VERSO_STATUS_OK;
}

static verso_status call_list(trial *trial, verso_error *error) {
    trial->listed = 0;
    return trial->store.operations->list(trial->store.self, count, trial, error);
}

static void fill_store(trial *trial) {
    uint64_t failures = 0;
    for (uint64_t i = 0; i < NAMES; i++) {
        trial->name = (verso_capsule_name){VERSO_CAPSULE_STATE, 10 * i, i};
        failures += until_success(call_reserve, trial);
        memset(trial->bytes, (int)i, SIZE);
        assert_int_equal(trial->store.operations->commit(trial->store.self, &trial->name, NULL), VERSO_STATUS_OK);
    }
    assert_true(failures >= (trial->compression < 0 ? 1 : NAMES));
}

static void empty_store(trial *trial) {
    for (uint64_t i = 0; i < NAMES; i++) {
        trial->name = (verso_capsule_name){VERSO_CAPSULE_STATE, 10 * i, i};
        until_success(call_borrow, trial);
        assert_int_equal(trial->size, SIZE);
        assert_int_equal(((const unsigned char *)trial->seen)[SIZE - 1], (unsigned char)i);
        trial->store.operations->release(trial->store.self, &trial->name);
        until_success(call_discard, trial);
    }
}

static void every_allocation(void **state) {
    trial trial = {.folder = folder_new(), .compression = *(const int *)*state};
    uint64_t before = verso__alloc_live();
    until_success(call_open, &trial);
    fill_store(&trial);
    if (trial.compression >= 0) {
        until_success(call_list, &trial);
        assert_int_equal(trial.listed, NAMES);
        until_success(call_sync, &trial);
        verso_store_close(&trial.store);
        assert_int_equal(verso__alloc_live(), before);
        assert_true(until_success(call_open, &trial) > 1); /* with all that is there */
    }
    empty_store(&trial);
    verso_store_close(&trial.store);
    assert_int_equal(verso__alloc_live(), before);
    folder_remove(trial.folder);
}

/* A write that finds no memory fails, and the store is then at an end; what was written stays. */
static void a_write_without_memory(void **state) {
    (void)state;
    trial trial = {.folder = folder_new(), .compression = 1};
    uint64_t before = verso__alloc_live();
    verso_status status = VERSO_STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != VERSO_STATUS_OK; n++) {
        trial.name = (verso_capsule_name){VERSO_CAPSULE_STATE, 1, 0};
        assert_int_equal(call_open(&trial, NULL), VERSO_STATUS_OK);
        assert_int_equal(call_reserve(&trial, NULL), VERSO_STATUS_OK);
        memset(trial.bytes, 1, SIZE);
        verso_error error = {0};
        verso__alloc_fail_at(n);
        status = trial.store.operations->commit(trial.store.self, &trial.name, &error);
        verso__alloc_fail_at(0);
        assert_true(status == VERSO_STATUS_OK || n < 10);
        if (status != VERSO_STATUS_OK) {
            assert_int_equal(status, VERSO_STATUS_NO_MEMORY);
            assert_int_equal(call_reserve(&trial, &error), VERSO_STATUS_NO_MEMORY); /* the same reason */
            assert_int_equal(folder_count(trial.folder, ""), 0);
        }
        verso_store_close(&trial.store);
        assert_int_equal(verso__alloc_live(), before);
    }
    folder_remove(trial.folder);
}

static void parsing(void **state) {
    (void)state;
    unsigned char file[VERSO_CAPSULE_HEADER];
    const verso__capsule_label label = {VERSO_CAPSULE_STATE, 1, {{0, 0}}, {{0, 0}}};
    const verso__capsule_header header = {.label = label, .checksum = verso__checksum_wide("", 0)};
    void *capsule = NULL;
    size_t length;
    verso__capsule_header_write(&header, file);
    verso__alloc_fail_at(1);
    verso_status status = verso__capsule_parse(file, sizeof file, &label, "file", &capsule, &length, NULL);
    verso__alloc_fail_at(0);
    assert_int_equal(status, VERSO_STATUS_NO_MEMORY);
    assert_null(capsule);
}

int main(void) {
    static const int memory = -1, plain = 0, zstd = 1;
    const struct CMUnitTest tests[] = {
        {"memory", every_allocation, NULL, NULL, (void *)(uintptr_t)&memory},
        {"files", every_allocation, NULL, NULL, (void *)(uintptr_t)&plain},
        {"files, zstd", every_allocation, NULL, NULL, (void *)(uintptr_t)&zstd},
        cmocka_unit_test(a_write_without_memory),
        cmocka_unit_test(parsing),
    };
    return cmocka_run_group_tests_name("stores without memory", tests, NULL, NULL);
}
