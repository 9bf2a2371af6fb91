/* Tests offloaded recordings if the disk, the directory or the machine fails: each time the error names the cause, no
 * gradient is wrong, no file is left, and the next gradient works. */
#define _GNU_SOURCE 1 /* pthread_setattr_default_np */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "tests/support/faulty_system.h"
#include "tests/support/folder.h"
#include "tests/support/native_program.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static verso_error error; /* of the last call that failed */

enum { SIZE = 120000, LIMIT = 4 << 20 };

static double x[SIZE], expected[SIZE], gradient[SIZE];
static char *folder;

static void require_possible(void) {
    if (!native_possible())
        skip();
}

/* In any case no file is left and no number is wrong. */
static verso_status try(const verso__system *system, bool synchronous, verso_native_report *report) {
    verso_native_options options = {.size = sizeof(verso_native_options),
                                    .offload_directory = folder,
                                    .offload_memory = LIMIT,
                                    .offload_synchronous = synchronous};
    memset(gradient, 0xff, sizeof gradient);
    verso__system_replace(system);
    verso_status status = verso_gradient(chain, x, SIZE, gradient, &options, report, &error);
    verso__system_replace(NULL);
    if (status == VERSO_STATUS_OK)
        assert_memory_equal(gradient, expected, sizeof gradient);
    else
        assert_true(error.status == status && error.message[0] != '\0');
    assert_int_equal(folder_count(folder, ""), 0);
    assert_false(verso__native_offload_is_on());
    return status;
}

static void must(bool synchronous) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_status status = try(NULL, synchronous, &report);
    if (status != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    assert_true(report.offload_bytes > 0 && report.tape_bytes > LIMIT + report.offload_bytes / 2);
}

static void the_bits_are_the_same(void **state) {
    (void)state;
    require_possible();
    for (int i = 0; i < 4; i++)
        must(i % 2 != 0);
}

/* ---- Every system call ---- */

static void strike(bool synchronous, fault kind, int code) {
    faulty_system faulty;
    faulty_system_init(&faulty, NULL);
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    assert_int_equal(try(&faulty.system, synchronous, &report), VERSO_STATUS_OK);
    uint64_t calls = faulty.calls, failures = 0;
    assert_true(calls > 20 && faulty.of[CALL_READ_AT] > 5 && faulty.of[CALL_WRITE_AT] > 5);
    for (uint64_t n = 1; n <= calls; n++) {
        faulty_system_fail(&faulty, n, kind, code);
        verso_status status = try(&faulty.system, synchronous, &report);
        if (status != VERSO_STATUS_OK) {
            failures++;
            assert_int_equal(status, VERSO_STATUS_IO);
            assert_non_null(strstr(error.message, strerror(code)));
            assert_non_null(strstr(error.message, folder));
        }
        assert_int_equal(faulty.open_files, 0);
        faulty_system_fail(&faulty, 0, FAULT_NONE, 0);
        assert_int_equal(try(&faulty.system, synchronous, &report), VERSO_STATUS_OK);
    }
    if (kind == FAULT_SHORT)
        assert_int_equal(failures, 0);
    else
        assert_true(failures >= (synchronous ? calls - 1 : calls / 2)); /* all but closing */
    faulty_system_free(&faulty);
}

static void every_system_call_may_fail(void **state) {
    (void)state;
    require_possible();
    for (int synchronous = 0; synchronous < 2; synchronous++) {
        strike(synchronous, FAULT_ERROR, ENOSPC);
        strike(synchronous, FAULT_FROM, EIO);
        strike(synchronous, FAULT_SHORT, 0);
    }
}

/* ---- Damage ---- */

/* Changes a bit of what is written, or read, by its n-th call. */
typedef struct damaging {
    verso__system system;
    int write_at, read_at; /* calls until then */
    bool cut;              /* the file ends before what is read then */
    bool vanish;           /* the directory is removed then */
} damaging;

static ssize_t damaging_write_at(const verso__system *system, int file, const void *bytes, size_t size, off_t offset) {
    damaging *d = system->context;
    if (--d->write_at != 0)
        return pwrite(file, bytes, size, offset);
    if (d->vanish) {
        assert_int_equal(rmdir(folder), 0);
        return pwrite(file, bytes, size, offset);
    }
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    copy[size / 3] ^= 0x10;
    ssize_t written = pwrite(file, copy, size, offset);
    free(copy);
    return written;
}

static ssize_t damaging_read_at(const verso__system *system, int file, void *bytes, size_t size, off_t offset) {
    damaging *d = system->context;
    bool now = --d->read_at == 0;
    if (now && d->cut)
        return 0;
    ssize_t got = pread(file, bytes, size, offset);
    if (now)
        ((unsigned char *)bytes)[size - 1] ^= 1;
    return got;
}

static damaging damaging_from(int write_at, int read_at) {
    damaging d = {.system = verso__system_machine, .write_at = write_at, .read_at = read_at};
    d.system.write_at = damaging_write_at;
    d.system.read_at = damaging_read_at;
    return d;
}

static void a_bit_that_changes_is_found(void **state) {
    (void)state;
    require_possible();
    for (int i = 0; i < 24; i++) {
        bool synchronous = i % 2 != 0;
        damaging d = damaging_from(i % 3 == 0 ? 1 + i / 6 : 0, i % 3 != 0 ? 1 + i / 6 : 0);
        d.system.context = &d;
        d.cut = i % 3 == 2;
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        assert_int_equal(try(&d.system, synchronous, &report), VERSO_STATUS_CORRUPT);
        assert_non_null(strstr(error.message, "other bytes than were written"));
        must(synchronous);
    }
}

static void a_directory_may_vanish(void **state) {
    (void)state;
    require_possible();
    for (int synchronous = 0; synchronous < 2; synchronous++) {
        damaging d = damaging_from(3, 0);
        d.system.context = &d;
        d.vanish = true;
        verso_native_options options = {.size = sizeof(verso_native_options),
                                        .offload_directory = folder,
                                        .offload_memory = LIMIT,
                                        .offload_synchronous = synchronous};
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        verso__system_replace(&d.system);
        assert_int_equal(verso_gradient(chain, x, SIZE, gradient, &options, &report, &error), VERSO_STATUS_OK);
        assert_memory_equal(gradient, expected, sizeof gradient); /* the file existed nevertheless */
        assert_int_equal(access(folder, F_OK), -1);
        assert_int_equal(verso_gradient(chain, x, SIZE, gradient, &options, &report, &error), VERSO_STATUS_IO);
        assert_non_null(strstr(error.message, "cannot create"));
        verso__system_replace(NULL);
        folder_remove(folder);
        folder = folder_new();
        must(synchronous);
    }
}

static void a_thread_may_not_be_had(void **state) {
    (void)state;
    require_possible();
    pthread_attr_t before, huge;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    pthread_attr_init(&huge);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 47), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_status asynchronous = try(NULL, false, &report);
    assert_non_null(strstr(error.message, "ask for synchronous offload"));
    assert_int_equal(asynchronous, VERSO_STATUS_NO_MEMORY);
    must(true);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&before);
    must(false);
}

static int prepare(void **state) {
    (void)state;
    for (int i = 0; i < SIZE; i++)
        x[i] = 1e-3 * (1 + i % 17) - 5e-3 * (i % 3);
    folder = folder_new();
    return native_possible() && verso_gradient(chain, x, SIZE, expected, NULL, NULL, NULL) != VERSO_STATUS_OK;
}

static int end(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_may_not_be_had), /* first: stacks of threads are kept */
        cmocka_unit_test(the_bits_are_the_same),       cmocka_unit_test(every_system_call_may_fail),
        cmocka_unit_test(a_bit_that_changes_is_found), cmocka_unit_test(a_directory_may_vanish),
    };
    return cmocka_run_group_tests_name("native offload", tests, prepare, end);
}
