/* See environment.h. */
#include "vlad/environment.h"

#include "vlad/interpret.h"

#include "base/status.h"

/* ---- Closures ---- */

/* Makes an object from `what` and the values of `count` variables. */
static vlad_value gather(vlad_machine *machine, vlad_object_kind kind, const void *what, const vlad_reference *from,
                         uint32_t count) {
    vlad_object *object = vlad_make(&machine->heap, kind, 1 + (uint64_t)count);
    if (object == NULL)
        return VLAD_NOTHING;
    object->field[0] = (uint64_t)(uintptr_t)what;
    for (uint32_t i = 0; i < count; i++) {
        object->field[1 + i] = vlad_look_up(machine, &from[i]);
        if (object->field[1 + i] == VLAD_NOTHING)
            return VLAD_NOTHING;
    }
    return vlad_value_of(object);
}

vlad_value vlad_capture(vlad_machine *machine, const vlad_lambda *lambda) {
    return gather(machine, VLAD_CLOSURE, lambda, lambda->captured, lambda->captured_count);
}

bool vlad_bind_letrec(vlad_machine *machine, const vlad_expression *e) {
    const vlad_letrec *letrec = e->is.letrec;
    vlad_value group = gather(machine, VLAD_GROUP_VALUES, letrec, letrec->group, letrec->group_count);
    for (uint32_t i = 0; group != VLAD_NOTHING && i < letrec->count; i++) {
        vlad_value closure = vlad_make_closure(machine, letrec->lambdas[i], group);
        *vlad_local(machine, e->first_local + i) = closure;
        group = closure == VLAD_NOTHING ? closure : group;
    }
    return group != VLAD_NOTHING || vlad_exhausted(machine);
}

void vlad_refuse_function(vlad_machine *machine, const vlad_expression *e, vlad_value function) {
    char text[80];
    vlad_value_text(function, text, sizeof text);
    if (e == NULL)
        verso__fail(machine->error, VERSO_STATUS_INVALID, "not a function: %s", text);
    else
        vlad_fail_at(machine->sources, e->place, VERSO_STATUS_INVALID, machine->error, "not a function: %s", text);
}

/* ---- Binding ---- */

static vlad_value compare(void *different, vlad_value a, vlad_value b) {
    *(bool *)different |= vlad_number_plain(a) != vlad_number_plain(b);
    return VLAD_NULL;
}

static bool refuse_match(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value) {
    char text[80], wanted[80];
    if (pattern->kind == VLAD_MATCH)
        vlad_value_text(pattern->constant, wanted, sizeof wanted);
    vlad_fail_at(machine->sources, pattern->place, VERSO_STATUS_INVALID, machine->error,
                 "this parameter takes %s, not %s", pattern->kind == VLAD_MATCH ? wanted : "a pair",
                 vlad_value_text(value, text, sizeof text));
    return false;
}

/* True if the value equals the constant of the pattern; pairs are compared recursively. */
static bool match(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value) {
    bool different = false;
    verso_status status =
        vlad_shape_map(&machine->heap, value, pattern->constant, compare, &different, NULL, machine->error);
    if (status == VERSO_STATUS_NO_MEMORY)
        return false;
    return (status == VERSO_STATUS_OK && !different) || refuse_match(machine, pattern, value);
}

/* The second part of a pair waits on a stack until the first one is bound. */
bool vlad_take_apart(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value) {
    for (size_t waiting = 0;; waiting--) {
        for (; pattern->kind == VLAD_TAKE; waiting++) {
            vlad_pending *later = vlad_is_kind(value, VLAD_PAIR) ? vlad_push(&machine->binding) : NULL;
            if (later == NULL)
                return vlad_is_kind(value, VLAD_PAIR) ? vlad_exhausted(machine) : refuse_match(machine, pattern, value);
            const vlad_object *pair = vlad_object_of(value);
            *later = (vlad_pending){pattern->second, pair->field[1]};
            pattern = pattern->first;
            value = pair->field[0];
        }
        if (pattern->kind == VLAD_BIND)
            *vlad_local(machine, pattern->local) = value;
        else if (!match(machine, pattern, value))
            return false;
        if (waiting == 0)
            return true;
        const vlad_pending *next = vlad_pop(&machine->binding);
        pattern = next->pattern;
        value = next->value;
    }
}
