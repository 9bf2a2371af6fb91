/* See dump.h. */
#include "rev/dump.h"

#include <string.h>

static void dump_block(rev_printer *p, const rev_block *block, bool marks);

static const char *text(rev_printer *p, const rev_expr *e) {
    return e ? rev_text_of_expr(p->unit, p->program, e) : "{0}";
}

static void line(rev_printer *p, const char *what) {
    rev_print_line(p, (rev_place){0}, "%s", what);
}

static void dump_nested(rev_printer *p, const char *head, const rev_block *block, bool marks) {
    line(p, rev_format(p->unit, "%s{", head));
    p->indent++;
    dump_block(p, block, marks);
    p->indent--;
    line(p, "}");
}

static void dump_if(rev_printer *p, const rev_statement *s, bool marks) {
    dump_nested(p, rev_format(p->unit, "if (%s) ", text(p, s->value)), s->body, marks);
    if (s->other)
        dump_nested(p, "else ", s->other, marks);
    if (s->extra)
        line(p, rev_format(p->unit, "fi (%s)", text(p, s->extra)));
    else if (marks && s->flag)
        line(p, "/* the condition does not change */");
}

static void dump_for(rev_printer *p, const rev_statement *s, bool marks) {
    const char *name = s->variable->name;
    const char *step = s->extra ? rev_format(p->unit, "%s %s %s", name, s->flag ? "-=" : "+=", text(p, s->extra))
                                : rev_format(p->unit, "%s%s", name, s->flag ? "--" : "++");
    bool falls = strcmp(s->op, "-->") == 0;
    const char *head =
        rev_format(p->unit, "for (%s = %s; %s %s %s; %s) ", rev_text_of_type(p->unit, s->variable->type, name),
                   text(p, s->target), name, s->op, text(p, s->value), falls ? "" : step);
    if (s->reversed)
        head = rev_format(p->unit, "/* downwards */ %s", head);
    if (marks && s->unordered)
        head = rev_format(p->unit, "/* in any order */ %s", head);
    dump_nested(p, head, s->body, marks);
}

static void dump_compute(rev_printer *p, const rev_statement *s, bool marks) {
    const char *note = marks && s->flag ? "/* nothing else uses what it fills */ " : "";
    dump_nested(p, rev_format(p->unit, "%scompute ", note), s->body, marks);
    dump_nested(p, "use ", s->other, marks);
}

static void dump_call(rev_printer *p, const rev_statement *s) {
    const char *list = "";
    for (size_t i = 0; i < s->argument_count; i++)
        list = rev_format(p->unit, "%s%s%s", list, i ? ", " : "", text(p, s->arguments[i].value));
    const char *name = s->target ? s->target->name : s->function->name;
    line(p, rev_format(p->unit, "%s%s(%s);", s->variant & REV_INVERSE ? "undo " : "", name, list));
}

static void dump_chosen(rev_printer *p, const rev_statement *s, bool marks) {
    for (size_t i = 0; i < s->branch_count; i++) {
        line(p, s->branches[i].line);
        dump_block(p, s->branches[i].body, marks);
    }
    line(p, s->text);
}

static const char *instruction(rev_printer *p, const rev_statement *s) {
    rev_unit *unit = p->unit;
    switch (s->kind) {
    case REV_S_UPDATE: return rev_format(unit, "%s %s %s;", text(p, s->target), s->op, text(p, s->value));
    case REV_S_SWAP: return rev_format(unit, "swap(%s, %s);", text(p, s->target), text(p, s->value));
    case REV_S_ROT:
        return rev_format(unit, "%srot(%s, %s, %s);", s->flag ? "undo " : "", text(p, s->target), text(p, s->value),
                          text(p, s->extra));
    case REV_S_NEG: return rev_format(unit, "neg(%s);", text(p, s->target));
    case REV_S_PUSH: return rev_format(unit, "push(%s, %s);", text(p, s->target), text(p, s->value));
    case REV_S_POP: return rev_format(unit, "pop(%s, %s);", text(p, s->target), text(p, s->value));
    case REV_S_ANC:
        return rev_format(unit, "%s%s = %s;", s->variable->role == REV_ANCILLA ? "anc " : "",
                          rev_text_of_type(unit, s->variable->type, s->variable->name), text(p, s->value));
    case REV_S_DROP: return rev_format(unit, "drop %s == %s;", s->variable->name, text(p, s->value));
    case REV_S_IRREV: return rev_format(unit, "irrev %s", s->text);
    case REV_S_DIRECTIVE: return s->text;
    default: return "";
    }
}

static void dump_statement(rev_printer *p, const rev_statement *s, bool marks) {
    switch (s->kind) {
    case REV_S_IF: dump_if(p, s, marks); break;
    case REV_S_FOR: dump_for(p, s, marks); break;
    case REV_S_FROM:
        dump_nested(p, rev_format(p->unit, "from (%s) while (%s) ", text(p, s->target), text(p, s->value)), s->body,
                    marks);
        break;
    case REV_S_COMPUTE: dump_compute(p, s, marks); break;
    case REV_S_CALL: dump_call(p, s); break;
    case REV_S_NOCHECK: dump_nested(p, "nocheck ", s->body, marks); break;
    case REV_S_BLOCK: dump_nested(p, "", s->body, marks); break;
    case REV_S_CHOSEN: dump_chosen(p, s, marks); break;
    default: line(p, instruction(p, s)); break;
    }
}

static void dump_block(rev_printer *p, const rev_block *block, bool marks) {
    for (size_t i = 0; i < block->count; i++)
        dump_statement(p, block->items[i], marks);
}

static void dump_parameters(rev_printer *p, const rev_function *function) {
    for (size_t i = 0; i < function->parameter_count; i++) {
        const rev_variable *v = function->parameters[i];
        line(p, rev_format(p->unit, "/* %s: %s%s */", v->name, v->active ? "has a derivative" : "passive",
                           v->written ? ", is written" : ""));
    }
}

void rev_dump(rev_printer *p, const rev_function *function, const rev_block *body, unsigned variant, bool marks) {
    if (marks)
        dump_parameters(p, function);
    dump_nested(p, rev_format(p->unit, "rev %s ", rev_text_of_signature(p->program, function, variant)), body, marks);
}
