/* Reversible trees to irreversible ones: checks become statements, ancillas variables. With bars the tree is read as
 * the inverse of a function, and every instruction also takes the bars back through the one that it undoes. */
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

static rev_expr *name_now(rev_lowering *l, rev_expr *value, const rev_type *type) {
    return rev_e_name(l->unit, rev_name_value(l, value, type));
}

static bool has_bar(const rev_lowering *l, const rev_expr *place) {
    return l->bars && rev_has_shadow(place);
}

/* ---- Instructions ---- */

/* Integers: a division must leave nothing behind. */
static void check_exact(rev_lowering *l, const rev_statement *s) {
    if (!l->checks || s->target->type->kind == REV_ULOG || !strchr("*/", s->op[0]))
        return;
    rev_expr *rest = s->op[0] == '/' ? rev_e_binary(l->unit, "%", s->target, s->value) : s->value;
    rev_expr *holds = rev_e_binary(l->unit, s->op[0] == '/' ? "==" : "!=", rest, rev_e_number(l->unit, "0"));
    rev_emit_check(l, "rev_check_true", holds, NULL, rev_text_of_expr(l->unit, l->program, holds));
}

/* Elements of one array, at indices that only the run knows. */
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

static void lower_update(rev_lowering *l, const rev_statement *s) {
    check_exact(l, s);
    if (l->checks)
        rev_check_apart(l, s->target, s->value);
    rev_lower_update(l, s->target, s->op, s->value);
}

static void exchange(rev_lowering *l, rev_expr *a, rev_expr *b) {
    rev_expr *kept = name_now(l, a, a->type);
    rev_emit_assign(l, a, "=", b);
    rev_emit_assign(l, b, "=", kept);
}

static void lower_swap(rev_lowering *l, const rev_statement *s) {
    exchange(l, s->target, s->value);
    if (has_bar(l, s->target) && has_bar(l, s->value))
        exchange(l, rev_shadow(l->unit, s->target, rev_bar), rev_shadow(l->unit, s->value, rev_bar));
}

static void lower_neg(rev_lowering *l, const rev_statement *s) {
    rev_emit_assign(l, s->target, "=", rev_e_unary(l->unit, "-", s->target));
    if (has_bar(l, s->target)) {
        rev_expr *bar = rev_shadow(l->unit, s->target, rev_bar);
        rev_emit_assign(l, bar, "=", rev_e_unary(l->unit, "-", bar));
    }
}

static rev_expr *combine(rev_lowering *l, rev_expr *a, rev_expr *x, const char *op, rev_expr *b, rev_expr *y) {
    return rev_e_binary(l->unit, op, rev_e_binary(l->unit, "*", a, x), rev_e_binary(l->unit, "*", b, y));
}

/* (a, b) := (a c - b s, a s + b c), or with -s. */
static void turn(rev_lowering *l, rev_expr *a, rev_expr *b, rev_expr *c, rev_expr *s, bool backwards,
                 rev_expr *old[2]) {
    old[0] = name_now(l, a, a->type);
    old[1] = name_now(l, b, b->type);
    rev_emit_assign(l, a, "=", combine(l, old[0], c, backwards ? "+" : "-", old[1], s));
    rev_emit_assign(l, b, "=", combine(l, old[1], c, backwards ? "-" : "+", old[0], s));
}

static void lower_rot(rev_lowering *l, const rev_statement *s) {
    if (l->checks) {
        rev_check_apart(l, s->target, s->value);
        rev_check_apart(l, s->target, s->extra);
        rev_check_apart(l, s->value, s->extra);
    }
    const rev_type *real = rev_type_basic(l->unit, REV_DOUBLE);
    rev_expr *angle = rev_e_is_simple(s->extra) || rev_e_is_place(s->extra) ? s->extra : name_now(l, s->extra, real);
    rev_expr *c = name_now(l, rev_e_call1(l->unit, "cos", real, angle), real);
    rev_expr *sine = name_now(l, rev_e_call1(l->unit, "sin", real, angle), real);
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

/* Values that were on the stack before have no bars there: they are zero. */
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
        condition = name_now(l, as_truth(l, s->value), rev_type_basic(l->unit, REV_INTEGER));
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
    const char *told = rev_format(l->unit, "from (%s)", rev_text_of_expr(l->unit, l->program, s->target));
    if (l->checks)
        rev_emit_check(l, "rev_check_true", s->target, NULL, told);
    rev_statement *made = emit(l, REV_S_WHILE);
    made->value = s->value;
    made->body = lowered(l, s->body);
    l->place = s->place;
    if (!l->checks)
        return;
    rev_block *outer = l->out;
    l->out = made->body;
    rev_emit_check(l, "rev_check_true", rev_e_unary(l->unit, "!", s->target), NULL, rev_format(l->unit, "!(%s)", told));
    l->out = outer;
}

/* Bounds that the body could change only through memory are looked at again behind the loop. */
static void lower_for(rev_lowering *l, const rev_statement *s) {
    enum { BOUNDS = 3 };
    static const rev_type widest = {.kind = REV_INTEGER, .name = "long long"};
    rev_effects body = rev_effects_of_block(l->unit, s->body);
    rev_expr *bounds[BOUNDS] = {s->target, s->value, s->extra}, *before[BOUNDS] = {NULL};
    for (size_t i = 0; i < BOUNDS && l->checks; i++) {
        rev_effects reads = bounds[i] ? rev_effects_of_expr(l->unit, bounds[i]) : (rev_effects){0};
        if (rev_disturbs(&body, &reads, false))
            before[i] = name_now(l, bounds[i], &widest);
    }
    rev_statement *made = rev_s_copy(l->unit, s);
    made->body = lowered(l, s->body);
    rev_block_add(l->unit, l->out, made);
    l->place = s->place;
    for (size_t i = 0; i < BOUNDS; i++)
        if (before[i])
            rev_emit_check(l, "rev_check_loop", bounds[i], before[i], rev_text_of_expr(l->unit, l->program, bounds[i]));
}

/* Braces only where there are names to keep apart. */
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

/* compute { A } use { B }: A, B, A undone. Going backwards with bars, what A fills has no bars yet when nothing else
 * looks at it: then filling it again needs none. */
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

static void lower_block(rev_lowering *l, const rev_block *block) {
    for (size_t i = 0; i < block->count; i++)
        lower_statement(l, block->items[i]);
    l->place = block->end;
}

/* The bar of a number that was passed by value gathers in a variable, which compilers keep in a register. */
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

static void check_parameters(rev_lowering *l) {
    const rev_function *f = l->function;
    for (size_t i = 0; i < f->parameter_count; i++)
        for (size_t k = 0; k < f->parameter_count; k++) {
            rev_variable *a = f->parameters[i], *b = f->parameters[k];
            bool both = a->type->kind == REV_POINTER && b->type->kind == REV_POINTER && a->written &&
                        (k > i || (k < i && !b->written)) && a->type->of->kind == b->type->of->kind &&
                        a->type->of->kind != REV_FUNCTION;
            if (both)
                rev_emit_check(l, "rev_check_overlap", rev_e_name(l->unit, a), rev_e_name(l->unit, b),
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
