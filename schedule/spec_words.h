/* A spec from words: the options of `verso plan`, and the text of a schedule, "revolve,slots=10". words.h goes the
 * other way.
 *
 * Values are read first, whatever they are for; that a word means nothing to a kind is refused afterwards, by the rule
 * of that kind, because a word that is silently ignored is a schedule that is silently wrong. Only the four costs are
 * always taken, so that one line of them serves all kinds. */
#ifndef VERSO_SCHEDULE_SPEC_WORDS_H
#define VERSO_SCHEDULE_SPEC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/schedule.h>

/* name, word, whether it takes a value */
#define VERSO_SPEC_WORD_LIST(X) \
    X(STEPS, "steps", true) \
    X(SLOTS, "slots", true) \
    X(FORWARD, "forward", true) \
    X(BACKWARD, "backward", true) \
    X(WRITE, "write", true) \
    X(READ, "read", true) \
    X(DISK, "disk", false) \
    X(LEVELS, "levels", true) \
    X(DISTANCE, "distance", true) \
    X(ADJOINT_DISTANCE, "adjoint-distance", true) \
    X(LEAF, "leaf", true) \
    X(SPACE, "space", true) \
    X(TIME, "time", true) \
    X(LOG, "log", false) \
    X(SPLIT, "split", true)

typedef enum verso_spec_word {
#define VERSO_SPEC_WORD_ENUM(name, word, valued) VERSO_SPEC_##name,
    VERSO_SPEC_WORD_LIST(VERSO_SPEC_WORD_ENUM)
#undef VERSO_SPEC_WORD_ENUM
        VERSO_SPEC_WORDS
} verso_spec_word;

#define VERSO_SPEC_BIT(word) (UINT64_C(1) << (word))
#define VERSO_SPEC_COSTS \
    (VERSO_SPEC_BIT(VERSO_SPEC_FORWARD) | VERSO_SPEC_BIT(VERSO_SPEC_BACKWARD) | VERSO_SPEC_BIT(VERSO_SPEC_WRITE) | \
     VERSO_SPEC_BIT(VERSO_SPEC_READ))

const char *verso_spec_word_text(verso_spec_word word);
bool verso_spec_word_has_value(verso_spec_word word);
bool verso_spec_word_find(const char *text, size_t length, verso_spec_word *word);

/* Which words a kind cannot do without, and which others mean something to it, costs aside. */
typedef struct verso_spec_rule {
    uint64_t needs, takes;
} verso_spec_rule;
verso_spec_rule verso_spec_rule_of(verso_schedule_kind kind);

/* `continuous` as paper 5 has it overwrites its free slot whenever possible: after every step. */
enum { VERSO_CONTINUOUS_DISTANCE = 1 };

/* ---- Reading ---- */

/* What is wrong with a value: "'5x' is not a number", the word before it. */
typedef struct verso_spec_problem {
    verso_spec_word word;
    const char *text;
    size_t length;
    const char *what;
} verso_spec_problem;

/* A cost as it was written, until the decimals of all are known. */
typedef struct verso_spec_cost {
    verso_spec_word word;
    const char *text;
    size_t length;
} verso_spec_cost;

/* Costs may be decimals: they are all multiplied by 10^decimals. Values are borrowed until the end. */
typedef struct verso_spec_reader {
    verso_schedule_spec spec;
    uint64_t given; /* a bit for each word */
    unsigned decimals;
    verso_spec_cost costs[4 + 2 * VERSO_TIERS_MAX]; /* the four, then those of levels */
} verso_spec_reader;

void verso_spec_begin(verso_spec_reader *reader);
/* One word and its value, if it takes one; a word that comes twice has the last value, and levels add up. */
bool verso_spec_take(verso_spec_reader *reader, verso_spec_word word, const char *text, size_t length,
                     verso_spec_problem *problem);
bool verso_spec_end(verso_spec_reader *reader, verso_spec_problem *problem);
/* Sets the kind, and what follows from it and from the words: other names of words, words that imply others. `mark`
 * stands before a word in messages ("--" or ""). */
verso_status verso_spec_settle(verso_spec_reader *reader, verso_schedule_kind kind, const char *mark,
                               verso_error *error);

#endif
