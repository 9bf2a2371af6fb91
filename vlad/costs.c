/* Determines which expressions are evaluated in place, and their costs: see emit.h. Small lambdas that call only
 * such lambdas are inlined; a recursive lambda never qualifies. */
#include "vlad/emit.h"

#include "vlad/code.h"

enum { ROUNDS = 6 }; /* maximum depth of inlining */

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static vlad_cost one(void) {
    return (vlad_cost){.flat = true, .depth = 1, .size = 1};
}

static vlad_cost together(vlad_cost a, vlad_cost b) {
    return (vlad_cost){.flat = a.flat && b.flat,
                       .selfish = a.selfish || b.selfish,
                       .depth = larger(a.depth, b.depth),
                       .size = a.size + b.size};
}

/* Returns the cost of an operation with these parts. */
static vlad_cost around(vlad_cost parts) {
    parts.depth++;
    parts.size++;
    parts.flat = parts.flat && parts.depth <= FLAT_DEPTH && parts.size <= FLAT_SIZE;
    return parts;
}

static vlad_cost of_variable(const vlad_emitter *g, const vlad_expression *e) {
    const vlad_lambda *known = g->survey.known[e->number];
    bool closed = known != NULL && vlad_is_closed(known);
    vlad_cost cost = one();
    cost.selfish = e->is.variable.where != VLAD_LOCAL && !closed;
    return cost;
}

static vlad_cost of_lambda(const vlad_lambda *lambda) {
    vlad_cost cost = one();
    cost.size += lambda->captured_count;
    cost.selfish = !vlad_is_closed(lambda);
    cost.flat = cost.size <= FLAT_SIZE;
    return cost;
}

bool vlad_gives_at_once(vlad_operator operation) {
    return operation != VLAD_VECTOR_MAP && operation != VLAD_J_FORWARD && operation != VLAD_J_REVERSE &&
           operation != VLAD_J_CHECKPOINT;
}

static vlad_cost of_parts(const vlad_emitter *g, const vlad_expression *e) {
    vlad_cost cost = g->costs[e->parts[0]->number];
    for (unsigned i = 1; i < vlad_operator_arity(e->is.operation); i++)
        cost = together(cost, g->costs[e->parts[i]->number]);
    cost.flat = cost.flat && vlad_gives_at_once(e->is.operation);
    return around(cost);
}

static bool count_pattern(const vlad_pattern *pattern, uint32_t *parts) {
    for (; pattern->kind == VLAD_TAKE; pattern = pattern->second)
        if (++*parts > PATTERN_SIZE || !count_pattern(pattern->first, parts))
            return false;
    return true;
}

static bool is_small(const vlad_pattern *pattern) {
    uint32_t parts = 0;
    return count_pattern(pattern, &parts);
}

bool vlad_is_compiled(const vlad_expression *e) {
    return e->kind != VLAD_LET || is_small(e->is.pattern);
}

bool vlad_is_compiled_lambda(const vlad_emitter *g, const vlad_lambda *lambda) {
    return !g->left_out[lambda->number] && is_small(lambda->parameter) && vlad_is_compiled(lambda->body);
}

const vlad_lambda *vlad_callee(const vlad_emitter *g, const vlad_expression *e) {
    const vlad_expression *function = e->parts[0];
    const vlad_lambda *known = function->kind == VLAD_VARIABLE ? g->survey.known[function->number] : NULL;
    return known != NULL && vlad_is_compiled_lambda(g, known) ? known : NULL;
}

static vlad_cost of_application(const vlad_emitter *g, const vlad_expression *e) {
    const vlad_lambda *callee = vlad_callee(g, e);
    if (callee == NULL || !g->placed[callee->number])
        return (vlad_cost){.flat = false};
    return around(together(g->costs[e->parts[1]->number], g->costs[callee->body->number]));
}

static vlad_cost of_let(const vlad_emitter *g, const vlad_expression *e) {
    if (!vlad_is_compiled(e))
        return (vlad_cost){.flat = false};
    return around(together(g->costs[e->parts[0]->number], g->costs[e->parts[1]->number]));
}

static vlad_cost cost_of(const vlad_emitter *g, const vlad_expression *e) {
    const vlad_cost *costs = g->costs;
    switch (e->kind) {
    case VLAD_CONSTANT: return one();
    case VLAD_VARIABLE: return of_variable(g, e);
    case VLAD_LAMBDA: return of_lambda(e->is.lambda);
    case VLAD_APPLICATION: return of_application(g, e);
    case VLAD_LET: return of_let(g, e);
    case VLAD_IF:
        return around(
            together(costs[e->parts[0]->number], together(costs[e->parts[1]->number], costs[e->parts[2]->number])));
    case VLAD_UNARY:
    case VLAD_BINARY:
    case VLAD_TERNARY: return of_parts(g, e);
    default: return (vlad_cost){.flat = false};
    }
}

void vlad_costs_make(vlad_emitter *g) {
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; round++) {
        for (uint32_t i = g->survey.visited; i-- > 0;) {
            const vlad_expression *e = g->survey.index.expressions[g->survey.order[i]];
            g->costs[e->number] = cost_of(g, e);
        }
        changed = false;
        for (uint32_t i = 0; i < g->survey.index.lambda_count && round + 1 < ROUNDS; i++) {
            const vlad_lambda *lambda = g->survey.index.lambdas[i];
            if (lambda == NULL)
                continue;
            const vlad_cost *cost = &g->costs[lambda->body->number];
            if (!g->placed[i] && cost->flat && !cost->selfish && cost->size <= PLACED_SIZE &&
                vlad_is_compiled_lambda(g, lambda))
                changed = g->placed[i] = true;
        }
    }
}
