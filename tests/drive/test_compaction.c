/* Journals that are compacted: however often, a reader finds what it would have found in the whole file, as far back as
 * a run may have to go; the file stays small; and what is done to its bytes is found as in any other journal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "drive/journal_write.h"
#include "tests/support/folder.h"
#include "tests/support/random_journal.h"

enum { HISTORY = 400 };

static uint64_t seed;

/* The machine's calls but for syncing, which only slows these tests down. test_journal_faults.c looks at it. */
static verso__system unsynced;
static const verso__system *const machine = &unsynced;

static int no_sync(const verso__system *system, int file) {
    (void)system;
    (void)file;
    return 0;
}

static size_t size_of(const char *path) {
    size_t size;
    free(file_read(path, &size));
    return size;
}

/* In a block of its own, so that a sanitizer sees a read beyond its end. */
static verso_status parse(const unsigned char *bytes, size_t size, verso__journal_contents *contents) {
    unsigned char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    verso_status status = verso__journal_parse(copy, size, "journal", contents, NULL);
    free(copy);
    return status;
}

/* ---- A history: the commits that count ---- */

/* What a reader must find, however often the file was compacted. */
typedef struct history {
    char *folder, *path;
    verso__journal *journal;
    verso__commit commits[HISTORY]; /* those that count: commits[i] has number i + 1 */
    size_t count;
    uint64_t restarts;
    bool done, continued;
    random_source source;
} history;

static void begin_history(history *history, uint64_t number) {
    memset(history, 0, sizeof *history);
    history->source = random_from_seed(seed + number);
    history->folder = folder_new();
    history->path = folder_path(history->folder, "journal");
    verso__journal_head head = random_head(&history->source);
    assert_int_equal(verso__journal_create(machine, history->path, &head, &history->journal, NULL), VERSO_STATUS_OK);
}

static void cut_history(history *history, size_t count) {
    while (history->count > count)
        random_commit_free(&history->commits[--history->count]);
}

static void end_history(history *history) {
    verso__journal_close(history->journal);
    cut_history(history, 0);
    free(history->path);
    folder_remove(history->folder);
}

/* Adjoints go down, many commits at one of them. */
static void commit_history(history *history, bool done) {
    verso__commit commit = random_commit(&history->source, history->count + 1, 200);
    uint64_t before = history->count > 0 ? history->commits[history->count - 1].adjoint : VERSO_UNKNOWN;
    if (random_below(&history->source, 8) == 0)
        commit.adjoint = before == VERSO_UNKNOWN ? 1000 : before - (before > 0);
    else
        commit.adjoint = before;
    if (done)
        commit.adjoint = 0;
    assert_int_equal(verso__journal_commit(history->journal, &commit, done, NULL), VERSO_STATUS_OK);
    history->commits[history->count++] = commit;
    history->done = done;
    history->continued = false;
}

/* As far back as a member of a group may have to go, and to an adjoint that is not damaged with the newest. */
static void check_enough(const history *history, size_t found) {
    size_t adjoints = 0;
    uint64_t last = 0;
    bool first_sweep = false;
    for (size_t i = 0; i < found; i++) {
        uint64_t adjoint = history->commits[history->count - 1 - i].adjoint;
        adjoints += i == 0 || adjoint != last;
        first_sweep = first_sweep || adjoint == VERSO_UNKNOWN;
        last = adjoint;
    }
    assert_true(found >= 4 && (adjoints >= 3 || first_sweep || found == VERSO_COMMITS_KEPT));
}

/* `whole`: no process has returned to an older commit, so everything that is needed is there. */
static verso__journal_contents check_history(const history *history, bool whole) {
    verso__journal_contents contents;
    assert_int_equal(verso__journal_read(machine, history->path, &contents, NULL), VERSO_STATUS_OK);
    assert_int_equal(contents.trusted, contents.bytes);
    assert_int_equal(contents.restarts, history->restarts);
    assert_int_equal(contents.done, history->done);
    assert_int_equal(contents.continued, history->continued);
    assert_true(contents.commit_count <= history->count && (contents.commit_count > 0) == (history->count > 0));
    for (size_t i = 0; i < contents.commit_count; i++)
        assert_true(same_commit(&contents.commits[i], &history->commits[history->count - 1 - i]));
    if (whole && contents.commit_count < history->count)
        check_enough(history, contents.commit_count);
    return contents;
}

static void continue_history(history *history, size_t from, bool whole) {
    verso__journal_close(history->journal);
    verso__journal_contents contents = check_history(history, whole);
    if (from > contents.commit_count)
        from = contents.commit_count;
    assert_int_equal(verso__journal_continue(machine, history->path, &contents, from, &history->journal, NULL),
                     VERSO_STATUS_OK);
    cut_history(history, from < contents.commit_count ? history->count - from : 0);
    history->restarts++;
    history->done = false;
    history->continued = true;
    verso__journal_contents_free(&contents);
}

/* ---- Tests ---- */

static void compaction_changes_nothing(void **state) {
    (void)state;
    static history history;
    size_t compactions = 0;
    for (uint64_t number = 0; number < 12; number++) {
        bool back = number % 3 == 2; /* goes back, also to the start */
        verso__journal_set_limits(0, number % 2 == 0 ? 1 : 3);
        begin_history(&history, 11000 + number);
        size_t before = 0;
        for (int i = 0; i < HISTORY; i++) {
            uint64_t dice = random_below(&history.source, 16);
            if (history.done || dice < 2)
                continue_history(&history, back ? (size_t)random_below(&history.source, 20) : 0, !back);
            else
                commit_history(&history, dice == 15);
            size_t size = size_of(history.path);
            compactions += size < before;
            before = size;
            verso__journal_contents contents = check_history(&history, !back);
            verso__journal_contents_free(&contents);
        }
        assert_int_equal(folder_count(history.folder, "journal"), 1); /* nothing else lies beside it */
        end_history(&history);
    }
    assert_true(compactions > 100);
}

/* With the limits as they are: thousands of commits, and a size that does not grow. */
static void a_journal_stays_small(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "journal");
    random_source source = random_from_seed(seed);
    verso__journal_head head = random_head(&source);
    verso__journal *journal;
    size_t most = 0, written = 0;
    static const unsigned char cursor[3000] = {1, 2, 3};
    verso__commit commit = {.adjoint = VERSO_UNKNOWN, .cursor = cursor};
    verso__journal_set_limits(1 << 20, 8);
    assert_int_equal(verso__journal_create(machine, path, &head, &journal, NULL), VERSO_STATUS_OK);
    for (uint64_t number = 1; number <= 5000; number++) {
        commit.number = number;
        commit.cursor_size = 2000 + (size_t)random_below(&source, 1000);
        if (number > 1000)
            commit.adjoint = 5000 - number / 7; /* seven at each adjoint: more than four are kept */
        written += VERSO_RECORD_FRAME + verso__record_commit_size(&commit);
        assert_int_equal(verso__journal_commit(journal, &commit, false, NULL), VERSO_STATUS_OK);
        size_t size = size_of(path);
        most = size > most ? size : most;
    }
    verso__journal_close(journal);
    print_message("%zu bytes of restart points, at most %zu in the file\n", written, most);
    assert_true(written > 12 * (size_t)(1 << 20) && most <= (1 << 20));
    verso__journal_contents contents;
    assert_int_equal(verso__journal_read(machine, path, &contents, NULL), VERSO_STATUS_OK);
    assert_int_equal(contents.commits[0].number, 5000);
    assert_true(contents.commit_count >= 4);
    verso__journal_contents_free(&contents);
    free(path);
    folder_remove(folder);
}

static void a_run_goes_on_from_every_commit_of_a_compacted_journal(void **state) {
    (void)state;
    static history history;
    for (size_t from = 0; from <= VERSO_COMMITS_KEPT; from++)
        for (int compact = 0; compact < 2; compact++) {
            verso__journal_set_limits(0, 1);
            begin_history(&history, 12000);
            while (history.count < 40)
                commit_history(&history, history.count == 39);
            verso__journal_set_limits(compact ? 0 : UINT64_MAX, 1); /* continuing compacts it again, or does not */
            continue_history(&history, from, true);
            commit_history(&history, false);
            commit_history(&history, true);
            verso__journal_contents contents = check_history(&history, false);
            verso__journal_contents_free(&contents);
            end_history(&history);
        }
}

static void a_compacted_journal_is_as_safe(void **state) {
    (void)state;
    static history history;
    verso__journal_set_limits(0, 1);
    begin_history(&history, 14000);
    while (history.count < 12)
        commit_history(&history, false);
    continue_history(&history, 0, true);
    commit_history(&history, false);
    size_t size;
    unsigned char *bytes = file_read(history.path, &size);
    for (size_t i = 0; i < size; i++)
        for (int cut = 0; cut < 2; cut++) {
            verso__journal_contents contents;
            bytes[i] ^= 0x40;
            if (parse(bytes, cut ? i : size, &contents) == VERSO_STATUS_OK) {
                assert_true(contents.trusted <= i);
                assert_true(contents.restarts <= history.restarts && !contents.done);
                for (size_t k = 0; k < contents.commit_count; k++)
                    assert_true(same_commit(&contents.commits[k], &history.commits[contents.commits[k].number - 1]));
                verso__journal_contents_free(&contents);
            }
            bytes[i] ^= 0x40;
        }
    free(bytes);
    end_history(&history);
}

/* A compacted journal with valid checksums and a forged `earlier` record does no harm. */
static void lies_about_earlier_times(void **state) {
    (void)state;
    static const uint64_t values[] = {0, 1, 5, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
    unsigned char bytes[2000];
    verso__journal_head head = {.reason = "because"};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        for (uint64_t from = 0; from < 4; from++) {
            size_t at = VERSO_JOURNAL_HEADER, length = verso__record_head_size(&head);
            verso__journal_put_header(bytes);
            verso_identity chain = verso__checksum_wide(bytes, at);
            verso__record_put_head(bytes + at + VERSO_RECORD_BEFORE, &head);
            verso__record_seal(bytes + at, VERSO_RECORD_HEAD, 0, length, &chain);
            at += VERSO_RECORD_FRAME + length;
            verso__record_put_earlier(bytes + at + VERSO_RECORD_BEFORE, &(verso__earlier){values[k], 3});
            verso__record_seal(bytes + at, VERSO_RECORD_EARLIER, 1, VERSO_RECORD_EARLIER_SIZE, &chain);
            at += VERSO_RECORD_FRAME + VERSO_RECORD_EARLIER_SIZE;
            verso__commit commit = {.number = values[k] + 1};
            length = verso__record_commit_size(&commit);
            verso__record_put_commit(bytes + at + VERSO_RECORD_BEFORE, &commit, false);
            verso__record_seal(bytes + at, VERSO_RECORD_COMMIT, 2, length, &chain);
            at += VERSO_RECORD_FRAME + length;
            /* back to the start, to what is not there, to what is, and to what never was */
            verso__continued continued = {.from = from == 0 ? 0 : values[k] + from - 1};
            verso__record_put_continued(bytes + at + VERSO_RECORD_BEFORE, &continued);
            verso__record_seal(bytes + at, VERSO_RECORD_CONTINUED, 3, VERSO_RECORD_CONTINUED_SIZE, &chain);
            at += VERSO_RECORD_FRAME + VERSO_RECORD_CONTINUED_SIZE;
            verso__journal_contents contents;
            assert_int_equal(parse(bytes, at, &contents), VERSO_STATUS_OK);
            bool holds = values[k] <= INT64_MAX, goes_back = continued.from == 0 || from == 2;
            assert_int_equal(contents.records, !holds ? 1 : goes_back ? 4 : 3);
            assert_int_equal(contents.commit_count, holds && continued.from != 0);
            assert_int_equal(contents.restarts, !holds ? 0 : goes_back ? 4 : 3);
            verso__journal_contents_free(&contents);
        }
}

int main(void) {
    seed = random_seed();
    unsynced = verso__system_machine;
    unsynced.sync = no_sync;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compaction_changes_nothing),
        cmocka_unit_test(a_journal_stays_small),
        cmocka_unit_test(a_run_goes_on_from_every_commit_of_a_compacted_journal),
        cmocka_unit_test(a_compacted_journal_is_as_safe),
        cmocka_unit_test(lies_about_earlier_times),
    };
    return cmocka_run_group_tests_name("compaction", tests, NULL, NULL);
}
