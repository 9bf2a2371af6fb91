/* `verso plan --actions`: prints a schedule as text, one action per line.
 *
 * A million steps are some millions of lines, so the lines are formatted by hand in a buffer; with printf, formatting
 * would take most of the time. The buffer is written in blocks that are large enough for stdio not to copy them. */
#include "cli/plan.h"

#include <string.h>

enum {
    BLOCK = 1 << 16,
    LINE_MAX_BYTES = 160, /* the longest word, the longest tier name, three numbers of 20 digits, and the spaces */
    WORD_MAX_BYTES = 32,
};

typedef struct word {
    size_t length;
    char text[WORD_MAX_BYTES];
} word;

/* All words that a line can contain; tier names with the space before them. */
typedef struct vocabulary {
    word actions[VERSO_ACTION_DONE + 1];
    word tiers[VERSO_TIERS_MAX];
} vocabulary;

/* Which fields of an action are printed; `place` is tier and slot. */
static const struct {
    bool from, to, place;
} shapes[VERSO_ACTION_DONE + 1] = {
    [VERSO_ACTION_ADVANCE] = {true, true, false}, [VERSO_ACTION_STORE] = {true, false, true},
    [VERSO_ACTION_RESTORE] = {true, false, true}, [VERSO_ACTION_DISCARD] = {true, false, true},
    [VERSO_ACTION_REVERSE] = {true, true, false}, [VERSO_ACTION_STORE_ADJOINT] = {true, false, false},
    [VERSO_ACTION_RECORD] = {true, true, true},   [VERSO_ACTION_SWEEP] = {true, true, true},
    [VERSO_ACTION_DONE] = {false, false, false},
};

static word make_word(const char *before, const char *text) {
    word made;
    int length = snprintf(made.text, sizeof made.text, "%s%s", before, text);
    made.length = (size_t)length < sizeof made.text ? (size_t)length : sizeof made.text - 1;
    return made;
}

static void collect_words(const verso_schedule *schedule, vocabulary *words) {
    for (int kind = 0; kind <= VERSO_ACTION_DONE; kind++)
        words->actions[kind] = make_word("", verso_action_word((verso_action_kind)kind));
    for (size_t tier = 0; tier < verso_schedule_tiers(schedule); tier++)
        words->tiers[tier] = make_word(" ", verso_schedule_tier_name(schedule, tier));
}

static char *put_word(char *at, const word *text) {
    memcpy(at, text->text, text->length);
    return at + text->length;
}

static char *put_number(char *at, uint64_t value) {
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    *at++ = ' ';
    memcpy(at, digits + first, sizeof digits - first);
    return at + (sizeof digits - first);
}

static char *put_action(char *at, const vocabulary *words, const verso_action *action) {
    at = put_word(at, &words->actions[action->kind]);
    if (shapes[action->kind].from)
        at = put_number(at, action->from);
    if (shapes[action->kind].to)
        at = put_number(at, action->to);
    if (shapes[action->kind].place) {
        at = put_word(at, &words->tiers[action->tier]);
        at = put_number(at, action->slot);
    }
    *at++ = '\n';
    return at;
}

verso_status plan_print_actions(FILE *out, verso_schedule *schedule, verso_error *error) {
    vocabulary words;
    collect_words(schedule, &words);
    char block[BLOCK + LINE_MAX_BYTES];
    char *at = block;
    verso_action action = {0};
    verso_status status;
    do {
        status = verso_schedule_next(schedule, &action, error);
        if (status != VERSO_STATUS_OK)
            break;
        at = put_action(at, &words, &action);
        if (at - block >= BLOCK) {
            if (fwrite(block, 1, (size_t)(at - block), out) != (size_t)(at - block))
                return VERSO_STATUS_OK;
            at = block;
        }
    } while (action.kind != VERSO_ACTION_DONE);
    fwrite(block, 1, (size_t)(at - block), out);
    return status;
}
