/* Writes values as bytes: see bytes.h, and bytes_inside.h for the layout.
 *
 * A first pass over memory finds all objects. A second pass orders the versions of vectors from the oldest to the
 * newest. A third pass, over the meaning of the objects, writes each object after its parts. Closures without
 * captured variables are written as one object per lambda, because evaluators differ in whether they allocate them
 * each time. */
#include "vlad/bytes_inside.h"

#include "vlad/code.h"
#include "vlad/cps.h"
#include "vlad/interpret.h"
#include "vlad/player.h"
#include "vlad/vector.h"
#include "vlad/writer.h"

#include "base/alloc.h"
#include "base/status.h"

vlad_address vlad_bytes_address(const vlad_index *index, vlad_object_kind kind, uint64_t field, uint64_t what) {
    switch (kind) {
    case VLAD_CLOSURE: return field == 0 ? VLAD_OF_LAMBDA : VLAD_NO_ADDRESS;
    case VLAD_GROUP_VALUES: return field == 0 ? VLAD_OF_LETREC : VLAD_NO_ADDRESS;
    case VLAD_CONVERTED: return field == 0 ? VLAD_OF_CONTINUATION : VLAD_NO_ADDRESS;
    case VLAD_PLAY: return field == VLAD_PLAY_PLACE ? VLAD_OF_EXPRESSION : VLAD_NO_ADDRESS;
    case VLAD_CAPSULE:
        if (field != VLAD_CAPSULE_AT)
            return VLAD_NO_ADDRESS;
        return index->converted != NULL ? VLAD_OF_STEP : VLAD_OF_EXPRESSION;
    case VLAD_FRAME: break;
    default: return VLAD_NO_ADDRESS;
    }
    if (field == VLAD_FRAME_WHAT)
        return what >= VLAD_FRAMES ? VLAD_OF_EXPRESSION : VLAD_NO_ADDRESS;
    bool operates = what == VLAD_FRAME_FORWARD || what == VLAD_FRAME_REVERSE;
    return field == VLAD_AD_PLACE && operates ? VLAD_OF_EXPRESSION : VLAD_NO_ADDRESS;
}

#define NONE SIZE_MAX

/* How a vector is written: as one element that differs from the version `older`; if that is NONE, as all elements. */
typedef struct written_version {
    size_t older;
    uint64_t length, index;
    vlad_value element, *elements;
} written_version;

/* An object whose parts must be written first. */
typedef struct waiting {
    size_t place;
    uint64_t next; /* index of the next part */
} waiting;

typedef struct writer {
    const vlad_index *index;
    vlad_stack objects; /* const vlad_object *, in the order in which they were found */
    const void **keys;  /* hash table of the objects' keys; `room` is a power of two */
    size_t *places;     /* for each key: index in `objects` */
    size_t room;
    bool has_vectors;
    written_version *vectors; /* by index in `objects` */
    uint64_t *numbers;        /* by index in `objects`: position in the output, from 1; 0: not yet written */
    vlad_stack waiting;
    vlad_writer out;
    uint64_t written;
} writer;

static const vlad_object *object_at(const writer *w, size_t place) {
    return *(const vlad_object *const *)vlad_at(&w->objects, place);
}

/* ---- The table ---- */

static const void *key_of(const vlad_object *object) {
    const void *what = (const void *)(uintptr_t)object->field[0];
    if (vlad_kind_of(object) == VLAD_CLOSURE && vlad_is_closed(what))
        return what;
    return vlad_kind_of(object) == VLAD_GROUP_VALUES && vlad_fields_of(object) == 1 ? what : object;
}

static size_t find(const writer *w, const void *key) {
    size_t at = (size_t)((uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (w->room - 1);
    while (w->keys[at] != NULL && w->keys[at] != key)
        at = (at + 1) & (w->room - 1);
    return at;
}

static bool grow(writer *w) {
    writer larger = *w;
    larger.room = w->room == 0 ? 256 : 2 * w->room;
    larger.keys = verso__alloc(larger.room, sizeof(*larger.keys));
    larger.places = verso__alloc(larger.room, sizeof *larger.places);
    bool there = larger.keys != NULL && larger.places != NULL;
    for (size_t i = 0; there && i < w->room; i++)
        if (w->keys[i] != NULL) {
            size_t at = find(&larger, w->keys[i]);
            larger.keys[at] = w->keys[i];
            larger.places[at] = w->places[i];
        }
    verso__dealloc(there ? w->keys : larger.keys);
    verso__dealloc(there ? w->places : larger.places);
    if (there)
        *w = larger;
    return there;
}

static size_t place_of(const writer *w, const vlad_object *object) {
    return w->places[find(w, key_of(object))];
}

/* ---- Finding all objects ---- */

static bool meet(writer *w, const vlad_object *object) {
    if (2 * w->objects.count >= w->room && !grow(w))
        return false;
    const void *key = key_of(object);
    size_t at = find(w, key);
    if (w->keys[at] != NULL)
        return true;
    const vlad_object **entry = vlad_push(&w->objects);
    if (entry == NULL)
        return false;
    *entry = object;
    w->keys[at] = key;
    w->places[at] = w->objects.count - 1;
    w->has_vectors |= vlad_kind_of(object) == VLAD_VECTOR;
    return true;
}

static bool meet_values(writer *w, const vlad_value *values, uint64_t count) {
    bool done = true;
    for (uint64_t i = 0; done && i < count; i++)
        done = !vlad_is_object(values[i]) || meet(w, vlad_object_of(values[i]));
    return done;
}

static bool meet_parts(writer *w, const vlad_object *object) {
    if (vlad_kind_of(object) == VLAD_BYTES)
        return true;
    if (vlad_kind_of(object) != VLAD_VECTOR)
        return meet_values(w, object->field, vlad_fields_of(object));
    vlad_version version = vlad_vector_version(object);
    if (version.newer == NULL)
        return meet_values(w, version.elements, version.length);
    return meet(w, version.newer) && meet_values(w, &version.element, 1);
}

static bool meet_all(writer *w, vlad_value root) {
    bool done = meet_values(w, &root, 1);
    for (size_t i = 0; done && i < w->objects.count; i++)
        done = meet_parts(w, object_at(w, i));
    return done;
}

/* ---- Vectors ---- */

/* Sets the `written_version` of each version, from the newest back to the oldest that was found. */
static bool find_versions(writer *w, size_t newest) {
    vlad_version version = vlad_vector_version(object_at(w, newest));
    vlad_value *elements = verso__alloc((size_t)version.length + 1, sizeof *elements);
    if (elements == NULL)
        return false;
    memcpy(elements, version.elements, (size_t)version.length * sizeof *elements);
    written_version *at = &w->vectors[newest];
    at->length = version.length;
    for (; at->older != NONE; at = &w->vectors[at->older]) {
        version = vlad_vector_version(object_at(w, at->older));
        at->index = version.index;
        at->element = elements[version.index];
        elements[version.index] = version.element;
        w->vectors[at->older].length = version.length;
    }
    at->elements = elements;
    return true;
}

static bool find_vectors(writer *w) {
    size_t count = w->objects.count;
    if (!w->has_vectors)
        return true;
    w->vectors = verso__alloc(count, sizeof *w->vectors);
    if (w->vectors == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        w->vectors[i].older = NONE;
    bool done = true;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; done && i < count; i++) {
            if (vlad_kind_of(object_at(w, i)) != VLAD_VECTOR)
                continue;
            const vlad_object *newer = vlad_vector_version(object_at(w, i)).newer;
            if (pass == 0 && newer != NULL)
                w->vectors[place_of(w, newer)].older = i;
            else if (pass == 1 && newer == NULL)
                done = find_versions(w, i);
        }
    return done;
}

/* ---- Writing ---- */

static void put(writer *w, uint64_t word) {
    unsigned char bytes[VERSO_WORD], *to = bytes;
    verso__put_word(&to, word);
    vlad_write_bytes(&w->out, (const char *)bytes, sizeof bytes);
}

static void put_value(writer *w, vlad_value value) {
    put(w, vlad_is_object(value) ? VLAD_POINTER | (w->numbers[place_of(w, vlad_object_of(value))] - 1) : value);
}

static uint64_t number_of(vlad_address kind, const void *address) {
    switch (kind) {
    case VLAD_OF_LAMBDA: return ((const vlad_lambda *)address)->number;
    case VLAD_OF_LETREC: return ((const vlad_letrec *)address)->number;
    case VLAD_OF_STEP: return ((const vlad_cps_term *)address)->value;
    case VLAD_OF_CONTINUATION: return ((const vlad_cps_continuation *)address)->number;
    default: return ((const vlad_expression *)address)->number;
    }
}

static void put_address(writer *w, vlad_address kind, uint64_t word) {
    const void *address = (const void *)(uintptr_t)(word & ~UINT64_C(7));
    put(w, address != NULL ? (number_of(kind, address) + 1) << 3 | (word & 7) : 0);
}

static void put_vector(writer *w, const written_version *vector) {
    if (vector->older != NONE) {
        put(w, vlad_header(VLAD_ARRAY, VLAD_UPDATED_FIELDS));
        put(w, VLAD_POINTER | (w->numbers[vector->older] - 1));
        put(w, vector->index);
        put_value(w, vector->element);
        return;
    }
    put(w, vlad_header(VLAD_VECTOR, vector->length));
    for (uint64_t i = 0; i < vector->length; i++)
        put_value(w, vector->elements[i]);
}

static void put_object(writer *w, size_t place) {
    const vlad_object *object = object_at(w, place);
    vlad_object_kind kind = vlad_kind_of(object);
    if (kind == VLAD_VECTOR) {
        put_vector(w, &w->vectors[place]);
        return;
    }
    put(w, vlad_header(kind, vlad_fields_of(object)));
    for (uint64_t f = 0; f < vlad_fields_of(object); f++) {
        vlad_address address = vlad_bytes_address(w->index, kind, f, object->field[0]);
        if (address != VLAD_NO_ADDRESS)
            put_address(w, address, object->field[f]);
        else if (kind == VLAD_BYTES)
            put(w, object->field[f]);
        else
            put_value(w, object->field[f]);
    }
}

/* Sets *value to a part that must be written before the object. Returns false if there is no part of this number. */
static bool part(const writer *w, size_t place, uint64_t number, vlad_value *value) {
    const vlad_object *object = object_at(w, place);
    uint64_t count = vlad_kind_of(object) == VLAD_BYTES ? 0 : vlad_fields_of(object);
    const vlad_value *values = object->field;
    if (vlad_kind_of(object) == VLAD_VECTOR) {
        const written_version *vector = &w->vectors[place];
        if (vector->older != NONE) {
            *value = number == 0 ? vlad_value_of(object_at(w, vector->older)) : vector->element;
            return number < 2;
        }
        count = vector->length;
        values = vector->elements;
    }
    if (number < count)
        *value = values[number];
    return number < count;
}

static bool wait_for(writer *w, vlad_value value) {
    if (!vlad_is_object(value) || w->numbers[place_of(w, vlad_object_of(value))] != 0)
        return true;
    waiting *top = vlad_push(&w->waiting);
    if (top != NULL)
        top->place = place_of(w, vlad_object_of(value));
    return top != NULL;
}

static bool put_all(writer *w, vlad_value root) {
    w->numbers = verso__alloc(w->objects.count + 1, sizeof *w->numbers);
    bool done = w->numbers != NULL && wait_for(w, root);
    put(w, 0); /* vlad_bytes_write fills in the first two words */
    put(w, 0);
    while (done && w->waiting.count > 0) {
        waiting *top = vlad_at(&w->waiting, w->waiting.count - 1);
        vlad_value value;
        if (part(w, top->place, top->next, &value)) {
            top->next++;
            done = wait_for(w, value);
            continue;
        }
        put_object(w, top->place);
        w->numbers[top->place] = ++w->written;
        (void)vlad_pop(&w->waiting);
    }
    return done && !w->out.failed;
}

static void close_writer(writer *w) {
    for (size_t i = 0; w->vectors != NULL && i < w->objects.count; i++)
        verso__dealloc(w->vectors[i].elements);
    verso__dealloc(w->vectors);
    verso__dealloc(w->keys);
    verso__dealloc(w->places);
    verso__dealloc(w->numbers);
    vlad_stack_free(&w->objects);
    vlad_stack_free(&w->waiting);
}

verso_status vlad_bytes_write(const vlad_index *index, vlad_value value, char **bytes, size_t *size,
                              verso_error *error) {
    writer w = {.index = index, .objects.item = sizeof(const vlad_object *), .waiting.item = sizeof(waiting)};
    *bytes = NULL;
    *size = 0;
    bool done = meet_all(&w, value) && find_vectors(&w) && put_all(&w, value);
    if (done) {
        *size = w.out.size;
        *bytes = w.out.text;
        w.out.size = 0;
        unsigned char *to = (unsigned char *)*bytes;
        verso__put_word(&to, w.written);
        verso__put_word(&to, vlad_is_object(value) ? VLAD_POINTER | (w.written - 1) : value);
    } else
        vlad_writer_free(&w.out);
    close_writer(&w);
    return done ? VERSO_STATUS_OK : verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule as bytes");
}
