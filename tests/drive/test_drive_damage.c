/* Tests damaged run directories: every byte of every file changed, every truncation, every file removed. The run
 * either ends with the same bits, and reports the damage if it mattered; or it fails, names the file, and changes
 * nothing. It never returns another gradient. Files that cannot be read are treated like damaged ones, but are not
 * discarded. */
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 9 };

typedef struct scene {
    const trial_case *what;
    char *master, *directory; /* as it was, and its copy that is damaged */
    toy_result expected;
    bool killed;
    uint64_t advanced, reversed; /* steps that the undamaged directory takes to the end */
} scene;

/* ---- Directories in the middle of a run ---- */

static void suspend_there(const trial_case *what, const char *directory, uint64_t step_limit) {
    trial one;
    trial_open(&one, what, STEPS, directory);
    one.options.step_limit = step_limit;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    trial_close(&one);
}

static void die_there(const trial_case *what, const char *directory, uint64_t calls) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        trial one;
        trial_open(&one, what, STEPS, directory);
        one.model.kill_after = calls;
        trial_run(&one);
        _exit(1); /* it should have died */
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

/* ---- What may come of it ---- */

/* True when, but for the damaged file, everything is as it was. */
static bool unchanged(const scene *now, const char *path, const unsigned char *damaged, size_t size) {
    char *intact = folder_path(now->master, path + strlen(now->directory) + 1);
    size_t left, right;
    unsigned char *found = file_read(path, &left), *bytes = file_read(intact, &right);
    bool same = left == size && memcmp(found, damaged, size) == 0;
    file_write(path, bytes, right);
    same =
        same && folder_same(now->master, now->directory, "lock"); /* its note names the last process that opened it */
    free(found);
    free(bytes);
    free(intact);
    return same;
}

static void check_refusal(const trial *one, const char *path, const char *text) {
    if (one->status != VERSO_STATUS_CORRUPT && one->status != VERSO_STATUS_INVALID)
        fail_msg("%s: %s: %s", text, verso_status_name(one->status), one->error.message);
    if (strstr(one->error.message, path) == NULL)
        fail_msg("%s: the message does not name '%s': %s", text, path, one->error.message);
    if (strstr(one->error.message, "remove") == NULL)
        fail_msg("%s: the message has no remedy: %s", text, one->error.message);
}

/* Continues the run of the damaged directory. `path` is the damaged file; `bytes` are its contents now, NULL if it was
 * removed. */
static void run_damaged(const scene *now, const char *path, const unsigned char *bytes, size_t size, const char *text) {
    trial one;
    trial_open(&one, now->what, STEPS, now->directory);
    verso_status status = trial_run(&one);
    if (status == VERSO_STATUS_OK && !toy_equal(&one.result, &now->expected))
        fail_msg("%s: another gradient", text);
    if (status != VERSO_STATUS_OK) {
        check_refusal(&one, path, text);
        if (!unchanged(now, path, bytes, size))
            fail_msg("%s: refused, but files were changed", text);
    }
    bool costly = one.model.advanced > now->advanced || one.model.reversed > now->reversed;
    /* Files that a killed process wrote after its last restart point may be used, but the run does not depend on
     * them. */
    bool counted_on = !now->killed || bytes != NULL;
    if (status == VERSO_STATUS_OK && costly && counted_on && strstr(one.notices, path) == NULL &&
        strstr(one.notices, "should be in") == NULL && strstr(one.notices, "not held") == NULL &&
        strstr(one.notices, "journal is gone") == NULL)
        fail_msg("%s: %llu steps instead of %llu, and nothing was said but: %s", text,
                 (unsigned long long)(one.model.advanced + one.model.reversed),
                 (unsigned long long)(now->advanced + now->reversed), one.notices);
    trial_close(&one);
}

typedef enum damage { FLIP, TRUNCATE, REMOVE, EXTEND, DAMAGES } damage;
static const char *const damage_words[DAMAGES] = {"flipped", "truncated", "removed", "extended"};

/* False when there is no byte there to damage. */
static bool damage_once(const scene *now, const char *name, damage how, size_t at) {
    char text[256];
    snprintf(text, sizeof text, "%s, %s %s at %zu", now->what->word, name, damage_words[how], at);
    folder_empty(now->directory);
    folder_copy(now->master, now->directory);
    char *path = folder_path(now->directory, name);
    size_t size;
    unsigned char *bytes = file_read(path, &size);
    bool there = how == FLIP || how == TRUNCATE ? at < size : at == 0;
    if (there) {
        size = how == TRUNCATE ? at : how == EXTEND ? size + 1 : size;
        if (how == EXTEND) {
            bytes = realloc(bytes, size);
            assert_non_null(bytes);
            bytes[size - 1] = 0;
        }
        if (how == FLIP)
            bytes[at] ^= (unsigned char)(1 + at % 255);
        if (how == REMOVE)
            assert_int_equal(unlink(path), 0);
        else
            file_write(path, bytes, size);
        run_damaged(now, path, how == REMOVE ? NULL : bytes, size, text);
    }
    free(bytes);
    free(path);
    return there;
}

/* Counts the steps that the undamaged directory takes. */
static void measure(scene *now) {
    trial one;
    folder_copy(now->master, now->directory);
    trial_open(&one, now->what, STEPS, now->directory);
    assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
    now->advanced = one.model.advanced;
    now->reversed = one.model.reversed;
    trial_close(&one);
}

static void damage_everything(scene *now) {
    char **files = folder_files(now->master);
    now->directory = folder_new();
    measure(now);
    for (size_t i = 0; files[i] != NULL; i++) {
        const char *name = files[i] + strlen(now->master) + 1;
        for (int how = 0; how < DAMAGES; how++) {
            /* Journals are long; a prime number of bytes further meets every field of some record. */
            size_t stride = strcmp(name, "journal") == 0 ? 13 : strcmp(name, "lock") == 0 ? 31 : 3;
            for (size_t at = 0; damage_once(now, name, (damage)how, at); at += stride)
                ;
        }
    }
    folder_files_free(files);
    folder_remove(now->directory);
}

static void damage_all_cases(bool killed, uint64_t when) {
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        scene now = {
            .what = &trial_cases[i], .master = folder_new(), .expected = toy_reference(STEPS), .killed = killed};
        if (killed)
            die_there(now.what, now.master, when);
        else
            suspend_there(now.what, now.master, when);
        damage_everything(&now);
        folder_remove(now.master);
    }
}

static void suspended_runs(void **state) {
    (void)state;
    damage_all_cases(false, STEPS + 6);
}

static void killed_runs(void **state) {
    (void)state;
    damage_all_cases(true, 5);
    damage_all_cases(true, STEPS + 12);
}

static void done_runs(void **state) {
    (void)state;
    scene now = {.what = &trial_cases[1], .master = folder_new(), .expected = toy_reference(STEPS)};
    trial_must_end(now.what, STEPS, now.master, &now.expected, "to the end");
    damage_everything(&now);
    folder_remove(now.master);
}

/* ---- What cannot be read ---- */

/* Replaces a file by a link to itself, which not even root can open. */
static void make_unreadable(const char *path) {
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(path, path), 0);
}

/* Any state is computed again. */
static void run_without(const scene *now, const char *name, size_t *missed) {
    folder_empty(now->directory);
    folder_copy(now->master, now->directory);
    char *path = folder_path(now->directory, name), *capsules = folder_path(now->directory, "capsules");
    make_unreadable(path);
    trial one;
    trial_open(&one, now->what, STEPS, now->directory);
    if (trial_run(&one) != VERSO_STATUS_OK)
        fail_msg("%s, %s unreadable: %s", now->what->word, name, one.error.message);
    assert_true(toy_equal(&one.result, &now->expected));
    bool said = strstr(one.notices, path) != NULL;
    if (one.model.advanced > now->advanced && !said)
        fail_msg("%s, %s unreadable: nothing was said but: %s", now->what->word, name, one.notices);
    *missed += said;
    assert_int_equal(folder_count(capsules, ""), 1); /* it is gone, with all others */
    trial_close(&one);
    free(path);
    free(capsules);
}

static void unreadable_states(void **state) {
    (void)state;
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        size_t missed = 0;
        scene now = {.what = &trial_cases[i],
                     .master = folder_new(),
                     .directory = folder_new(),
                     .expected = toy_reference(STEPS)};
        suspend_there(now.what, now.master, STEPS + 1);
        measure(&now);
        char **files = folder_files(now.master);
        for (size_t k = 0; files[k] != NULL; k++)
            if (strstr(files[k], "/state-") != NULL)
                run_without(&now, files[k] + strlen(now.master) + 1, &missed);
        assert_true(missed > 1); /* not x_0 alone, which is looked at in any case */
        folder_files_free(files);
        folder_remove(now.directory);
        folder_remove(now.master);
    }
}

/* If no adjoint of a restart point can be read, the run stops with an error and removes nothing. */
static void unreadable_adjoints(void **state) {
    (void)state;
    const uint64_t steps = 40;
    toy_result expected = toy_reference(steps);
    char *directory = folder_new(), *master = folder_new();
    trial one;
    trial_open(&one, &trial_cases[3], steps, master);
    one.options.adjoint_distance = 1; /* many restart points, so that none of the first sweep is kept */
    one.options.step_limit = 120;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    trial_close(&one);
    folder_copy(master, directory);
    char **files = folder_files(directory);
    size_t adjoints = 0;
    for (size_t i = 0; files[i] != NULL; i++)
        if (strstr(files[i], "/adjoint-") != NULL) {
            make_unreadable(files[i]);
            adjoints++;
        }
    assert_int_equal(adjoints, 2);
    trial_open(&one, &trial_cases[3], steps, directory);
    assert_int_equal(trial_run(&one), VERSO_STATUS_IO);
    assert_non_null(strstr(one.error.message, directory));
    assert_int_equal(one.model.advanced + one.model.reversed, 0);
    trial_close(&one);
    for (size_t i = 0; files[i] != NULL; i++) /* mended, one after the other: the older one is enough */
        if (strstr(files[i], "/adjoint-") != NULL && adjoints-- == 1) {
            size_t size;
            unsigned char *bytes = folder_read(master, files[i] + strlen(directory) + 1, &size);
            assert_int_equal(unlink(files[i]), 0);
            file_write(files[i], bytes, size);
            free(bytes);
        }
    trial_must_end(&trial_cases[3], steps, directory, &expected, "with an older adjoint");
    folder_files_free(files);
    folder_remove(directory);
    folder_remove(master);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspended_runs),    cmocka_unit_test(killed_runs),         cmocka_unit_test(done_runs),
        cmocka_unit_test(unreadable_states), cmocka_unit_test(unreadable_adjoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
