/* Lowering: turns reversible trees into irreversible ones. Checks become statements, ancillas become variables.
 * With bars, the tree is the inverse of a function, and each instruction also propagates the bars through the
 * instruction that it undoes. */
#include "rev/length.h"
#include "rev/lower_parts.h"
#include "rev/passes.h"
#include "rev/print.h"

#include <string.h>

static void lower_block(rev_lowering *l, const rev_block *block);

/* ---- Small parts ---- */

static rev_block *lowered(rev_lowering *l, const rev_block *block) {
    rev_block *outer = l->out;
    rev_block *made = l->out = rev_block_new(l->unit, block->end);
    lower_block(l, block);
    l->out = outer;
    return made;
}

static rev_statement *emit(rev_lowering *l, rev_statement_kind kind) {
    rev_statement *statement = rev_s_new(l->unit, kind, l->place);
    rev_block_add(l->unit, l->out, statement);
    return statement;
}

static rev_expr *name_value(rev_lowering *l, rev_expr *value, const rev_type *type) {
    return rev_e_name(l->unit, rev_name_value(l, value, type));
}

static bool has_bar(const rev_lowering *l, const rev_expr *place) {
    return l->bars && rev_has_shadow(place);
}

/* ---- Instructions ---- */

/* Integers: checks that the factor is not zero, and that a division has no remainder. */
static void check_exact(rev_lowering *l, const rev_statement *s) {
    if (!l->checks || s->target->type->kind == REV_ULOG || !strchr("*/", s->op[0]))
        return;
    rev_expr *zero = rev_e_number(l->unit, "0"), *holds = rev_e_binary(l->unit, "!=", s->value, zero);
    if (s->op[0] == '/')
        holds = rev_e_binary(l->unit, "&&", holds,
                             rev_e_binary(l->unit, "==", rev_e_binary(l->unit, "%", s->target, s->value), zero));
    rev_emit_check(l, "rev_check_true", holds, NULL, rev_text_of_expr(l->unit, l->program, holds));
}

void rev_check_apart(rev_lowering *l, const rev_expr *target, const rev_expr *e) {
    bool number = rev_e_is_place(e) && rev_is_scalar(e->type);
    if (number && rev_overlaps(target, e) == REV_PERHAPS)
        rev_emit_check(l, "rev_check_apart", (rev_expr *)(uintptr_t)target, (rev_expr *)(uintptr_t)e,
                       rev_format(l->unit, "%s and %s are different places",
                                  rev_text_of_expr(l->unit, l->program, target),
                                  rev_text_of_expr(l->unit, l->program, e)));
    for (size_t i = 0; i < e->count; i++)
        rev_check_apart(l, target, e->parts[i]);
}

void rev_check_index(rev_lowering *l, const rev_expr *written, const rev_expr *place) {
    rev_effects indices = rev_effects_of_indices(l->unit, place);
    for (size_t i = 0; i < indices.count; i++)
        rev_check_apart(l, written, indices.items[i].place);
}

static void lower_update(rev_lowering *l, const rev_statement *s) {
    check_exact(l, s);
    if (l->checks) {
        rev_check_index(l, s->target, s->target);
        rev_check_apart(l, s->target, s->value);
    }
    rev_lower_update(l, s->target, s->op, s->value);
}

static void exchange(rev_lowering *l, rev_expr *a, rev_expr *b) {
    rev_expr *kept = name_value(l, a, a->type);
    rev_emit_assign(l, a, "=", b);
    rev_emit_assign(l, b, "=", kept);
}

/* Checks the indices of the two places that an instruction exchanges or rotates. */
static void check_both_indices(rev_lowering *l, const rev_statement *s) {
    const rev_expr *both[] = {s->target, s->value};
    for (int i = 0; l->checks && i < 4; i++)
        rev_check_index(l, both[i / 2], both[i % 2]);
}

static void lower_swap(rev_lowering *l, const rev_statement *s) {
    check_both_indices(l, s);
    exchange(l, s->target, s->value);
    if (has_bar(l, s->target) && has_bar(l, s->value))
        exchange(l, rev_shadow(l->unit, s->target, rev_bar), rev_shadow(l->unit, s->value, rev_bar));
}

static void lower_neg(rev_lowering *l, const rev_statement *s) {
    if (l->checks)
        rev_check_index(l, s->target, s->target);
    rev_emit_assign(l, s->target, "=", rev_e_unary(l->unit, "-", s->target));
    if (has_bar(l, s->target)) {
        rev_expr *bar = rev_shadow(l->unit, s->target, rev_bar);
        rev_emit_assign(l, bar, "=", rev_e_unary(l->unit, "-", bar));
    }
}

static rev_expr *combine(rev_lowering *l, rev_expr *a, rev_expr *x, const char *op, rev_expr *b, rev_expr *y) {
    return rev_e_binary(l->unit, op, rev_e_binary(l->unit, "*", a, x), rev_e_binary(l->unit, "*", b, y));
}

/* (a, b) := (a c - b s, a s + b c); backwards: with -s. */
static void turn(rev_lowering *l, rev_expr *a, rev_expr *b, rev_expr *c, rev_expr *s, bool backwards,
                 rev_expr *old[2]) {
    old[0] = name_value(l, a, a->type);
    old[1] = name_value(l, b, b->type);
    rev_emit_assign(l, a, "=", combine(l, old[0], c, backwards ? "+" : "-", old[1], s));
    rev_emit_assign(l, b, "=", combine(l, old[1], c, backwards ? "-" : "+", old[0], s));
}

static void lower_rot(rev_lowering *l, const rev_statement *s) {
    check_both_indices(l, s);
    if (l->checks) {
        rev_check_apart(l, s->target, s->value);
        rev_check_apart(l, s->target, s->extra);
        rev_check_apart(l, s->value, s->extra);
    }
    const rev_type *real = rev_type_basic(l->unit, REV_DOUBLE);
    rev_expr *angle = rev_e_is_simple(s->extra) || rev_e_is_place(s->extra) ? s->extra : name_value(l, s->extra, real);
    rev_expr *c = name_value(l, rev_e_call1(l->unit, "cos", real, angle), real);
    rev_expr *sine = name_value(l, rev_e_call1(l->unit, "sin", real, angle), real);
    rev_expr *values[2], *bars[2];
    turn(l, s->target, s->value, c, sine, s->flag, values);
    if (!has_bar(l, s->target) || !has_bar(l, s->value))
        return;
    rev_expr *a_bar = rev_shadow(l->unit, s->target, rev_bar), *b_bar = rev_shadow(l->unit, s->value, rev_bar);
    turn(l, a_bar, b_bar, c, sine, s->flag, bars);
    if (rev_has_active(s->extra))
        rev_push_bars(l, s->extra, combine(l, bars[1], values[0], "-", bars[0], values[1]), !s->flag);
}

/* ---- Stacks ---- */

static void emit_stack(rev_lowering *l, const rev_statement *s, const char *macro, rev_expr *stack, rev_expr *value) {
    rev_statement *made = emit(l, s->kind);
    made->text = macro;
    made->target = stack;
    made->value = value;
}

/* If a value was pushed by code without bars, its bar is zero. */
static void lower_stack(rev_lowering *l, const rev_statement *s) {
    bool pushes = s->kind == REV_S_PUSH;
    if (!pushes && l->checks)
        rev_check_kept(
            l, s->value, NULL,
            rev_format(l->unit, "%s == 0 before it is popped", rev_text_of_expr(l->unit, l->program, s->value)));
    emit_stack(l, s, pushes ? "rev_stack_push" : "rev_stack_pop", s->target, s->value);
    rev_expr *stack = l->bars ? rev_shadow(l->unit, s->target, rev_bar) : NULL;
    if (stack && has_bar(l, s->value))
        emit_stack(l, s, pushes ? "rev_stack_push" : "rev_stack_pop_bar", stack,
                   rev_shadow(l->unit, s->value, rev_bar));
}

/* ---- Control ---- */

static rev_expr *as_truth(rev_lowering *l, rev_expr *e) {
    bool truth = e->kind == REV_E_UNARY && e->name[0] == '!';
    return truth ? e : rev_e_binary(l->unit, "!=", e, rev_e_number(l->unit, "0"));
}

static void lower_if(rev_lowering *l, const rev_statement *s) {
    bool checked = l->checks && !s->flag;
    rev_expr *condition = s->value;
    if (checked)
        condition = name_value(l, as_truth(l, s->value), rev_type_basic(l->unit, REV_INTEGER));
    rev_statement *made = emit(l, REV_S_IF);
    made->value = condition;
    made->body = lowered(l, s->body);
    if (s->other)
        made->other = lowered(l, s->other);
    l->place = s->place;
    rev_expr *after = s->extra ? s->extra : s->value;
    if (checked)
        rev_emit_check(l, "rev_check_true", rev_e_binary(l->unit, "==", condition, as_truth(l, after)), NULL,
                       rev_format(l->unit, "fi (%s)", rev_text_of_expr(l->unit, l->program, after)));
}

static void lower_from(rev_lowering *l, const rev_statement *s) {
    const char *text = rev_format(l->unit, "from (%s)", rev_text_of_expr(l->unit, l->program, s->target));
    if (l->checks)
        rev_emit_check(l, "rev_check_true", s->target, NULL, text);
    rev_statement *made = emit(l, REV_S_WHILE);
    made->value = s->value;
    made->body = lowered(l, s->body);
    l->place = s->place;
    if (!l->checks)
        return;
    rev_block *outer = l->out;
    l->out = made->body;
    rev_emit_check(l, "rev_check_true", rev_e_unary(l->unit, "!", s->target), NULL, rev_format(l->unit, "!(%s)", text));
    l->out = outer;
}

/* Bounds that the body may change through memory are checked after the loop. */
static void lower_for(rev_lowering *l, const rev_statement *s) {
    enum { BOUNDS = 3 };
    static const rev_type widest = {.kind = REV_INTEGER, .name = "long long"};
    rev_effects body = rev_effects_of_block(l->unit, s->body);
    rev_expr *bounds[BOUNDS] = {s->target, s->value, s->extra}, *before[BOUNDS] = {NULL};
    for (size_t i = 0; i < BOUNDS && l->checks; i++) {
        rev_effects reads = bounds[i] ? rev_effects_of_expr(l->unit, bounds[i]) : (rev_effects){0};
        if (rev_disturbs(&body, &reads, false))
            before[i] = name_value(l, bounds[i], &widest);
    }
    rev_statement *made = rev_s_copy(l->unit, s);
    made->body = lowered(l, s->body);
    rev_block_add(l->unit, l->out, made);
    l->place = s->place;
    for (size_t i = 0; i < BOUNDS; i++)
        if (before[i])
            rev_emit_check(l, "rev_check_loop", bounds[i], before[i], rev_text_of_expr(l->unit, l->program, bounds[i]));
}

/* Adds braces only if the block declares names. */
static void lower_scope(rev_lowering *l, const rev_block *block) {
    bool declares = false;
    for (size_t i = 0; i < block->count; i++)
        declares |= block->items[i]->kind == REV_S_ANC;
    if (!declares) {
        lower_block(l, block);
        return;
    }
    rev_block *body = lowered(l, block);
    emit(l, REV_S_BLOCK)->body = body;
}

/* compute { A } use { B } becomes A, B, inverse of A. In an adjoint, what A fills has no bars yet if nothing else
 * uses it; then A itself needs no bars. */
static void lower_compute(rev_lowering *l, const rev_statement *s) {
    bool bars = l->bars;
    if (s->flag)
        l->bars = false;
    lower_scope(l, s->body);
    l->bars = bars;
    lower_scope(l, s->other);
    rev_block *undone = rev_invert(l->unit, s->body);
    if (bars || !s->flag) {
        lower_scope(l, undone);
        return;
    }
    if (!l->checks)
        return;
    rev_statement *made = emit(l, REV_S_CHECKING);
    made->body = lowered(l, undone);
}

static void lower_nested(rev_lowering *l, const rev_statement *s) {
    bool checks = l->checks;
    l->checks = checks && s->kind != REV_S_NOCHECK;
    rev_block *body = lowered(l, s->body);
    l->checks = checks;
    l->place = s->place;
    emit(l, REV_S_BLOCK)->body = body;
}

static void lower_chosen(rev_lowering *l, const rev_statement *s) {
    rev_statement *made = rev_s_copy(l->unit, s);
    made->branches = rev_alloc(l->unit, s->branch_count, sizeof *made->branches);
    for (size_t i = 0; i < s->branch_count; i++)
        made->branches[i] = (rev_branch){s->branches[i].line, lowered(l, s->branches[i].body)};
    rev_block_add(l->unit, l->out, made);
}

/* ---- Everything ---- */

static void lower_statement(rev_lowering *l, const rev_statement *s) {
    l->place = s->place;
    switch (s->kind) {
    case REV_S_UPDATE: lower_update(l, s); break;
    case REV_S_SWAP: lower_swap(l, s); break;
    case REV_S_ROT: lower_rot(l, s); break;
    case REV_S_NEG: lower_neg(l, s); break;
    case REV_S_CALL: rev_lower_call(l, s); break;
    case REV_S_IF: lower_if(l, s); break;
    case REV_S_FROM: lower_from(l, s); break;
    case REV_S_FOR: lower_for(l, s); break;
    case REV_S_ANC: rev_lower_anc(l, s); break;
    case REV_S_DROP: rev_lower_drop(l, s); break;
    case REV_S_COMPUTE: lower_compute(l, s); break;
    case REV_S_PUSH:
    case REV_S_POP: lower_stack(l, s); break;
    case REV_S_NOCHECK:
    case REV_S_BLOCK: lower_nested(l, s); break;
    case REV_S_CHOSEN: lower_chosen(l, s); break;
    case REV_S_IRREV:
    case REV_S_DIRECTIVE: rev_block_add(l->unit, l->out, rev_s_copy(l->unit, s)); break;
    default: break;
    }
}

/* True for directives that allow the iterations of a loop to run at the same time. */
static bool is_parallel(const rev_statement *s) {
    return s->kind == REV_S_DIRECTIVE && (strstr(s->text, "omp") || strstr(s->text, "acc") ||
                                          strstr(s->text, "ivdep") || strstr(s->text, "assume_safety"));
}

/* A directive belongs to the statement after it. An adjoint keeps a parallel directive only if no two iterations
 * of the loop add to the same bar; else the loop runs in order. */
static void lower_block(rev_lowering *l, const rev_block *block) {
    for (size_t i = 0; i < block->count; i++) {
        size_t next = i;
        while (next < block->count && block->items[next]->kind == REV_S_DIRECTIVE)
            next++;
        if (l->bars && is_parallel(block->items[i]) &&
            (next == block->count || !rev_has_own_bars(l->unit, block->items[next])))
            continue;
        lower_statement(l, block->items[i]);
    }
    l->place = block->end;
}

/* Collects the bar of a number that is passed by value in a variable, which compilers keep in a register. */
static void gather(rev_lowering *l, rev_variable *parameter, bool begins) {
    bool by_value = rev_is_scalar(parameter->type) || parameter->type->kind == REV_RECORD;
    if (!l->bars || !parameter->active || !by_value)
        return;
    if (begins) {
        parameter->bar = NULL;
        rev_variable *out = rev_bar(l->unit, parameter);
        out->indirect = true;
        out->shared = l->unit->cuda && l->function->is_kernel;
        out->of_block = out->shared && rev_is_scalar(parameter->type);
        if (!rev_is_scalar(parameter->type))
            return;
        rev_variable *sum = rev_variable_new(l->unit, rev_format(l->unit, "%s_sum", out->name), out->type,
                                             REV_TEMPORARY, parameter->place);
        sum->of = out;
        parameter->bar = sum;
        emit(l, REV_S_DECLARE)->variable = sum;
    } else if (rev_is_scalar(parameter->type)) {
        rev_variable *sum = parameter->bar;
        rev_emit_assign(l, rev_e_name(l->unit, (rev_variable *)(uintptr_t)sum->of), "+=", rev_e_name(l->unit, sum));
    }
}

/* Returns "x, bytes" as C; the bytes are those of the first element if the length is unknown. */
static rev_expr *with_bytes(rev_lowering *l, const rev_variable *parameter) {
    rev_expr *made = rev_alloc(l->unit, 1, sizeof *made);
    const char *count =
        rev_length_known(l->program, l->function, parameter) ? rev_length_of(l->program, l->function, parameter) : "1";
    *made = (rev_expr){.kind = REV_E_TEXT,
                       .name = rev_format(l->unit, "%s, sizeof(%s) * (size_t)(%s)", parameter->name,
                                          rev_text_of_type(l->unit, rev_element(parameter->type), ""), count),
                       .type = rev_type_basic(l->unit, REV_INTEGER)};
    return made;
}

/* Emits checks that parameters do not overlap. They are always active if a call passes parts of one array, else
 * only with -DVERSO_REV_OVERLAP. */
static void check_parameters(rev_lowering *l) {
    const rev_function *f = l->function;
    for (size_t i = 0; i < f->parameter_count; i++)
        for (size_t k = 0; k < f->parameter_count; k++) {
            rev_variable *a = f->parameters[i], *b = f->parameters[k];
            bool both = !rev_by_value(a) && !rev_by_value(b) && a->written && (k > i || (k < i && !b->written)) &&
                        rev_element(a->type)->kind == rev_element(b->type)->kind && a->type->of->kind != REV_FUNCTION &&
                        a->type->of->kind != REV_VOID && a->type->of->kind != REV_STACK &&
                        a->type->of->kind != REV_OTHER;
            if (!both)
                continue;
            rev_emit_check(l, f->apart ? "rev_check_slices" : "rev_check_overlap", with_bytes(l, a), with_bytes(l, b),
                           rev_format(l->unit, "%s and %s are different places", a->name, b->name));
        }
}

rev_block *rev_lower(rev_program *program, const rev_function *function, const rev_block *body, bool bars) {
    rev_lowering l = {.unit = program->unit,
                      .program = program,
                      .function = function,
                      .bars = bars,
                      .checks = true,
                      .out = rev_block_new(program->unit, body->end),
                      .place = function->place};
    for (size_t i = 0; i < function->parameter_count; i++) {
        rev_variable *parameter = function->parameters[i];
        if (bars && parameter->active)
            rev_bar(l.unit, parameter)->shared = l.unit->cuda && function->on_device && !parameter->type->restricted;
        gather(&l, parameter, true);
    }
    if (!function->on_device)
        check_parameters(&l);
    lower_block(&l, body);
    l.place = body->end;
    for (size_t i = 0; i < function->parameter_count; i++)
        gather(&l, function->parameters[i], false);
    if (bars)
        return rev_gather(l.unit, l.out);
    return l.out;
}
