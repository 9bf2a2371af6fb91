/* See vector.h. */
#include "vlad/vector.h"

/* The fields of a version. FROM is its array, or the next newer version; in the latter case the version has
 * ELEMENT at INDEX and otherwise the elements of the newer one. */
enum { FROM, LENGTH, INDEX, ELEMENT, VERSION_FIELDS };
/* The fields of an array: the number of updates (raw), then the elements. */
enum { UPDATES, FIRST };
/* An element of an older version is searched through at most this many newer versions before the version gets its
 * own array. */
enum { NEAR = 16 };

static vlad_object *from(const vlad_object *version) {
    return vlad_object_of(version->field[FROM]);
}

static bool is_newest(const vlad_object *version) {
    return vlad_kind_of(from(version)) == VLAD_ARRAY;
}

static vlad_object *make_version(vlad_heap *heap, vlad_object *array, uint64_t length) {
    vlad_object *version = array != NULL ? vlad_make(heap, VLAD_VECTOR, VERSION_FIELDS) : NULL;
    if (version == NULL)
        return NULL;
    version->field[FROM] = vlad_value_of(array);
    version->field[LENGTH] = length;
    version->field[INDEX] = 0;
    version->field[ELEMENT] = VLAD_NULL;
    return version;
}

static vlad_object *make_array(vlad_heap *heap, uint64_t length) {
    vlad_object *array = vlad_make(heap, VLAD_ARRAY, FIRST + length);
    if (array != NULL)
        array->field[UPDATES] = 0;
    return array;
}

static vlad_object *copy_array(vlad_heap *heap, const vlad_object *array, uint64_t length) {
    vlad_object *copy = make_array(heap, length);
    if (copy != NULL)
        memcpy(&copy->field[FIRST], &array->field[FIRST], (size_t)length * sizeof(vlad_value));
    return copy;
}

vlad_value vlad_vector_make(vlad_heap *heap, uint64_t length, vlad_value **elements) {
    vlad_object *version = make_version(heap, make_array(heap, length), length);
    if (version == NULL)
        return VLAD_NOTHING;
    *elements = &from(version)->field[FIRST];
    return vlad_value_of(version);
}

uint64_t vlad_vector_length(vlad_value vector) {
    return vlad_object_of(vector)->field[LENGTH];
}

/* ---- Older versions ---- */

/* Reverses the links from a version to the newest one, and sets *array to the array of the newest. Returns the
 * newest version; from there the links lead back to `version`, whose link is NULL. */
static vlad_object *reverse_links(vlad_object *version, vlad_object **array) {
    vlad_object *before = NULL;
    for (;;) {
        vlad_object *next = from(version);
        version->field[FROM] = vlad_value_of(before);
        if (vlad_kind_of(next) == VLAD_ARRAY) {
            *array = next;
            return version;
        }
        before = version;
        version = next;
    }
}

/* Gives an older version its own array: a copy of the newest version's, with all differences on the way back
 * applied. */
static bool give_array(vlad_heap *heap, vlad_object *version) {
    uint64_t length = version->field[LENGTH];
    vlad_object *copy = make_array(heap, length), *array, *at;
    if (copy == NULL)
        return false;
    at = reverse_links(version, &array);
    memcpy(&copy->field[FIRST], &array->field[FIRST], (size_t)length * sizeof(vlad_value));
    for (vlad_object *next = array; at != NULL;) {
        vlad_object *back = from(at);
        if (next != array)
            copy->field[FIRST + at->field[INDEX]] = at->field[ELEMENT];
        at->field[FROM] = vlad_value_of(next);
        next = at;
        at = back;
    }
    version->field[FROM] = vlad_value_of(copy);
    version->field[INDEX] = 0;
    version->field[ELEMENT] = VLAD_NULL;
    return true;
}

/* Returns an element, following at most `most` links; VLAD_NOTHING if that is not enough. */
static vlad_value find_element(const vlad_object *version, uint64_t index, uint64_t most) {
    for (; !is_newest(version); version = from(version)) {
        if (version->field[INDEX] == index)
            return version->field[ELEMENT];
        if (most-- == 0)
            return VLAD_NOTHING;
    }
    return from(version)->field[FIRST + index];
}

/* ---- Elements ---- */

const vlad_value *vlad_vector_elements(vlad_heap *heap, vlad_value vector) {
    vlad_object *version = vlad_object_of(vector);
    return is_newest(version) || give_array(heap, version) ? &from(version)->field[FIRST] : NULL;
}

vlad_value vlad_vector_peek(vlad_value vector, uint64_t index) {
    return find_element(vlad_object_of(vector), index, UINT64_MAX);
}

vlad_value vlad_vector_ref(vlad_heap *heap, vlad_value vector, uint64_t index) {
    vlad_value element = find_element(vlad_object_of(vector), index, NEAR);
    if (element != VLAD_NOTHING)
        return element;
    const vlad_value *elements = vlad_vector_elements(heap, vector);
    return elements != NULL ? elements[index] : VLAD_NOTHING;
}

vlad_value vlad_vector_set(vlad_heap *heap, vlad_value vector, uint64_t index, vlad_value element) {
    vlad_object *old = vlad_object_of(vector);
    uint64_t length = old->field[LENGTH];
    if (vlad_vector_elements(heap, vector) == NULL)
        return VLAD_NOTHING;
    vlad_object *array = from(old);
    bool copied = array->field[UPDATES] >= length;
    if (copied)
        array = copy_array(heap, array, length);
    vlad_object *version = make_version(heap, array, length);
    if (version == NULL)
        return VLAD_NOTHING;
    if (!copied) {
        array->field[UPDATES]++;
        old->field[FROM] = vlad_value_of(version);
        old->field[INDEX] = index;
        old->field[ELEMENT] = array->field[FIRST + index];
    }
    array->field[FIRST + index] = element;
    return vlad_value_of(version);
}

vlad_version vlad_vector_version(const vlad_object *vector) {
    if (is_newest(vector))
        return (vlad_version){.length = vector->field[LENGTH], .elements = &from(vector)->field[FIRST]};
    return (vlad_version){.newer = from(vector),
                          .length = vector->field[LENGTH],
                          .index = vector->field[INDEX],
                          .element = vector->field[ELEMENT]};
}
