/* Variables: how evaluators look them up and bind them, and what a closure captures. Locals are in registers;
 * captured variables are read through the closure (VLAD_SELF). See core.h.
 *
 * The functions are inline because evaluators spend most of their time in them. */
#ifndef VLAD_ENVIRONMENT_H
#define VLAD_ENVIRONMENT_H

#include "vlad/machine.h"

/* Returns the register of a local. */
static inline vlad_value *vlad_local(vlad_machine *machine, uint32_t number) {
    return &machine->registers[VLAD_FIRST_LOCAL + (size_t)number];
}

/* Makes the closure of a lambda of a letrec. Returns VLAD_NOTHING if the heap is exhausted. */
static inline vlad_value vlad_make_closure(vlad_machine *machine, const vlad_lambda *lambda, vlad_value group) {
    vlad_object *closure = vlad_make(&machine->heap, VLAD_CLOSURE, 2);
    if (closure == NULL)
        return VLAD_NOTHING;
    closure->field[0] = (uint64_t)(uintptr_t)lambda;
    closure->field[1] = group;
    return vlad_value_of(closure);
}

/* Returns the lambda of a closure. */
static inline const vlad_lambda *vlad_lambda_of(vlad_value closure) {
    return (const vlad_lambda *)(uintptr_t)vlad_object_of(closure)->field[0];
}

/* Returns the value of a variable; VLAD_NOTHING if the heap is exhausted. */
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

/* vlad_atom returns the value of a constant, a variable or a lambda; vlad_capture makes the closure of a lambda.
 * Both return VLAD_NOTHING if the heap is exhausted. */
vlad_value vlad_capture(vlad_machine *machine, const vlad_lambda *lambda);
static inline vlad_value vlad_atom(vlad_machine *machine, const vlad_expression *e) {
    switch (e->kind) {
    case VLAD_CONSTANT: return e->is.constant;
    case VLAD_VARIABLE: return vlad_look_up(machine, &e->is.variable);
    default: return vlad_capture(machine, e->is.lambda);
    }
}

/* Sets the locals of a letrec to its closures. Returns false if the machine has failed. */
bool vlad_bind_letrec(vlad_machine *machine, const vlad_expression *e);

/* Match a value against a pattern and set its locals. Return false if the machine has failed. */
bool vlad_take_apart(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value);
static inline bool vlad_bind(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value) {
    if (pattern->kind != VLAD_BIND)
        return vlad_take_apart(machine, pattern, value);
    *vlad_local(machine, pattern->local) = value;
    return true;
}

/* Binds the parameter of a function to `argument` and makes its body the next expression. Returns the function's
 * lambda, or NULL if the machine has failed. `e` is the application in the program; NULL: there is none. */
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
