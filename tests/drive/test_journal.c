/* Tests journals: what was written is read back. Whatever is done to the bytes, the records that are read are the
 * first ones that were written, up to the first changed one; after any tail the journal can be continued.
 * test_compaction.c tests compaction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "base/wide.h"
#include "base/words.h"
#include "drive/journal_write.h"
#include "tests/support/folder.h"
#include "tests/support/journal_story.h"
#include "tests/support/random_journal.h"

#include <math.h>
#include <unistd.h>

static void what_is_written_is_read(void **state) {
    (void)state;
    for (uint64_t number = 0; number < 12; number++) {
        story *story = malloc(sizeof *story);
        assert_non_null(story);
        story_begin(story, number, number % 3 == 0 ? 100000 : 300);
        while (story->records < 40) {
            story_play(story, story->records + 1);
            verso__journal_contents contents = story_read(story, story->records - 1);
            assert_int_equal(contents.bytes, contents.trusted);
            verso__journal_contents_free(&contents);
        }
        story_end(story);
        free(story);
    }
}

static verso_status parse(const unsigned char *bytes, size_t size, verso__journal_contents *contents,
                          verso_error *error) {
    /* a block of its own, so that a sanitizer sees a read beyond its end */
    unsigned char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    verso_status status = verso__journal_parse(copy, size, "journal", contents, error);
    free(copy);
    return status;
}

/* The bytes hold up to the end of `records` records, and not beyond. */
static void check_beginning(const story *story, const unsigned char *bytes, size_t size, size_t records) {
    verso__journal_contents contents;
    verso_error error = {0};
    verso_status status = parse(bytes, size, &contents, &error);
    if (records == 0) {
        assert_int_equal(status, VERSO_STATUS_CORRUPT);
        assert_true(strlen(error.message) > 0);
        assert_int_equal(contents.commit_count, 0);
    } else {
        assert_int_equal(status, VERSO_STATUS_OK);
        assert_int_equal(contents.bytes, size);
        story_check(story, records - 1, &contents);
    }
    verso__journal_contents_free(&contents);
}

static size_t records_within(const story *story, size_t size) {
    size_t records = 0;
    while (records < story->records && story->moments[records].size <= size)
        records++;
    return records;
}

static void every_flipped_byte_is_found(void **state) {
    (void)state;
    story *story = malloc(sizeof *story);
    assert_non_null(story);
    story_begin(story, 1000, 100);
    story_play(story, 10);
    size_t size;
    unsigned char *bytes = file_read(story->path, &size);
    assert_int_equal(size, story->moments[story->records - 1].size);
    for (size_t i = 0; i < size; i++) {
        unsigned char masks[] = {0xff, (unsigned char)(1u << random_below(&story->source, 8))};
        for (size_t k = 0; k < 2; k++) {
            bytes[i] ^= masks[k];
            check_beginning(story, bytes, size, records_within(story, i));
            bytes[i] ^= masks[k];
        }
    }
    check_beginning(story, bytes, size, story->records);
    free(bytes);
    story_end(story);
    free(story);
}

static void every_truncation_is_a_beginning(void **state) {
    (void)state;
    story *story = malloc(sizeof *story);
    assert_non_null(story);
    story_begin(story, 2000, 200);
    story_play(story, 12);
    size_t size;
    unsigned char *bytes = file_read(story->path, &size);
    for (size_t length = 0; length <= size; length++)
        check_beginning(story, bytes, length, records_within(story, length));
    free(bytes);
    story_end(story);
    free(story);
}

static void moved_records_are_not_trusted(void **state) {
    (void)state;
    story *story = malloc(sizeof *story);
    assert_non_null(story);
    story_begin(story, 3000, 50);
    for (int i = 0; i < 4; i++)
        story_commit(story, false);
    size_t size;
    unsigned char *bytes = file_read(story->path, &size), *other = malloc(2 * size);
    assert_non_null(other);
    const moment *at = story->moments;
    /* the second commit again, in the place of the third */
    memcpy(other, bytes, at[2].size);
    memcpy(other + at[2].size, bytes + at[1].size, at[2].size - at[1].size);
    check_beginning(story, other, 2 * at[2].size - at[1].size, 3);
    /* the second commit left out */
    memcpy(other, bytes, at[1].size);
    memcpy(other + at[1].size, bytes + at[2].size, size - at[2].size);
    check_beginning(story, other, size - (at[2].size - at[1].size), 2);
    /* the head again */
    memcpy(other, bytes, size);
    memcpy(other + size, bytes + 24, at[0].size - 24);
    check_beginning(story, other, size + at[0].size - 24, 5);
    free(other);
    free(bytes);
    story_end(story);
    free(story);
}

static void a_run_goes_on_from_every_commit(void **state) {
    (void)state;
    for (size_t commits = 0; commits < 7; commits++)
        for (size_t from = 0; from <= commits && from <= VERSO_COMMITS_KEPT; from++) {
            story *story = malloc(sizeof *story);
            assert_non_null(story);
            story_begin(story, 4000 + 10 * commits + from, 100);
            for (size_t i = 0; i < commits; i++)
                story_commit(story, i + 1 == commits); /* also when it was done */
            story_continue(story, story->records - 1, from);
            verso__journal_contents contents = story_read(story, story->records - 1);
            assert_int_equal(contents.commit_count > 0 ? contents.commits[0].number : 0,
                             from < VERSO_COMMITS_KEPT ? commits - from : 0);
            verso__journal_contents_free(&contents);
            story_commit(story, false);
            story_commit(story, true);
            contents = story_read(story, story->records - 1);
            verso__journal_contents_free(&contents);
            story_end(story);
            free(story);
        }
}

/* Whatever a crash leaves of the last record, and whatever follows it, is cut off. */
static void a_torn_tail_is_cut_off(void **state) {
    (void)state;
    static story whole, attempt;
    story_begin(&whole, 5000, 40);
    for (int i = 0; i < 3; i++)
        story_commit(&whole, false);
    size_t size;
    unsigned char *bytes = file_read(whole.path, &size), *longer = malloc(size + 100);
    assert_non_null(longer);
    memset(longer, 0x5a, size + 100);
    memcpy(longer, bytes, size);
    for (size_t length = whole.moments[whole.records - 2].size; length < size + 100; length += 1 + length % 7) {
        file_write(whole.path, longer, length);
        attempt = whole; /* all of it borrowed but for what is added */
        attempt.journal = NULL;
        story_continue(&attempt, records_within(&whole, length) - 1, (size_t)random_below(&whole.source, 2));
        story_commit(&attempt, false);
        verso__journal_contents contents = story_read(&attempt, attempt.records - 1);
        assert_int_equal(contents.bytes, contents.trusted);
        verso__journal_contents_free(&contents);
        verso__journal_close(attempt.journal);
        while (attempt.written > whole.written)
            random_commit_free(&attempt.commits[--attempt.written]);
    }
    free(longer);
    free(bytes);
    story_end(&whole);
}

static void a_newer_format_is_reported(void **state) {
    (void)state;
    static story story;
    story_begin(&story, 6000, 40);
    size_t size;
    unsigned char *bytes = file_read(story.path, &size);
    static const uint64_t versions[] = {4, UINT64_MAX, 0, 2};
    for (size_t i = 0; i < 4; i++) {
        unsigned char *at = bytes + VERSO_WORD;
        verso__put_word(&at, versions[i]);
        verso__put_word(&at, verso__checksum(bytes, 2 * VERSO_WORD));
        verso__journal_contents contents;
        verso_error error = {0};
        assert_int_equal(parse(bytes, size, &contents, &error), VERSO_STATUS_CORRUPT);
        assert_true((strstr(error.message, "newer Verso") != NULL) == (versions[i] > 3));
    }
    free(bytes);
    story_end(&story);
}

static void what_is_there_is_not_overwritten(void **state) {
    (void)state;
    static story story;
    story_begin(&story, 7000, 40);
    story_commit(&story, false);
    verso_error error = {0};
    verso__journal *second = (verso__journal *)1;
    assert_int_equal(verso__journal_create(story_system, story.path, &story.head, &second, &error), VERSO_STATUS_STATE);
    assert_null(second);
    verso__journal_contents contents = story_read(&story, 1);
    /* contents that are not this file's any more */
    story_commit(&story, false);
    assert_int_equal(verso__journal_continue(story_system, story.path, &contents, 0, &second, &error),
                     VERSO_STATUS_STATE);
    assert_null(second);
    assert_int_equal(verso__journal_continue(story_system, story.path, &contents, 2, &second, &error),
                     VERSO_STATUS_INVALID);
    verso__journal_contents_free(&contents);
    contents = story_read(&story, 2);
    verso__journal_contents_free(&contents);
    story_end(&story);
}

static void no_journal_is_no_damage(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "journal"), *below = folder_path(path, "journal");
    verso__journal_contents contents;
    verso_error error = {0};
    verso__journal *journal;
    assert_int_equal(verso__journal_read(story_system, path, &contents, &error), VERSO_STATUS_STATE);
    assert_int_equal(verso__journal_continue(story_system, path, &contents, 0, &journal, &error), VERSO_STATUS_STATE);
    verso__journal_head head = {0};
    assert_int_equal(verso__journal_create(story_system, below, &head, &journal, &error), VERSO_STATUS_IO);
    file_write(path, "", 0);
    assert_int_equal(verso__journal_read(story_system, path, &contents, &error), VERSO_STATUS_CORRUPT);
    file_write(path, "something else entirely, and long enough", 40);
    assert_int_equal(verso__journal_read(story_system, path, &contents, &error), VERSO_STATUS_CORRUPT);
    assert_non_null(strstr(error.message, "is not a journal"));
    assert_int_equal(verso__journal_read(story_system, below, &contents, &error), VERSO_STATUS_STATE);
    free(below);
    free(path);
    folder_remove(folder);
}

/* Nothing is written that would not be read, and a refused commit is no failure of the journal. */
static void contradictions_are_not_written(void **state) {
    (void)state;
    static story story;
    story_begin(&story, 8000, 40);
    story_commit(&story, false);
    for (int wrong = 0; wrong < 8; wrong++) {
        verso__commit commit = random_commit(&story.source, 2, 40);
        verso__live live = {.tier = VERSO_TIERS_MAX};
        bool done = false;
        switch (wrong) {
        case 0: commit.number = 1; break;
        case 1: commit.number = 3; break;
        case 2: commit.pending.tier = VERSO_TIERS_MAX; break;
        case 3: commit.pending = (verso_action){.kind = VERSO_ACTION_REVERSE, .from = 1, .to = 2}; break;
        case 4: commit.counts.seconds = NAN; break;
        case 5: done = true, commit.adjoint = 1; break;
        case 6: live.from = 1, live.tier = 0; break;
        default: break;
        }
        const verso__live *list = commit.live;
        if (wrong >= 6)
            commit.live = &live, commit.live_count = 1;
        verso_error error = {0};
        assert_int_equal(verso__journal_commit(story.journal, &commit, done, &error), VERSO_STATUS_INVALID);
        commit.live = list;
        random_commit_free(&commit);
    }
    story_commit(&story, true);
    verso__commit commit = random_commit(&story.source, 3, 40);
    assert_int_equal(verso__journal_commit(story.journal, &commit, false, NULL), VERSO_STATUS_STATE);
    random_commit_free(&commit);
    verso__journal_contents contents = story_read(&story, story.records - 1);
    verso__journal_contents_free(&contents);
    story_end(&story);

    char *folder = folder_new(), *path = folder_path(folder, "journal");
    verso__journal_head head = {.started = INFINITY};
    verso__journal *journal;
    assert_int_equal(verso__journal_create(story_system, path, &head, &journal, NULL), VERSO_STATUS_INVALID);
    assert_null(journal);
    assert_int_equal(rmdir(folder), 0); /* the folder is empty */
    free(path);
    free(folder);
}

/* Every word of a commit changed, with a checksum that fits: what is trusted keeps to the limits. */
static void forged_commits_are_read_safely(void **state) {
    (void)state;
    static story story;
    story_begin(&story, 9000, 40);
    verso__live live = {.tier = 1, .slot = 2, .from = 3, .to = 4};
    verso__commit commit = {
        .number = 1, .live = &live, .live_count = 1, .cursor = (const unsigned char *)"cursor", .cursor_size = 6};
    assert_int_equal(verso__journal_commit(story.journal, &commit, false, NULL), VERSO_STATUS_OK);
    size_t size, start = story.moments[0].size;
    unsigned char *bytes = file_read(story.path, &size), *payload = bytes + start + VERSO_RECORD_BEFORE;
    verso__journal_contents contents;
    assert_int_equal(parse(bytes, start, &contents, NULL), VERSO_STATUS_OK);
    verso_identity before = contents.chain;
    verso__journal_contents_free(&contents);
    size_t words = (size - start - VERSO_RECORD_FRAME) / VERSO_WORD, trusted = 0;
    static const uint64_t values[] = {0, 1, 2, 3, 7, 8, 9, 1u << 31, UINT64_C(1) << 32, UINT64_MAX / 32, UINT64_MAX};
    for (size_t word = 0; word < words; word++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            unsigned char saved[VERSO_WORD], *at = payload + word * VERSO_WORD;
            memcpy(saved, at, VERSO_WORD);
            verso__put_word(&at, values[k]);
            verso_identity chain = before;
            verso__record_seal(bytes + start, VERSO_RECORD_COMMIT, 1, size - start - VERSO_RECORD_FRAME, &chain);
            assert_int_equal(parse(bytes, size, &contents, NULL), VERSO_STATUS_OK);
            trusted += contents.commit_count;
            for (size_t i = 0; i < contents.commit_count; i++) {
                const verso__commit *read = &contents.commits[i];
                assert_true(read->number == 1 && read->pending.kind <= VERSO_ACTION_DONE &&
                            read->pending.tier < VERSO_TIERS_MAX && isfinite(read->counts.seconds));
                assert_true(read->live_count == 1 && read->cursor_size == 6 && read->live->tier < VERSO_TIERS_MAX);
            }
            verso__journal_contents_free(&contents);
            memcpy(payload + word * VERSO_WORD, saved, VERSO_WORD);
        }
    assert_true(trusted > words); /* most words may be anything */
    free(bytes);
    story_end(&story);
}

/* Records with a valid checksum whose contents cannot follow. */
static void what_cannot_follow_is_not_trusted(void **state) {
    (void)state;
    static story story;
    story_begin(&story, 9500, 40);
    story_commit(&story, false);
    size_t size, most = 1000;
    unsigned char *bytes = file_read(story.path, &size), *longer = calloc(1, size + most);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    verso__journal_contents contents = story_read(&story, 1);
    verso_identity before = contents.chain;
    verso__journal_contents_free(&contents);
    unsigned char *record = longer + size, *payload = record + VERSO_RECORD_BEFORE;
    for (int wrong = 0; wrong < 9; wrong++) {
        verso__commit commit = {.number = 2};
        verso__continued continued = {.from = wrong == 0 ? 2 : wrong == 1 ? UINT64_MAX : 1};
        verso__record_type type = wrong < 3 ? VERSO_RECORD_CONTINUED : VERSO_RECORD_COMMIT;
        size_t length = VERSO_RECORD_CONTINUED_SIZE + (wrong == 2);
        uint64_t number = 2;
        verso__record_put_continued(payload, &continued);
        if (wrong >= 3) {
            length = verso__record_commit_size(&commit);
            verso__record_put_commit(payload, &commit, false);
        }
        if (wrong == 3) { /* a list whose size is 0 only as far as 64 bits go */
            unsigned char *at = payload + length - VERSO_WORD;
            verso__put_word(&at, UINT64_C(1) << 59);
        }
        if (wrong == 4)
            number = 3;
        if (wrong == 5)
            type = (verso__record_type)5;
        if (wrong == 6) {
            type = VERSO_RECORD_HEAD;
            length = verso__record_head_size(&story.head);
            verso__record_put_head(payload, &story.head);
        }
        if (wrong == 7)
            length += VERSO_WORD; /* more than its counts require */
        if (wrong == 8) {         /* allowed only directly after the head */
            type = VERSO_RECORD_EARLIER;
            length = VERSO_RECORD_EARLIER_SIZE;
            verso__record_put_earlier(payload, &(verso__earlier){1, 0});
        }
        assert_true(VERSO_RECORD_FRAME + length <= most);
        verso_identity chain = before;
        verso__record_seal(record, type, number, length, &chain);
        check_beginning(&story, longer, size + VERSO_RECORD_FRAME + length, 2);
    }
    free(longer);
    free(bytes);
    story_end(&story);
}

/* The format is fixed: these bytes were written by the version that they name. */
static void the_format_is_fixed(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "journal");
    verso__journal_head head = {.program = {{1, 2}},
                                .run = {{3, 4}},
                                .base = {{5, 6}},
                                .started = 1.5,
                                .capsule_size = 7,
                                .adjoint_size = 8,
                                .places = {VERSO_PLACE_MEMORY, VERSO_PLACE_FILES},
                                .reason = "because"};
    static const verso__live live[] = {{1, 2, 3, 3}, {0, 4, 5, 6}};
    verso__commit commit = {.number = 1,
                            .suspended = true,
                            .adjoint = VERSO_UNKNOWN,
                            .working = 9,
                            .pending = {VERSO_ACTION_ADVANCE, 0, 0, 9, 12},
                            .counts = {.work_forward = (verso__wide)1 << 100, .reached = 9, .seconds = 0.25},
                            .cursor = (const unsigned char *)"where it stands",
                            .cursor_size = 15,
                            .live = live,
                            .live_count = 2};
    verso__journal *journal;
    assert_int_equal(verso__journal_create(story_system, path, &head, &journal, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__journal_commit(journal, &commit, false, NULL), VERSO_STATUS_OK);
    verso__journal_close(journal);
    size_t size;
    unsigned char *bytes = file_read(path, &size);
    assert_memory_equal(bytes, "vrsojrnl\3\0\0\0\0\0\0\0", 16);
    assert_int_equal(size, 24 + 40 + 18 * 8 + 7 + 40 + 43 * 8 + 2 * 32 + 15);
    assert_int_equal(verso__checksum(bytes, size), UINT64_C(0x8953907d7ab959ea));
    free(bytes);
    free(path);
    folder_remove(folder);
}

/* ---- Damage in the middle ---- */

static void what_damage_cuts_off_is_kept(void **state) {
    (void)state;
    static story story;
    story_begin(&story, 13000, 40);
    for (int i = 0; i < 6; i++)
        story_commit(&story, false);
    for (size_t which = 6; which >= 2; which--) { /* the record that is hit */
        size_t size, kept_size, at = story.moments[which - 1].size;
        unsigned char *bytes = file_read(story.path, &size);
        bytes[at + 30] ^= 1;
        file_write(story.path, bytes, size);
        story_continue(&story, which - 1, 0);
        unsigned char *kept = folder_read(story.folder, "journal.damaged", &kept_size);
        bool damaged = which < 6; /* one record may be torn; more are not */
        assert_int_equal(kept != NULL, damaged);
        if (damaged) {
            assert_int_equal(kept_size, size - at);
            assert_memory_equal(kept, bytes + at, kept_size);
        }
        verso__journal_contents contents = story_read(&story, which);
        assert_int_equal(contents.trusted, contents.bytes);
        verso__journal_contents_free(&contents);
        bytes[at + 30] ^= 1; /* as it was before, to be damaged further in front */
        file_write(story.path, bytes, size);
        free(bytes);
        free(kept);
    }
    story_end(&story);
}

/* However long the record is that a crash tears; whichever byte in the middle is changed. */
static void torn_is_not_damaged(void **state) {
    (void)state;
    static story story;
    story_begin(&story, 13500, 40);
    for (size_t commits = 0; commits < 4; commits++) {
        story.most_bytes = 4000 * commits;
        story_commit(&story, false);
    }
    size_t size;
    unsigned char *bytes = file_read(story.path, &size);
    verso__journal_contents contents;
    for (size_t i = story.moments[0].size; i < size; i++) {
        assert_int_equal(parse(bytes, i, &contents, NULL), VERSO_STATUS_OK);
        assert_false(contents.damaged);
        verso__journal_contents_free(&contents);
        bytes[i] ^= 0x40;
        assert_int_equal(parse(bytes, size, &contents, NULL), VERSO_STATUS_OK);
        size_t hit = records_within(&story, i), longest = 0;
        for (size_t k = 0; k < hit; k++) {
            size_t length = story.moments[k].size - (k > 0 ? story.moments[k - 1].size : VERSO_JOURNAL_HEADER);
            longest = length > longest ? length : longest;
        }
        bool several = hit + 1 < story.records; /* a whole record follows the damaged one */
        if (several && size - contents.trusted > longest)
            assert_true(contents.damaged);
        verso__journal_contents_free(&contents);
        bytes[i] ^= 0x40;
    }
    free(bytes);
    story_end(&story);
}

int main(void) {
    story_init(random_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(every_flipped_byte_is_found),
        cmocka_unit_test(every_truncation_is_a_beginning),
        cmocka_unit_test(moved_records_are_not_trusted),
        cmocka_unit_test(a_run_goes_on_from_every_commit),
        cmocka_unit_test(a_torn_tail_is_cut_off),
        cmocka_unit_test(a_newer_format_is_reported),
        cmocka_unit_test(what_is_there_is_not_overwritten),
        cmocka_unit_test(no_journal_is_no_damage),
        cmocka_unit_test(contradictions_are_not_written),
        cmocka_unit_test(forged_commits_are_read_safely),
        cmocka_unit_test(what_cannot_follow_is_not_trusted),
        cmocka_unit_test(the_format_is_fixed),
        cmocka_unit_test(what_damage_cuts_off_is_kept),
        cmocka_unit_test(torn_is_not_damaged),
    };
    return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
