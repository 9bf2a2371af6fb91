/* See differentiate.h. */
#include "vlad/differentiate.h"

typedef struct leaf_context {
    vlad_numbers *numbers;
    vlad_cotangents *cotangents;
    const vlad_cotangents *gathered;
    uint64_t tag, next;
    bool tangent;
} leaf_context;

static bool belongs(vlad_value number, uint64_t tag) {
    return !vlad_is_plain(number) && vlad_object_of(number)->field[0] == tag;
}

static vlad_value inside(vlad_value number) {
    return vlad_object_of(number)->field[vlad_kind_of(vlad_object_of(number)) == VLAD_DUAL ? 1 : 2];
}

/* ---- Forward ---- */

static vlad_value bundle(void *context, vlad_value real, vlad_value tangent) {
    const leaf_context *c = context;
    vlad_object *dual = vlad_make(c->numbers->heap, VLAD_DUAL, 3);
    if (dual == NULL)
        return VLAD_NOTHING;
    dual->field[0] = c->tag;
    dual->field[1] = real;
    dual->field[2] = tangent;
    return vlad_value_of(dual);
}

verso_status vlad_bundle(vlad_numbers *numbers, uint64_t tag, vlad_value x, vlad_value tangent, vlad_value *result,
                         verso_error *error) {
    leaf_context c = {.numbers = numbers, .tag = tag};
    return vlad_shape_map(numbers->heap, x, tangent, bundle, &c, result, error);
}

static vlad_value part_of(void *context, vlad_value real, vlad_value other) {
    const leaf_context *c = context;
    (void)other;
    if (!belongs(real, c->tag))
        return c->tangent ? vlad_number(0) : real;
    return c->tangent ? vlad_object_of(real)->field[2] : inside(real);
}

verso_status vlad_unbundle(vlad_numbers *numbers, uint64_t tag, vlad_value y, vlad_value *result, verso_error *error) {
    leaf_context c = {.numbers = numbers, .tag = tag};
    vlad_value primal, tangent;
    verso_status status = vlad_shape_map(numbers->heap, y, VLAD_NOTHING, part_of, &c, &primal, error);
    c.tangent = true;
    if (status == VERSO_STATUS_OK)
        status = vlad_shape_map(numbers->heap, y, VLAD_NOTHING, part_of, &c, &tangent, error);
    if (status == VERSO_STATUS_OK)
        *result = vlad_pair(numbers->heap, primal, tangent);
    return status == VERSO_STATUS_OK && *result == VLAD_NOTHING ? vlad_heap_failure(numbers->heap, error) : status;
}

/* ---- Reverse ---- */

static vlad_value lift(void *context, vlad_value real, vlad_value other) {
    const leaf_context *c = context;
    (void)other;
    return vlad_level_input(c->numbers, real);
}

verso_status vlad_lift(vlad_numbers *numbers, vlad_value x, vlad_value *result, verso_error *error) {
    leaf_context c = {.numbers = numbers};
    return vlad_shape_map(numbers->heap, x, VLAD_NOTHING, lift, &c, result, error);
}

static vlad_value seed(void *context, vlad_value real, vlad_value cotangent) {
    const leaf_context *c = context;
    bool added =
        !belongs(real, c->tag) || vlad_cotangents_add(c->cotangents, vlad_object_of(real)->field[1], cotangent);
    return added ? VLAD_NULL : VLAD_NOTHING;
}

verso_status vlad_seed(vlad_cotangents *cotangents, uint64_t tag, vlad_value y, vlad_value cotangent,
                       verso_error *error) {
    leaf_context c = {.cotangents = cotangents, .tag = tag};
    return vlad_shape_map(cotangents->numbers->heap, y, cotangent, seed, &c, NULL, error);
}

verso_status vlad_lower(vlad_numbers *numbers, uint64_t tag, vlad_value y, vlad_value *result, verso_error *error) {
    leaf_context c = {.numbers = numbers, .tag = tag};
    return vlad_shape_map(numbers->heap, y, VLAD_NOTHING, part_of, &c, result, error);
}

static vlad_value gathered(void *context, vlad_value real, vlad_value other) {
    leaf_context *c = context;
    (void)real, (void)other;
    vlad_value cotangent = vlad_cotangents_of(c->gathered, c->next++);
    return cotangent == VLAD_NOTHING ? vlad_number(0) : cotangent;
}

verso_status vlad_gather_cotangents(const vlad_cotangents *cotangents, vlad_value x, vlad_value *result,
                                    verso_error *error) {
    leaf_context c = {.gathered = cotangents};
    return vlad_shape_map(cotangents->numbers->heap, x, VLAD_NOTHING, gathered, &c, result, error);
}
