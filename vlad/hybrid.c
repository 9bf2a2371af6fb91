/* The evaluator in direct style for converted programs: section 3.12 of the paper, figure 16. See cps.h and
 * machine.h.
 *
 * In CPS every call is a tail call, so the evaluator is a loop without recursion. A continuation is a closure
 * (lambda_3, k, f, locals, values), as far as it captures these, or a frame that an operator has pushed; the
 * latter corresponds to the host closures of the figure (interpret.h).
 *
 * Functions of the program are closures of the core's lambdas with the variables that the core prescribes. So
 * operators do not depend on the evaluator, and derivatives have the same bits.
 *
 * When the loop ends, `at` and `term` name the next step; if `at` is NULL, a value goes to k next. */
#include "vlad/cps.h"
#include "vlad/environment.h"
#include "vlad/interpret.h"

/* ---- Captured variables ---- */

/* The fields of a continuation. */
enum { CLOSURE_LAMBDA, CLOSURE_K, CLOSURE_CAPTURED };

static uint64_t count_captured(const vlad_cps_captured *captured) {
    return (uint64_t)captured->function + captured->count[0] + captured->count[1] + captured->values;
}

static void capture(const vlad_machine *machine, const vlad_cps_captured *captured, vlad_value *to) {
    const vlad_value *registers = machine->registers;
    if (captured->function)
        *to++ = registers[VLAD_SELF];
    for (int set = 0; set < 2; set++)
        for (uint32_t i = 0; i < captured->count[set]; i++)
            *to++ = registers[VLAD_FIRST_LOCAL + (size_t)captured->locals[set][i]];
    for (uint32_t i = 0; i < captured->values; i++)
        *to++ = registers[VLAD_VALUES + i];
}

static void bring_back(vlad_machine *machine, const vlad_cps_captured *captured, const vlad_value *from) {
    vlad_value *registers = machine->registers;
    if (captured->function)
        registers[VLAD_SELF] = *from++;
    for (int set = 0; set < 2; set++)
        for (uint32_t i = 0; i < captured->count[set]; i++)
            registers[VLAD_FIRST_LOCAL + (size_t)captured->locals[set][i]] = *from++;
    for (uint32_t i = 0; i < captured->values; i++)
        registers[VLAD_VALUES + i] = *from++;
}

/* Clears all registers other than k and the captured ones, so that they do not keep objects alive. */
static void forget_rest(vlad_machine *machine, const vlad_cps_captured *captured) {
    uint32_t next[2] = {0, 0};
    machine->registers[VLAD_RESULT] = VLAD_NULL;
    if (!captured->function)
        machine->registers[VLAD_SELF] = VLAD_NULL;
    for (uint32_t i = captured->values; i < VLAD_PARTS; i++)
        machine->registers[VLAD_VALUES + i] = VLAD_NULL;
    for (size_t i = 0; i < machine->register_count - VLAD_FIRST_LOCAL; i++) {
        bool alive = false;
        for (int set = 0; set < 2; set++)
            if (next[set] < captured->count[set] && captured->locals[set][next[set]] == i) {
                next[set]++;
                alive = true;
            }
        if (!alive)
            machine->registers[VLAD_FIRST_LOCAL + i] = VLAD_NULL;
    }
}

/* ---- Continuations ---- */

/* Makes k a closure of lambda_3 (65). Returns false if there is no memory. */
static bool push(vlad_machine *machine, const vlad_cps_continuation *lambda) {
    uint64_t fields = CLOSURE_CAPTURED + count_captured(&lambda->captured);
    vlad_object *closure = vlad_make(&machine->heap, VLAD_CONVERTED, fields);
    if (closure == NULL)
        return vlad_exhausted(machine);
    closure->field[CLOSURE_LAMBDA] = (uint64_t)(uintptr_t)lambda;
    closure->field[CLOSURE_K] = machine->registers[VLAD_CONTINUATION];
    capture(machine, &lambda->captured, &closure->field[CLOSURE_CAPTURED]);
    machine->registers[VLAD_CONTINUATION] = vlad_value_of(closure);
    return true;
}

/* A_3 (63): continues with a continuation. */
static const vlad_cps_term *enter(vlad_machine *machine, const vlad_object *closure, vlad_value value) {
    const vlad_cps_continuation *lambda = (const vlad_cps_continuation *)(uintptr_t)closure->field[CLOSURE_LAMBDA];
    machine->registers[VLAD_CONTINUATION] = closure->field[CLOSURE_K];
    bring_back(machine, &lambda->captured, &closure->field[CLOSURE_CAPTURED]);
    machine->registers[VLAD_VALUES + lambda->value] = value;
    return lambda->body;
}

/* Passes the result to an operator's frame. */
static bool finish(vlad_machine *machine, const vlad_object *frame) {
    machine->registers[VLAD_CONTINUATION] = frame->field[VLAD_FRAME_NEXT];
    machine->registers[VLAD_SELF] = VLAD_NULL;
    return vlad_finish(machine, (vlad_frame_kind)frame->field[VLAD_FRAME_WHAT], frame, machine->registers[VLAD_RESULT]);
}

/* ---- Terms ---- */

/* A_4 (64): applies a function. */
static bool apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument) {
    const vlad_lambda *lambda = vlad_enter(machine, e, function, argument);
    if (lambda != NULL)
        machine->term = machine->converted->lambdas[lambda->number];
    return lambda != NULL;
}

/* Applies an operator to copies of its arguments, since it may apply functions that overwrite the registers. */
static bool operate(vlad_machine *machine, const vlad_cps_term *term) {
    vlad_value values[VLAD_PARTS];
    for (uint32_t i = 0; i < term->value; i++)
        values[i] = machine->registers[VLAD_VALUES + i];
    machine->registers[VLAD_SELF] = VLAD_NULL; /* no operator needs it */
    return vlad_operate(machine, term->e, values);
}

/* Collects before a step. Returns false if memory does not suffice. */
static bool collect(vlad_machine *machine, const vlad_cps_term *step) {
    forget_rest(machine, &step->is.captured);
    return vlad_heap_collect(&machine->heap, machine->error) == VERSO_STATUS_OK;
}

/* Evaluates a term that is not a STEP. Returns false if the machine has failed. Sets *next to NULL if `at` and
 * `term` determine what follows. */
static inline bool evaluate(vlad_machine *machine, const vlad_cps_term *term, const vlad_cps_term **next) {
    vlad_value *values = &machine->registers[VLAD_VALUES];
    *next = term->next;
    switch (term->kind) {
    case VLAD_CPS_RETURN: return vlad_give(machine, vlad_atom(machine, term->e));
    case VLAD_CPS_SET:
        values[term->value] = vlad_atom(machine, term->e);
        return values[term->value] != VLAD_NOTHING || vlad_exhausted(machine);
    case VLAD_CPS_PUSH: return push(machine, term->is.continuation);
    case VLAD_CPS_CALL: return apply(machine, term->e, values[0], values[1]);
    case VLAD_CPS_OPERATE: return operate(machine, term);
    case VLAD_CPS_MATCH: return vlad_bind(machine, term->e->is.pattern, values[0]);
    case VLAD_CPS_LETREC: return vlad_bind_letrec(machine, term->e);
    default: /* VLAD_CPS_BRANCH */
        if (values[0] == VLAD_FALSE)
            *next = term->is.otherwise;
        return true;
    }
}

/* ---- Running ---- */

/* Sets *term to the next term: that of `at` and `term`, or the body of the continuation, which receives the
 * result. Sets it to NULL after an operator's frame has run. Returns false if the machine has failed. */
static bool next_term(vlad_machine *machine, const vlad_cps_term **term) {
    *term = NULL;
    if (machine->at != NULL) {
        *term = machine->term;
        return true;
    }
    const vlad_object *k = vlad_object_of(machine->registers[VLAD_CONTINUATION]);
    if (vlad_kind_of(k) != VLAD_CONVERTED)
        return finish(machine, k);
    *term = enter(machine, k, machine->registers[VLAD_RESULT]);
    return true;
}

static vlad_outcome run_to(vlad_machine *machine, uint64_t stop) {
    uint32_t players = machine->player_count;
    const vlad_cps_term *term = NULL;
    for (;;) {
        if (term == NULL) {
            if (machine->player_count != players || machine->replayed)
                return VLAD_INTERRUPTED; /* the stops have changed */
            if (machine->at == NULL && machine->registers[VLAD_CONTINUATION] == VLAD_NULL)
                return VLAD_ENDED;
            if (!next_term(machine, &term))
                return VLAD_FAILED;
        } else if (term->kind != VLAD_CPS_STEP) {
            if (!evaluate(machine, term, &term))
                return VLAD_FAILED;
        } else {
            bool stops = machine->steps >= stop;
            if (stops || machine->heap.wanted) { /* a failed collection can be repeated from here */
                machine->at = term->e;
                machine->term = term;
            }
            if (machine->heap.wanted && !collect(machine, term))
                return VLAD_FAILED;
            if (stops)
                return VLAD_INTERRUPTED;
            if (vlad_is_interrupted(machine))
                return VLAD_FAILED;
            machine->steps++;
            term = term->next;
        }
    }
}

/* ---- The evaluator ---- */

static verso_status convert(vlad_machine *machine, const vlad_program *program, vlad_sources *sources,
                            verso_error *error) {
    vlad_cps *converted = vlad_sources_alloc(sources, sizeof *converted);
    if (converted == NULL)
        return vlad_no_memory(error);
    machine->converted = converted;
    return vlad_cps_convert(sources, program, converted, error);
}

static void begin(vlad_machine *machine, const vlad_expression *expression) {
    machine->at = expression;
    machine->term = expression != NULL ? machine->converted->expressions[expression->number] : NULL;
}

static uint64_t kept(const vlad_machine *machine) {
    return machine->at != NULL ? count_captured(&machine->term->is.captured) : 0;
}

/* Saves the capsule [k, f] of (61): where f begins, and what it captures. */
static void keep(const vlad_machine *machine, vlad_object *capsule, vlad_value *rest) {
    const vlad_cps_term *step = machine->at != NULL ? machine->term : NULL;
    capsule->field[VLAD_CAPSULE_AT] = (uint64_t)(uintptr_t)step;
    capsule->field[VLAD_CAPSULE_PHASE] = 0;
    capsule->field[VLAD_CAPSULE_SELF] = VLAD_NULL;
    if (step != NULL)
        capture(machine, &step->is.captured, rest);
}

static void put_back(vlad_machine *machine, const vlad_object *capsule, const vlad_value *rest) {
    const vlad_cps_term *step = (const vlad_cps_term *)(uintptr_t)capsule->field[VLAD_CAPSULE_AT];
    machine->term = step;
    machine->at = step != NULL ? step->e : NULL;
    if (step != NULL)
        bring_back(machine, &step->is.captured, rest);
}

const vlad_evaluator vlad_hybrid = {.open = convert,
                                    .begin = begin,
                                    .apply = apply,
                                    .run_to = run_to,
                                    .kept = kept,
                                    .keep = keep,
                                    .put_back = put_back};
