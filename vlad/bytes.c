/* See bytes.h. Words of 64 bits, little-endian: the number of objects, the root, and the objects one after the other in
 * the order in which a walk from the root meets them, each its header and its fields; a reference is the number of an
 * object. Reading makes all objects first and fills them in afterwards, so cycles of vectors are no trouble. */
#include "vlad/bytes.h"

#include "vlad/interpret.h"
#include "vlad/player.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/words.h"

#define NUMBER_MOST UINT64_C(0xffffffffff)

/* What a field's raw word is, when it is an address. */
typedef enum address_kind { NO_ADDRESS, OF_LAMBDA, OF_LETREC, OF_EXPRESSION } address_kind;

static address_kind address_of(const vlad_object *object, uint64_t field) {
    switch (vlad_kind_of(object)) {
    case VLAD_CLOSURE: return field == 0 ? OF_LAMBDA : NO_ADDRESS;
    case VLAD_GROUP_VALUES: return field == 0 ? OF_LETREC : NO_ADDRESS;
    case VLAD_CAPSULE: return field == VLAD_CAPSULE_AT ? OF_EXPRESSION : NO_ADDRESS;
    case VLAD_PLAY: return field == VLAD_PLAY_PLACE ? OF_EXPRESSION : NO_ADDRESS;
    case VLAD_FRAME: break;
    default: return NO_ADDRESS;
    }
    uint64_t what = object->field[VLAD_FRAME_WHAT];
    if (field == VLAD_FRAME_WHAT)
        return what >= VLAD_FRAMES ? OF_EXPRESSION : NO_ADDRESS;
    bool operates = what == VLAD_FRAME_FORWARD || what == VLAD_FRAME_REVERSE;
    return field == VLAD_FRAME_KEPT && operates ? OF_EXPRESSION : NO_ADDRESS;
}

/* ---- Writing ---- */

typedef struct writer {
    const vlad_object **objects; /* in order */
    size_t count, room;
    const vlad_object **keys; /* a table of them; room_table is a power of two */
    size_t *places;
    size_t room_table;
    uint64_t words;
} writer;

static size_t find(const writer *w, const vlad_object *object) {
    size_t at = (size_t)((uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (w->room_table - 1);
    while (w->keys[at] != NULL && w->keys[at] != object)
        at = (at + 1) & (w->room_table - 1);
    return at;
}

static bool grow_table(writer *w) {
    writer larger = *w;
    larger.room_table = w->room_table == 0 ? 256 : 2 * w->room_table;
    larger.keys = verso_alloc(larger.room_table, sizeof(*larger.keys));
    larger.places = verso_alloc(larger.room_table, sizeof *larger.places);
    bool there = larger.keys != NULL && larger.places != NULL;
    for (size_t i = 0; there && i < w->room_table; i++)
        if (w->keys[i] != NULL) {
            size_t at = find(&larger, w->keys[i]);
            larger.keys[at] = w->keys[i];
            larger.places[at] = w->places[i];
        }
    verso_dealloc(there ? w->keys : larger.keys);
    verso_dealloc(there ? w->places : larger.places);
    if (there)
        *w = larger;
    return there;
}

static bool grow_objects(writer *w) {
    size_t room = w->room == 0 ? 128 : 2 * w->room;
    const vlad_object **objects = verso_realloc(w->objects, room, sizeof(*objects));
    if (objects == NULL)
        return false;
    w->objects = objects;
    w->room = room;
    return true;
}

/* The number of an object, which may be new. */
static bool meet(writer *w, const vlad_object *object, size_t *number) {
    if (2 * w->count >= w->room_table && !grow_table(w))
        return false;
    size_t at = find(w, object);
    if (w->keys[at] == NULL) {
        if (w->count == w->room && !grow_objects(w))
            return false;
        w->keys[at] = object;
        w->places[at] = w->count;
        w->objects[w->count++] = object;
        w->words += 1 + vlad_fields_of(object);
    }
    *number = w->places[at];
    return true;
}

static bool meet_all(writer *w, vlad_value root) {
    size_t number;
    bool done = !vlad_is_object(root) || meet(w, vlad_object_of(root), &number);
    for (size_t i = 0; done && i < w->count; i++) {
        const vlad_object *object = w->objects[i];
        bool values = vlad_kind_of(object) != VLAD_BYTES;
        for (uint64_t f = 0; done && values && f < vlad_fields_of(object); f++)
            if (vlad_is_object(object->field[f]))
                done = meet(w, vlad_object_of(object->field[f]), &number);
    }
    return done;
}

/* 0: none. The part of a frame's expression stays in the last three bits. */
static uint64_t number_of(address_kind kind, uint64_t word) {
    const void *address = (const void *)(uintptr_t)(word & ~UINT64_C(7));
    if (address == NULL)
        return word;
    uint64_t number = kind == OF_LAMBDA   ? ((const vlad_lambda *)address)->number
                      : kind == OF_LETREC ? ((const vlad_letrec *)address)->number
                                          : ((const vlad_expression *)address)->number;
    return (number + 1) << 3 | (word & 7);
}

static vlad_value reference(const writer *w, vlad_value value) {
    return vlad_is_object(value) ? VLAD_POINTER | w->places[find(w, vlad_object_of(value))] : value;
}

static void write_object(const writer *w, const vlad_object *object, unsigned char **to) {
    uint64_t fields = vlad_fields_of(object);
    verso_put_word(to, vlad_header(vlad_kind_of(object), fields));
    for (uint64_t f = 0; f < fields; f++) {
        address_kind kind = address_of(object, f);
        uint64_t word = object->field[f];
        if (kind != NO_ADDRESS)
            word = number_of(kind, word);
        else if (vlad_kind_of(object) != VLAD_BYTES)
            word = reference(w, word);
        verso_put_word(to, word);
    }
}

verso_status vlad_bytes_write(vlad_value value, char **bytes, size_t *size, verso_error *error) {
    writer w = {.words = 2};
    *bytes = NULL;
    if (meet_all(&w, value) && w.words < SIZE_MAX / 8)
        *bytes = verso_alloc((size_t)w.words, 8);
    *size = (size_t)w.words * 8;
    if (*bytes != NULL) {
        unsigned char *to = (unsigned char *)*bytes;
        verso_put_word(&to, w.count);
        verso_put_word(&to, reference(&w, value));
        for (size_t i = 0; i < w.count; i++)
            write_object(&w, w.objects[i], &to);
    }
    verso_dealloc(w.objects);
    verso_dealloc(w.keys);
    verso_dealloc(w.places);
    return *bytes != NULL ? VERSO_OK : verso_fail(error, VERSO_NO_MEMORY, "no memory for a capsule as bytes");
}

/* ---- Reading ---- */

typedef struct reader {
    const vlad_index *index;
    vlad_object **objects;
    uint64_t count;
} reader;

static verso_status corrupt(verso_error *error) {
    return verso_fail(error, VERSO_CORRUPT, "a capsule is not one of this program");
}

/* Fields at least: those that everybody relies on. */
static uint64_t least_fields(vlad_object_kind kind) {
    switch (kind) {
    case VLAD_PAIR: return 2;
    case VLAD_DUAL:
    case VLAD_REVERSE: return 3;
    case VLAD_FRAME: return VLAD_FRAME_KEPT;
    case VLAD_CAPSULE: return VLAD_CAPSULE_FIELDS;
    case VLAD_TABLE: return 0;
    default: return 1;
    }
}

/* Objects in their order, still empty. */
static verso_status make_objects(vlad_heap *heap, reader *r, verso_words words, verso_error *error) {
    for (uint64_t i = 0; i < r->count; i++) {
        uint64_t header = verso_take_word(&words), fields = header >> 8;
        vlad_object_kind kind = (vlad_object_kind)(header >> 1 & 63);
        if (words.over || kind >= VLAD_OBJECT_KINDS || header != vlad_header(kind, fields) ||
            fields > words.left / VERSO_WORD || fields < least_fields(kind))
            return corrupt(error);
        r->objects[i] = vlad_make(heap, kind, fields);
        if (r->objects[i] == NULL)
            return vlad_heap_failure(heap, error);
        words.at += fields * VERSO_WORD;
        words.left -= (size_t)fields * VERSO_WORD;
    }
    return words.left == 0 ? VERSO_OK : corrupt(error);
}

static const void *thing(const vlad_index *index, address_kind kind, uint64_t number) {
    switch (kind) {
    case OF_LAMBDA: return number < index->lambda_count ? (const void *)index->lambdas[number] : NULL;
    case OF_LETREC: return number < index->letrec_count ? (const void *)index->letrecs[number] : NULL;
    default: return number < index->expression_count ? (const void *)index->expressions[number] : NULL;
    }
}

/* False: there is no such thing. */
static bool address(const reader *r, address_kind kind, uint64_t word, vlad_value *field) {
    *field = word & 7;
    if (word >> 3 == 0) /* none, where there may be none */
        return kind == OF_EXPRESSION;
    const void *found = thing(r->index, kind, (word >> 3) - 1);
    *field |= (uint64_t)(uintptr_t)found;
    return found != NULL && (kind == OF_EXPRESSION || (word & 7) == 0);
}

static bool take_value(const reader *r, uint64_t word, vlad_value *value) {
    *value = word;
    if (!vlad_is_object(word))
        return true;
    uint64_t number = word & NUMBER_MOST;
    if (number >= r->count)
        return false;
    *value = vlad_value_of(r->objects[number]);
    return true;
}

static bool fill(const reader *r, vlad_object *object, verso_words *words) {
    bool right = true;
    (void)verso_take_word(words); /* the header */
    for (uint64_t f = 0; right && f < vlad_fields_of(object); f++) {
        uint64_t word = verso_take_word(words);
        object->field[f] = word; /* address_of looks at what a frame is */
        address_kind kind = address_of(object, f);
        if (kind != NO_ADDRESS)
            right = address(r, kind, word, &object->field[f]);
        else if (vlad_kind_of(object) != VLAD_BYTES)
            right = take_value(r, word, &object->field[f]);
    }
    return right;
}

static verso_status read_all(vlad_heap *heap, reader *r, verso_words words, uint64_t root, vlad_value *value,
                             verso_error *error) {
    verso_status status = make_objects(heap, r, words, error);
    for (uint64_t i = 0; status == VERSO_OK && i < r->count; i++)
        if (!fill(r, r->objects[i], &words))
            status = corrupt(error);
    return status == VERSO_OK && !take_value(r, root, value) ? corrupt(error) : status;
}

verso_status vlad_bytes_read(vlad_heap *heap, const vlad_index *index, const char *bytes, size_t size,
                             vlad_value *value, verso_error *error) {
    verso_words words = {.at = (const unsigned char *)bytes, .left = size};
    reader r = {.index = index, .count = verso_take_word(&words)};
    uint64_t root = verso_take_word(&words);
    if (words.over || size % VERSO_WORD != 0 || r.count > size / VERSO_WORD)
        return corrupt(error);
    r.objects = verso_alloc((size_t)r.count + 1, sizeof(*r.objects));
    if (r.objects == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a capsule of %zu bytes", size);
    verso_status status = read_all(heap, &r, words, root, value, error);
    verso_dealloc(r.objects);
    return status;
}
