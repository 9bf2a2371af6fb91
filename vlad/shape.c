/* See shape.h. The remaining work is a stack of places to be filled; a list takes two entries, however long it is. */
#include "vlad/shape.h"

#include "vlad/memory.h"
#include "vlad/vector.h"

#include "base/status.h"

typedef struct place {
    vlad_value value, other;
    vlad_value *to; /* where to store the result; NULL: nowhere */
} place;

typedef struct walk {
    vlad_heap *heap;
    vlad_stack left; /* of `place` */
    bool paired;
} walk;

static bool push(walk *walk, vlad_value value, vlad_value other, vlad_value *to) {
    place *top = vlad_push(&walk->left);
    if (top != NULL)
        *top = (place){value, other, to};
    return top != NULL;
}

/* Returns the number of raw fields before the values. */
static uint64_t raw_fields(vlad_object_kind kind) {
    return kind == VLAD_CLOSURE || kind == VLAD_GROUP_VALUES ? 1 : 0;
}

static bool is_same_shape(vlad_value a, vlad_value b) {
    if (!vlad_is_object(a) || !vlad_is_object(b))
        return a == b;
    const vlad_object *first = vlad_object_of(a), *second = vlad_object_of(b);
    if (vlad_is_kind(a, VLAD_VECTOR) && vlad_is_kind(b, VLAD_VECTOR))
        return vlad_vector_length(a) == vlad_vector_length(b);
    return vlad_kind_of(first) == vlad_kind_of(second) && vlad_fields_of(first) == vlad_fields_of(second) &&
           (raw_fields(vlad_kind_of(first)) == 0 || first->field[0] == second->field[0]);
}

static verso_status does_not_conform(vlad_value a, vlad_value b, verso_error *error) {
    char first[80], second[80];
    return verso__fail(error, VERSO_STATUS_INVALID, "values do not conform: %s and %s",
                       vlad_value_text(a, first, sizeof first), vlad_value_text(b, second, sizeof second));
}

/* Returns the values in an object and sets *count; NULL if there is no memory. */
static const vlad_value *inside(walk *walk, vlad_value value, uint64_t *count) {
    const vlad_object *object = vlad_object_of(value);
    if (vlad_kind_of(object) == VLAD_VECTOR) {
        *count = vlad_vector_length(value);
        return vlad_vector_elements(walk->heap, value);
    }
    uint64_t raw = raw_fields(vlad_kind_of(object));
    *count = vlad_fields_of(object) - raw;
    return &object->field[raw];
}

/* Makes an object of the same kind and size, and returns its values, which the caller fills in; NULL if there is
 * no memory. */
static vlad_value *make_like(walk *walk, vlad_value value, vlad_value *made) {
    const vlad_object *object = vlad_object_of(value);
    vlad_value *values;
    if (vlad_kind_of(object) == VLAD_VECTOR) {
        *made = vlad_vector_make(walk->heap, vlad_vector_length(value), &values);
        return *made != VLAD_NOTHING ? values : NULL;
    }
    uint64_t fields = vlad_fields_of(object), raw = raw_fields(vlad_kind_of(object));
    vlad_object *copy = vlad_make(walk->heap, vlad_kind_of(object), fields);
    if (copy == NULL)
        return NULL;
    memcpy(copy->field, object->field, (size_t)raw * sizeof(vlad_value));
    *made = vlad_value_of(copy);
    return &copy->field[raw];
}

/* Makes the copy of an object, and pushes its fields as places to be filled. */
static bool open_object(walk *walk, const place *at) {
    uint64_t count, same;
    const vlad_value *values = inside(walk, at->value, &count), *others = values;
    vlad_value *to = NULL;
    if (values != NULL && walk->paired)
        others = inside(walk, at->other, &same);
    if (values == NULL || others == NULL)
        return false;
    if (at->to != NULL && (to = make_like(walk, at->value, at->to)) == NULL)
        return false;
    for (uint64_t i = count; i-- > 0;) /* so that the first is popped first */
        if (!push(walk, values[i], walk->paired ? others[i] : VLAD_NOTHING, to != NULL ? &to[i] : NULL))
            return false;
    return true;
}

static verso_status go(walk *walk, vlad_leaf leaf, void *context, verso_error *error) {
    while (walk->left.count > 0) {
        place at = *(const place *)vlad_pop(&walk->left);
        bool done = true;
        if (vlad_is_real(at.value) && (!walk->paired || vlad_is_real(at.other))) {
            vlad_value made = leaf(context, at.value, at.other);
            done = made != VLAD_NOTHING;
            if (at.to != NULL)
                *at.to = made;
        } else if (walk->paired && !is_same_shape(at.value, at.other))
            return does_not_conform(at.value, at.other, error);
        else if (vlad_is_object(at.value))
            done = open_object(walk, &at);
        else if (at.to != NULL)
            *at.to = at.value;
        if (!done)
            return vlad_heap_failure(walk->heap, error);
    }
    return VERSO_STATUS_OK;
}

verso_status vlad_shape_map(vlad_heap *heap, vlad_value value, vlad_value other, vlad_leaf leaf, void *context,
                            vlad_value *result, verso_error *error) {
    walk walk = {.heap = heap, .left.item = sizeof(place), .paired = other != VLAD_NOTHING};
    verso_status status =
        push(&walk, value, other, result) ? go(&walk, leaf, context, error) : vlad_heap_failure(heap, error);
    vlad_stack_free(&walk.left);
    return status;
}
