/* Tests a file store on a machine that fails: each system call in turn fails, is short, or is the last one before the
 * process dies or the power fails. The store reports it and leaks neither files nor memory; when it is opened again,
 * everything that a sync has acknowledged is there, bit for bit, and nothing incomplete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <verso/store.h>

#include "tests/support/faulty_system.h"
#include "tests/support/folder.h"

#include <errno.h>

enum { STEPS = 6, SIZE = 700 };

/* ---- What may be found afterwards ---- */

typedef enum knowledge { ABSENT, UNSURE, PRESENT } knowledge;

typedef struct record {
    knowledge sure[VERSO_CAPSULE_KINDS][STEPS]; /* as acknowledged, or unsure since something was done to it */
    bool held[VERSO_CAPSULE_KINDS][STEPS];      /* as the calls said */
} record;

typedef struct trial {
    const char *folder, *aside;
    faulty_system faulty, sound; /* the sound one only saves the time of real syncs */
    verso_file_store_options options;
    verso_store store;
    record record;
    verso_error error;
} trial;

static void fill(const verso_capsule_name *name, unsigned char *bytes) {
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)((i / 9 + name->step * 31 + (uint64_t)name->kind * 101) % 251);
}

static verso_capsule_name name_of(char kind, char step) {
    return (verso_capsule_name){kind == 's' ? VERSO_CAPSULE_STATE : VERSO_CAPSULE_ADJOINT, (uint64_t)(step - '0'), 0};
}

static verso_status do_commit(trial *trial, const verso_capsule_name *name) {
    void *bytes;
    verso_status status = trial->store.operations->reserve(trial->store.self, name, SIZE, &bytes, &trial->error);
    if (status != VERSO_STATUS_OK)
        return status;
    fill(name, bytes);
    trial->record.sure[name->kind][name->step] = UNSURE;
    status = trial->store.operations->commit(trial->store.self, name, &trial->error);
    trial->record.held[name->kind][name->step] = status == VERSO_STATUS_OK;
    return status;
}

static verso_status do_borrow(trial *trial, const verso_capsule_name *name) {
    const void *bytes;
    size_t size;
    unsigned char expected[SIZE];
    trial->store.operations->expect(trial->store.self, name);
    verso_status status = trial->store.operations->borrow(trial->store.self, name, &bytes, &size, &trial->error);
    if (status != VERSO_STATUS_OK)
        return status;
    fill(name, expected);
    assert_int_equal(size, SIZE);
    assert_memory_equal(bytes, expected, SIZE);
    trial->store.operations->release(trial->store.self, name);
    return VERSO_STATUS_OK;
}

static verso_status do_discard(trial *trial, const verso_capsule_name *name) {
    trial->record.sure[name->kind][name->step] = UNSURE;
    verso_status status = trial->store.operations->discard(trial->store.self, name, &trial->error);
    trial->record.held[name->kind][name->step] =
        status != VERSO_STATUS_OK && trial->record.held[name->kind][name->step];
    return status;
}

static verso_status do_sync(trial *trial) {
    verso_status status = trial->store.operations->sync(trial->store.self, &trial->error);
    for (size_t kind = 0; status == VERSO_STATUS_OK && kind < VERSO_CAPSULE_KINDS; kind++)
        for (size_t step = 0; step < STEPS; step++)
            trial->record.sure[kind][step] = trial->record.held[kind][step] ? PRESENT : ABSENT;
    return status;
}

/* Executes a script. Its words have three letters: + commit, ? borrow, - discard, and the name; or are "sync". */
static verso_status play(trial *trial, const char *script) {
    verso_status status = VERSO_STATUS_OK;
    for (const char *at = script; status == VERSO_STATUS_OK && *at != '\0'; at += strspn(at, " ")) {
        if (strncmp(at, "sync", 4) == 0) {
            status = do_sync(trial);
            at += 4;
            continue;
        }
        verso_capsule_name name = name_of(at[1], at[2]);
        status = *at == '+' ? do_commit(trial, &name) : *at == '-' ? do_discard(trial, &name) : do_borrow(trial, &name);
        at += 3;
    }
    return status;
}

static const char before[] = "+s0 +s1 +s2 +a5 sync";
static const char after[] =
    "?s1 +s3 -s0 sync +a3 sync ?a5 -s1 +s0 +a4 -a5 ?s0 sync -s2 +s1 -s3 +s2 ?s1 -a4 sync -s0 +a1";

/* ---- Before, and afterwards ---- */

static void prepare(trial *trial) {
    folder_empty(trial->folder);
    memset(&trial->record, 0, sizeof trial->record);
    verso__system_replace(&trial->sound.system);
    assert_int_equal(verso_store_file_open(&trial->options, &trial->store, NULL), VERSO_STATUS_OK);
    assert_int_equal(play(trial, before), VERSO_STATUS_OK);
    verso_store_close(&trial->store);
    folder_write(trial->folder, ".writing-state-00000000000000000009", "half", 4);
}

static verso_status disturbed(trial *trial) {
    memset(&trial->error, 0, sizeof trial->error);
    verso__system_replace(&trial->faulty.system);
    verso_status status = verso_store_file_open(&trial->options, &trial->store, &trial->error);
    if (status == VERSO_STATUS_OK)
        status = play(trial, after);
    if (trial->store.operations != NULL) {
        verso_store_usage usage;
        trial->store.operations->usage(trial->store.self, &usage);
        assert_true(trial->options.memory == 0 || usage.memory_peak <= trial->options.memory);
    }
    verso_store_close(&trial->store);
    return status;
}

static verso_status note_found(void *context, const verso_capsule_name *name) {
    trial *trial = context;
    assert_true(name->step < STEPS);
    trial->record.held[name->kind][name->step] = true;
    return VERSO_STATUS_OK;
}

static void check_found(trial *trial) {
    verso_capsule_name name = {0};
    for (size_t kind = 0; kind < VERSO_CAPSULE_KINDS; kind++)
        for (size_t step = 0; step < STEPS; step++) {
            knowledge sure = trial->record.sure[kind][step];
            bool found = trial->record.held[kind][step];
            assert_true(sure != PRESENT || found);
            assert_true(sure != ABSENT || !found);
            name.kind = (verso_capsule_kind)kind;
            name.step = step;
            if (found)
                assert_int_equal(do_borrow(trial, &name), VERSO_STATUS_OK); /* whole, bit for bit */
        }
}

/* Checks what the next process finds, on a sound machine. */
static void check_afterwards(trial *trial) {
    verso__system_replace(&trial->sound.system);
    assert_int_equal(verso_store_file_open(&trial->options, &trial->store, NULL), VERSO_STATUS_OK);
    memset(trial->record.held, 0, sizeof trial->record.held);
    assert_int_equal(trial->store.operations->list(trial->store.self, note_found, trial, NULL), VERSO_STATUS_OK);
    assert_int_equal(folder_count(trial->folder, ".writing-"), 0);
    check_found(trial);
    verso_store_close(&trial->store);
}

/* ---- Every call, one after the other ---- */

typedef struct setting {
    const char *title;
    bool background, durable;
    int compression;
    uint64_t memory;
    fault fault;
    int code;
    bool power; /* is lost, too */
} setting;

static void one_trial(trial *trial, const setting *setting, uint64_t n) {
    prepare(trial);
    faulty_system_init(&trial->faulty, setting->power ? trial->aside : NULL);
    faulty_system_fail(&trial->faulty, n, setting->fault, setting->code);
    verso_status status = disturbed(trial);
    assert_int_equal(trial->faulty.open_files, 0);
    bool harmless = !trial->faulty.struck || setting->code == EINTR || setting->fault == FAULT_SHORT;
    if (harmless && status != VERSO_STATUS_OK)
        fail_msg("call %llu: %s", (unsigned long long)n, trial->error.message);
    if (status != VERSO_STATUS_OK) {
        assert_int_equal(trial->error.status, status);
        assert_int_equal(status, VERSO_STATUS_IO);
        assert_true(strlen(trial->error.message) > 0);
    }
    if (setting->fault == FAULT_ERROR) { /* half-written files are removed at once, where that is possible */
        assert_int_equal(folder_count(trial->folder, ".writing-state-0000000000000000000"),
                         folder_count(trial->folder, ".writing-state-00000000000000000009"));
        assert_int_equal(folder_count(trial->folder, ".writing-adjoint"), 0);
    }
    if (setting->power && trial->faulty.crashed)
        faulty_system_lose_unsynced(&trial->faulty);
    check_afterwards(trial);
}

static void every_call(void **state) {
    const setting *setting = *state;
    char *folder = folder_new(), *aside = folder_new();
    trial trial = {.folder = folder, .aside = aside};
    trial.options = (verso_file_store_options){.size = sizeof(verso_file_store_options),
                                               .directory = folder,
                                               .program = {{1, 2}},
                                               .run = {{3, 4}},
                                               .memory = setting->memory,
                                               .compression = setting->compression,
                                               .foreground = !setting->background,
                                               .durable = setting->durable};
    faulty_system_init(&trial.sound, NULL);
    bool struck = true;
    uint64_t n = 1;
    for (; struck; n++) {
        one_trial(&trial, setting, n);
        struck = trial.faulty.struck;
        faulty_system_free(&trial.faulty);
    }
    assert_true(n > 50); /* calls there were */
    assert_int_equal(trial.sound.open_files, 0);
    faulty_system_free(&trial.sound);
    folder_remove(folder);
    folder_remove(aside);
}

static const setting settings[] = {
    {.title = "ENOSPC once", .fault = FAULT_ERROR, .code = ENOSPC, .durable = true},
    {.title = "ENOSPC from then on", .fault = FAULT_FROM, .code = ENOSPC, .durable = true},
    {.title = "ENOSPC from then on, zstd", .fault = FAULT_FROM, .code = ENOSPC, .durable = true, .compression = 1},
    {.title = "EIO once", .fault = FAULT_ERROR, .code = EIO, .durable = true},
    {.title = "EIO once, zstd", .fault = FAULT_ERROR, .code = EIO, .compression = 1},
    {.title = "EIO from then on", .fault = FAULT_FROM, .code = EIO},
    {.title = "EINTR", .fault = FAULT_ERROR, .code = EINTR, .durable = true},
    {.title = "EINTR, zstd", .fault = FAULT_ERROR, .code = EINTR, .compression = 1},
    {.title = "short", .fault = FAULT_SHORT},
    {.title = "short, zstd", .fault = FAULT_SHORT, .compression = 1},
    {.title = "the process dies", .fault = FAULT_CRASH},
    {.title = "the process dies, durable", .fault = FAULT_CRASH, .durable = true},
    {.title = "the process dies in a write", .fault = FAULT_TEAR, .durable = true},
    {.title = "the process dies in a write, zstd", .fault = FAULT_TEAR, .compression = 1},
    {.title = "the power goes", .fault = FAULT_CRASH, .durable = true, .power = true},
    {.title = "the power goes, zstd", .fault = FAULT_CRASH, .durable = true, .compression = 1, .power = true},
    {.title = "the power goes in a write", .fault = FAULT_TEAR, .durable = true, .power = true},
    {.title = "ENOSPC, background",
     .background = true,
     .fault = FAULT_FROM,
     .code = ENOSPC,
     .durable = true,
     .memory = 1400},
    {.title = "EIO, background", .background = true, .fault = FAULT_ERROR, .code = EIO, .compression = 1},
    {.title = "EINTR, background", .background = true, .fault = FAULT_ERROR, .code = EINTR, .memory = 1400},
    {.title = "short, background", .background = true, .fault = FAULT_SHORT, .compression = 1},
    {.title = "the power goes, background", .background = true, .fault = FAULT_CRASH, .durable = true, .power = true},
};

int main(void) {
    enum { SETTINGS = sizeof settings / sizeof *settings };
    struct CMUnitTest tests[SETTINGS];
    for (size_t i = 0; i < SETTINGS; i++)
        tests[i] = (struct CMUnitTest){settings[i].title, every_call, NULL, NULL, (void *)(uintptr_t)&settings[i]};
    return cmocka_run_group_tests_name("store on a machine that fails", tests, NULL, NULL);
}
