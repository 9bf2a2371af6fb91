/* j* and *j: each pushes its own frame and applies its function; the frame completes the operator when the
 * function returns. See interpret.h. */
#include "vlad/interpret.h"

#include "vlad/checkpoint.h"
#include "vlad/differentiate.h"
#include "vlad/player.h"

#include "base/status.h"

bool vlad_fail_here(vlad_machine *machine, const vlad_expression *e) {
    verso_error error = *machine->error;
    vlad_fail_at(machine->sources, e->place, error.status, machine->error, "%s", error.message);
    return false;
}

static const vlad_expression *place_of(const vlad_object *frame) {
    return (const vlad_expression *)(uintptr_t)frame->field[VLAD_AD_PLACE];
}

static bool forward(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    uint64_t tag = vlad_numbers_tag(&machine->numbers);
    vlad_value bundle;
    if (tag == 0) {
        vlad_too_deep(machine->error);
        return vlad_fail_here(machine, e);
    }
    if (vlad_bundle(&machine->numbers, tag, values[1], values[2], &bundle, machine->error) != VERSO_STATUS_OK)
        return vlad_fail_here(machine, e);
    vlad_object *frame = vlad_push_frame(machine, VLAD_FRAME_FORWARD, NULL, 0, VLAD_AD_X - VLAD_FRAME_KEPT);
    if (frame == NULL)
        return false;
    frame->field[VLAD_AD_PLACE] = (uint64_t)(uintptr_t)e;
    frame->field[VLAD_AD_TAG] = tag;
    return vlad_apply(machine, e, values[0], bundle);
}

bool vlad_finish_forward(vlad_machine *machine, const vlad_object *frame, vlad_value value) {
    vlad_value result;
    if (vlad_unbundle(&machine->numbers, frame->field[VLAD_AD_TAG], value, &result, machine->error) != VERSO_STATUS_OK)
        return vlad_fail_here(machine, place_of(frame));
    vlad_numbers_release(&machine->numbers, frame->field[VLAD_AD_TAG]);
    return vlad_give(machine, result);
}

static bool reverse(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    bool checkpointed = e->is.operation == VLAD_J_CHECKPOINT;
    if (checkpointed && machine->checkpointing != NULL)
        return vlad_checkpoint(machine, e, values);
    if (checkpointed && machine->nested != NULL)
        return vlad_player_begin(machine, e, values);
    uint64_t tag = vlad_numbers_tag(&machine->numbers);
    vlad_value lifted;
    if (!vlad_level_begin(&machine->numbers, tag, true)) {
        vlad_too_deep(machine->error);
        return vlad_fail_here(machine, e);
    }
    if (vlad_lift(&machine->numbers, values[1], &lifted, machine->error) != VERSO_STATUS_OK)
        return vlad_fail_here(machine, e);
    vlad_object *frame = vlad_push_frame(machine, VLAD_FRAME_REVERSE, NULL, 0, VLAD_AD_END - VLAD_FRAME_KEPT);
    if (frame == NULL)
        return false;
    frame->field[VLAD_AD_PLACE] = (uint64_t)(uintptr_t)e;
    frame->field[VLAD_AD_TAG] = tag;
    frame->field[VLAD_AD_X] = values[1];
    frame->field[VLAD_AD_COTANGENT] = values[2];
    return vlad_apply(machine, e, values[0], lifted);
}

bool vlad_differentiate(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    return e->is.operation == VLAD_J_FORWARD ? forward(machine, e, values) : reverse(machine, e, values);
}

/* Sets *result to what *j returns for the value y of the topmost level: (primal of y . cotangent of x). */
static verso_status sweep(vlad_machine *machine, vlad_cotangents *cotangents, const vlad_object *frame, vlad_value y,
                          vlad_value *result) {
    vlad_numbers *numbers = &machine->numbers;
    uint32_t level = numbers->count - 1;
    vlad_value primal, cotangent;
    verso_status status = VERSO_STATUS_NO_MEMORY;
    if (vlad_cotangents_turn(cotangents, 0, numbers->levels[level].born))
        status = vlad_seed(cotangents, frame->field[VLAD_AD_TAG], y, frame->field[VLAD_AD_COTANGENT], machine->error);
    if (status == VERSO_STATUS_OK && !vlad_cotangents_sweep(cotangents, level))
        status = VERSO_STATUS_NO_MEMORY;
    if (status == VERSO_STATUS_OK)
        status = vlad_lower(numbers, frame->field[VLAD_AD_TAG], y, &primal, machine->error);
    if (status == VERSO_STATUS_OK)
        status = vlad_gather_cotangents(cotangents, frame->field[VLAD_AD_X], &cotangent, machine->error);
    if (status == VERSO_STATUS_OK)
        *result = vlad_pair(numbers->heap, primal, cotangent);
    return status == VERSO_STATUS_NO_MEMORY || (status == VERSO_STATUS_OK && *result == VLAD_NOTHING)
               ? vlad_heap_failure(numbers->heap, machine->error)
               : status;
}

bool vlad_finish_reverse(vlad_machine *machine, const vlad_object *frame, vlad_value value) {
    vlad_cotangents cotangents;
    vlad_value result;
    vlad_cotangents_open(&cotangents, &machine->numbers);
    verso_status status = sweep(machine, &cotangents, frame, value, &result);
    vlad_cotangents_close(&cotangents);
    if (status != VERSO_STATUS_OK)
        return vlad_fail_here(machine, place_of(frame));
    vlad_level_end(&machine->numbers);
    vlad_numbers_release(&machine->numbers, frame->field[VLAD_AD_TAG]);
    return vlad_give(machine, result);
}
