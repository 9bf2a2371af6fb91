/* Lowers ancillas to variables. An ancilla whose initial value depends on other variables passes its bar on to
 * them when it ends, in the reverse direction: v = e(x) is an instruction like others. */
#include "rev/lower_parts.h"
#include "rev/print.h"

#include <string.h>

void rev_emit_check(rev_lowering *l, const char *macro, rev_expr *found, rev_expr *expected, const char *text) {
    rev_statement *check = rev_s_new(l->unit, REV_S_CHECK, l->place);
    check->text = macro;
    check->target = found;
    check->value = expected;
    check->op = text;
    rev_block_add(l->unit, l->out, check);
}

static void declare(rev_lowering *l, rev_variable *variable, rev_expr *value, bool constant) {
    rev_statement *statement = rev_s_new(l->unit, REV_S_DECLARE, l->place);
    statement->variable = variable;
    statement->value = value;
    statement->flag = constant;
    rev_block_add(l->unit, l->out, statement);
}

void rev_lower_anc(rev_lowering *l, const rev_statement *s) {
    declare(l, s->variable, s->value, false);
    if (l->bars && s->variable->active)
        declare(l, rev_bar(l->unit, s->variable), NULL, false);
}

/* ---- Parts of structures and arrays ---- */

static rev_expr *member(rev_unit *unit, rev_expr *e, const rev_field *field) {
    rev_expr *made = rev_alloc(unit, 1, sizeof *made);
    *made = (rev_expr){.kind = REV_E_MEMBER, .name = field->name, .type = field->type, .place = e->place, .count = 1};
    made->parts = rev_alloc(unit, 1, sizeof *made->parts);
    made->parts[0] = e;
    return made;
}

static rev_expr *element(rev_unit *unit, rev_expr *e, rev_variable *index) {
    rev_expr *made = rev_alloc(unit, 1, sizeof *made);
    *made = (rev_expr){.kind = REV_E_INDEX, .type = e->type->of, .place = e->place, .count = 2};
    made->parts = rev_alloc(unit, 2, sizeof *made->parts);
    made->parts[0] = e;
    made->parts[1] = rev_e_name(unit, index);
    return made;
}

/* Emits a loop over all elements of an array. Returns its body, and sets *each to the element. */
static rev_block *each_element(rev_lowering *l, rev_expr *array, rev_expr **each) {
    rev_statement *loop = rev_s_new(l->unit, REV_S_FOR, l->place);
    rev_type *type = rev_alloc(l->unit, 1, sizeof *type);
    *type = (rev_type){.kind = REV_INTEGER, .name = "size_t", .is_unsigned = true};
    loop->variable =
        rev_variable_new(l->unit, rev_format(l->unit, "rev__i%u", ++l->unit->names), type, REV_COUNTER, l->place);
    loop->target = rev_e_number(l->unit, "0");
    loop->op = "<";
    const char *text = rev_text_of_expr(l->unit, l->program, array);
    rev_expr *count = rev_alloc(l->unit, 1, sizeof *count);
    bool late = array->kind == REV_E_NAME && rev_is_sized_late(l->unit, array->type);
    *count = (rev_expr){
        .kind = REV_E_TEXT,
        .name = late ? rev_format(l->unit, "(size_t)(%s)", rev_text_of_expr(l->unit, l->program, array->type->length))
                     : rev_format(l->unit, "sizeof %s / sizeof %s[0]", text, text),
        .type = type};
    loop->value = count;
    loop->body = rev_block_new(l->unit, l->place);
    rev_block_add(l->unit, l->out, loop);
    *each = element(l->unit, array, loop->variable);
    return loop->body;
}

/* ---- Dropping an ancilla ---- */

static void check_value(rev_lowering *l, rev_expr *found, rev_expr *expected, const char *text) {
    static const char *const macros[] = {
        [REV_INTEGER] = "rev_check_integer",       [REV_FLOAT] = "rev_check_float",
        [REV_DOUBLE] = "rev_check_double",         [REV_LONG_DOUBLE] = "rev_check_double",
        [REV_COMPLEX_FLOAT] = "rev_check_complex", [REV_COMPLEX] = "rev_check_complex",
        [REV_FIXED] = "rev_check_fixed",           [REV_ULOG] = "rev_check_ulog"};
    const rev_type *type = found->type;
    if (rev_is_scalar(type)) {
        rev_expr *zero = rev_e_number(l->unit, type->kind == REV_ULOG ? "1" : "0");
        rev_emit_check(l, macros[type->kind], found, expected ? expected : zero, text);
    } else if (type->kind == REV_RECORD && type->record && !type->record->is_union) {
        for (size_t i = 0; i < type->record->count; i++) {
            const rev_field *field = &type->record->fields[i];
            check_value(l, member(l->unit, found, field), expected ? member(l->unit, expected, field) : NULL, text);
        }
    } else if (type->kind == REV_ARRAY && !expected) {
        rev_expr *each;
        rev_block *outer = l->out, *body = each_element(l, found, &each);
        l->out = body;
        check_value(l, each, NULL, text);
        l->out = outer;
    }
}

static void give_back(rev_lowering *l, rev_expr *value, rev_expr *bar) {
    if (value->type->kind == REV_RECORD && value->type->record) {
        for (size_t i = 0; i < value->type->record->count; i++) {
            const rev_field *field = &value->type->record->fields[i];
            if (rev_is_differentiable(field->type))
                give_back(l, member(l->unit, value, field), member(l->unit, bar, field));
        }
        return;
    }
    rev_push_bars(l, value, bar, false);
}

/* Emits checks that a place has the expected value, part by part, each with the tolerance of its type. `expected`
 * NULL: zero. */
void rev_check_kept(rev_lowering *l, rev_expr *found, rev_expr *expected, const char *text) {
    bool loops = found->type->kind == REV_ARRAY || found->type->kind == REV_RECORD;
    rev_block *outer = l->out;
    if (loops)
        l->out = rev_block_new(l->unit, l->place);
    check_value(l, found, expected, text);
    if (!loops)
        return;
    rev_statement *checking = rev_s_new(l->unit, REV_S_CHECKING, l->place);
    checking->body = l->out;
    l->out = outer;
    rev_block_add(l->unit, l->out, checking);
}

void rev_lower_drop(rev_lowering *l, const rev_statement *s) {
    if (l->checks && !s->flag) {
        const char *value = s->value ? rev_text_of_expr(l->unit, l->program, s->value) : "0";
        rev_check_kept(l, rev_e_name(l->unit, s->variable), s->value,
                       rev_format(l->unit, "%s == %s", s->variable->name, value));
    }
    if (l->bars && s->variable->active && s->value)
        give_back(l, s->value, rev_e_name(l->unit, rev_bar(l->unit, s->variable)));
}
