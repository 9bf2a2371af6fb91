/* Tests run directories that an attacker has prepared: links, FIFOs, sockets and directories with the names of a
 * run's files, and journals with valid checksums and forged restart points. Nothing outside of the directory is
 * changed, nothing waits forever, and other users cannot read a run's files. */
#include "drive/inside.h"
#include "drive/journal.h"
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 24, HANGS_SECONDS = 120 };

static const char *const names[] = {"lock", "journal", "journal.new", "journal.damaged"};
enum { NAMES = sizeof names / sizeof *names };

enum hostile { LINK, DANGLING_LINK, FIFO, DIRECTORY, SOCKET, HOSTILES };

/* Names of capsules are too long for an address. */
static void put_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *elsewhere = folder_new(), *made = folder_path(elsewhere, "socket");
    assert_true(strlen(made) < sizeof address.sun_path);
    strcpy(address.sun_path, made);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    close(listener);
    assert_int_equal(rename(made, path), 0);
    free(made);
    folder_remove(elsewhere);
}

static void put_hostile(enum hostile what, const char *path, const char *victim) {
    (void)unlink(path);
    switch (what) {
    case LINK:
    case DANGLING_LINK: assert_int_equal(symlink(victim, path), 0); break;
    case FIFO: assert_int_equal(mkfifo(path, 0600), 0); break;
    case DIRECTORY: assert_int_equal(mkdir(path, 0700), 0); break;
    case SOCKET: put_socket(path); break;
    case HOSTILES: break;
    }
}

/* A run in the middle, or one that has not begun. */
static char *prepare(bool begun) {
    char *folder = folder_new();
    if (!begun)
        return folder;
    trial one;
    trial_open(&one, &trial_cases[0], STEPS, folder);
    one.options.step_limit = 40;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    trial_close(&one);
    return folder;
}

/* Ends with the right bits, or is refused with the name of the file. */
static void run_there(const char *folder, const char *path, const toy_result *expected) {
    trial one;
    trial_open(&one, &trial_cases[0], STEPS, folder);
    verso_status status = trial_run(&one);
    if (status == VERSO_STATUS_OK)
        assert_true(toy_equal(&one.result, expected));
    else if (strstr(one.error.message, path) == NULL || strstr(one.error.message, "remove it") == NULL)
        fail_msg("'%s': %s", path, one.error.message);
    trial_close(&one);
    verso_run_status seen = VERSO_RUN_STATUS_INIT;
    (void)verso_run_status_read(folder, &seen, NULL); /* does not wait */
}

static void try_name(const char *name, enum hostile what, bool begun, const toy_result *expected) {
    static const char precious[] = "precious";
    char *elsewhere = folder_new(), *victim = folder_path(elsewhere, "victim"), *folder = prepare(begun);
    char *path = folder_path(folder, name);
    if (what != DANGLING_LINK)
        file_write(victim, precious, sizeof precious);
    put_hostile(what, path, victim);
    run_there(folder, path, expected);
    size_t size = 0;
    unsigned char *bytes = folder_read(elsewhere, "victim", &size);
    if (what == DANGLING_LINK)
        assert_null(bytes); /* nothing was created at the target of the link */
    else
        assert_true(bytes != NULL && size == sizeof precious && memcmp(bytes, precious, size) == 0);
    free(bytes);
    free(path);
    free(victim);
    folder_remove(folder);
    folder_remove(elsewhere);
}

static void names_that_are_no_files(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    alarm(HANGS_SECONDS);
    for (size_t i = 0; i < NAMES; i++)
        for (int what = 0; what < HOSTILES; what++)
            for (int begun = 0; begun < 2; begun++)
                try_name(names[i], (enum hostile)what, begun != 0, &expected);
    alarm(0);
}

/* ---- Capsules ---- */

/* What should be a capsule and is something else is like one that is lost. */
static void capsules_that_are_no_files(void **state) {
    (void)state;
    static const char precious[] = "precious";
    toy_result expected = toy_reference(STEPS);
    alarm(HANGS_SECONDS);
    for (int what = 0; what < HOSTILES; what++) {
        char *folder = prepare(true), *capsules = folder_path(folder, "capsules");
        char *elsewhere = folder_new(), *victim = folder_path(elsewhere, "victim");
        char **files = folder_files(capsules);
        file_write(victim, precious, sizeof precious);
        assert_non_null(files[0]);
        for (size_t i = 0; files[i] != NULL; i++)
            put_hostile((enum hostile)what, files[i], victim);
        run_there(folder, capsules, &expected);
        size_t size;
        unsigned char *bytes = file_read(victim, &size);
        assert_true(size == sizeof precious && memcmp(bytes, precious, size) == 0);
        free(bytes);
        folder_files_free(files);
        free(victim);
        free(capsules);
        folder_remove(elsewhere);
        folder_remove(folder);
    }
    alarm(0);
}

/* What lies in a directory elsewhere is neither read nor removed through a link to it. */
static void capsules_elsewhere_are_not_touched(void **state) {
    (void)state;
    static const char name[] = "state-00000000000000000000", precious[] = "precious";
    toy_result expected = toy_reference(STEPS);
    alarm(HANGS_SECONDS);
    for (int what = 0; what < HOSTILES; what++)
        for (int begun = 0; begun < 2 && what != DIRECTORY; begun++) {
            char *folder = prepare(begun != 0), *capsules = folder_path(folder, "capsules"), *elsewhere = folder_new();
            char *victim = what == DANGLING_LINK ? folder_path(elsewhere, "none") : folder_path(elsewhere, "");
            folder_write(elsewhere, name, precious, sizeof precious);
            if (begun) {
                folder_empty(capsules);
                assert_int_equal(rmdir(capsules), 0);
            }
            put_hostile((enum hostile)what, capsules, victim);
            trial one;
            trial_open(&one, &trial_cases[0], STEPS, folder);
            assert_int_equal(trial_run(&one), VERSO_STATUS_IO);
            assert_true(strstr(one.error.message, capsules) != NULL && strstr(one.error.message, "remove it") != NULL);
            trial_close(&one);
            assert_int_not_equal(verso__abandon(&verso__system_machine, folder, NULL), VERSO_STATUS_OK);
            size_t size;
            unsigned char *bytes = folder_read(elsewhere, name, &size);
            assert_true(bytes != NULL && size == sizeof precious && folder_count(elsewhere, "") == 1);
            free(bytes);
            assert_int_equal(unlink(capsules), 0); /* as the message says */
            run_there(folder, capsules, &expected);
            free(victim);
            free(capsules);
            folder_remove(folder);
            folder_remove(elsewhere);
        }
    alarm(0);
}

/* ---- Permissions ---- */

static void others_cannot_read(void **state) {
    (void)state;
    mode_t before = umask(0);
    char *above = folder_new(), *folder = folder_path(above, "run");
    trial one;
    trial_open(&one, &trial_cases[0], STEPS, folder);
    one.options.step_limit = 40;
    assert_int_equal(trial_run(&one), VERSO_STATUS_SUSPENDED);
    trial_close(&one);
    umask(before);
    struct stat facts;
    assert_int_equal(stat(folder, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    char **files = folder_files(folder);
    size_t count = 0;
    for (; files[count] != NULL; count++) {
        assert_int_equal(stat(files[count], &facts), 0);
        assert_int_equal(facts.st_mode & 0777, 0600);
    }
    assert_true(count >= 3); /* lock, journal, capsules */
    folder_files_free(files);
    free(folder);
    folder_remove(above);
}

/* ---- Journals that lie ---- */

typedef void (*lie)(verso__commit *commit, verso__live *first);

static const uint64_t far = (uint64_t)1 << 31;

static void lie_of_advance(verso__commit *commit, verso__live *first) {
    (void)first;
    commit->pending = (verso_action){.kind = VERSO_ACTION_ADVANCE, .from = 0, .to = far};
}

static void lie_of_reverse(verso__commit *commit, verso__live *first) {
    (void)first;
    commit->pending = (verso_action){.kind = VERSO_ACTION_REVERSE, .from = far, .to = 0};
}

static void lie_of_direction(verso__commit *commit, verso__live *first) {
    (void)first;
    commit->pending = (verso_action){.kind = VERSO_ACTION_ADVANCE, .from = STEPS, .to = 0};
}

static void lie_of_working(verso__commit *commit, verso__live *first) {
    (void)first;
    commit->working = far;
}

static void lie_of_adjoint(verso__commit *commit, verso__live *first) {
    (void)first;
    commit->adjoint = far;
}

static void lie_of_reached(verso__commit *commit, verso__live *first) {
    (void)first;
    commit->counts.reached = far;
}

static void lie_of_live(verso__commit *commit, verso__live *first) {
    (void)commit;
    first->from = first->to = far;
}

static void lie_of_tier(verso__commit *commit, verso__live *first) {
    (void)commit;
    first->tier = VERSO_TIERS_MAX - 1;
}

static void lie_of_slot(verso__commit *commit, verso__live *first) {
    (void)commit;
    first->slot = UINT64_C(1) << 63;
}

/* The journal anew, its last restart point changed, all checksums right. False for what contradicts itself, which
 * neither the writer nor the reader takes. */
static bool tell(const char *path, lie one) {
    verso__journal_contents contents;
    verso__journal *journal;
    assert_int_equal(verso__journal_read(&verso__system_machine, path, &contents, NULL), VERSO_STATUS_OK);
    assert_true(contents.commit_count > 0 && contents.commits[0].live_count > 0);
    verso__commit commit = contents.commits[0];
    verso__live *live = calloc(commit.live_count, sizeof *live);
    assert_non_null(live);
    memcpy(live, commit.live, commit.live_count * sizeof *live);
    commit.live = live;
    commit.number = 1;
    one(&commit, live);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(verso__journal_create(&verso__system_machine, path, &contents.head, &journal, NULL),
                     VERSO_STATUS_OK);
    bool is_written = verso__journal_commit(journal, &commit, false, NULL) == VERSO_STATUS_OK;
    verso__journal_close(journal);
    verso__journal_contents_free(&contents);
    free(live);
    return is_written;
}

static void restart_points_of_no_run(void **state) {
    (void)state;
    static const lie lies[] = {lie_of_advance, lie_of_reverse, lie_of_direction, lie_of_working, lie_of_adjoint,
                               lie_of_reached, lie_of_live,    lie_of_tier,      lie_of_slot};
    toy_result expected = toy_reference(STEPS);
    size_t written = 0;
    alarm(HANGS_SECONDS);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char *folder = prepare(true), *path = folder_path(folder, "journal");
        bool is_written = tell(path, lies[i]);
        written += is_written;
        trial one;
        trial_open(&one, &trial_cases[0], STEPS, folder);
        if (trial_run(&one) != VERSO_STATUS_OK)
            fail_msg("lie %zu: %s", i, one.error.message);
        assert_true(toy_equal(&one.result, &expected));
        if (is_written)
            assert_non_null(strstr(one.notices, "does not fit its schedule"));
        assert_true(one.model.advanced < 100 * (uint64_t)STEPS);
        trial_close(&one);
        free(path);
        folder_remove(folder);
    }
    assert_true(written >= 5);
    alarm(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_are_no_files),
        cmocka_unit_test(capsules_that_are_no_files),
        cmocka_unit_test(capsules_elsewhere_are_not_touched),
        cmocka_unit_test(others_cannot_read),
        cmocka_unit_test(restart_points_of_no_run),
    };
    return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
