/* Run directories that something has damaged: every byte of every file changed, every truncation, every file gone. The
 * run then ends with the same bits, and says what was damaged where that mattered; or it refuses, names the file, and
 * leaves everything as it was. Never another gradient. */
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
    assert_int_equal(trial_run(&one), VERSO_SUSPENDED);
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
    same = same && folder_same(now->master, now->directory, "lock"); /* whose note says who looked at it last */
    free(found);
    free(bytes);
    free(intact);
    return same;
}

static void check_refusal(const trial *one, const char *path, const char *text) {
    if (one->status != VERSO_CORRUPT && one->status != VERSO_INVALID)
        fail_msg("%s: %s: %s", text, verso_status_name(one->status), one->error.message);
    if (strstr(one->error.message, path) == NULL)
        fail_msg("%s: the message does not name '%s': %s", text, path, one->error.message);
    if (strstr(one->error.message, "remove") == NULL)
        fail_msg("%s: the message has no remedy: %s", text, one->error.message);
}

/* The damaged directory is run. `path`: what was damaged in it; `bytes`: how it is now, NULL when it is gone. */
static void run_damaged(const scene *now, const char *path, const unsigned char *bytes, size_t size, const char *text) {
    trial one;
    trial_open(&one, now->what, STEPS, now->directory);
    verso_status status = trial_run(&one);
    if (status == VERSO_OK && !toy_equal(&one.result, &now->expected))
        fail_msg("%s: another gradient", text);
    if (status != VERSO_OK) {
        check_refusal(&one, path, text);
        if (!unchanged(now, path, bytes, size))
            fail_msg("%s: refused, but files were changed", text);
    }
    bool costly = one.model.advanced > now->advanced || one.model.reversed > now->reversed;
    /* What a killed process wrote after its last restart point is a help that nobody counts on. */
    bool counted_on = !now->killed || bytes != NULL;
    if (status == VERSO_OK && costly && counted_on && strstr(one.notices, path) == NULL &&
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

/* What the directory costs when nothing is damaged. */
static void measure(scene *now) {
    trial one;
    folder_copy(now->master, now->directory);
    trial_open(&one, now->what, STEPS, now->directory);
    assert_int_equal(trial_run(&one), VERSO_OK);
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
            size_t stride = strcmp(name, "journal") == 0 ? 11 : strcmp(name, "lock") == 0 ? 31 : 3;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspended_runs),
        cmocka_unit_test(killed_runs),
        cmocka_unit_test(done_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
