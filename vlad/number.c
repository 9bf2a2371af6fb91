/* See number.h. Functions recurse into the numbers inside a number: at most as deep as AD operators nest
 * (VLAD_DEEPEST), independently of the depth of structures. */
#include "vlad/number.h"

#include "base/status.h"

#include <math.h>

enum { WORDS = 4 }; /* words of an entry */

/* ---- Parts of a number ---- */

static uint64_t tag_of(vlad_value number) {
    return vlad_is_plain(number) ? 0 : vlad_object_of(number)->field[0];
}

static bool is_dual(vlad_value number) {
    return vlad_is_kind(number, VLAD_DUAL);
}

static vlad_value primal_of(vlad_value number) {
    return vlad_object_of(number)->field[is_dual(number) ? 1 : 2];
}

double vlad_number_plain(vlad_value number) {
    while (!vlad_is_plain(number))
        number = primal_of(number);
    return vlad_plain(number);
}

static vlad_value make(vlad_numbers *numbers, vlad_object_kind kind, uint64_t tag, vlad_value second,
                       vlad_value third) {
    vlad_object *number = vlad_make(numbers->heap, kind, 3);
    if (number == NULL)
        return VLAD_NOTHING;
    number->field[0] = tag;
    number->field[1] = second;
    number->field[2] = third;
    return vlad_value_of(number);
}

/* ---- Levels and tapes ---- */

void vlad_numbers_open(vlad_numbers *numbers, vlad_heap *heap) {
    *numbers = (vlad_numbers){.heap = heap};
    numbers->roots = (vlad_roots){.values = numbers->tapes, .count = VLAD_LEVELS};
    vlad_heap_root(heap, &numbers->roots);
}

void vlad_numbers_close(vlad_numbers *numbers) {
    vlad_heap_unroot(numbers->heap, &numbers->roots);
}

uint64_t vlad_numbers_tag(vlad_numbers *numbers) {
    return numbers->tags < VLAD_DEEPEST ? ++numbers->tags : 0;
}

void vlad_numbers_release(vlad_numbers *numbers, uint64_t tag) {
    numbers->tags = tag - 1;
}

verso_status vlad_too_deep(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "more than %d derivatives in reverse mode, or more than %d of all kinds, one in another",
                       VLAD_LEVELS, VLAD_DEEPEST);
}

bool vlad_level_begin(vlad_numbers *numbers, uint64_t tag, bool recording) {
    if (tag == 0 || numbers->count == VLAD_LEVELS)
        return false;
    numbers->tapes[numbers->count] = VLAD_NULL;
    numbers->levels[numbers->count++] = (vlad_level){.tag = tag, .recording = recording, .filled = VLAD_CHUNK};
    return true;
}

void vlad_level_end(vlad_numbers *numbers) {
    numbers->tapes[--numbers->count] = VLAD_NULL;
}

/* Returns the level of a tag; VLAD_LEVELS, which is never recording, if there is none. The latter happens only
 * with capsules that were not made by the machine. */
static uint32_t level_of(const vlad_numbers *numbers, uint64_t tag) {
    for (uint32_t level = numbers->count; level-- > 0;)
        if (numbers->levels[level].tag == tag)
            return level;
    return VLAD_LEVELS;
}

/* Adds a chunk to the tape. */
static bool add_chunk(vlad_numbers *numbers, uint32_t level) {
    vlad_object *chunk = vlad_make_pinned(numbers->heap, VLAD_TAPE);
    if (chunk == NULL)
        return false;
    chunk->field[0] = numbers->tapes[level];
    numbers->tapes[level] = vlad_value_of(chunk);
    numbers->levels[level].filled = 0;
    numbers->levels[level].shared = false;
    return true;
}

/* Copies the last chunk before an entry is added, since capsules must not see the entry: the numbers of outer
 * levels are created again in every run. */
static bool copy_chunk(vlad_numbers *numbers, uint32_t level) {
    const vlad_object *old = vlad_object_of(numbers->tapes[level]);
    vlad_object *chunk = vlad_make_pinned(numbers->heap, VLAD_TAPE);
    if (chunk == NULL)
        return false;
    vlad_heap_mix(chunk);
    memcpy(chunk->field, old->field, (size_t)vlad_fields_of(old) * sizeof(vlad_value));
    numbers->tapes[level] = vlad_value_of(chunk);
    numbers->levels[level].shared = false;
    return true;
}

static bool make_room(vlad_numbers *numbers, uint32_t number) {
    const vlad_level *level = &numbers->levels[number];
    return level->filled == VLAD_CHUNK ? add_chunk(numbers, number) : !level->shared || copy_chunk(numbers, number);
}

bool vlad_level_room(vlad_numbers *numbers) {
    return make_room(numbers, numbers->count - 1);
}

/* Makes a new reverse number of a level, and records its entry. */
static vlad_value make_reverse(vlad_numbers *numbers, uint64_t tag, vlad_value primal, const vlad_entry *entry) {
    uint32_t number = level_of(numbers, tag);
    vlad_level *level = &numbers->levels[number];
    if (level->recording) {
        if (!make_room(numbers, number))
            return VLAD_NOTHING;
        vlad_value *words = &vlad_object_of(numbers->tapes[number])->field[1 + WORDS * level->filled++];
        for (int i = 0; i < 2; i++) {
            words[2 * i] = entry->operand[i] & VLAD_NO_OPERAND;
            words[2 * i + 1] = entry->partial[i];
        }
        if (!vlad_is_plain(entry->partial[0]) || !vlad_is_plain(entry->partial[1]))
            vlad_heap_mix(vlad_object_of(numbers->tapes[number]));
    }
    return make(numbers, VLAD_REVERSE, tag, level->born++, primal);
}

vlad_value vlad_level_input(vlad_numbers *numbers, vlad_value primal) {
    vlad_entry entry = {.operand = {UINT64_MAX, UINT64_MAX}};
    return make_reverse(numbers, numbers->levels[numbers->count - 1].tag, primal, &entry);
}

/* ---- Plain numbers ---- */

static double floored_modulo(double a, double b) {
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static vlad_value plain_unary(vlad_operator operation, double a) {
    switch (operation) {
    case VLAD_SQRT: return vlad_number(sqrt(a));
    case VLAD_EXP: return vlad_number(exp(a));
    case VLAD_LOG: return vlad_number(log(a));
    case VLAD_SIN: return vlad_number(sin(a));
    case VLAD_COS: return vlad_number(cos(a));
    case VLAD_FLOOR: return vlad_number(floor(a));
    case VLAD_IS_ZERO: return vlad_boolean(a == 0);
    case VLAD_IS_POSITIVE: return vlad_boolean(a > 0);
    case VLAD_IS_NEGATIVE: return vlad_boolean(a < 0);
    default: return vlad_number(a); /* `real` */
    }
}

static vlad_value plain_binary(vlad_operator operation, double a, double b) {
    switch (operation) {
    case VLAD_PLUS: return vlad_number(a + b);
    case VLAD_MINUS: return vlad_number(a - b);
    case VLAD_TIMES: return vlad_number(a * b);
    case VLAD_DIVIDE: return vlad_number(a / b);
    case VLAD_ATAN: return vlad_number(atan2(a, b));
    case VLAD_EXPT: return vlad_number(pow(a, b));
    case VLAD_MODULO: return vlad_number(floored_modulo(a, b));
    case VLAD_EQUAL: return vlad_boolean(a == b);
    case VLAD_LESS: return vlad_boolean(a < b);
    case VLAD_GREATER: return vlad_boolean(a > b);
    case VLAD_AT_MOST: return vlad_boolean(a <= b);
    default: return vlad_boolean(a >= b);
    }
}

static bool is_piecewise_constant(vlad_operator operation) {
    switch (operation) {
    case VLAD_FLOOR:
    case VLAD_IS_ZERO:
    case VLAD_IS_POSITIVE:
    case VLAD_IS_NEGATIVE:
    case VLAD_EQUAL:
    case VLAD_LESS:
    case VLAD_GREATER:
    case VLAD_AT_MOST:
    case VLAD_AT_LEAST: return true;
    default: return false;
    }
}

/* ---- Partial derivatives ---- */

/* These apply an operator to numbers of lower tags, and pass VLAD_NOTHING on. */
static vlad_value one(vlad_numbers *numbers, vlad_operator operation, vlad_value a) {
    return a == VLAD_NOTHING ? a : vlad_number_unary(numbers, operation, a);
}

static vlad_value two(vlad_numbers *numbers, vlad_operator operation, vlad_value a, vlad_value b) {
    return a == VLAD_NOTHING || b == VLAD_NOTHING ? VLAD_NOTHING : vlad_number_binary(numbers, operation, a, b);
}

static vlad_value times(vlad_numbers *numbers, vlad_value a, vlad_value b) {
    return a == vlad_number(1) ? b : two(numbers, VLAD_TIMES, a, b);
}

static vlad_value negative(vlad_numbers *numbers, vlad_value a) {
    return two(numbers, VLAD_MINUS, vlad_number(0), a);
}

/* `result` is the value of the operation. */
static vlad_value unary_partial(vlad_numbers *numbers, vlad_operator operation, vlad_value a, vlad_value result) {
    switch (operation) {
    case VLAD_SQRT: return two(numbers, VLAD_DIVIDE, vlad_number(1), two(numbers, VLAD_TIMES, vlad_number(2), result));
    case VLAD_EXP: return result;
    case VLAD_LOG: return two(numbers, VLAD_DIVIDE, vlad_number(1), a);
    case VLAD_SIN: return one(numbers, VLAD_COS, a);
    case VLAD_COS: return negative(numbers, one(numbers, VLAD_SIN, a));
    default: return vlad_number(1); /* `real` */
    }
}

static vlad_value expt_partial(vlad_numbers *numbers, int by, vlad_value a, vlad_value b, vlad_value result) {
    double base = vlad_number_plain(a), power = vlad_number_plain(b);
    if (by == 0)
        return vlad_is_plain(b) && power == 0 /* a plain 0 is constant */
                   ? vlad_number(0)
                   : two(numbers, VLAD_TIMES, b,
                         two(numbers, VLAD_EXPT, a, two(numbers, VLAD_MINUS, b, vlad_number(1))));
    if (vlad_is_plain(a) && base == 0 && power > 0)
        return vlad_number(0);
    return two(numbers, VLAD_TIMES, result, one(numbers, VLAD_LOG, a));
}

static vlad_value atan_partial(vlad_numbers *numbers, int by, vlad_value a, vlad_value b) {
    vlad_value square = two(numbers, VLAD_PLUS, two(numbers, VLAD_TIMES, a, a), two(numbers, VLAD_TIMES, b, b));
    return two(numbers, VLAD_DIVIDE, by == 0 ? b : negative(numbers, a), square);
}

/* With respect to operand `by` (0 or 1); `result` is the value of the operation. */
static vlad_value binary_partial(vlad_numbers *numbers, vlad_operator operation, int by, vlad_value a, vlad_value b,
                                 vlad_value result) {
    switch (operation) {
    case VLAD_PLUS: return vlad_number(1);
    case VLAD_MINUS: return vlad_number(by == 0 ? 1 : -1);
    case VLAD_TIMES: return by == 0 ? b : a;
    case VLAD_DIVIDE:
        return by == 0 ? two(numbers, VLAD_DIVIDE, vlad_number(1), b)
                       : negative(numbers, two(numbers, VLAD_DIVIDE, result, b));
    case VLAD_ATAN: return atan_partial(numbers, by, a, b);
    case VLAD_EXPT: return expt_partial(numbers, by, a, b, result);
    default: /* modulo: a - b * floor(a / b) */
        return by == 0 ? vlad_number(1) : vlad_number(-floor(vlad_number_plain(a) / vlad_number_plain(b)));
    }
}

/* ---- Operations ---- */

static vlad_value tangent_of(vlad_value dual) {
    return vlad_object_of(dual)->field[2];
}

vlad_value vlad_number_unary(vlad_numbers *numbers, vlad_operator operation, vlad_value a) {
    if (vlad_is_plain(a) || is_piecewise_constant(operation))
        return plain_unary(operation, vlad_number_plain(a));
    if (operation == VLAD_REAL)
        return a;
    uint64_t tag = tag_of(a);
    vlad_value inside = primal_of(a), result = vlad_number_unary(numbers, operation, inside);
    if (result == VLAD_NOTHING)
        return result;
    if (is_dual(a)) {
        vlad_value partial = unary_partial(numbers, operation, inside, result);
        vlad_value tangent = partial == VLAD_NOTHING ? partial : times(numbers, partial, tangent_of(a));
        return tangent == VLAD_NOTHING ? tangent : make(numbers, VLAD_DUAL, tag, result, tangent);
    }
    vlad_entry entry = {.operand = {vlad_object_of(a)->field[1], UINT64_MAX}};
    if (numbers->levels[level_of(numbers, tag)].recording)
        entry.partial[0] = unary_partial(numbers, operation, inside, result);
    return entry.partial[0] == VLAD_NOTHING ? VLAD_NOTHING : make_reverse(numbers, tag, result, &entry);
}

/* The operands of the level with the larger tag, and whether each belongs to that level. */
typedef struct operands {
    uint64_t tag;
    vlad_value whole[2], inside[2];
    bool active[2], dual;
} operands;

static operands operands_of(vlad_value a, vlad_value b) {
    operands of = {.whole = {a, b}};
    uint64_t tags[2] = {tag_of(a), tag_of(b)};
    of.tag = tags[0] > tags[1] ? tags[0] : tags[1];
    for (int i = 0; i < 2; i++) {
        of.active[i] = tags[i] == of.tag;
        of.inside[i] = of.active[i] ? primal_of(of.whole[i]) : of.whole[i];
        of.dual |= of.active[i] && is_dual(of.whole[i]);
    }
    return of;
}

static vlad_value binary_dual(vlad_numbers *numbers, vlad_operator operation, const operands *of, vlad_value result) {
    vlad_value sum = VLAD_NOTHING;
    for (int i = 0; i < 2; i++) {
        if (!of->active[i])
            continue;
        vlad_value partial = binary_partial(numbers, operation, i, of->inside[0], of->inside[1], result);
        vlad_value term = partial == VLAD_NOTHING ? partial : times(numbers, partial, tangent_of(of->whole[i]));
        sum = sum == VLAD_NOTHING ? term : two(numbers, VLAD_PLUS, sum, term);
        if (sum == VLAD_NOTHING)
            return sum;
    }
    return make(numbers, VLAD_DUAL, of->tag, result, sum);
}

static vlad_value binary_reverse(vlad_numbers *numbers, vlad_operator operation, const operands *of,
                                 vlad_value result) {
    bool recording = numbers->levels[level_of(numbers, of->tag)].recording;
    vlad_entry entry = {.operand = {UINT64_MAX, UINT64_MAX}};
    for (int i = 0; i < 2; i++) {
        if (!of->active[i])
            continue;
        entry.operand[i] = vlad_object_of(of->whole[i])->field[1];
        if (recording)
            entry.partial[i] = binary_partial(numbers, operation, i, of->inside[0], of->inside[1], result);
        if (entry.partial[i] == VLAD_NOTHING)
            return VLAD_NOTHING;
    }
    return make_reverse(numbers, of->tag, result, &entry);
}

vlad_value vlad_number_binary(vlad_numbers *numbers, vlad_operator operation, vlad_value a, vlad_value b) {
    if (vlad_is_plain(a) && vlad_is_plain(b))
        return plain_binary(operation, vlad_plain(a), vlad_plain(b));
    if (is_piecewise_constant(operation))
        return plain_binary(operation, vlad_number_plain(a), vlad_number_plain(b));
    operands of = operands_of(a, b);
    vlad_value result = vlad_number_binary(numbers, operation, of.inside[0], of.inside[1]);
    if (result == VLAD_NOTHING)
        return result;
    return of.dual ? binary_dual(numbers, operation, &of, result) : binary_reverse(numbers, operation, &of, result);
}
