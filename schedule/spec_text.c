/* See spec_text.h. */
#include "schedule/spec_text.h"

#include "base/quantity.h"
#include "base/status.h"
#include "schedule/spec_words.h"
#include "schedule/words.h"

#include <string.h>

typedef struct reader {
    const char *name;
    verso__spec_reader words;
    verso__leaf_unit unit;
    uint64_t leaf;
    verso_error *error;
} reader;

static int shown_length(size_t length) {
    return length < 100 ? (int)length : 100;
}

/* Fails with a message that lists all kinds. */
static verso_status fail_unknown_kind(const reader *reader, const char *text, size_t length) {
    char kinds[VERSO_MESSAGE_MAX] = "auto";
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        strcat(kinds, kind + 1 < VERSO_KIND_COUNT ? ", " : " and ");
        strcat(kinds, verso_kind_word((verso_schedule_kind)kind));
    }
    return verso__fail(reader->error, VERSO_STATUS_INVALID, "%s: '%.*s' is not a kind of schedule; the kinds are %s",
                       reader->name, shown_length(length), text, kinds);
}

static verso_status fail_value(const reader *reader, const verso__spec_problem *problem) {
    return verso__fail(reader->error, VERSO_STATUS_INVALID, "%s: %s: '%.*s' %s", reader->name,
                       verso__spec_word_text(problem->word), shown_length(problem->length), problem->text,
                       problem->what);
}

static verso_status read_leaf(reader *reader, const char *text, size_t length) {
    bool bytes = reader->unit == VERSO_LEAF_BYTES;
    verso__quantity steps;
    const char *what =
        bytes ? verso__bytes_read(text, length, &reader->leaf) : verso__quantity_read(text, length, &steps);
    if (what == NULL && !bytes)
        what = verso__quantity_whole(steps, &reader->leaf);
    if (what == NULL && reader->leaf == 0)
        what = bytes ? "is not a length of a step; it must be at least 1 byte"
                     : "is not a number of steps; it must be at least 1";
    verso__spec_problem problem = {VERSO_SPEC_LEAF, text, length, what};
    return what == NULL ? VERSO_STATUS_OK : fail_value(reader, &problem);
}

/* Reads "slots=5", "log", or another tier of a preceding levels=. */
static verso_status read_word(reader *reader, const char *text, size_t length) {
    const char *sign = memchr(text, '=', length), *value = sign != NULL ? sign + 1 : text + length;
    size_t value_length = (size_t)(text + length - value);
    bool is_tier = sign == NULL && memchr(text, ':', length) != NULL &&
                   (reader->words.given & VERSO_SPEC_BIT(VERSO_SPEC_LEVELS)) != 0;
    verso__spec_word word = VERSO_SPEC_LEVELS;
    verso__spec_problem problem;
    if (is_tier)
        value = text, value_length = length;
    else if (!verso__spec_word_find(text, sign != NULL ? (size_t)(sign - text) : length, &word))
        return verso__fail(reader->error, VERSO_STATUS_INVALID,
                           "%s: '%.*s' is not a parameter of a schedule; 'verso help plan' lists them", reader->name,
                           shown_length(length), text);
    else if (word == VERSO_SPEC_STEPS)
        return verso__fail(reader->error, VERSO_STATUS_INVALID,
                           "%s: the program determines the number of steps; leaf=LENGTH sets how much is recorded at "
                           "a time",
                           reader->name);
    else if (verso__spec_word_has_value(word) != (sign != NULL))
        return verso__fail(reader->error, VERSO_STATUS_INVALID, "%s: %s takes %s", reader->name,
                           verso__spec_word_text(word), sign == NULL ? "a value after '='" : "no value");
    if (word == VERSO_SPEC_LEAF)
        return read_leaf(reader, value, value_length);
    return verso__spec_take(&reader->words, word, value, value_length, &problem) ? VERSO_STATUS_OK
                                                                                 : fail_value(reader, &problem);
}

/* Refuses words that the kind does not take, and requires those that it needs. Slots may come from a budget
 * instead, and the costs of a disk from sizes. */
static verso_status check_words(const reader *reader, bool automatic, verso_schedule_kind kind) {
    const uint64_t elsewhere = VERSO_SPEC_BIT(VERSO_SPEC_SLOTS) | VERSO_SPEC_COSTS;
    verso__spec_rule rule = automatic ? (verso__spec_rule){0} : verso__spec_rule_of(kind);
    uint64_t needs = rule.needs & ~elsewhere, takes = rule.needs | rule.takes | (automatic ? 0 : VERSO_SPEC_COSTS);
    if (kind == VERSO_KIND_EVERY_K && !automatic)
        needs |= VERSO_SPEC_BIT(VERSO_SPEC_DISTANCE);
    for (size_t i = 0; i < VERSO_SPEC_WORDS; i++) {
        bool missing = needs & ~reader->words.given & VERSO_SPEC_BIT(i);
        bool refused = reader->words.given & ~takes & VERSO_SPEC_BIT(i);
        if (missing || refused)
            return verso__fail(reader->error, VERSO_STATUS_INVALID, "%s: %s %s %s%s", reader->name,
                               automatic ? "auto" : verso_kind_word(kind), missing ? "needs" : "does not take",
                               verso__spec_word_text((verso__spec_word)i),
                               !missing                 ? ""
                               : i == VERSO_SPEC_LEVELS ? "=SLOTS:WRITE:READ,..."
                                                        : "=STEPS");
    }
    return VERSO_STATUS_OK;
}

static bool read_kind(const char *text, size_t length, bool *automatic, verso_schedule_kind *kind) {
    *automatic = length == 4 && memcmp(text, "auto", 4) == 0;
    for (int i = 0; i < VERSO_KIND_COUNT; i++) {
        const char *word = verso_kind_word((verso_schedule_kind)i);
        *kind = (verso_schedule_kind)i;
        if (*automatic || (strlen(word) == length && memcmp(word, text, length) == 0))
            return true;
    }
    return false;
}

verso_status verso__spec_text_read(const char *name, const char *text, verso__leaf_unit unit, verso__spec_text *read,
                                   verso_error *error) {
    reader reader = {.name = name, .unit = unit, .error = error};
    verso_schedule_kind kind;
    verso__spec_problem problem;
    verso_status status = VERSO_STATUS_OK;
    size_t length = strcspn(text, ",");
    *read = (verso__spec_text){0};
    if (!read_kind(text, length, &read->automatic, &kind))
        return fail_unknown_kind(&reader, text, length);
    verso__spec_begin(&reader.words);
    for (text += length; status == VERSO_STATUS_OK && *text == ','; text += length) {
        length = strcspn(++text, ",");
        status = read_word(&reader, text, length);
    }
    if (status == VERSO_STATUS_OK && !verso__spec_end(&reader.words, &problem))
        status = fail_value(&reader, &problem);
    if (status == VERSO_STATUS_OK)
        status = check_words(&reader, read->automatic, kind);
    verso_error why;
    if (status == VERSO_STATUS_OK && verso__spec_settle(&reader.words, kind, "", &why) != VERSO_STATUS_OK)
        status = verso__fail(error, VERSO_STATUS_INVALID, "%s: %.400s", name, why.message);
    read->is_set = status == VERSO_STATUS_OK;
    read->spec = reader.words.spec;
    read->leaf = reader.leaf;
    read->given = reader.words.given;
    return status;
}

verso_status verso__spec_slots_check(const verso_schedule_spec *spec, verso_error *error) {
    if (spec->slots > 0 || !verso__kind_has_slots(spec->kind))
        return VERSO_STATUS_OK;
    return verso__fail(
        error, VERSO_STATUS_INVALID,
        "the schedule %s needs a number of capsules (slots=N), or a memory budget from which to compute it",
        verso_kind_word(spec->kind));
}
