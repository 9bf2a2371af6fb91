/* Parses the whole file: rev functions and the tool's declarations. From everything else it learns types. Code
 * that is not reversible and cannot be parsed is skipped: it is left to the compiler. */
#include "rev/parse.h"

#include "base/file.h"

#include <fcntl.h>

/* ---- Tables ---- */

rev_named *rev_find_named(const rev_names *names, const char *name) {
    for (size_t i = names->count; i-- > 0;)
        if (strcmp(names->items[i].name, name) == 0)
            return &names->items[i];
    return NULL;
}

rev_function *rev_find_function(const rev_program *program, const char *name) {
    for (size_t i = 0; i < program->function_count; i++)
        if (strcmp(program->functions[i]->name, name) == 0)
            return program->functions[i];
    return NULL;
}

void rev_add_named(rev_unit *unit, rev_names *names, rev_named named) {
    names->items = rev_grow(unit, names->items, names->count, sizeof *names->items);
    names->items[names->count++] = named;
}

void rev_add_function(rev_program *program, rev_function *function) {
    program->functions = rev_grow(program->unit, program->functions, program->function_count, sizeof(rev_function *));
    program->functions[program->function_count++] = function;
}

static rev_cut *add_cut(rev_parser *p, size_t first, size_t after) {
    rev_program *program = p->program;
    if (p->tokens.items != program->tokens.items)
        return rev_alloc(p->unit, 1, sizeof(rev_cut)); /* the text of a header is not changed */
    program->cuts = rev_grow(p->unit, program->cuts, program->cut_count, sizeof *program->cuts);
    rev_cut *cut = &program->cuts[program->cut_count++];
    *cut = (rev_cut){.from = p->tokens.items[first].place.offset, .to = rev_token_end(&p->tokens.items[after - 1])};
    return cut;
}

/* ---- Reversible functions ---- */

static void check_names(rev_parser *p, const rev_function *function) {
    static const char *const suffixes[] = {"_bar", "_dot", "_bar_dot"};
    for (size_t i = 0; i < function->parameter_count; i++)
        for (size_t k = 0; k < function->parameter_count; k++)
            for (size_t s = 0; s < 3; s++) {
                const rev_variable *a = function->parameters[i], *b = function->parameters[k];
                if (a->active && strcmp(rev_format(p->unit, "%s%s", a->name, suffixes[s]), b->name) == 0)
                    rev_refuse(p->unit, b->place, "give it another name", "'%s' is the name of the derivative of '%s'",
                               b->name, a->name);
            }
}

/* Refuses unknown types: a parameter without a derivative must be declared passive by the user. */
static void check_known(rev_parser *p, const rev_function *function) {
    for (size_t i = 0; i < function->parameter_count; i++) {
        const rev_variable *v = function->parameters[i];
        const rev_type *type = v->type;
        while (type->kind == REV_POINTER || type->kind == REV_ARRAY)
            type = type->of;
        if (!v->passive && (type->kind == REV_OTHER || (type->kind == REV_RECORD && type->record->count == 0)))
            rev_refuse(p->unit, v->place, "name the folder of its header with -I, or mark the parameter passive",
                       "the type '%s' of '%s' is not known here", type->name, v->name);
    }
}

static rev_function *new_function(rev_parser *p, const rev_specifiers *specifiers, const rev_declarator *d) {
    rev_function *function = rev_alloc(p->unit, 1, sizeof *function);
    function->name = d->name;
    function->place = d->place;
    function->prefix = specifiers->prefix;
    function->is_kernel = strstr(specifiers->prefix, "__global__") != NULL;
    function->on_device = function->is_kernel || strstr(specifiers->prefix, "__device__") != NULL;
    function->parameters = d->type->parameters;
    function->parameter_count = d->type->parameter_count;
    if (d->type->of->kind != REV_VOID)
        rev_refuse(p->unit, d->place, "rev void f(double *out, ...): add the result to what a pointer points to",
                   "a rev function returns nothing");
    check_names(p, function);
    check_known(p, function);
    return function;
}

/* Parses rev void f(...) { ... } or rev void f(...); */
static rev_function *read_function(rev_parser *p) {
    size_t first = p->at;
    const rev_scope *outer = p->scope;
    rev_specifiers specifiers = rev_read_specifiers(p);
    rev_declarator d = rev_read_declarator(p, specifiers.type);
    if (!d.name || d.type->kind != REV_FUNCTION)
        rev_refuse(p->unit, d.place, "rev void f(...) { ... }", "only a function can be marked rev");
    rev_function *function = new_function(p, &specifiers, &d);
    function->first_token = first;
    if (!rev_accept(p, ";")) {
        function->body_token = p->at;
        p->function = function;
        function->body = rev_read_body(p);
        p->function = NULL;
    }
    function->last_token = p->at;
    p->scope = outer;
    return function;
}

static void enter_function(rev_parser *p, rev_function *function) {
    rev_function *known = rev_find_function(p->program, function->name);
    if (known && known->body && function->body)
        rev_refuse(p->unit, function->place, NULL, "'%s' is defined twice", function->name);
    rev_cut *cut = add_cut(p, function->first_token, function->last_token);
    p->program->declared_elsewhere |= p->program->include_depth > 0;
    if (known && !known->body && function->body) {
        *known = *function; /* replaces the earlier declaration in place, since others point to it */
        cut->function = known;
        return;
    }
    if (!known)
        rev_add_function(p->program, function);
    cut->function = function->body ? function : NULL;
    cut->declared = function->body ? NULL : known ? known : function;
}

/* ---- The tool's own declarations ---- */

static const rev_type *host_type(const rev_program *program, const char *name) {
    rev_named *host = rev_find_named(&program->hosts, name);
    return host && host->type->kind == REV_FUNCTION ? host->type : NULL;
}

static void make_dual(rev_parser *p, const rev_token *name, const char *inverse) {
    const rev_type *type = host_type(p->program, name->text);
    if (!type)
        rev_refuse(p->unit, name->place, "declare it before this line, in this file", "'%s' is not known here",
                   name->text);
    rev_function *function = rev_alloc(p->unit, 1, sizeof *function);
    function->name = name->text;
    function->place = name->place;
    function->prefix = "";
    function->parameters = type->parameters;
    function->parameter_count = type->parameter_count;
    function->by_hand = function->announced = true;
    function->inverse = inverse;
    if (!rev_find_function(p->program, name->text))
        rev_add_function(p->program, function);
}

static void read_dual(rev_parser *p) {
    bool self = strcmp(rev_take(p)->text, "selfdual") == 0;
    rev_expect(p, "(", "after 'dual'");
    const rev_token *first = rev_take(p), *second = first;
    if (!self) {
        rev_expect(p, ",", "between a function and its inverse");
        second = rev_take(p);
    }
    rev_expect(p, ")", "after 'dual(...'");
    make_dual(p, first, second->text);
    if (!self)
        make_dual(p, second, first->text);
}

static rev_variable *read_formal(rev_parser *p, const rev_type *type) {
    const rev_token *token = rev_peek(p, 0);
    const char *name = rev_expect_name(p, "the name of an argument");
    rev_variable *formal = rev_variable_new(p->unit, name, type, REV_TEMPORARY, token->place);
    rev_declare(p, formal);
    return formal;
}

/* Parses derivative(f(x, y), df/dx, df/dy); or derivative(f(x, y)) = df/dx, df/dy; */
static void read_rule(rev_parser *p) {
    const rev_scope *outer = p->scope;
    rev_rule *rule = rev_alloc(p->unit, 1, sizeof *rule);
    rev_place place = rev_take(p)->place;
    rev_expect(p, "(", "after 'derivative'");
    rule->name = rev_expect_name(p, "a function");
    const rev_type *host = host_type(p->program, rule->name);
    const rev_type *type = host && rev_is_floating(host->of) ? host->of : rev_type_basic(p->unit, REV_DOUBLE);
    rule->result = rev_variable_new(p->unit, "r", type, REV_TEMPORARY, place);
    rev_declare(p, rule->result);
    rev_expect(p, "(", "after the function's name");
    do {
        rule->formals = rev_grow(p->unit, rule->formals, rule->count, sizeof *rule->formals);
        bool typed = host && rule->count < host->parameter_count;
        rule->formals[rule->count] = read_formal(p, typed ? host->parameters[rule->count]->type : type);
        rule->count++;
    } while (rev_accept(p, ","));
    rev_expect(p, ")", "after the arguments");
    bool listed = rev_accept(p, ",");
    if (!listed) {
        rev_expect(p, ")", "after 'derivative(...'");
        rev_expect(p, "=", "after 'derivative(...)'");
    }
    rule->partials = rev_alloc(p->unit, rule->count, sizeof *rule->partials);
    for (size_t i = 0; i < rule->count; i++) {
        if (i > 0 && !rev_accept(p, ","))
            rev_refuse(p->unit, rev_here(p), "derivative(f(x, y), by x, by y);",
                       "'%s' needs one derivative for each argument", rule->name);
        rule->partials[i] = rev_read_expr(p);
    }
    if (listed)
        rev_expect(p, ")", "after the derivatives");
    p->scope = outer;
    p->program->rules = rev_grow(p->unit, p->program->rules, p->program->rule_count, sizeof *p->program->rules);
    p->program->rules[p->program->rule_count++] = rule;
}

static void read_instantiate(rev_parser *p, size_t first) {
    rev_place place = rev_take(p)->place;
    rev_expect(p, "(", "after 'rev_instantiate'");
    const char *name = rev_expect_name(p, "a rev function");
    rev_instance *instances = NULL;
    size_t count = 0;
    while (rev_accept(p, ",")) {
        size_t begin = p->at;
        while (rev_peek(p, 0)->kind == REV_NAME)
            rev_take(p);
        if (p->at == begin)
            rev_refuse(p->unit, rev_here(p), NULL, "a type expected, not '%.40s'", rev_peek(p, 0)->text);
        uint32_t from = p->tokens.items[begin].place.offset, to = rev_token_end(&p->tokens.items[p->at - 1]);
        instances = rev_grow(p->unit, instances, count, sizeof *instances);
        instances[count++] = (rev_instance){name, rev_copy(p->unit, place.source->text + from, to - from), place};
    }
    rev_expect(p, ")", "after the types");
    rev_expect(p, ";", "after a declaration");
    rev_cut *cut = add_cut(p, first, p->at);
    cut->instance = instances;
    cut->instance_count = count;
}

/* Parses rev_length(f, x, 3 * n); */
static void read_length(rev_parser *p) {
    rev_length length = {.place = rev_take(p)->place};
    rev_expect(p, "(", "after 'rev_length'");
    length.function = rev_expect_name(p, "a rev function");
    rev_expect(p, ",", "between a function and its parameter");
    length.parameter = rev_expect_name(p, "a parameter");
    rev_expect(p, ",", "between a parameter and its length");
    length.length = rev_read_expr(p);
    rev_expect(p, ")", "after the length");
    p->program->lengths = rev_grow(p->unit, p->program->lengths, p->program->length_count, sizeof length);
    p->program->lengths[p->program->length_count++] = length;
}

static bool read_own(rev_parser *p) {
    size_t first = p->at;
    if (!rev_token_is(rev_peek(p, 1), "("))
        return false;
    if (rev_next_is(p, "rev_instantiate")) {
        read_instantiate(p, first);
        return true;
    }
    if (rev_next_is(p, "dual") || rev_next_is(p, "selfdual"))
        read_dual(p);
    else if (rev_next_is(p, "derivative"))
        read_rule(p);
    else if (rev_next_is(p, "rev_length"))
        read_length(p);
    else
        return false;
    rev_expect(p, ";", "after a declaration");
    add_cut(p, first, p->at);
    return true;
}

/* ---- Host code ---- */

/* Skips to the end of a declaration or of a function's body. */
static void skip_declaration(rev_parser *p) {
    while (rev_peek(p, 0)->kind != REV_END && !rev_accept(p, ";")) {
        bool body = rev_next_is(p, "{"), opens = body || rev_next_is(p, "(") || rev_next_is(p, "[");
        if (!opens) {
            rev_take(p);
            continue;
        }
        p->at = rev_matching(p, p->at);
        bool goes_on = rev_next_is(p, ";") || rev_next_is(p, ",") || rev_next_is(p, "=") ||
                       (rev_peek(p, 0)->kind == REV_NAME && rev_token_is(rev_peek(p, 1), ";"));
        if (body && !goes_on)
            return;
    }
}

static void learn(rev_parser *p, const rev_specifiers *specifiers, const rev_declarator *d) {
    if (!d->name)
        return;
    rev_program *program = p->program;
    if (specifiers->is_typedef) {
        rev_type *type = rev_alloc(p->unit, 1, sizeof *type);
        *type = *d->type;
        rev_add_named(p->unit, &program->types, (rev_named){.name = d->name, .type = type});
    } else if (d->type->kind == REV_FUNCTION) {
        rev_add_named(p->unit, &program->hosts, (rev_named){.name = d->name, .type = d->type});
    } else {
        program->globals = rev_grow(p->unit, program->globals, program->global_count, sizeof(rev_variable *));
        program->globals[program->global_count++] = rev_variable_new(p->unit, d->name, d->type, REV_GLOBAL, d->place);
    }
}

static void read_declaration(rev_parser *p) {
    const rev_scope *outer = p->scope;
    rev_specifiers specifiers = rev_read_specifiers(p);
    while (!rev_next_is(p, ";")) {
        rev_declarator d = rev_read_declarator(p, specifiers.type);
        p->scope = outer;
        learn(p, &specifiers, &d);
        if (!rev_accept(p, ","))
            break;
    }
    p->scope = outer;
}

/* Learns from one declaration, with its own guard: if it cannot be parsed, it is skipped. */
static void learn_from(rev_parser *p) {
    size_t first = p->at;
    unsigned depth = p->depth;
    rev_guard guard = {.outer = p->unit->guard};
    if (setjmp(guard.jump) == 0) {
        p->unit->quiet = true;
        p->unit->guard = &guard;
        read_declaration(p);
        p->unit->guard = guard.outer;
    }
    p->unit->quiet = false;
    if (p->unit->no_memory)
        rev_abandon(p->unit);
    p->depth = depth;
    p->inside = 0;
    p->scope = NULL;
    p->at = first;
    skip_declaration(p);
    if (p->at == first)
        p->at++;
}

/* ---- Headers ---- */

static void read_all(rev_parser *p);

static char *read_file(rev_unit *unit, const char *path, size_t *size) {
    verso__file file;
    uint64_t bytes;
    if (verso__file_open(&verso__system_machine, path, O_RDONLY, &file, NULL) != VERSO_STATUS_OK)
        return NULL;
    char *text = NULL;
    if (verso__file_size(&file, &bytes, NULL) == VERSO_STATUS_OK && bytes < UINT32_MAX) {
        text = rev_alloc(unit, (size_t)bytes + 1, 1);
        if (verso__file_read(&file, text, (size_t)bytes, size, NULL) != VERSO_STATUS_OK)
            text = NULL;
    }
    verso__file_close(&file, NULL);
    return text;
}

static const char *find_header(rev_parser *p, const char *name, bool quoted, char **text, size_t *size) {
    const char *from = p->tokens.items[0].place.source->name, *slash = strrchr(from, '/');
    if (quoted) {
        const char *path = rev_format(p->unit, "%.*s%s", slash ? (int)(slash - from + 1) : 0, from, name);
        if ((*text = read_file(p->unit, path, size)))
            return path;
    }
    for (size_t i = 0; p->program->folders && p->program->folders[i]; i++) {
        const char *path = rev_format(p->unit, "%s/%s", p->program->folders[i], name);
        if ((*text = read_file(p->unit, path, size)))
            return path;
    }
    return NULL;
}

/* Reads a header, if it is found and is not a system header: types, and functions that other files define. */
static void read_include(rev_parser *p, const char *line) {
    const char *word = line + 1 + strspn(line + 1, " \t");
    if (strncmp(word, "include", 7) != 0 || p->program->include_depth > 16)
        return;
    const char *open = strpbrk(word, "\"<"), *close = open ? strpbrk(open + 1, "\">") : NULL;
    if (!close || strstr(open, "verso/rev"))
        return;
    const char *name = rev_copy(p->unit, open + 1, (size_t)(close - open - 1));
    rev_source *source = rev_alloc(p->unit, 1, sizeof *source);
    char *text;
    source->name = find_header(p, name, *open == '"', &text, &source->size);
    if (!source->name)
        return;
    source->text = text;
    rev_parser header = {.unit = p->unit, .program = p->program};
    header.tokens = rev_read_tokens(p->unit, source);
    p->program->include_depth++;
    read_all(&header);
    p->program->include_depth--;
}

/* ---- The file ---- */

/* Parses a function with its own guard, so that its errors do not hide those of the next one. */
static void read_guarded(rev_parser *p) {
    size_t first = p->at;
    rev_guard guard = {.outer = p->unit->guard};
    p->unit->guard = &guard;
    if (setjmp(guard.jump) == 0) {
        enter_function(p, read_function(p));
        p->unit->guard = guard.outer;
        return;
    }
    if (p->unit->no_memory)
        rev_abandon(p->unit);
    p->depth = p->inside = 0;
    p->scope = NULL;
    p->function = NULL;
    p->at = first;
    p->unit->quiet = true; /* its error is already reported */
    skip_declaration(p);
    p->unit->quiet = false;
}

/* True if a declaration begins with `rev`, apart from storage specifiers. */
static bool begins_function(const rev_parser *p) {
    for (size_t ahead = 0; ahead < 4; ahead++) {
        if (rev_token_is(rev_peek(p, ahead), "rev"))
            return rev_peek(p, ahead + 1)->kind == REV_NAME;
        if (!rev_token_is(rev_peek(p, ahead), "static") && !rev_token_is(rev_peek(p, ahead), "inline") &&
            !rev_token_is(rev_peek(p, ahead), "extern"))
            return false;
    }
    return false;
}

static void read_all(rev_parser *p) {
    while (rev_peek(p, 0)->kind != REV_END) {
        const rev_token *token = rev_peek(p, 0);
        if (token->kind == REV_DIRECTIVE) {
            rev_learn_macro(p->program, token);
            read_include(p, rev_take(p)->text);
        } else if (rev_token_is(token, "extern") && rev_peek(p, 1)->kind == REV_STRING &&
                   rev_token_is(rev_peek(p, 2), "{"))
            p->at += 3;
        else if (rev_token_is(token, "}"))
            p->at++;
        else if (begins_function(p))
            read_guarded(p);
        else if (!read_own(p))
            learn_from(p);
    }
}

rev_program *rev_read_program(rev_unit *unit, const rev_source *source, const char *const *folders) {
    rev_program *program = rev_alloc(unit, 1, sizeof *program);
    program->unit = unit;
    program->source = source;
    program->folders = folders;
    program->tokens = rev_read_tokens(unit, source);
    rev_parser p = {.unit = unit, .program = program, .tokens = program->tokens};
    read_all(&p);
    return program;
}

/* ---- Instances ---- */

const char *rev_instance_name(rev_unit *unit, const char *name, const char *type) {
    size_t length = strlen(type);
    char *suffix = rev_alloc(unit, length + 1, 1);
    for (size_t i = 0; i < length; i++)
        suffix[i] = type[i] == ' ' ? '_' : type[i];
    return rev_format(unit, "%s_%s", name, suffix);
}

rev_function *rev_read_instance(rev_program *program, const rev_function *original, const rev_instance *instance) {
    rev_parser p = {.unit = program->unit, .program = program, .tokens = program->tokens, .at = original->first_token};
    rev_function *function = read_function(&p);
    function->name = rev_instance_name(program->unit, original->name, instance->type);
    function->instance = instance;
    return function;
}
