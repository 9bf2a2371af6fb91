/* Checks each object in the bytes before it is made: the machine must be able to have made it, as far as
 * continuing with it depends on that. Bytes in files have checksums, so an error found here was written by another
 * program, or results from a bug in Verso. In both cases the bytes are refused.
 *
 * The checks guarantee: each field is a value, a raw word or an address, as its object requires. A frame has the
 * fields that its expression keeps, and a closure of the lambda that contains the expression. Numbers inside a
 * number have lower tags. Tapes have one entry for each number created, with operands created before. The levels
 * and players of a capsule correspond one to one to the frames of its continuation. */
#include "vlad/bytes_inside.h"

#include "vlad/cps.h"
#include "vlad/interpret.h"
#include "vlad/player.h"

#include <verso/schedule.h>

#define RAW_END (UINT64_C(1) << 48)
#define MANY RAW_END /* more reals than can be counted */

typedef struct check {
    const vlad_bytes_reader *r;
    const vlad_written *object;
    vlad_fact *fact; /* result of the check */
} check;

/* ---- Fields ---- */

static uint64_t word(const check *c, uint64_t field) {
    return vlad_written_word(c->object, field);
}

static bool is_raw(const check *c, uint64_t field) {
    return word(c, field) < RAW_END;
}

static bool is_class(const check *c, uint64_t field, vlad_fact_class class, vlad_fact *fact) {
    return vlad_bytes_fact(c->r, word(c, field), fact) && fact->class == class;
}

/* True if the field is a value of the program; adds its reals to those of the object. */
static bool is_value(const check *c, uint64_t field) {
    vlad_fact fact;
    if (!is_class(c, field, VLAD_FACT_VALUE, &fact))
        return false;
    c->fact->reals = fact.reals < MANY - c->fact->reals ? c->fact->reals + fact.reals : MANY;
    return true;
}

static bool are_values(const check *c, uint64_t first, uint64_t count) {
    bool right = true;
    for (uint64_t i = 0; right && i < count; i++)
        right = is_value(c, first + i);
    return right;
}

static bool is_number(const check *c, uint64_t field, vlad_fact *fact) {
    return is_class(c, field, VLAD_FACT_VALUE, fact) &&
           (vlad_is_plain(word(c, field)) || fact->kind == VLAD_DUAL || fact->kind == VLAD_REVERSE);
}

static bool is_null(const check *c, uint64_t field) {
    return word(c, field) == VLAD_NULL;
}

/* True for a frame, or the end of all continuations (null). */
static bool is_continuation(const check *c, uint64_t field, vlad_fact *fact) {
    return is_class(c, field, VLAD_FACT_CONTINUATION, fact) ||
           (is_null(c, field) && vlad_bytes_fact(c->r, VLAD_NULL, fact));
}

/* Returns the part of the program that an address names; NULL if the address is invalid or its last bits are not
 * 0. */
static const void *thing(const check *c, uint64_t field, vlad_address kind) {
    return (word(c, field) & 7) == 0 ? vlad_bytes_thing(c->r->index, kind, word(c, field)) : NULL;
}

/* True if the field is the closure in which expression `e` is evaluated. Null is allowed if `e` is in no lambda. */
static bool is_self(const check *c, uint64_t field, const vlad_expression *e) {
    vlad_fact fact;
    const vlad_lambda *within = e != NULL ? c->r->index->within[e->number] : NULL;
    if (within == NULL && is_null(c, field))
        return true;
    return is_class(c, field, VLAD_FACT_VALUE, &fact) && fact.kind == VLAD_CLOSURE &&
           (within == NULL || fact.number == within->number);
}

/* ---- Values of a program ---- */

/* Sets the frames of the object to those of `from`. */
static void take_frames(const check *c, const vlad_fact *from) {
    c->fact->frames = from->frames;
    c->fact->players = from->players;
}

static bool are_same_frames(const vlad_fact *a, const vlad_fact *b) {
    return a->frames == b->frames && a->players == b->players;
}

static bool check_pair(const check *c) {
    vlad_fact first, second;
    if (c->object->fields != 2 || !vlad_bytes_fact(c->r, word(c, 0), &first) ||
        !vlad_bytes_fact(c->r, word(c, 1), &second))
        return false;
    bool ends = is_null(c, 1);
    if (first.class == VLAD_FACT_SLOT && (ends || second.class == VLAD_FACT_SLOTS)) {
        c->fact->class = VLAD_FACT_SLOTS;
        take_frames(c, &first);
        return ends || are_same_frames(&first, &second);
    }
    if (first.class == VLAD_FACT_HALF && second.class == VLAD_FACT_VALUE) {
        c->fact->class = VLAD_FACT_ADJOINT;
        return true;
    }
    if (!is_value(c, 0))
        return false;
    if (second.class == VLAD_FACT_INNER_CAPSULE && is_raw(c, 0)) {
        c->fact->class = VLAD_FACT_SLOT;
        take_frames(c, &second);
        return true;
    }
    if (second.class == VLAD_FACT_TABLE) {
        c->fact->class = VLAD_FACT_HALF;
        return true;
    }
    c->fact->length = ends ? 1 : second.kind == VLAD_PAIR && second.length > 0 ? second.length + 1 : 0;
    return is_value(c, 1);
}

static bool check_closure(const check *c) {
    const vlad_lambda *lambda = c->object->fields > 0 ? thing(c, 0, VLAD_OF_LAMBDA) : NULL;
    vlad_fact group;
    if (lambda == NULL)
        return false;
    c->fact->number = lambda->number;
    if (lambda->letrec == NULL)
        return c->object->fields == 1 + (uint64_t)lambda->captured_count && are_values(c, 1, lambda->captured_count);
    if (c->object->fields != 2 || !is_class(c, 1, VLAD_FACT_GROUP, &group))
        return false;
    c->fact->reals = group.reals;
    return group.number == lambda->letrec->number;
}

static bool check_group(const check *c) {
    const vlad_letrec *letrec = c->object->fields > 0 ? thing(c, 0, VLAD_OF_LETREC) : NULL;
    c->fact->class = VLAD_FACT_GROUP;
    c->fact->number = letrec != NULL ? letrec->number : 0;
    return letrec != NULL && c->object->fields == 1 + (uint64_t)letrec->group_count &&
           are_values(c, 1, letrec->group_count);
}

static bool check_vector(const check *c) {
    c->fact->length = c->object->fields;
    return are_values(c, 0, c->object->fields);
}

/* A vector may be updated only once. Any further update would need a copy of its array, which could make a small
 * file expand to a huge structure. */
static bool check_update(const check *c) {
    vlad_fact older;
    c->fact->kind = VLAD_VECTOR;
    if (c->object->fields != VLAD_UPDATED_FIELDS || !is_class(c, VLAD_UPDATED_FROM, VLAD_FACT_VALUE, &older) ||
        older.kind != VLAD_VECTOR || older.updated || word(c, VLAD_UPDATED_INDEX) >= older.length)
        return false;
    c->fact->length = older.length;
    c->fact->reals = older.reals;
    return is_value(c, VLAD_UPDATED_ELEMENT);
}

static bool check_number(const check *c) {
    vlad_fact parts[2] = {{.kind = VLAD_OBJECT_KINDS}, {.kind = VLAD_OBJECT_KINDS}};
    bool dual = c->object->kind == VLAD_DUAL;
    if (c->object->fields != 3 || !is_raw(c, 0) || !is_number(c, 2, &parts[0]) ||
        !(dual ? is_number(c, 1, &parts[1]) : is_raw(c, 1)))
        return false;
    c->fact->tag = word(c, 0);
    c->fact->depth = 1 + (parts[0].depth > parts[1].depth ? parts[0].depth : parts[1].depth);
    c->fact->reals = 1;
    return c->fact->tag > parts[0].tag && c->fact->tag > parts[1].tag && c->fact->depth <= VLAD_DEEPEST;
}

/* ---- Continuations ---- */

static bool add_frame(const check *c, const vlad_fact *next, bool differentiates, bool plays) {
    take_frames(c, next);
    if (!differentiates)
        return true;
    if (next->frames >= c->r->levels)
        return false;
    c->fact->frames++;
    c->fact->players |= (uint64_t)plays << next->frames;
    return true;
}

static bool check_operators_frame(const check *c, uint64_t what, const vlad_fact *next) {
    vlad_fact vector, list;
    uint64_t fields = c->object->fields;
    if (!is_self(c, VLAD_FRAME_SELF, NULL))
        return false;
    switch (what) {
    case VLAD_FRAME_FORWARD:
        return fields == VLAD_AD_X && thing(c, VLAD_AD_PLACE, VLAD_OF_EXPRESSION) != NULL && is_raw(c, VLAD_AD_TAG) &&
               add_frame(c, next, false, false);
    case VLAD_FRAME_REVERSE:
        return fields == VLAD_AD_END && thing(c, VLAD_AD_PLACE, VLAD_OF_EXPRESSION) != NULL && is_raw(c, VLAD_AD_TAG) &&
               are_values(c, VLAD_AD_X, 2) && add_frame(c, next, true, false);
    case VLAD_FRAME_CHECKPOINT: return fields == VLAD_FRAME_KEPT && add_frame(c, next, true, true);
    default:
        return fields == VLAD_MAP_END && is_value(c, VLAD_MAP_FUNCTION) &&
               is_class(c, VLAD_MAP_VECTOR, VLAD_FACT_VALUE, &vector) && vector.kind == VLAD_VECTOR &&
               word(c, VLAD_MAP_DONE) < vector.length && is_class(c, VLAD_MAP_LIST, VLAD_FACT_VALUE, &list) &&
               (list.kind == VLAD_PAIR || is_null(c, VLAD_MAP_LIST)) && list.length == word(c, VLAD_MAP_DONE) &&
               add_frame(c, next, false, false);
    }
}

/* Returns the number of parts' values that a frame holds after its locals; UINT32_MAX if no frame can wait there. */
static uint32_t values_before(const vlad_expression *e, unsigned part) {
    switch (e->kind) {
    case VLAD_APPLICATION: return part < 2 ? part : UINT32_MAX;
    case VLAD_IF:
    case VLAD_LET: return part == 0 ? 0 : UINT32_MAX;
    case VLAD_UNARY:
    case VLAD_BINARY:
    case VLAD_TERNARY: return part < vlad_operator_arity(e->is.operation) ? part : UINT32_MAX;
    default: return UINT32_MAX;
    }
}

static bool check_frame(const check *c) {
    vlad_fact next;
    uint64_t fields = c->object->fields;
    c->fact->class = VLAD_FACT_CONTINUATION;
    if (fields < VLAD_FRAME_KEPT || !is_continuation(c, VLAD_FRAME_NEXT, &next))
        return false;
    uint64_t what = word(c, VLAD_FRAME_WHAT);
    if (what < VLAD_FRAMES)
        return check_operators_frame(c, what, &next);
    const vlad_expression *e = vlad_bytes_thing(c->r->index, VLAD_OF_EXPRESSION, what);
    unsigned part = (unsigned)(what & 7);
    uint32_t values = e != NULL && c->r->index->converted == NULL ? values_before(e, part) : UINT32_MAX;
    if (values == UINT32_MAX)
        return false;
    uint64_t kept = (part < 2 ? e->kept_count[part] : 0) + (uint64_t)values;
    return fields == VLAD_FRAME_KEPT + kept && is_self(c, VLAD_FRAME_SELF, e) && are_values(c, VLAD_FRAME_KEPT, kept) &&
           add_frame(c, &next, false, false);
}

/* Checks the captured variables from field `first` to the last one: f, locals, values. */
static bool check_captured(const check *c, uint64_t first, const vlad_cps_captured *captured,
                           const vlad_expression *e) {
    uint64_t values = (uint64_t)captured->count[0] + captured->count[1] + captured->values;
    if (captured->function && (c->object->fields <= first || !is_self(c, first++, e)))
        return false;
    return c->object->fields == first + values && are_values(c, first, values);
}

static bool check_converted(const check *c) {
    enum { LAMBDA, NEXT, CAPTURED };
    vlad_fact next;
    c->fact->class = VLAD_FACT_CONTINUATION;
    if (c->object->fields < CAPTURED || !is_continuation(c, NEXT, &next))
        return false;
    const vlad_cps_continuation *lambda = thing(c, LAMBDA, VLAD_OF_CONTINUATION);
    return lambda != NULL && check_captured(c, CAPTURED, &lambda->captured, lambda->body->e) &&
           add_frame(c, &next, false, false);
}

/* ---- Levels ---- */

static bool check_tape(const check *c) {
    enum { WORDS = 4 };
    vlad_fact before, partial;
    c->fact->class = VLAD_FACT_TAPE;
    if (c->object->fields != 1 + WORDS * VLAD_CHUNK ||
        !(is_class(c, 0, VLAD_FACT_TAPE, &before) || (is_null(c, 0) && vlad_bytes_fact(c->r, VLAD_NULL, &before))))
        return false;
    c->fact->length = before.length + 1;
    c->fact->first = before.first;
    for (uint64_t i = 0; i < 2 * VLAD_CHUNK; i++) { /* two operands in each entry */
        uint64_t operand = word(c, 1 + 2 * i), entry = before.length * VLAD_CHUNK + i / 2;
        if (operand >= RAW_END || !is_number(c, 2 + 2 * i, &partial))
            return false;
        if (operand != VLAD_NO_OPERAND && operand >= entry && operand - entry + 1 > c->fact->first)
            c->fact->first = operand - entry + 1;
    }
    return true;
}

/* A level of a capsule. */
typedef struct level {
    uint64_t tag, born, first;
    bool recording;
} level;

static bool check_level(const check *c, uint64_t at, level *level) {
    vlad_fact tape;
    uint64_t filled = word(c, at + VLAD_CAPSULE_LEVEL_FILLED);
    for (uint64_t i = 0; i < VLAD_CAPSULE_LEVEL_TAPE; i++)
        if (!is_raw(c, at + i))
            return false;
    level->tag = word(c, at + VLAD_CAPSULE_LEVEL_TAG);
    level->born = word(c, at + VLAD_CAPSULE_LEVEL_BORN);
    level->first = word(c, at + VLAD_CAPSULE_LEVEL_FIRST);
    level->recording = (filled & 1) != 0;
    filled >>= 1;
    if (level->first > level->born)
        return false;
    if (is_null(c, at + VLAD_CAPSULE_LEVEL_TAPE))
        return filled == VLAD_CHUNK && (!level->recording || level->first == level->born);
    return level->recording && is_class(c, at + VLAD_CAPSULE_LEVEL_TAPE, VLAD_FACT_TAPE, &tape) && filled >= 1 &&
           filled <= VLAD_CHUNK && (tape.length - 1) * VLAD_CHUNK + filled == level->born - level->first &&
           tape.first <= level->first;
}

/* ---- Players ---- */

static uint64_t lowest_bits(uint32_t count) {
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static bool check_bytes(const check *c) {
    c->fact->class = VLAD_FACT_BYTES;
    return c->object->fields > 0 && is_raw(c, 0) && (word(c, 0) + 7) / 8 == c->object->fields - 1;
}

static bool check_table(const check *c) {
    vlad_fact cotangent;
    bool right = c->object->fields % 2 == 0;
    c->fact->class = VLAD_FACT_TABLE;
    for (uint64_t i = 0; right && i < c->object->fields; i += 2)
        right = is_raw(c, i) && is_number(c, i + 1, &cotangent);
    return right;
}

static bool is_null_or(const check *c, uint64_t field, vlad_fact_class class, vlad_fact *fact) {
    return is_null(c, field) || is_class(c, field, class, fact);
}

static bool check_play(const check *c) {
    static const int raw[] = {VLAD_PLAY_TAG, VLAD_PLAY_INPUTS, VLAD_PLAY_STEPS, VLAD_PLAY_EFFECTS, VLAD_PLAY_ACTION};
    vlad_fact outer, start, slots, other, x;
    c->fact->class = VLAD_FACT_PLAY;
    if (c->object->fields != VLAD_PLAY_FIELDS || thing(c, VLAD_PLAY_PLACE, VLAD_OF_EXPRESSION) == NULL ||
        !is_continuation(c, VLAD_PLAY_OUTER, &outer) || !is_class(c, VLAD_PLAY_X, VLAD_FACT_VALUE, &x) ||
        !is_value(c, VLAD_PLAY_SEED) || !is_value(c, VLAD_PLAY_Y) ||
        !is_class(c, VLAD_PLAY_START, VLAD_FACT_INNER_CAPSULE, &start) ||
        !is_null_or(c, VLAD_PLAY_SLOTS, VLAD_FACT_SLOTS, &slots) ||
        !is_null_or(c, VLAD_PLAY_TABLE, VLAD_FACT_TABLE, &other))
        return false;
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        if (!is_raw(c, (uint64_t)raw[i]))
            return false;
    take_frames(c, &start);
    c->fact->counting = word(c, VLAD_PLAY_STEPS) == 0;
    c->fact->recording = !c->fact->counting && word(c, VLAD_PLAY_ACTION) == VERSO_ACTION_REVERSE;
    return (is_null(c, VLAD_PLAY_SLOTS) || are_same_frames(&start, &slots)) && outer.frames + 1 == start.frames &&
           outer.players == (start.players & lowest_bits(outer.frames)) && word(c, VLAD_PLAY_INPUTS) <= x.reals &&
           (c->fact->counting ? is_null(c, VLAD_PLAY_SCHEDULE)
                              : is_class(c, VLAD_PLAY_SCHEDULE, VLAD_FACT_BYTES, &other));
}

/* Checks the player of frame number `frame`; `number` is the index of its level in the capsule. */
static bool check_player(const check *c, uint64_t at, uint32_t frame, uint32_t number, const level *level) {
    vlad_fact play;
    return is_raw(c, at + VLAD_CAPSULE_PLAYER_DONE) && is_raw(c, at + VLAD_CAPSULE_PLAYER_STOP) &&
           word(c, at + VLAD_CAPSULE_PLAYER_LEVEL) == number &&
           is_class(c, at + VLAD_CAPSULE_PLAYER_PLAY, VLAD_FACT_PLAY, &play) && play.frames == frame + 1 &&
           play.players == (c->fact->players & lowest_bits(frame + 1)) && play.recording == level->recording &&
           (!play.counting || word(c, at + VLAD_CAPSULE_PLAYER_STOP) == 0);
}

/* ---- Capsules ---- */

/* Checks where the evaluation continues, and the values kept for it. */
static bool check_place(const check *c, uint64_t rest) {
    if (word(c, VLAD_CAPSULE_AT) == 0)
        return word(c, VLAD_CAPSULE_PHASE) == 0 && is_value(c, VLAD_CAPSULE_RESULT) &&
               is_self(c, VLAD_CAPSULE_SELF, NULL) && c->object->fields == rest;
    if (!is_null(c, VLAD_CAPSULE_RESULT))
        return false;
    if (c->r->index->converted != NULL) {
        const vlad_cps_term *step = thing(c, VLAD_CAPSULE_AT, VLAD_OF_STEP);
        return step != NULL && word(c, VLAD_CAPSULE_PHASE) == 0 && is_null(c, VLAD_CAPSULE_SELF) &&
               check_captured(c, rest, &step->is.captured, step->e);
    }
    const vlad_expression *e = thing(c, VLAD_CAPSULE_AT, VLAD_OF_EXPRESSION);
    return e != NULL && word(c, VLAD_CAPSULE_PHASE) <= (e->kind == VLAD_LET) && is_self(c, VLAD_CAPSULE_SELF, e) &&
           c->object->fields == rest + e->needed_count && are_values(c, rest, e->needed_count);
}

/* How the levels of a capsule correspond to frames. A capsule has one level for each of the innermost frames of *j
 * and checkpoint-*j. It may have a further, outermost level that belongs to the driver (`driven`). The first level
 * of an inner capsule belongs to its player, which is not in the capsule. */
typedef struct shape {
    uint32_t levels, players;
    uint32_t outside; /* number of frames without a level in the capsule */
    bool driven, inner;
} shape;

static bool find_shape(const check *c, const vlad_fact *continuation, shape *s) {
    uint64_t levels = word(c, VLAD_CAPSULE_LEVELS), players = word(c, VLAD_CAPSULE_PLAYERS);
    if (levels > continuation->frames + UINT64_C(1) || players > levels)
        return false;
    *s = (shape){.levels = (uint32_t)levels, .players = (uint32_t)players};
    s->driven = levels > continuation->frames;
    s->outside = s->driven ? 0 : continuation->frames - s->levels;
    uint64_t of_players = s->outside < 64 ? continuation->players >> s->outside : 0, there = 0;
    for (uint64_t bits = of_players; bits != 0; bits &= bits - 1)
        there++;
    s->inner = !s->driven && levels > 0 && players + 1 == there && (of_players & 1) != 0;
    return s->inner || (players == there && s->outside == 0);
}

/* Checks levels and players, from the outermost to the innermost. */
static bool check_levels(const check *c, const shape *s) {
    uint64_t at = VLAD_CAPSULE_FIELDS, last = 0;
    uint64_t player = at + (uint64_t)s->levels * VLAD_CAPSULE_LEVEL_FIELDS;
    for (uint32_t i = 0; i < s->levels; i++, at += VLAD_CAPSULE_LEVEL_FIELDS) {
        level level;
        uint32_t frame = s->outside + i - s->driven;
        if (!check_level(c, at, &level) || level.tag <= last)
            return false;
        last = level.tag;
        bool right = !level.recording;
        if (i > 0 || !(s->driven || s->inner)) {
            bool plays = (c->fact->players >> frame & 1) != 0;
            right = plays ? check_player(c, player, frame, i, &level) : level.recording && level.first == 0;
            player += plays ? VLAD_CAPSULE_PLAYER_FIELDS : 0;
        }
        if (!right)
            return false;
    }
    return last <= word(c, VLAD_CAPSULE_TAGS);
}

static bool check_capsule(const check *c) {
    vlad_fact continuation;
    shape s;
    if (c->object->fields < VLAD_CAPSULE_FIELDS || !is_raw(c, VLAD_CAPSULE_EFFECTS) || !is_raw(c, VLAD_CAPSULE_TAGS) ||
        !is_continuation(c, VLAD_CAPSULE_CONTINUATION, &continuation) || !find_shape(c, &continuation, &s))
        return false;
    take_frames(c, &continuation);
    uint64_t rest = VLAD_CAPSULE_FIELDS + (uint64_t)s.levels * VLAD_CAPSULE_LEVEL_FIELDS +
                    (uint64_t)s.players * VLAD_CAPSULE_PLAYER_FIELDS;
    if (c->object->fields < rest || !check_levels(c, &s) || !check_place(c, rest))
        return false;
    c->fact->class = s.inner ? VLAD_FACT_INNER_CAPSULE : VLAD_FACT_CAPSULE;
    if (s.inner) { /* up to the frame of its player */
        c->fact->frames = s.outside + 1;
        c->fact->players &= lowest_bits(s.outside + 1);
    }
    return true;
}

bool vlad_bytes_check(const vlad_bytes_reader *reader, const vlad_written *object, vlad_fact *fact) {
    const check c = {reader, object, fact};
    *fact = (vlad_fact){.class = VLAD_FACT_VALUE, .kind = object->kind};
    switch (object->kind) {
    case VLAD_PAIR: return check_pair(&c);
    case VLAD_CLOSURE: return check_closure(&c);
    case VLAD_GROUP_VALUES: return check_group(&c);
    case VLAD_VECTOR: return check_vector(&c);
    case VLAD_ARRAY: return check_update(&c);
    case VLAD_DUAL:
    case VLAD_REVERSE: return check_number(&c);
    case VLAD_FRAME: return check_frame(&c);
    case VLAD_CONVERTED: return check_converted(&c);
    case VLAD_CAPSULE: return check_capsule(&c);
    case VLAD_TAPE: return check_tape(&c);
    case VLAD_PLAY: return check_play(&c);
    case VLAD_BYTES: return check_bytes(&c);
    case VLAD_TABLE: return check_table(&c);
    default: return false;
    }
}
