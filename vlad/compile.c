/* See compile.h and emit.h. This file writes the functions around the code of emit_tail.c, and the tables of them. */
#include "vlad/compile.h"

#include "vlad/code.h"
#include "vlad/emit_number.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The contents of value.h and generated/prelude.h. */
__asm__(".section .rodata\n"
        "vlad_value_begin: .incbin \"" VLAD_VALUE_TEXT "\"\n"
        "vlad_value_end: .byte 0\n"
        "vlad_prelude_begin: .incbin \"" VLAD_PRELUDE_TEXT "\"\n"
        "vlad_prelude_end: .byte 0\n"
        ".previous\n");
extern const char vlad_value_begin[], vlad_value_end[], vlad_prelude_begin[], vlad_prelude_end[];

enum {
    OUTSIDE_MOST = 1000,  /* maximum number of expressions outside of lambdas */
    COMPILED_MOST = 20000 /* maximum number of expressions inside lambdas; clang takes about a second for a thousand */
};

/* ---- Functions ---- */

static void begin_function(vlad_emitter *g, vlad_work work) {
    g->region = work;
    g->body.size = 0;
    g->pairs.count = 0;
    g->temporaries = g->statements = g->branches = g->pending = 0;
    g->path = g->most = (vlad_sizes){0};
}

/* Completes a function. `guard` is the code that runs if the region cannot be entered. */
static void end_function(vlad_emitter *g, const char *name, uint32_t number, const char *part, const char *guard) {
    vlad_write(&g->bodies,
               "REGION %s_%" PRIu32 "%s(ARGUMENTS) {\nenum { MOST_STEPS = %" PRIu32 ", ROOM = %" PRIu32
               " };\n(void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)self;\n",
               name, number, part, g->most.steps, g->most.words);
    vlad_write(&g->bodies, "%s%s", guard, g->body.size > 0 ? g->body.text : "");
    vlad_write(&g->bodies, "}\n\n");
}

/* The locals that a pattern binds, in order, with the code to store them in the machine and to pass them on. */
typedef struct listing {
    vlad_emitter *g;
    uint32_t count;
    vlad_writer spill, pass;
} listing;

static void list(listing *l, const vlad_pattern *pattern) {
    for (; pattern->kind == VLAD_TAKE; pattern = pattern->second)
        list(l, pattern->first);
    if (pattern->kind != VLAD_BIND)
        return;
    vlad_form form = vlad_emit_temporary(l->g);
    if (l->count < VALUES) {
        vlad_write(&l->g->body, "const vlad_value t%" PRIu32 " = a%" PRIu32 ";\n", form.id, l->count);
        vlad_write(&l->spill, "LOCAL(%" PRIu32 ") = a%" PRIu32 ";\n", pattern->local, l->count);
        vlad_write(&l->pass, ", LOCAL(%" PRIu32 ")", pattern->local);
    } else
        vlad_write(&l->g->body, "const vlad_value t%" PRIu32 " = LOCAL(%" PRIu32 ");\n", form.id, pattern->local);
    l->g->locals[pattern->local] = form;
    l->count++;
}

/* Writes the function that applies a lambda to an argument that is not taken apart yet. */
static void write_apply(vlad_emitter *g, const vlad_lambda *lambda) {
    char root[FORM_TEXT];
    begin_function(g, (vlad_work){.kind = WORK_AT, .e = lambda->body, .lambda = lambda});
    vlad_form argument = vlad_emit_temporary(g);
    vlad_write(&g->body, "const vlad_value t%" PRIu32 " = a0;\n", argument.id);
    (void)snprintf(root, sizeof root, "PARAMETER_OF(L[%" PRIu32 "])", lambda->number);
    vlad_emit_bind(g, lambda->parameter, root, argument);
    vlad_emit_call(g, lambda, g->locals, (vlad_form){.kind = FORM_SELF});
    end_function(g, "apply", lambda->number, "", "");
}

static void write_body(vlad_emitter *g, vlad_work work) {
    listing l = {.g = g};
    vlad_writer guard = {0}, choice = {0}, versions = {0};
    begin_function(g, work);
    vlad_emit_versions(g, work, &choice, &versions);
    if (choice.size > 0)
        vlad_write_bytes(&g->body, choice.text, choice.size);
    list(&l, work.lambda->parameter);
    vlad_write(&l.spill, "%s", "");
    vlad_write(&l.pass, "%s", "");
    for (uint32_t i = l.count; i < VALUES; i++)
        vlad_write(&l.pass, ", 0");
    vlad_emit_tail(g, work.e);
    vlad_write(&g->body, "}\n");
    if (versions.size > 0)
        vlad_write_bytes(&g->body, versions.text, versions.size);
    vlad_write(&guard, "top:\nif (CANNOT_GO) {\n%sreturn leave_at(m, E[%" PRIu32 "], left, free, k, self);\n}\n{\n",
               l.spill.failed ? "" : l.spill.text, work.e->number);
    end_function(g, "body", work.lambda->number, "", guard.failed ? "" : guard.text);
    g->at_sizes[work.e->number] = g->most;
    vlad_write(&g->bodies, "REGION at_%" PRIu32 "(ARGUMENTS) {\n(void)a0, (void)a1, (void)a2, (void)a3, (void)a4;\n",
               work.e->number);
    vlad_write(&g->bodies, "GO body_%" PRIu32 "(m, left, free, k, self%s);\n}\n\n", work.lambda->number,
               l.pass.failed ? "" : l.pass.text);
    g->failed |= l.spill.failed || l.pass.failed || guard.failed || choice.failed || versions.failed;
    vlad_writer_free(&choice);
    vlad_writer_free(&versions);
    vlad_writer_free(&l.spill);
    vlad_writer_free(&l.pass);
    vlad_writer_free(&guard);
    write_apply(g, work.lambda);
}

static void write_at(vlad_emitter *g, vlad_work work) {
    char guard[160];
    begin_function(g, work);
    for (uint32_t i = 0; i < work.e->needed_count; i++) {
        vlad_form form = vlad_emit_temporary(g);
        vlad_write(&g->body, "const vlad_value t%" PRIu32 " = LOCAL(%" PRIu32 ");\n", form.id, work.e->needed[i]);
        g->locals[work.e->needed[i]] = form;
    }
    vlad_emit_tail(g, work.e);
    (void)snprintf(guard, sizeof guard, "if (CANNOT_GO)\nreturn leave_at(m, E[%" PRIu32 "], left, free, k, self);\n",
                   work.e->number);
    end_function(g, "at", work.e->number, "", guard);
    g->at_sizes[work.e->number] = g->most;
}

/* Emits what follows when part number `part` has the value `value`. */
static void go_on(vlad_emitter *g, const vlad_expression *e, unsigned part, vlad_form value, uint32_t kept) {
    vlad_form forms[3];
    char test[FORM_TEXT];
    for (unsigned i = 0; i < part; i++) {
        forms[i] = vlad_emit_temporary(g);
        vlad_write(&g->body, "const vlad_value t%" PRIu32 " = FIELD(frame, %" PRIu32 ");\n", forms[i].id, 3 + kept + i);
    }
    const vlad_expression *next;
    switch (e->kind) {
    case VLAD_IF:
        (void)snprintf(test, sizeof test, "t%" PRIu32 " != VLAD_FALSE", value.id);
        next = vlad_emit_branches(g, e, test);
        break;
    case VLAD_LET: next = vlad_emit_let(g, e, value); break;
    case VLAD_APPLICATION:
        next = NULL;
        if (part == 0)
            next = vlad_emit_applied(g, e, value);
        else
            vlad_emit_apply(g, e, forms[0], value);
        break;
    default: forms[part] = value; next = vlad_emit_operator(g, e, forms, part + 1);
    }
    vlad_emit_tail(g, next);
}

static void write_after(vlad_emitter *g, vlad_work work) {
    const vlad_expression *e = work.e;
    char part[16];
    uint32_t kept = work.part < 2 ? e->kept_count[work.part] : 0;
    begin_function(g, work);
    vlad_form value = vlad_emit_temporary(g);
    vlad_write(&g->body,
               "const vlad_value t%" PRIu32 " = a0, frame = k;\nk = FIELD(frame, 1);\nself = FIELD(frame, 2);\n",
               value.id);
    for (uint32_t i = 0; i < kept; i++) {
        vlad_form form = vlad_emit_temporary(g);
        vlad_write(&g->body, "const vlad_value t%" PRIu32 " = FIELD(frame, %" PRIu32 ");\n", form.id, 3 + i);
        g->locals[e->kept[work.part][i]] = form;
    }
    go_on(g, e, work.part, value, kept);
    (void)snprintf(part, sizeof part, "_%u", work.part);
    end_function(g, "after", e->number, part, "if (CANNOT_GO)\nreturn leave_with(m, left, free, k, a0);\n");
    g->after_sizes[3 * (size_t)e->number + work.part] = g->most;
}

/* True if too much code is outside of lambdas. It runs only once, so compiling it would take longer than it saves. */
static bool has_long_way(const vlad_emitter *g) {
    uint32_t outside = 0;
    for (uint32_t i = 0; i < g->survey.visited; i++)
        outside += g->survey.index.within[g->survey.order[i]] == NULL;
    return outside > OUTSIDE_MOST;
}

/* Limits the amount of code, for programs that were generated: the first lambdas are compiled, the others are left
 * to the interpreter. */
static void leave_out(vlad_emitter *g) {
    const vlad_survey *survey = &g->survey;
    uint32_t *sizes = verso__alloc((size_t)survey->index.lambda_count + 1, sizeof *sizes), sum = 0;
    g->failed |= sizes == NULL;
    for (uint32_t i = 0; i < survey->visited && sizes != NULL; i++) {
        const vlad_lambda *lambda = survey->index.within[survey->order[i]];
        if (lambda != NULL)
            sizes[lambda->number]++;
    }
    for (uint32_t i = 0; i < survey->index.lambda_count && sizes != NULL; i++) {
        g->left_out[i] = sizes[i] > COMPILED_MOST - sum;
        sum += g->left_out[i] ? 0 : sizes[i];
    }
    verso__dealloc(sizes);
}

static void note_derivatives(vlad_emitter *g) {
    for (uint32_t i = 0; i < g->survey.visited; i++) {
        const vlad_expression *e = g->survey.index.expressions[g->survey.order[i]];
        if (e->kind == VLAD_TERNARY && e->is.operation != VLAD_VECTOR_SET) {
            bool tangents = e->is.operation == VLAD_J_FORWARD;
            g->takes_tangents |= tangents;
            g->takes_cotangents |= !tangents;
        }
    }
}

static void write_functions(vlad_emitter *g) {
    bool interpreted = has_long_way(g);
    for (uint32_t i = 0; i < g->program->count && !interpreted; i++)
        if (vlad_is_compiled(g->program->expressions[i]))
            vlad_emit_want(g, (vlad_work){.kind = WORK_AT, .e = g->program->expressions[i]});
    for (uint32_t i = 0; i < g->survey.index.lambda_count; i++) {
        const vlad_lambda *lambda = g->survey.index.lambdas[i];
        if (lambda != NULL && vlad_is_compiled_lambda(g, lambda))
            vlad_emit_want(g, (vlad_work){.kind = WORK_BODY, .e = lambda->body, .lambda = lambda});
    }
    while (g->work.count > 0 && !g->failed) {
        vlad_work work = *(const vlad_work *)vlad_pop(&g->work);
        switch (work.kind) {
        case WORK_BODY: write_body(g, work); break;
        case WORK_AT: write_at(g, work); break;
        case WORK_AFTER: write_after(g, work); break;
        }
        g->failed |= g->body.failed || g->bodies.failed || g->heads.failed;
    }
}

/* ---- The file ---- */

static void write_offsets(const vlad_emitter *g, vlad_writer *out) {
    const struct {
        const char *name;
        size_t value;
    } offsets[] = {
        {"MACHINE_FREE", offsetof(vlad_machine, heap.free)},
        {"MACHINE_END", offsetof(vlad_machine, heap.end)},
        {"MACHINE_WANTED", offsetof(vlad_machine, heap.wanted)},
        {"MACHINE_STEPS", offsetof(vlad_machine, steps)},
        {"MACHINE_GRANTED", offsetof(vlad_machine, granted)},
        {"MACHINE_REGISTERS", offsetof(vlad_machine, registers)},
        {"MACHINE_AT", offsetof(vlad_machine, at)},
        {"MACHINE_PHASE", offsetof(vlad_machine, phase)},
        {"REGISTER_RESULT", VLAD_RESULT},
        {"REGISTER_CONTINUATION", VLAD_CONTINUATION},
        {"REGISTER_SELF", VLAD_SELF},
        {"REGISTER_LOCAL", VLAD_FIRST_LOCAL},
        {"EXPRESSION_NUMBER", offsetof(vlad_expression, number)},
        {"EXPRESSION_IS", offsetof(vlad_expression, is)},
        {"LAMBDA_NUMBER", offsetof(vlad_lambda, number)},
        {"LAMBDA_PARAMETER", offsetof(vlad_lambda, parameter)},
        {"PATTERN_FIRST", offsetof(vlad_pattern, first)},
        {"PATTERN_SECOND", offsetof(vlad_pattern, second)},
        {"MACHINE_LEVELS", offsetof(vlad_machine, numbers.levels)},
        {"MACHINE_LEVEL_COUNT", offsetof(vlad_machine, numbers.count)},
        {"MACHINE_TAPES", offsetof(vlad_machine, numbers.tapes)},
        {"LEVEL_SIZE", sizeof(vlad_level)},
        {"LEVEL_TAG", offsetof(vlad_level, tag)},
        {"LEVEL_BORN", offsetof(vlad_level, born)},
        {"LEVEL_RECORDING", offsetof(vlad_level, recording)},
        {"LEVEL_SHARED", offsetof(vlad_level, shared)},
        {"LEVEL_FILLED", offsetof(vlad_level, filled)},
        {"CHUNK", VLAD_CHUNK},
        {"FRAMES", VLAD_FRAMES},
        {"NUMBERS", g->survey.index.expression_count},
        {"LAMBDAS", g->survey.index.lambda_count},
        {"LETRECS", g->survey.index.letrec_count},
    };
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        vlad_write(out, "#define %s %zu\n", offsets[i].name, offsets[i].value);
}

static void write_tables(const vlad_emitter *g, vlad_writer *out) {
    vlad_write(out, "static region_code *const after_code[3 * NUMBERS + 1] = {\n[0 ... 3 * NUMBERS] = no_code,\n");
    for (size_t i = 0; i < 3 * (size_t)g->survey.index.expression_count; i++)
        if (g->after_wanted[i])
            vlad_write(out, "[%zu] = after_%zu_%zu,\n", i, i / 3, i % 3);
    vlad_write(out, "};\nstatic region_code *const apply_code[LAMBDAS + 1] = {\n[0 ... LAMBDAS] = apply_slowly,\n");
    for (uint32_t i = 0; i < g->survey.index.lambda_count; i++)
        if (g->survey.index.lambdas[i] != NULL && vlad_is_compiled_lambda(g, g->survey.index.lambdas[i]))
            vlad_write(out, "[%" PRIu32 "] = apply_%" PRIu32 ",\n", i, i);
    vlad_write(out, "};\nstatic const vlad_region after_regions[3 * NUMBERS + 1] = {\n");
    for (size_t i = 0; i < 3 * (size_t)g->survey.index.expression_count; i++)
        if (g->after_wanted[i])
            vlad_write(out, "[%zu] = {(void (*)(void))after_%zu_%zu, %" PRIu32 ", %" PRIu32 "},\n", i, i / 3, i % 3,
                       g->after_sizes[i].steps, g->after_sizes[i].words);
    vlad_write(out, "};\nstatic const vlad_region at_regions[NUMBERS + 1] = {\n");
    for (uint32_t i = 0; i < g->survey.index.expression_count; i++)
        if (g->at_wanted[i])
            vlad_write(out, "[%" PRIu32 "] = {(void (*)(void))at_%" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n", i, i,
                       g->at_sizes[i].steps, g->at_sizes[i].words);
    vlad_write(out, "};\n");
}

/* Writes a C string literal, line by line. */
static void write_string(vlad_writer *out, const char *bytes, size_t size) {
    vlad_write(out, "\"");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n')
            vlad_write(out, "\\n\"\n\"");
        else if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
            vlad_write(out, "\\%03o", c);
        else
            vlad_write_bytes(out, bytes + i, 1);
    }
    vlad_write(out, "\"");
}

static void write_texts(const vlad_emitter *g, vlad_writer *out) {
    uint32_t count = vlad_sources_opened(g->sources);
    vlad_write(out, "static const vlad_embedded texts[] = {\n");
    for (uint32_t i = 0; i < count; i++) {
        vlad_embedded text = vlad_sources_opening(g->sources, i);
        vlad_write(out, "{");
        write_string(out, text.path, strlen(text.path));
        vlad_write(out, ", ");
        write_string(out, text.bytes, text.same == i ? text.size : 0);
        vlad_write(out, ", %zu, %" PRIu32 "},\n", text.size, text.same);
    }
    vlad_write(out, "};\n");
}

static void write_main(const vlad_emitter *g, vlad_writer *out) {
    vlad_write(out,
               "int main(int argc, char **argv) {\n"
               "(void)argc;\n"
               "const vlad_code code = {at_regions, after_regions, enter, E, L, G, closures, groups, NUMBERS, "
               "LAMBDAS, LETRECS, %d};\n"
               "return vlad_run_compiled(&code, texts, sizeof texts / sizeof *texts, argv + 1, stdin, stdout, "
               "stderr);\n}\n",
               vlad_sources_has_prelude(g->sources));
}

static void write_file(const vlad_emitter *g, vlad_writer *out) {
    vlad_write(out, "/* Written by `verso vlad --compile`. */\n#include <stdio.h>\n");
    vlad_write_bytes(out, vlad_value_begin, (size_t)(vlad_value_end - vlad_value_begin));
    write_offsets(g, out);
    vlad_write_bytes(out, vlad_prelude_begin, (size_t)(vlad_prelude_end - vlad_prelude_begin));
    vlad_write(out, "\n%s\n%s", g->heads.size > 0 ? g->heads.text : "", g->bodies.size > 0 ? g->bodies.text : "");
    write_tables(g, out);
    write_texts(g, out);
    write_main(g, out);
}

verso_status vlad_compile(const vlad_sources *sources, const vlad_program *program, vlad_writer *out,
                          verso_error *error) {
    vlad_emitter g = {.sources = sources,
                      .program = program,
                      .work = {.item = sizeof(vlad_work)},
                      .pairs = {.item = sizeof(vlad_form)}};
    size_t numbers = program->numbers;
    verso_status status = vlad_survey_make(program, &g.survey, error);
    if (status != VERSO_STATUS_OK)
        return status;
    g.costs = verso__alloc(numbers + 1, sizeof *g.costs);
    g.placed = verso__alloc((size_t)program->lambdas + 1, sizeof *g.placed);
    g.left_out = verso__alloc((size_t)program->lambdas + 1, sizeof *g.left_out);
    g.at_sizes = verso__alloc(numbers + 1, sizeof *g.at_sizes);
    g.after_sizes = verso__alloc(3 * numbers + 1, sizeof *g.after_sizes);
    g.at_wanted = verso__alloc(numbers + 1, sizeof *g.at_wanted);
    g.after_wanted = verso__alloc(3 * numbers + 1, sizeof *g.after_wanted);
    g.locals = vlad_emit_locals(&g, program->locals_most);
    g.failed = g.costs == NULL || g.placed == NULL || g.left_out == NULL || g.at_sizes == NULL ||
               g.after_sizes == NULL || g.at_wanted == NULL || g.after_wanted == NULL || g.locals == NULL;
    g.failed = g.failed || !vlad_flow_make(&g.survey, program, &g.flow);
    if (!g.failed) {
        leave_out(&g);
        note_derivatives(&g);
    }
    if (!g.failed) {
        vlad_costs_make(&g);
        write_functions(&g);
    }
    if (!g.failed)
        write_file(&g, out);
    bool failed = g.failed || out->failed;
    vlad_flow_free(&g.flow);
    vlad_survey_free(&g.survey);
    verso__dealloc(g.costs);
    verso__dealloc(g.placed);
    verso__dealloc(g.left_out);
    verso__dealloc(g.at_sizes);
    verso__dealloc(g.after_sizes);
    verso__dealloc(g.at_wanted);
    verso__dealloc(g.after_wanted);
    vlad_emit_locals_free(g.locals);
    vlad_stack_free(&g.work);
    vlad_stack_free(&g.pairs);
    vlad_writer_free(&g.heads);
    vlad_writer_free(&g.bodies);
    vlad_writer_free(&g.body);
    return failed ? vlad_no_memory(error) : VERSO_STATUS_OK;
}
