/* See spec_words.h. */
#include "schedule/spec_words.h"

#include "base/quantity.h"
#include "base/status.h"

#include <string.h>

static const struct {
    const char *text;
    bool valued;
} words[VERSO_SPEC_WORDS] = {
#define ENTRY(name, word, valued) {word, valued},
    VERSO_SPEC_WORD_LIST(ENTRY)
#undef ENTRY
};

const char *verso__spec_word_text(verso__spec_word word) {
    return words[word].text;
}

bool verso__spec_word_has_value(verso__spec_word word) {
    return words[word].valued;
}

bool verso__spec_word_find(const char *text, size_t length, verso__spec_word *word) {
    for (size_t i = 0; i < VERSO_SPEC_WORDS; i++)
        if (strlen(words[i].text) == length && memcmp(words[i].text, text, length) == 0) {
            *word = (verso__spec_word)i;
            return true;
        }
    return false;
}

/* ---- Rules ---- */

#define BIT(name) VERSO_SPEC_BIT(VERSO_SPEC_##name)

enum {
    RESILIENT_NEEDS = BIT(SLOTS) | BIT(DISTANCE),
    TREE_TAKES = BIT(SLOTS) | BIT(LEAF) | BIT(SPACE) | BIT(TIME) | BIT(LOG) | BIT(SPLIT),
    DISK_NEEDS = BIT(SLOTS) | BIT(WRITE) | BIT(READ),
};

static const verso__spec_rule rules[VERSO_KIND_COUNT] = {
    [VERSO_KIND_STORE_ALL] = {0, BIT(SLOTS)},
    [VERSO_KIND_EVERY_K] = {0, BIT(DISTANCE) | BIT(SLOTS)},
    [VERSO_KIND_NONE] = {0, BIT(SLOTS)},
    [VERSO_KIND_REVOLVE] = {BIT(SLOTS), 0},
    [VERSO_KIND_TREEVERSE] = {0, TREE_TAKES},
    [VERSO_KIND_BINARY] = {0, TREE_TAKES},
    [VERSO_KIND_DISK] = {DISK_NEEDS, 0},
    [VERSO_KIND_PERIODIC] = {DISK_NEEDS, 0},
    [VERSO_KIND_LEVELS] = {BIT(LEVELS), 0},
    [VERSO_KIND_ONLINE] = {BIT(SLOTS), BIT(DISK)},
    [VERSO_KIND_MIXED] = {BIT(SLOTS), 0},
    [VERSO_KIND_RESILIENT] = {RESILIENT_NEEDS, BIT(ADJOINT_DISTANCE)},
    [VERSO_KIND_CONTINUOUS] = {BIT(SLOTS), BIT(DISTANCE) | BIT(ADJOINT_DISTANCE)},
    [VERSO_KIND_SINGLE_RECOVERY] = {RESILIENT_NEEDS, BIT(ADJOINT_DISTANCE)},
    /* It always makes one adjoint capsule per outer interval and ignores the distance. */
    [VERSO_KIND_TWO_LEVEL] = {RESILIENT_NEEDS, BIT(ADJOINT_DISTANCE)},
};

verso__spec_rule verso__spec_rule_of(verso_schedule_kind kind) {
    return rules[kind];
}

/* ---- Values ---- */

void verso__spec_begin(verso__spec_reader *reader) {
    *reader = (verso__spec_reader){0};
    verso_schedule_spec_init(&reader->spec, VERSO_KIND_STORE_ALL);
}

static bool set_problem(verso__spec_problem *problem, verso__spec_word word, const char *text, size_t length,
                        const char *what) {
    *problem = (verso__spec_problem){word, text, length, what};
    return what == NULL;
}

static bool read_whole(verso__spec_word word, const char *text, size_t length, uint64_t *value,
                       verso__spec_problem *problem) {
    verso__quantity number;
    const char *what = verso__quantity_read(text, length, &number);
    if (what == NULL)
        what = verso__quantity_whole(number, value);
    return set_problem(problem, word, text, length, what);
}

/* Reads one "capacity:write:read". */
static bool read_level(verso__spec_reader *reader, const char *text, size_t length, verso__spec_problem *problem) {
    const char *first = memchr(text, ':', length);
    const char *second = first != NULL ? memchr(first + 1, ':', length - (size_t)(first + 1 - text)) : NULL;
    if (second == NULL)
        return set_problem(problem, VERSO_SPEC_LEVELS, text, length, "is not of the form CAP:WRITE:READ");
    size_t tier = reader->spec.tier_count++, capacity_length = (size_t)(first - text);
    verso_tier *made = &reader->spec.tiers[tier];
    verso__spec_cost *costs = &reader->costs[4 + 2 * tier];
    costs[0] = (verso__spec_cost){VERSO_SPEC_LEVELS, first + 1, (size_t)(second - first - 1)};
    costs[1] = (verso__spec_cost){VERSO_SPEC_LEVELS, second + 1, length - (size_t)(second + 1 - text)};
    made->capacity = VERSO_UNKNOWN;
    if (capacity_length == 3 && memcmp(text, "inf", 3) == 0)
        return true;
    return read_whole(VERSO_SPEC_LEVELS, text, capacity_length, &made->capacity, problem);
}

static bool read_levels(verso__spec_reader *reader, const char *text, size_t length, verso__spec_problem *problem) {
    for (const char *end = text + length; text <= end;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t part = (size_t)((comma != NULL ? comma : end) - text);
        if (reader->spec.tier_count == VERSO_TIERS_MAX) {
            _Static_assert(VERSO_TIERS_MAX == 8, "as the message says");
            return set_problem(problem, VERSO_SPEC_LEVELS, text, part,
                               "is one too many: there are no more than 8 tiers");
        }
        if (!read_level(reader, text, part, problem))
            return false;
        text += part + 1;
    }
    return true;
}

static bool read_split(verso__spec_reader *reader, const char *text, size_t length, verso__spec_problem *problem) {
    for (int split = VERSO_SPLIT_BINOMIAL; split <= VERSO_SPLIT_HALVES; split++) {
        const char *word = verso_split_word((verso_split)split);
        if (strlen(word) == length && memcmp(text, word, length) == 0) {
            reader->spec.split = (verso_split)split;
            return true;
        }
    }
    return set_problem(problem, VERSO_SPEC_SPLIT, text, length, "is not 'binomial', 'bisection' or 'halves'");
}

/* A count that must not be 0 is checked by the kind, whose message names the least value. */
bool verso__spec_take(verso__spec_reader *reader, verso__spec_word word, const char *text, size_t length,
                      verso__spec_problem *problem) {
    verso_schedule_spec *spec = &reader->spec;
    uint64_t *const values[VERSO_SPEC_WORDS] = {
        [VERSO_SPEC_STEPS] = &spec->steps,       [VERSO_SPEC_SLOTS] = &spec->slots,
        [VERSO_SPEC_DISTANCE] = &spec->distance, [VERSO_SPEC_ADJOINT_DISTANCE] = &spec->adjoint_distance,
        [VERSO_SPEC_LEAF] = &spec->leaf,         [VERSO_SPEC_SPACE] = &spec->space,
        [VERSO_SPEC_TIME] = &spec->time,
    };
    reader->given |= VERSO_SPEC_BIT(word);
    if (word >= VERSO_SPEC_FORWARD && word <= VERSO_SPEC_READ) {
        reader->costs[word - VERSO_SPEC_FORWARD] = (verso__spec_cost){word, text, length};
        return true;
    }
    switch (word) {
    case VERSO_SPEC_DISK:
    case VERSO_SPEC_LOG: return true;
    case VERSO_SPEC_LEVELS: return read_levels(reader, text, length, problem);
    case VERSO_SPEC_SPLIT: return read_split(reader, text, length, problem);
    default: return read_whole(word, text, length, values[word], problem);
    }
}

static uint64_t *cost_of(verso_schedule_spec *spec, size_t i) {
    uint64_t *const four[4] = {&spec->forward_cost, &spec->backward_cost, &spec->write_cost, &spec->read_cost};
    if (i < 4)
        return four[i];
    verso_tier *tier = &spec->tiers[(i - 4) / 2];
    return i % 2 == 0 ? &tier->write_cost : &tier->read_cost;
}

/* Multiplies all costs by the least power of ten that makes them integers. */
bool verso__spec_end(verso__spec_reader *reader, verso__spec_problem *problem) {
    enum { COSTS = sizeof reader->costs / sizeof *reader->costs };
    verso__quantity numbers[COSTS] = {{1, 0}, {1, 0}}; /* defaults */
    for (size_t i = 0; i < COSTS; i++) {
        const verso__spec_cost *cost = &reader->costs[i];
        unsigned decimals = 0;
        if (cost->text == NULL)
            continue;
        const char *what = verso__quantity_read(cost->text, cost->length, &numbers[i]);
        if (what == NULL)
            what = verso__quantity_decimals(numbers[i], &decimals);
        if (what != NULL)
            return set_problem(problem, cost->word, cost->text, cost->length, what);
        if (decimals > reader->decimals)
            reader->decimals = decimals;
    }
    for (size_t i = 0; i < COSTS; i++) {
        const verso__spec_cost *cost = &reader->costs[i];
        const char *what = verso__quantity_scaled(numbers[i], reader->decimals, cost_of(&reader->spec, i));
        if (what != NULL)
            return set_problem(problem, cost->word, cost->text, cost->length, what);
    }
    return true;
}

/* ---- Kinds ---- */

static verso_status settle_tree(verso__spec_reader *reader, const char *mark, verso_error *error) {
    verso_schedule_spec *spec = &reader->spec;
    if (reader->given & BIT(SLOTS)) {
        if (reader->given & (BIT(SPACE) | BIT(LOG)))
            return verso__fail(error, VERSO_STATUS_INVALID,
                               "%sslots is the same as %sspace for %s; give only one of them, without %slog", mark,
                               mark, verso_kind_word(spec->kind), mark);
        spec->space = spec->slots;
    }
    bool no_space = (reader->given & (BIT(SLOTS) | BIT(SPACE))) && spec->space == 0;
    bool no_time = (reader->given & BIT(TIME)) && spec->time == 0;
    if (no_space || no_time) /* 0 would let the schedule choose */
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE, "%s is impossible without %s: it needs at least 1",
                           verso_kind_word(spec->kind), no_space ? "slots" : "repetitions");
    return VERSO_STATUS_OK;
}

verso_status verso__spec_settle(verso__spec_reader *reader, verso_schedule_kind kind, const char *mark,
                                verso_error *error) {
    reader->spec.kind = kind;
    if ((reader->given & BIT(LOG)) && (reader->given & (BIT(SPACE) | BIT(TIME))))
        return verso__fail(error, VERSO_STATUS_INVALID, "%slog cannot be combined with %sspace or %stime", mark, mark,
                           mark);
    if (kind == VERSO_KIND_ONLINE && (reader->given & (BIT(DISK) | BIT(WRITE) | BIT(READ))))
        reader->spec.with_disk = true;
    if (kind == VERSO_KIND_CONTINUOUS && !(reader->given & BIT(DISTANCE)))
        reader->spec.distance = VERSO_CONTINUOUS_DISTANCE;
    bool tree = kind == VERSO_KIND_TREEVERSE || kind == VERSO_KIND_BINARY;
    return tree ? settle_tree(reader, mark, error) : VERSO_STATUS_OK;
}
