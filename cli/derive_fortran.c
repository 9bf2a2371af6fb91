/* Finds a Fortran procedure and its arguments by asking flang for its symbols (`verso fc --verso-symbols`). The list is
 * indented text:
 *
 *     Global scope: ...
 *       Module scope: ocean ...
 *         step, PUBLIC (Subroutine): Subprogram (INTEGER(4) n,REAL(8) h)
 *         Subprogram scope: step ...
 *           h, INTENT(INOUT) size=48 offset=8: ObjectEntity dummy type: REAL(8) shape: 1_8:int(n,kind=8)
 *           n, INTENT(IN) size=4 offset=0: ObjectEntity dummy type: INTEGER(4)
 */
#include "cli/derive_fortran.h"

#include "base/suggest.h"
#include "cli/message.h"

#include <ctype.h>
#include <string.h>

#define ANSWER "type.json" /* also the name under which durable runs keep it */

/* ---- Lines ---- */

typedef struct line {
    size_t depth;
    const char *at, *end; /* without indentation and newline */
} line;

/* Takes the next line from *text. Returns false at the end. */
static bool take_line(const char **text, line *taken) {
    if (**text == '\0')
        return false;
    size_t blanks = strspn(*text, " ");
    taken->depth = blanks / 2;
    taken->at = *text + blanks;
    taken->end = taken->at + strcspn(taken->at, "\n");
    *text = *taken->end ? taken->end + 1 : taken->end;
    return true;
}

/* Returns the first byte after `words` in the line, at or after `from`; NULL if they are not there. */
static const char *after(const line *in, const char *from, const char *words) {
    size_t size = strlen(words);
    for (const char *at = from; at + size <= in->end; at++)
        if (memcmp(at, words, size) == 0)
            return at + size;
    return NULL;
}

static bool begins(const line *in, const char *words) {
    return (size_t)(in->end - in->at) >= strlen(words) && memcmp(in->at, words, strlen(words)) == 0;
}

/* The name at the beginning of a symbol's line, or after "... scope: ". */
static size_t name_size(const char *at, const char *end) {
    const char *c = at;
    while (c < end && (isalnum((unsigned char)*c) || *c == '_'))
        c++;
    return (size_t)(c - at);
}

static bool is_name(const char *at, const char *end, const char *name) {
    return name_size(at, end) == strlen(name) && memcmp(at, name, strlen(name)) == 0;
}

/* ---- Types ---- */

static const derive_scalar *scalar_of(const char *type, size_t size) {
    static const struct {
        const char *type, *scalar;
    } types[] = {{"REAL(8)", "double"},      {"REAL(4)", "float"},          {"REAL(10)", "long double"},
                 {"INTEGER(4)", "int"},      {"INTEGER(8)", "long"},        {"INTEGER(2)", "short"},
                 {"LOGICAL(4)", "int"},      {"LOGICAL(8)", "long"},        {"LOGICAL(2)", "short"},
                 {"CHARACTER(*,1)", "char"}, {"INTEGER(1)", "signed char"}, {"LOGICAL(1)", "signed char"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].type) == size && memcmp(types[i].type, type, size) == 0)
            return derive_scalar_named(types[i].scalar);
    return NULL;
}

static char *lower(cli_region *region, const char *at, size_t size) {
    char *copy = cli_region_copy(region, at, size);
    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

static void remove_bytes(char *at, size_t size) {
    memmove(at, at + size, strlen(at + size) + 1);
}

/* Returns the dimensions as one would write them: "n,0:m+1" for "1_8:int(n,kind=8),0_8:int(m+1_4,kind=8)". */
static char *readable(cli_region *region, const char *at, size_t size) {
    char *text = lower(region, at, size), *found;
    static const char conversion[] = "int(", kind[] = ",kind=8)";
    for (char *c = text + 1; size > 0 && *c; c++)
        while (*c == '_' && isdigit((unsigned char)c[-1]))
            remove_bytes(c, 1 + strspn(c + 1, "0123456789"));
    while ((found = strstr(text, kind)) != NULL) {
        remove_bytes(found, strlen(kind));
        while (found > text && memcmp(found, conversion, strlen(conversion)) != 0)
            found--;
        remove_bytes(found, memcmp(found, conversion, strlen(conversion)) == 0 ? strlen(conversion) : 0);
    }
    for (char *c = text; *c; c++)
        if ((c == text || c[-1] == ',') && c[0] == '1' && c[1] == ':' && c[2] && c[2] != ',')
            remove_bytes(c, 2);
    return text;
}

/* The end of the dimension that begins here: a comma or the end, outside of parentheses. */
static const char *dimension_end(const char *at, const char *end) {
    for (int open = 0; at < end && (*at != ',' || open > 0); at++)
        open += (*at == '(') - (*at == ')');
    return at;
}

/* Reads the shape; the last dimension of Fortran is the outermost, which comes first. */
static void read_shape(derive *task, derive_parameter *parameter, const char *at, const char *end) {
    derive_type *type = &parameter->type;
    derive_dimension read[DERIVE_DIMENSIONS_MAX] = {{0}};
    size_t count = 0;
    parameter->shape = cli_region_copy(&task->region, at, (size_t)(end - at));
    for (; at < end && count < DERIVE_DIMENSIONS_MAX; count++) {
        const char *stop = dimension_end(at, end);
        const char *size = derive_fortran_size(&task->region, at, (size_t)(stop - at));
        parameter->assumed |= stop[-1] == ':';
        const char *first = derive_fortran_lower(&task->region, at, (size_t)(stop - at));
        if (first)
            read[count].lower = (cli_json_value){first, first + strlen(first)};
        if (size)
            read[count].expression = (cli_json_value){size, size + strlen(size)};
        at = stop + (stop < end);
    }
    type->dimension_count = count;
    for (size_t i = 0; i < count; i++)
        type->dimensions[i] = read[count - 1 - i];
}

/* Reads the line of an argument. */
static void read_argument(derive *task, derive_parameter *parameter, const line *from) {
    derive_type *type = &parameter->type;
    const char *at = after(from, from->at, ": ObjectEntity dummy type: ");
    type->class = DERIVE_OTHER;
    type->printed = "procedure";
    if (!at)
        return;
    line attributes = {.at = from->at, .end = at};
    const char *shape = after(from, at, " shape: ");
    size_t size = (size_t)((shape ? shape - strlen(" shape: ") : from->end) - at);
    bool in = after(&attributes, from->at, "INTENT(IN)"), out = after(&attributes, from->at, "INTENT(OUT)");
    parameter->optional = after(&attributes, from->at, "OPTIONAL") != NULL;
    parameter->result = out;
    parameter->by_value = after(&attributes, from->at, "VALUE") != NULL;
    parameter->logical = size > 7 && memcmp(at, "LOGICAL", 7) == 0;
    type->constant = in;
    type->scalar = scalar_of(at, size);
    parameter->spelling = lower(&task->region, at, size);
    type->printed =
        cli_region_print(&task->region, "%s%s%s%s%s", parameter->spelling,
                         in    ? ", intent(in)"
                         : out ? ", intent(out)"
                               : "",
                         shape ? ", dimension(" : "",
                         shape ? readable(&task->region, shape, (size_t)(from->end - shape)) : "", shape ? ")" : "");
    if (!type->scalar || after(&attributes, from->at, "ALLOCATABLE") || after(&attributes, from->at, "POINTER"))
        return;
    bool text = strcmp(type->scalar->name, "char") == 0;
    type->class = DERIVE_POINTER;
    if (shape && !text) {
        read_shape(task, parameter, shape, from->end);
    } else if (text) {
        type->class = shape ? DERIVE_OTHER : DERIVE_POINTER;
        type->dimension_count = 1;
    } else if (in || parameter->by_value || type->scalar->class == DERIVE_INTEGER) {
        type->class = type->scalar->class;
    } else {
        type->reference = true;
        type->dimensions[0] = (derive_dimension){.known = true, .size = 1};
        type->dimension_count = 1;
    }
}

/* ---- The procedure ---- */

typedef struct search {
    cli_region *region;
    const char *module, *name; /* as the user wrote them, in small letters; module NULL: any or none */
    const char *found_module;  /* of the procedure that was found; "": external */
    line found;                /* its line */
    const char *rest;          /* the text after that line */
    size_t count;              /* procedures of this name */
    bool private;
    verso__suggestion *suggestion;
} search;

static bool is_procedure(const line *in) {
    return (after(in, in->at, "(Function): Subprogram ") || after(in, in->at, "(Subroutine): Subprogram ")) &&
           !after(in, in->at, "moduleInterface:") && !after(in, in->at, " dummy ") && begins(in, "_") == false;
}

static void consider(search *s, const line *in, const char *module, const char *rest) {
    size_t size = name_size(in->at, in->end);
    if (s->suggestion)
        verso__suggest_word(s->suggestion, cli_region_copy(s->region, in->at, size));
    if (!is_name(in->at, in->end, s->name) || (s->module && strcmp(module, s->module) != 0))
        return;
    if (after(in, in->at, ", PRIVATE")) {
        s->private = true;
        return;
    }
    s->count++;
    s->found_module = module;
    s->found = *in;
    s->rest = rest;
}

/* Reads the whole list. Modules whose names begin with two underscores are flang's. */
static void search_list(derive *task, search *s, const char *text) {
    enum { DEPTHS = 16 };
    const char *scopes[DEPTHS] = {""}; /* module of the scope at each depth; "": global; NULL: another */
    line in;
    while (take_line(&text, &in)) {
        const char *scope = after(&in, in.at, " scope: ");
        bool module = begins(&in, "Module scope: ");
        if (in.depth + 1 >= DEPTHS)
            continue;
        if (module && in.depth == 1)
            scopes[in.depth] =
                memcmp(scope, "__", 2) == 0 ? NULL : cli_region_copy(&task->region, scope, name_size(scope, in.end));
        else if (begins(&in, "Global scope: "))
            scopes[in.depth] = "";
        else if (scope || after(&in, in.at, "scope: "))
            scopes[in.depth] = NULL;
        else if (in.depth > 0 && scopes[in.depth - 1] && is_procedure(&in))
            consider(s, &in, scopes[in.depth - 1], text);
    }
}

static void add_parameter(derive *task, const char *at, size_t size) {
    derive_signature *signature = &task->signature;
    signature->parameters = cli_region_grow(&task->region, signature->parameters, signature->parameter_count,
                                            sizeof *signature->parameters);
    signature->parameters[signature->parameter_count++] = (derive_parameter){
        .name = cli_region_copy(&task->region, at, size), .type = {.class = DERIVE_OTHER, .printed = "procedure"}};
}

/* Reads the names between the last parentheses: "(INTEGER(4) n,REAL(8) h)". */
static void read_names(derive *task, const line *in) {
    const char *end = in->end - 1, *at = end;
    for (int open = 1; at > in->at && open > 0;) {
        at--;
        open += (*at == ')') - (*at == '(');
    }
    for (at++; at < end;) {
        const char *stop = dimension_end(at, end), *name = stop;
        while (name > at && name[-1] != ' ')
            name--;
        add_parameter(task, name, (size_t)(stop - name));
        at = stop + 1;
    }
}

static void read_result(derive *task, const line *in) {
    derive_type *type = &task->signature.result;
    const char *at = after(in, in->at, " result:"), *stop = at;
    *type = (derive_type){.class = DERIVE_VOID, .printed = "nothing"};
    if (!at)
        return;
    for (int open = 0; stop < in->end && (*stop != ' ' || open > 0); stop++)
        open += (*stop == '(') - (*stop == ')');
    type->scalar = scalar_of(at, (size_t)(stop - at));
    type->printed = lower(&task->region, at, (size_t)(stop - at));
    type->class = type->scalar ? type->scalar->class : DERIVE_OTHER;
}

/* Reads the scope of the procedure: the lines of its arguments, and whether the result is an array. */
static void read_scope(derive *task, const search *s) {
    derive_signature *signature = &task->signature;
    const char *text = s->rest;
    bool inside = false;
    line in;
    while (take_line(&text, &in) && in.depth >= s->found.depth) {
        if (in.depth == s->found.depth && after(&in, in.at, "scope: ")) {
            const char *name = after(&in, in.at, "Subprogram scope: ");
            if (inside)
                return;
            inside = name && is_name(name, in.end, s->name);
        }
        if (!inside || in.depth != s->found.depth + 1)
            continue;
        for (size_t i = 0; i < signature->parameter_count; i++)
            if (is_name(in.at, in.end, signature->parameters[i].name))
                read_argument(task, &signature->parameters[i], &in);
        if (after(&in, in.at, ": ObjectEntity funcResult type: ") && after(&in, in.at, " shape: "))
            signature->result.class = DERIVE_OTHER;
    }
}

/* A subroutine with a single argument for results needs no --of. */
static void choose_result(derive *task) {
    derive_signature *signature = &task->signature;
    const derive_parameter *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const derive_parameter *parameter = &signature->parameters[i];
        if (parameter->result && derive_is_array(parameter)) {
            only = parameter;
            count++;
        }
    }
    if (count == 1 && signature->result.class == DERIVE_VOID && !task->arguments.values[DERIVE_OF])
        task->arguments.values[DERIVE_OF] = only->name;
}

static void read_procedure(derive *task, const derive_file *file, const search *s) {
    derive_signature *signature = &task->signature;
    bool external = s->found_module[0] == '\0';
    signature->file = file;
    signature->module = external ? NULL : s->found_module;
    signature->procedure = s->name;
    signature->name = external ? s->name : cli_region_print(&task->region, "%s::%s", s->found_module, s->name);
    const char *bound = after(&s->found, s->found.at, " bindName:");
    signature->bound = bound ? cli_region_copy(&task->region, bound, strcspn(bound, " ")) : NULL;
    read_names(task, &s->found);
    read_result(task, &s->found);
    read_scope(task, s);
    choose_result(task);
}

static search split_name(derive *task, verso__suggestion *suggestion) {
    const char *name = task->signature.name, *colons = strstr(name, "::");
    search s = {.region = &task->region, .suggestion = suggestion};
    s.module = colons ? lower(&task->region, name, (size_t)(colons - name)) : NULL;
    s.name = colons ? lower(&task->region, colons + 2, strlen(colons + 2)) : lower(&task->region, name, strlen(name));
    return s;
}

static int search_answer(derive *task, const derive_file *file, bool *found) {
    size_t size;
    search s = split_name(task, NULL);
    const char *text = cli_file_read(&task->region, cli_scratch_file(&task->scratch, &task->region, ANSWER), &size);
    if (!text)
        return cli_failure(task->command, "cannot read flang's description of '%s'", task->signature.name);
    search_list(task, &s, text);
    *found = s.count == 1;
    if (s.count > 1)
        return cli_usage_error(task->command, "'%s' is ambiguous; write MODULE::%s", s.name, s.name);
    if (s.count == 0 && s.private)
        return cli_failure(task->command,
                           "'%s' is private to its module; make it public, or write a procedure that "
                           "calls it",
                           task->signature.name);
    if (*found)
        read_procedure(task, file, &s);
    return CLI_OK;
}

/* ---- Asking flang ---- */

void derive_fortran_modules(derive *task, derive_strings *arguments) {
    bool given = false;
    for (int i = 0; i < task->arguments.passed_count; i++)
        given |= strncmp(task->arguments.passed[i], "-J", 2) == 0 ||
                 strncmp(task->arguments.passed[i], "-module-dir", 11) == 0;
    derive_add_string(task, arguments, given ? "-I" : "-J");
    derive_add_string(task, arguments, task->scratch.path);
}

int derive_fortran_find(derive *task, const derive_file *file, bool *found) {
    char *errors = cli_scratch_file(&task->scratch, &task->region, DERIVE_QUERY_ERRORS);
    char *answer = cli_scratch_file(&task->scratch, &task->region, ANSWER);
    derive_strings arguments = {0};
    cli_ending ending;
    derive_add_string(task, &arguments, "--verso-symbols");
    derive_fortran_modules(task, &arguments);
    derive_add_passed(task, &arguments);
    derive_add_string(task, &arguments, file->path);
    int status = derive_compile(task, "fc", arguments.at, answer, errors, &ending);
    if (status != CLI_OK)
        return status;
    if (!ending.exited || ending.code != 0) {
        derive_show(task, errors);
        return cli_failure(task->command, "'%s' cannot be compiled", file->name);
    }
    return search_answer(task, file, found);
}

int derive_fortran_read(derive *task) {
    bool found;
    int status = search_answer(task, task->kept.file, &found);
    return status == CLI_OK && !found ? derive_fortran_missing(task, task->kept.file) : status;
}

int derive_fortran_missing(derive *task, const derive_file *file) {
    verso__suggestion suggestion;
    size_t size;
    search s = split_name(task, &suggestion);
    verso__suggest_begin(&suggestion, s.name, strlen(s.name));
    const char *text = cli_file_read(&task->region, cli_scratch_file(&task->scratch, &task->region, ANSWER), &size);
    search_list(task, &s, text ? text : "");
    return cli_usage_error(task->command, "there is no procedure '%s' in '%s'%s%s%s", task->signature.name, file->name,
                           suggestion.best ? "; did you mean '" : "", suggestion.best ? suggestion.best : "",
                           suggestion.best ? "'?" : "");
}
