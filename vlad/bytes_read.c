/* Reads values from bytes: object after object, each checked before it is made. See bytes_inside.h. */
#include "vlad/bytes_inside.h"

#include "vlad/cps.h"
#include "vlad/number.h"
#include "vlad/vector.h"

#include "base/alloc.h"
#include "base/status.h"

static verso_status corrupt(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_CORRUPT, "a capsule is not one of this program");
}

const void *vlad_bytes_thing(const vlad_index *index, vlad_address kind, uint64_t word) {
    const vlad_cps *converted = index->converted;
    uint64_t number = (word >> 3) - 1; /* for a word of 0: larger than all counts */
    switch (kind) {
    case VLAD_OF_LAMBDA: return number < index->lambda_count ? index->lambdas[number] : NULL;
    case VLAD_OF_LETREC: return number < index->letrec_count ? index->letrecs[number] : NULL;
    case VLAD_OF_EXPRESSION: return number < index->expression_count ? index->expressions[number] : NULL;
    case VLAD_OF_STEP: return converted != NULL && number < converted->step_count ? converted->steps[number] : NULL;
    case VLAD_OF_CONTINUATION:
        return converted != NULL && number < converted->continuation_count ? converted->continuations[number] : NULL;
    default: return NULL;
    }
}

bool vlad_bytes_fact(const vlad_bytes_reader *r, uint64_t word, vlad_fact *fact) {
    uint64_t number = word & ~VLAD_POINTER;
    *fact = (vlad_fact){.kind = VLAD_OBJECT_KINDS, .reals = vlad_is_plain(word)};
    if (!vlad_is_object(word))
        return vlad_is_plain(word) || word == VLAD_NULL || word == VLAD_TRUE || word == VLAD_FALSE;
    if (number >= r->count)
        return false;
    *fact = r->facts[number];
    return true;
}

/* ---- Objects ---- */

static vlad_value value_of(const vlad_bytes_reader *r, uint64_t word) {
    return vlad_is_object(word) ? r->objects[word & ~VLAD_POINTER] : word;
}

static vlad_value field_of(const vlad_bytes_reader *r, const vlad_written *object, uint64_t field) {
    uint64_t word = vlad_written_word(object, field);
    vlad_address address = vlad_bytes_address(r->index, object->kind, field, vlad_written_word(object, 0));
    if (address != VLAD_NO_ADDRESS)
        return (uint64_t)(uintptr_t)vlad_bytes_thing(r->index, address, word) | (word & 7);
    return object->kind == VLAD_BYTES ? word : value_of(r, word);
}

static vlad_value make_vector(vlad_heap *heap, const vlad_bytes_reader *r, const vlad_written *object) {
    vlad_value *elements, vector = vlad_vector_make(heap, object->fields, &elements);
    for (uint64_t i = 0; vector != VLAD_NOTHING && i < object->fields; i++)
        elements[i] = value_of(r, vlad_written_word(object, i));
    return vector;
}

static vlad_value update_vector(vlad_heap *heap, const vlad_bytes_reader *r, const vlad_written *object) {
    uint64_t older = vlad_written_word(object, VLAD_UPDATED_FROM) & ~VLAD_POINTER;
    r->facts[older].updated = true;
    return vlad_vector_set(heap, r->objects[older], vlad_written_word(object, VLAD_UPDATED_INDEX),
                           value_of(r, vlad_written_word(object, VLAD_UPDATED_ELEMENT)));
}

/* Makes an object that was checked. Returns VLAD_NOTHING if the heap is exhausted. */
static vlad_value make(vlad_heap *heap, const vlad_bytes_reader *r, const vlad_written *object) {
    if (object->kind == VLAD_VECTOR)
        return make_vector(heap, r, object);
    if (object->kind == VLAD_ARRAY)
        return update_vector(heap, r, object);
    vlad_object *made = vlad_make(heap, object->kind, object->fields);
    if (made == NULL)
        return VLAD_NOTHING;
    for (uint64_t f = 0; f < object->fields; f++)
        made->field[f] = field_of(r, object, f);
    return vlad_value_of(made);
}

static verso_status read_object(vlad_heap *heap, vlad_bytes_reader *r, verso__words *words, verso_error *error) {
    uint64_t header = verso__take_word(words);
    vlad_written object = {(vlad_object_kind)(header >> 1 & 63), header >> 8, words->at};
    if (words->over || object.kind >= VLAD_OBJECT_KINDS || header != vlad_header(object.kind, object.fields) ||
        object.fields > words->left / VERSO_WORD || !vlad_bytes_check(r, &object, &r->facts[r->count]))
        return corrupt(error);
    r->objects[r->count] = make(heap, r, &object);
    if (r->objects[r->count++] == VLAD_NOTHING)
        return vlad_heap_failure(heap, error);
    words->at += object.fields * VERSO_WORD;
    words->left -= (size_t)object.fields * VERSO_WORD;
    return VERSO_STATUS_OK;
}

/* ---- The whole ---- */

/* True if the root is a value, a capsule or an adjoint; other objects are only parts of these. */
static bool is_root(const vlad_bytes_reader *r, uint64_t root) {
    vlad_fact fact;
    if (!vlad_bytes_fact(r, root, &fact))
        return false;
    return fact.class == VLAD_FACT_VALUE || fact.class == VLAD_FACT_CAPSULE || fact.class == VLAD_FACT_ADJOINT;
}

static verso_status read_all(vlad_heap *heap, vlad_bytes_reader *r, uint64_t count, uint64_t root, verso__words words,
                             vlad_value *value, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    while (status == VERSO_STATUS_OK && r->count < count)
        status = read_object(heap, r, &words, error);
    if (status == VERSO_STATUS_OK && (words.left > 0 || !is_root(r, root)))
        status = corrupt(error);
    if (status == VERSO_STATUS_OK)
        *value = value_of(r, root);
    return status;
}

verso_status vlad_bytes_read(vlad_heap *heap, const vlad_index *index, uint32_t levels, const char *bytes, size_t size,
                             vlad_value *value, verso_error *error) {
    verso__words words = {.at = (const unsigned char *)bytes, .left = size};
    vlad_bytes_reader r = {.index = index, .levels = levels};
    uint64_t count = verso__take_word(&words), root = verso__take_word(&words);
    if (words.over || size % VERSO_WORD != 0 || count > words.left / VERSO_WORD)
        return corrupt(error);
    r.objects = verso__alloc((size_t)count + 1, sizeof *r.objects);
    r.facts = verso__alloc((size_t)count + 1, sizeof *r.facts);
    verso_status status =
        r.objects != NULL && r.facts != NULL
            ? read_all(heap, &r, count, root, words, value, error)
            : verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule of %zu bytes", size);
    verso__dealloc(r.objects);
    verso__dealloc(r.facts);
    return status;
}
