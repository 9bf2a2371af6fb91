/* A story: a journal in a folder of its own, with random commits and continuations, and what a reader must find after
 * each of its records. For tests that run in cmocka. */
#ifndef TESTS_SUPPORT_JOURNAL_STORY_H
#define TESTS_SUPPORT_JOURNAL_STORY_H

#include "drive/journal.h"
#include "tests/support/random_journal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STORY_RECORDS = 64 };

/* The system calls of all stories: those of the machine, but files are not synced, which would only take time.
 * test_journal_faults.c tests syncing. */
extern const verso__system *const story_system;

typedef struct moment {
    size_t size;                  /* of the file */
    size_t commits;               /* number of valid commits */
    size_t commit[STORY_RECORDS]; /* their indices in story.commits */
    uint64_t restarts;
    bool done, continued;
} moment;

typedef struct story {
    char *folder, *path;
    verso__journal_head head;
    size_t written; /* number of commits written, including those that a continuation has made invalid */
    verso__commit commits[STORY_RECORDS];
    size_t records;
    moment moments[STORY_RECORDS];
    verso__journal *journal;
    size_t most_bytes; /* maximum size of a cursor */
    random_source source;
} story;

/* Call it first: `seed` is that of all stories. Switches off compaction, because the moments contain sizes of files. */
void story_init(uint64_t seed);
/* Begins a story, which depends only on the seed and on `number`, and removes its folder. */
void story_begin(story *story, uint64_t number, size_t most_bytes);
void story_end(story *story);
/* Appends a random commit. `done`: the commit that ends the run. */
void story_commit(story *story, bool done);
/* Fails the test unless `contents` are those of the moment with this index. */
void story_check(const story *story, size_t index, const verso__journal_contents *contents);
/* Reads the file and checks it likewise. The caller frees the contents. */
verso__journal_contents story_read(const story *story, size_t index);
/* Reads the file, whose trusted part ends with the moment `index`, and continues from contents.commits[from]. */
void story_continue(story *story, size_t index, size_t from);
/* Appends random commits and continuations until there are `records` records. */
void story_play(story *story, size_t records);

#endif
