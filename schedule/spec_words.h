/* Reads a spec from words: the options of `verso plan`, or the text of a schedule, "revolve,slots=10". words.h is
 * the inverse.
 *
 * All values are read first. Then a word that the kind does not use is refused, because a schedule that silently
 * ignores a word is silently wrong. Only the four costs are always accepted, so that the same costs can be given to
 * all kinds. */
#ifndef VERSO_SCHEDULE_SPEC_WORDS_H
#define VERSO_SCHEDULE_SPEC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/schedule.h>

/* Each entry: name, word, whether it takes a value. */
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

typedef enum verso__spec_word {
#define VERSO_SPEC_WORD_ENUM(name, word, valued) VERSO_SPEC_##name,
    VERSO_SPEC_WORD_LIST(VERSO_SPEC_WORD_ENUM)
#undef VERSO_SPEC_WORD_ENUM
        VERSO_SPEC_WORDS
} verso__spec_word;

#define VERSO_SPEC_BIT(word) (UINT64_C(1) << (word))
#define VERSO_SPEC_COSTS \
    (VERSO_SPEC_BIT(VERSO_SPEC_FORWARD) | VERSO_SPEC_BIT(VERSO_SPEC_BACKWARD) | VERSO_SPEC_BIT(VERSO_SPEC_WRITE) | \
     VERSO_SPEC_BIT(VERSO_SPEC_READ))

const char *verso__spec_word_text(verso__spec_word word);
bool verso__spec_word_has_value(verso__spec_word word);
bool verso__spec_word_find(const char *text, size_t length, verso__spec_word *word);

/* The words that a kind needs and those that it also takes, besides costs: bits of VERSO_SPEC_BIT. */
typedef struct verso__spec_rule {
    uint64_t needs, takes;
} verso__spec_rule;
verso__spec_rule verso__spec_rule_of(verso_schedule_kind kind);

/* `continuous` as in paper 5 overwrites its free slot whenever possible: after every step. */
enum { VERSO_CONTINUOUS_DISTANCE = 1 };

/* ---- Reading ---- */

/* What is wrong with a value: the word and the rest of a sentence about its text, e.g. "'5x' is not a number". */
typedef struct verso__spec_problem {
    verso__spec_word word;
    const char *text;
    size_t length;
    const char *what;
} verso__spec_problem;

/* The text of a cost, kept until the decimals of all costs are known. */
typedef struct verso__spec_cost {
    verso__spec_word word;
    const char *text;
    size_t length;
} verso__spec_cost;

/* The state of reading. Costs may be decimals: all are multiplied by 10^decimals. The caller owns the texts of
 * values and keeps them until verso__spec_end. */
typedef struct verso__spec_reader {
    verso_schedule_spec spec;
    uint64_t given; /* a bit for each given word */
    unsigned decimals;
    verso__spec_cost costs[4 + 2 * VERSO_TIERS_MAX]; /* the four costs, then those of levels */
} verso__spec_reader;

void verso__spec_begin(verso__spec_reader *reader);
/* Reads one word and its value, if it takes one. If a word is repeated, the last value counts; levels add up. */
bool verso__spec_take(verso__spec_reader *reader, verso__spec_word word, const char *text, size_t length,
                      verso__spec_problem *problem);
/* Finishes reading: scales the costs. Returns false and fills in *problem if a value is wrong. */
bool verso__spec_end(verso__spec_reader *reader, verso__spec_problem *problem);
/* Sets the kind and derives fields from it and from the words: synonyms, and words that imply others. `mark`
 * precedes words in messages ("--" or ""). */
verso_status verso__spec_settle(verso__spec_reader *reader, verso_schedule_kind kind, const char *mark,
                                verso_error *error);

#endif
