/* Variables: where they are looked up, how they are bound, what a closure keeps of them. Locals lie in registers; what
 * a closure has captured is reached through it (VLAD_SELF). See core.h.
 *
 * Here is what evaluators that walk over a program do most; so it is inline. */
#ifndef VLAD_ENVIRONMENT_H
#define VLAD_ENVIRONMENT_H

#include "vlad/machine.h"

static inline vlad_value *vlad_local(vlad_machine *machine, uint32_t number) {
    return &machine->registers[VLAD_FIRST_LOCAL + (size_t)number];
}

/* Of a lambda in a letrec. VLAD_NOTHING: the heap is exhausted. */
static inline vlad_value vlad_make_closure(vlad_machine *machine, const vlad_lambda *lambda, vlad_value group) {
    vlad_object *closure = vlad_make(&machine->heap, VLAD_CLOSURE, 2);
    if (closure == NULL)
        return VLAD_NOTHING;
    closure->field[0] = (uint64_t)(uintptr_t)lambda;
    closure->field[1] = group;
    return vlad_value_of(closure);
}

static inline const vlad_lambda *vlad_lambda_of(vlad_value closure) {
    return (const vlad_lambda *)(uintptr_t)vlad_object_of(closure)->field[0];
}

/* VLAD_NOTHING: the heap is exhausted. */
static inline vlad_value vlad_look_up(vlad_machine *machine, const vlad_reference *reference) {
    const vlad_value self = machine->registers[VLAD_SELF];
    switch (reference->where) {
    case VLAD_LOCAL: return *vlad_local(machine, reference->index);
    case VLAD_CAPTURED: return vlad_object_of(self)->field[1 + reference->index];
    case VLAD_GROUP: return vlad_object_of(vlad_object_of(self)->field[1])->field[1 + reference->index];
    case VLAD_SIBLING: break;
    }
    return vlad_make_closure(machine, vlad_lambda_of(self)->letrec->lambdas[reference->index],
                             vlad_object_of(self)->field[1]);
}

/* The value of a constant, a variable or a lambda. VLAD_NOTHING: the heap is exhausted. */
vlad_value vlad_capture(vlad_machine *machine, const vlad_lambda *lambda);
static inline vlad_value vlad_atom(vlad_machine *machine, const vlad_expression *e) {
    switch (e->kind) {
    case VLAD_CONSTANT: return e->is.constant;
    case VLAD_VARIABLE: return vlad_look_up(machine, &e->is.variable);
    default: return vlad_capture(machine, e->is.lambda);
    }
}

/* The closures of a letrec, in its locals. False: the machine has failed. */
bool vlad_bind_letrec(vlad_machine *machine, const vlad_expression *e);

/* Locals get their values from a value that is taken apart. False: the machine has failed. */
bool vlad_take_apart(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value);
static inline bool vlad_bind(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value) {
    if (pattern->kind != VLAD_BIND)
        return vlad_take_apart(machine, pattern, value);
    *vlad_local(machine, pattern->local) = value;
    return true;
}

/* The function that is applied to something: its lambda, when its body is what comes next and its parameter is bound.
 * NULL: the machine has failed. `e`: where it is written; NULL: nowhere. */
void vlad_refuse_function(vlad_machine *machine, const vlad_expression *e, vlad_value function);
static inline const vlad_lambda *vlad_enter(vlad_machine *machine, const vlad_expression *e, vlad_value function,
                                            vlad_value argument) {
    if (!vlad_is_kind(function, VLAD_CLOSURE)) {
        vlad_refuse_function(machine, e, function);
        return NULL;
    }
    const vlad_lambda *lambda = vlad_lambda_of(function);
    machine->registers[VLAD_SELF] = function;
    machine->at = lambda->body;
    return vlad_bind(machine, lambda->parameter, argument) ? lambda : NULL;
}

#endif
