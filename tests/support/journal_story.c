/* See journal_story.h. */
#include "tests/support/journal_story.h"

#include "drive/journal_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/folder.h"

static uint64_t seed;
static verso__system unsynced;
const verso__system *const story_system = &unsynced;

static int no_sync(const verso__system *system, int file) {
    (void)system;
    (void)file;
    return 0;
}

void story_init(uint64_t given) {
    seed = given;
    unsynced = verso__system_machine;
    unsynced.sync = no_sync;
    verso__journal_set_limits(UINT64_MAX, 1);
}

static size_t size_of(const char *path) {
    size_t size;
    free(file_read(path, &size));
    return size;
}

/* Adds the moment after the next record: a copy of the last one, which the caller changes. */
static moment *story_moment(story *story) {
    assert_true(story->records < STORY_RECORDS);
    moment *now = &story->moments[story->records];
    if (story->records > 0)
        *now = story->moments[story->records - 1];
    now->size = size_of(story->path);
    story->records++;
    return now;
}

void story_begin(story *story, uint64_t number, size_t most_bytes) {
    verso_error error;
    memset(story, 0, sizeof *story);
    story->source = random_from_seed(seed + number);
    story->most_bytes = most_bytes;
    story->folder = folder_new();
    story->path = folder_path(story->folder, "journal");
    story->head = random_head(&story->source);
    assert_int_equal(verso__journal_create(story_system, story->path, &story->head, &story->journal, &error),
                     VERSO_STATUS_OK);
    story_moment(story);
}

void story_end(story *story) {
    verso__journal_close(story->journal);
    for (size_t i = 0; i < story->written; i++)
        random_commit_free(&story->commits[i]);
    free(story->path);
    folder_remove(story->folder);
}

void story_commit(story *story, bool done) {
    verso_error error;
    size_t before = story->moments[story->records - 1].commits;
    verso__commit commit = random_commit(&story->source, before + 1, story->most_bytes);
    if (done)
        commit.adjoint = 0;
    assert_int_equal(verso__journal_commit(story->journal, &commit, done, &error), VERSO_STATUS_OK);
    story->commits[story->written] = commit;
    moment *now = story_moment(story);
    now->commit[now->commits++] = story->written++;
    now->done = done;
    now->continued = false;
}

void story_check(const story *story, size_t index, const verso__journal_contents *contents) {
    const moment *expected = &story->moments[index];
    assert_true(same_head(&contents->head, &story->head));
    assert_int_equal(contents->trusted, expected->size);
    assert_int_equal(contents->records, index + 1);
    assert_int_equal(contents->restarts, expected->restarts);
    assert_int_equal(contents->done, expected->done);
    assert_int_equal(contents->continued, expected->continued);
    size_t kept = expected->commits < VERSO_COMMITS_KEPT ? expected->commits : VERSO_COMMITS_KEPT;
    assert_int_equal(contents->commit_count, kept);
    for (size_t i = 0; i < kept; i++) {
        size_t which = expected->commit[expected->commits - 1 - i];
        assert_true(same_commit(&contents->commits[i], &story->commits[which]));
    }
}

verso__journal_contents story_read(const story *story, size_t index) {
    verso__journal_contents contents;
    verso_error error = {0};
    verso_status status = verso__journal_read(story_system, story->path, &contents, &error);
    if (status != VERSO_STATUS_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, VERSO_STATUS_OK);
    story_check(story, index, &contents);
    return contents;
}

void story_continue(story *story, size_t index, size_t from) {
    verso_error error;
    verso__journal_close(story->journal);
    verso__journal_contents contents = story_read(story, index);
    assert_int_equal(verso__journal_continue(story_system, story->path, &contents, from, &story->journal, &error),
                     VERSO_STATUS_OK);
    story->records = index + 1;
    moment *now = story_moment(story);
    now->commits = from < contents.commit_count ? now->commits - from : 0;
    now->restarts++;
    now->done = false;
    now->continued = true;
    verso__journal_contents_free(&contents);
}

void story_play(story *story, size_t records) {
    while (story->records < records) {
        const moment *now = &story->moments[story->records - 1];
        size_t kept = now->commits < VERSO_COMMITS_KEPT ? now->commits : VERSO_COMMITS_KEPT;
        if (now->done || random_below(&story->source, 4) == 0)
            story_continue(story, story->records - 1, (size_t)random_below(&story->source, kept + (kept < 2)));
        else
            story_commit(story, random_below(&story->source, 12) == 0);
    }
}
