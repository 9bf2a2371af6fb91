/* See translate.h. The text is copied; each rev function is replaced by all functions derived from it. */
#include "rev/translate.h"

#include "rev/check_program.h"
#include "rev/dump.h"
#include "rev/length.h"
#include "rev/parse.h"
#include "rev/passes.h"
#include "rev/print.h"
#include "rev/register.h"

#include <string.h>

const char *const rev_pass_names[] = {"desugar", "analysis", "inverse", "lower", "adjoint", "tangent", "hvp", NULL};

typedef struct translation {
    rev_unit *unit;
    rev_program *program;
    rev_printer printer;
    const rev_options *options;
    bool begun; /* the #include of generated.h has been printed */
} translation;

/* ---- Passes over one function ---- */

/* Sets the type that replaces `double` while the function is processed. */
static void enter(rev_unit *unit, const rev_function *function) {
    unit->instance = function->instance ? function->instance->type : NULL;
    unit->instance_place = function->instance ? function->instance->place : (rev_place){0};
}

/* Runs a pass with its own guard, so that errors in other functions are found, too. */
static void run_guarded(rev_program *program, rev_function *function, void (*pass)(rev_program *, rev_function *)) {
    rev_unit *unit = program->unit;
    if (!function->body || function->failed)
        return;
    unsigned errors = unit->errors;
    enter(unit, function);
    rev_guard guard = {.outer = unit->guard};
    unit->guard = &guard;
    if (setjmp(guard.jump) == 0) {
        pass(program, function);
        unit->guard = guard.outer;
    } else if (unit->no_memory) {
        rev_abandon(unit);
    }
    unit->instance = NULL;
    function->failed |= unit->errors > errors;
}

static void analyse(rev_program *program, rev_function *function) {
    rev_check_rules(program, function);
    rev_check_ancillas(program, function);
    rev_mark(program, function);
}

static void derive(rev_program *program, rev_function *function) {
    function->inverted = rev_invert(program->unit, function->body);
    rev_lower(program, function, function->inverted, true); /* to find functions without derivatives */
}

/* ---- Output ---- */

static void begin(translation *t) {
    if (t->begun)
        return;
    t->begun = true;
    verso__text_string(t->printer.out, "\n#include <verso/rev/generated.h>\n");
    t->printer.source = NULL;
}

/* gcc must not inline functions with `restrict` pointers: see <verso/rev/generated.h>. */
static const char *declaration(const translation *t, const rev_function *function, unsigned variant) {
    const char *signature = rev_text_of_signature(t->program, function, variant);
    bool apart = !t->unit->cuda && strstr(signature, "__restrict__");
    return rev_format(t->unit, "%s%s", apart ? "REV_APART " : "", signature);
}

/* Declares the derived functions that C has not seen yet. */
static void announce(translation *t, rev_function *function) {
    if (function->announced)
        return;
    function->announced = true;
    for (unsigned variant = 0; variant < REV_VARIANTS; variant++)
        rev_print_line(&t->printer, function->place, "%s;", declaration(t, function, variant));
}

static void announce_called(translation *t, const rev_block *block) {
    for (size_t i = 0; i < block->count; i++) {
        const rev_statement *s = block->items[i];
        if (s->function)
            announce(t, s->function);
        for (size_t k = 0; k < s->argument_count; k++) {
            const rev_expr *e = s->arguments[k].value;
            rev_function *passed =
                e->kind == REV_E_NAME && !e->variable ? rev_find_function(t->program, e->name) : NULL;
            if (passed)
                announce(t, passed);
        }
        size_t turn = 0;
        for (rev_block *inner; (inner = rev_s_inner(s, &turn));)
            announce_called(t, inner);
    }
}

static rev_block *variant_body(translation *t, rev_function *function, unsigned variant) {
    bool bars = variant & REV_ADJOINT, inverse = variant & REV_INVERSE;
    t->unit->names = 0;
    /* The adjoint of a function is made from its inverse. */
    rev_block *tree = rev_lower(t->program, function, inverse != bars ? function->inverted : function->body, bars);
    return variant & REV_TANGENT ? rev_tangent(t->program, tree) : tree;
}

static void print_variant(translation *t, rev_function *function, unsigned variant) {
    rev_block *body = variant_body(t, function, variant);
    rev_print_line(&t->printer, function->place, "%s {", declaration(t, function, variant));
    t->printer.indent++;
    rev_print_block(&t->printer, body);
    t->printer.indent--;
    rev_print_line(&t->printer, body->end, "}");
}

static const char *const silenced[] = {"-Wunused-parameter", "-Wunused-variable", "-Wunused-but-set-variable",
                                       "-Wunused-but-set-parameter"};

static void print_function(translation *t, rev_function *function) {
    begin(t);
    bool registers = t->options->registers && rev_registers(t->program, function);
    if (registers)
        rev_print_before_registered(&t->printer, function);
    if (!t->unit->cuda) {
        rev_print_line(&t->printer, function->place, "#pragma GCC diagnostic push");
        for (size_t i = 0; i < sizeof silenced / sizeof *silenced; i++)
            rev_print_line(&t->printer, (rev_place){0}, "#pragma GCC diagnostic ignored \"%s\"", silenced[i]);
    }
    announce(t, function);
    announce_called(t, function->body);
    for (unsigned variant = 0; variant < REV_VARIANTS; variant++)
        print_variant(t, function, variant);
    if (registers)
        rev_print_registered(&t->printer, function);
    if (!t->unit->cuda)
        rev_print_line(&t->printer, (rev_place){0}, "#pragma GCC diagnostic pop");
}

static void print_instances(translation *t, const rev_cut *cut) {
    for (size_t i = 0; i < cut->instance_count; i++) {
        const rev_instance *instance = &cut->instance[i];
        rev_function *function =
            rev_find_function(t->program, rev_instance_name(t->unit, instance->function, instance->type));
        if (function)
            print_function(t, function);
    }
}

/* Prints a #line, so that the copied text after a replaced part keeps its line numbers. */
static void resume(translation *t, uint32_t offset) {
    const rev_source *source = t->program->source;
    uint32_t line = 1;
    for (uint32_t i = 0; i < offset; i++)
        line += source->text[i] == '\n';
    if (t->printer.lines)
        verso__text_print(t->printer.out, "#line %u %s\n", line, rev_text_quoted(t->unit, source->name));
}

static void print_cut(translation *t, const rev_cut *cut) {
    verso__text_string(t->printer.out, "\n");
    t->printer.source = NULL;
    if (cut->function)
        print_function(t, cut->function);
    else if (cut->declared) {
        begin(t);
        announce(t, cut->declared);
    } else if (cut->instance)
        print_instances(t, cut);
    resume(t, cut->to);
}

static void print_file(translation *t) {
    const rev_source *source = t->program->source;
    uint32_t at = 0;
    verso__text_string(t->printer.out, "#define VERSO_REV_GENERATED 1\n");
    if (t->program->declared_elsewhere) /* these headers still contain the keywords */
        verso__text_string(t->printer.out, "#define rev\n#define passive\n");
    resume(t, 0);
    for (size_t i = 0; i < t->program->cut_count; i++) {
        const rev_cut *cut = &t->program->cuts[i];
        verso__text_add(t->printer.out, source->text + at, cut->from - at);
        print_cut(t, cut);
        at = cut->to;
    }
    verso__text_add(t->printer.out, source->text + at, source->size - at);
}

/* ---- Dumps ---- */

static void dump_function(translation *t, rev_function *function) {
    static const struct {
        const char *pass;
        unsigned variants[2];
    } printed[] = {{"lower", {REV_FORWARD, REV_INVERSE}},
                   {"adjoint", {REV_ADJOINT, REV_INVERSE | REV_ADJOINT}},
                   {"tangent", {REV_TANGENT, REV_INVERSE | REV_TANGENT}},
                   {"hvp", {REV_ADJOINT | REV_TANGENT, REV_INVERSE | REV_ADJOINT | REV_TANGENT}}};
    const char *pass = t->options->dump;
    bool inverse = strcmp(pass, "inverse") == 0, marks = strcmp(pass, "analysis") == 0;
    if (inverse || marks || strcmp(pass, "desugar") == 0)
        rev_dump(&t->printer, function, inverse ? function->inverted : function->body,
                 inverse ? REV_INVERSE : REV_FORWARD, marks);
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        if (strcmp(pass, printed[i].pass) == 0) {
            print_variant(t, function, printed[i].variants[0]);
            print_variant(t, function, printed[i].variants[1]);
        }
}

static void dump_all(translation *t) {
    t->printer.lines = false;
    for (size_t i = 0; i < t->program->function_count; i++)
        if (t->program->functions[i]->body)
            dump_function(t, t->program->functions[i]);
}

/* ---- Instances ---- */

static void make_instance(rev_program *program, const rev_instance *instance) {
    rev_function *original = rev_find_function(program, instance->function);
    if (!original || !original->body) {
        rev_report(program->unit, instance->place, "define it before, in this file", "'%s' is not a rev function",
                   instance->function);
        return;
    }
    program->unit->instance = instance->type;
    program->unit->instance_place = instance->place;
    rev_function *function = rev_read_instance(program, original, instance);
    program->unit->instance = NULL;
    rev_add_function(program, function);
}

static void run_passes(rev_program *program) {
    /* all of them before the first pass, since they may call each other */
    for (size_t i = 0; i < program->cut_count; i++)
        for (size_t k = 0; k < program->cuts[i].instance_count; k++)
            make_instance(program, &program->cuts[i].instance[k]);
    for (size_t i = 0; i < program->function_count; i++)
        run_guarded(program, program->functions[i], rev_desugar);
    rev_settle(program);
    for (size_t i = 0; i < program->function_count; i++)
        run_guarded(program, program->functions[i], analyse);
    for (size_t i = 0; i < program->function_count; i++)
        run_guarded(program, program->functions[i], derive);
}

static void translate(rev_unit *unit, const rev_source *source, const rev_options *options, verso__text *output) {
    rev_program *program = rev_read_program(unit, source, options->folders);
    translation t = {.unit = unit,
                     .program = program,
                     .options = options,
                     .printer = {.unit = unit, .program = program, .out = output, .lines = !options->no_lines}};
    run_passes(program);
    rev_check_lengths(program);
    if (unit->errors == 0 && options->dump)
        dump_all(&t);
    else if (unit->errors == 0)
        print_file(&t);
    if (unit->errors == 0 && options->check)
        rev_print_checks(program, options->check, output);
}

verso_status rev_translate(const char *text, size_t size, const rev_options *options, verso__text *output,
                           verso__text *messages) {
    rev_unit unit = {.messages = messages, .cuda = options->cuda};
    size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* byte order mark of UTF-8 */
    rev_source source = {options->name, text + mark, size - mark};
    rev_guard guard = {0};
    unit.guard = &guard;
    if (setjmp(guard.jump) == 0)
        translate(&unit, &source, options, output);
    bool no_memory = unit.no_memory || output->status != VERSO_STATUS_OK || messages->status != VERSO_STATUS_OK;
    verso_status status = no_memory ? VERSO_STATUS_NO_MEMORY : unit.errors ? VERSO_STATUS_INVALID : VERSO_STATUS_OK;
    rev_unit_free(&unit);
    return status;
}
