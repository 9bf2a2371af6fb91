/* The operators: checks their arguments and computes their values. See interpret.h. */
#include "vlad/check.h"
#include "vlad/environment.h"
#include "vlad/interpret.h"
#include "vlad/player.h"
#include "vlad/vector.h"

#include "base/status.h"

#include <math.h>

/* ---- Refusals ---- */

static bool refuse(vlad_machine *machine, const vlad_expression *e, const char *what, vlad_value value) {
    char text[80];
    vlad_fail_at(machine->sources, e->place, VERSO_STATUS_INVALID, machine->error, "`%s` needs %s, not %s",
                 vlad_operator_name(e->is.operation), what, vlad_value_text(value, text, sizeof text));
    return false;
}

static bool are_reals(vlad_machine *machine, const vlad_expression *e, const vlad_value *values, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (!vlad_is_real(values[i]))
            return refuse(machine, e, count == 1 ? "a real number" : "real numbers", values[i]);
    return true;
}

/* ---- Effects ---- */

static bool read_real(vlad_machine *machine, const vlad_expression *e, vlad_value argument) {
    double number;
    if (argument != VLAD_NULL)
        return refuse(machine, e, "no argument", argument);
    if (vlad_effects_read(machine->effects, &number, machine->error) != VERSO_STATUS_OK)
        return false; /* the message names the place in the input */
    return vlad_give(machine, vlad_number(number));
}

static bool write_real(vlad_machine *machine, const vlad_expression *e, vlad_value argument) {
    if (!are_reals(machine, e, &argument, 1))
        return false;
    if (vlad_effects_write(machine->effects, vlad_number_plain(argument), machine->error) != VERSO_STATUS_OK)
        return vlad_fail_here(machine, e);
    return vlad_give(machine, argument);
}

/* ---- Vectors ---- */

static bool is_vector(vlad_machine *machine, const vlad_expression *e, vlad_value value) {
    return vlad_is_kind(value, VLAD_VECTOR) || refuse(machine, e, "a vector", value);
}

static bool list_to_vector(vlad_machine *machine, const vlad_expression *e, vlad_value list) {
    uint64_t length = 0;
    vlad_value rest = list;
    for (; vlad_is_kind(rest, VLAD_PAIR); rest = vlad_object_of(rest)->field[1])
        length++;
    if (rest != VLAD_NULL)
        return refuse(machine, e, "a list", list);
    vlad_value *elements, vector = vlad_vector_make(&machine->heap, length, &elements);
    for (uint64_t i = 0; vector != VLAD_NOTHING && i < length; i++, list = vlad_object_of(list)->field[1])
        elements[i] = vlad_object_of(list)->field[0];
    return vlad_give(machine, vector);
}

static bool find_element(vlad_machine *machine, const vlad_expression *e, const vlad_value *values, uint64_t *index) {
    if (!is_vector(machine, e, values[0]) || !are_reals(machine, e, &values[1], 1))
        return false;
    double wanted = vlad_number_plain(values[1]);
    uint64_t length = vlad_vector_length(values[0]);
    if (!(wanted >= 0) || wanted != floor(wanted) || wanted >= (double)length) {
        char text[80];
        vlad_fail_at(machine->sources, e->place, VERSO_STATUS_INVALID, machine->error,
                     "there is no element %s in a vector of %llu", vlad_value_text(values[1], text, sizeof text),
                     (unsigned long long)length);
        return false;
    }
    *index = (uint64_t)wanted;
    return true;
}

static bool vector_set(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    uint64_t index;
    return find_element(machine, e, values, &index) &&
           vlad_give(machine, vlad_vector_set(&machine->heap, values[0], index, values[2]));
}

/* Applies the function to the next element, or makes the vector of all results. `list` holds the results so far,
 * the last one first. */
static bool map_next(vlad_machine *machine, vlad_value function, vlad_value vector, uint64_t done, vlad_value list) {
    uint64_t length = vlad_vector_length(vector);
    if (done < length) {
        vlad_value element = vlad_vector_ref(&machine->heap, vector, done);
        if (element == VLAD_NOTHING)
            return vlad_give(machine, element);
        vlad_object *frame = vlad_push_frame(machine, VLAD_FRAME_VECTOR_MAP, NULL, 0, VLAD_MAP_END - VLAD_FRAME_KEPT);
        if (frame == NULL)
            return false;
        frame->field[VLAD_MAP_FUNCTION] = function;
        frame->field[VLAD_MAP_VECTOR] = vector;
        frame->field[VLAD_MAP_DONE] = done;
        frame->field[VLAD_MAP_LIST] = list;
        return vlad_apply(machine, NULL, function, element);
    }
    vlad_value *elements, result = vlad_vector_make(&machine->heap, length, &elements);
    for (uint64_t i = length; result != VLAD_NOTHING && i-- > 0; list = vlad_object_of(list)->field[1])
        elements[i] = vlad_object_of(list)->field[0];
    return vlad_give(machine, result);
}

static bool finish_map(vlad_machine *machine, const vlad_object *frame, vlad_value value) {
    vlad_value list = vlad_pair(&machine->heap, value, frame->field[VLAD_MAP_LIST]);
    if (list == VLAD_NOTHING)
        return vlad_give(machine, list);
    return map_next(machine, frame->field[VLAD_MAP_FUNCTION], frame->field[VLAD_MAP_VECTOR],
                    frame->field[VLAD_MAP_DONE] + 1, list);
}

/* The function is checked here, because later the place of the operator is not known any more. */
static bool map(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    if (!is_vector(machine, e, values[1]))
        return false;
    if (vlad_vector_length(values[1]) > 0 && !vlad_is_kind(values[0], VLAD_CLOSURE)) {
        vlad_refuse_function(machine, e, values[0]);
        return false;
    }
    return map_next(machine, values[0], values[1], 0, VLAD_NULL);
}

/* ---- All operators ---- */

static bool is_what(vlad_operator operation, vlad_value value) {
    switch (operation) {
    case VLAD_IS_NULL: return value == VLAD_NULL;
    case VLAD_IS_BOOLEAN: return value == VLAD_TRUE || value == VLAD_FALSE;
    case VLAD_IS_REAL: return vlad_is_real(value);
    case VLAD_IS_PAIR: return vlad_is_kind(value, VLAD_PAIR);
    case VLAD_IS_VECTOR: return vlad_is_kind(value, VLAD_VECTOR);
    default: return vlad_is_kind(value, VLAD_CLOSURE);
    }
}

static bool operate_on_one(vlad_machine *machine, const vlad_expression *e, vlad_value value) {
    switch (e->is.operation) {
    case VLAD_IS_NULL:
    case VLAD_IS_BOOLEAN:
    case VLAD_IS_REAL:
    case VLAD_IS_PAIR:
    case VLAD_IS_VECTOR:
    case VLAD_IS_PROCEDURE: return vlad_give(machine, vlad_boolean(is_what(e->is.operation, value)));
    case VLAD_READ_REAL: return read_real(machine, e, value);
    case VLAD_WRITE_REAL: return write_real(machine, e, value);
    case VLAD_LIST_TO_VECTOR: return list_to_vector(machine, e, value);
    case VLAD_VECTOR_LENGTH:
        return is_vector(machine, e, value) && vlad_give(machine, vlad_number((double)vlad_vector_length(value)));
    default:
        return are_reals(machine, e, &value, 1) &&
               vlad_give(machine, vlad_number_unary(&machine->numbers, e->is.operation, value));
    }
}

static bool operate_on_two(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    uint64_t index;
    switch (e->is.operation) {
    case VLAD_CONS: return vlad_give(machine, vlad_pair(&machine->heap, values[0], values[1]));
    case VLAD_VECTOR_REF:
        return find_element(machine, e, values, &index) &&
               vlad_give(machine, vlad_vector_ref(&machine->heap, values[0], index));
    case VLAD_VECTOR_MAP: return map(machine, e, values);
    default:
        return are_reals(machine, e, values, 2) &&
               vlad_give(machine, vlad_number_binary(&machine->numbers, e->is.operation, values[0], values[1]));
    }
}

bool vlad_operate(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    switch (vlad_operator_arity(e->is.operation)) {
    case 1: return operate_on_one(machine, e, values[0]);
    case 2: return operate_on_two(machine, e, values);
    default: break;
    }
    if (e->is.operation == VLAD_VECTOR_SET)
        return vector_set(machine, e, values);
    return machine->checking != NULL ? vlad_check(machine, e, values) : vlad_differentiate(machine, e, values);
}

bool vlad_finish(vlad_machine *machine, vlad_frame_kind kind, const vlad_object *frame, vlad_value value) {
    switch (kind) {
    case VLAD_FRAME_FORWARD: return vlad_finish_forward(machine, frame, value);
    case VLAD_FRAME_VECTOR_MAP: return finish_map(machine, frame, value);
    case VLAD_FRAME_CHECKPOINT: return vlad_player_value(machine, value);
    default: return vlad_finish_reverse(machine, frame, value);
    }
}
