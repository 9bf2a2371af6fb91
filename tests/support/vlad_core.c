/* Implements vlad_core.h. */
#include "tests/support/vlad_core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void put_value(FILE *out, vlad_value value) {
    if (value == VLAD_NULL) {
        fputs("()", out);
    } else if (value == VLAD_TRUE || value == VLAD_FALSE) {
        fputs(value == VLAD_TRUE ? "#t" : "#f", out);
    } else if (vlad_is_kind(value, VLAD_PAIR)) {
        fputc('(', out);
        put_value(out, vlad_object_of(value)->field[0]);
        fputs(" . ", out);
        put_value(out, vlad_object_of(value)->field[1]);
        fputc(')', out);
    } else if (vlad_is_plain(value)) {
        fprintf(out, "%.17g", vlad_plain(value));
    } else {
        fputs("NO VALUE", out);
    }
}

static void put_pattern(FILE *out, const vlad_pattern *pattern) {
    switch (pattern->kind) {
    case VLAD_BIND: fprintf(out, "l%u", pattern->local); break;
    case VLAD_MATCH: put_value(out, pattern->constant); break;
    case VLAD_TAKE:
        fputc('(', out);
        put_pattern(out, pattern->first);
        fputs(" . ", out);
        put_pattern(out, pattern->second);
        fputc(')', out);
        break;
    }
}

static void put_references(FILE *out, const vlad_reference *references, uint32_t count) {
    fputs(" [", out);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%c%u", i > 0 ? " " : "", "lcgs"[references[i].where], references[i].index);
    fputs("] ", out);
}

static void put(FILE *out, const vlad_expression *e);

static void put_parts(FILE *out, const vlad_expression *e, const char *name, int parts) {
    fprintf(out, "(%s", name);
    for (int i = 0; i < parts; i++) {
        fputc(' ', out);
        put(out, e->parts[i]);
    }
    fputc(')', out);
}

static void put_letrec(FILE *out, const vlad_expression *e) {
    fprintf(out, "(letrec l%u", e->first_local);
    put_references(out, e->is.letrec->group, e->is.letrec->group_count);
    for (uint32_t i = 0; i < e->is.letrec->count; i++) {
        const vlad_lambda *lambda = e->is.letrec->lambdas[i];
        fprintf(out, "(%s ", lambda->name);
        put_pattern(out, lambda->parameter);
        fputc(' ', out);
        put(out, lambda->body);
        fputs(") ", out);
    }
    put(out, e->parts[0]);
    fputc(')', out);
}

static void put(FILE *out, const vlad_expression *e) {
    switch (e->kind) {
    case VLAD_CONSTANT: put_value(out, e->is.constant); break;
    case VLAD_VARIABLE: fprintf(out, "%s.%c%u", e->name, "lcgs"[e->is.variable.where], e -> is.variable.index); break;
    case VLAD_LAMBDA:
        fputs("(lambda ", out);
        put_pattern(out, e->is.lambda->parameter);
        put_references(out, e->is.lambda->captured, e->is.lambda->captured_count);
        put(out, e->is.lambda->body);
        fputc(')', out);
        break;
    case VLAD_APPLICATION: put_parts(out, e, "call", 2); break;
    case VLAD_LET:
        fputs("(let ", out);
        put_pattern(out, e->is.pattern);
        fputc(' ', out);
        put(out, e->parts[0]);
        fputc(' ', out);
        put(out, e->parts[1]);
        fputc(')', out);
        break;
    case VLAD_IF: put_parts(out, e, "if", 3); break;
    case VLAD_UNARY: put_parts(out, e, vlad_operator_name(e->is.operation), 1); break;
    case VLAD_BINARY: put_parts(out, e, vlad_operator_name(e->is.operation), 2); break;
    case VLAD_TERNARY: put_parts(out, e, vlad_operator_name(e->is.operation), 3); break;
    case VLAD_LETREC: put_letrec(out, e); break;
    }
}

char *vlad_core_text(const vlad_expression *expression) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        abort();
    put(out, expression);
    fclose(out);
    return text;
}
