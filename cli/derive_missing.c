/* Explains why no file declares the requested function: a file does not compile, the name is ambiguous, the function is
 * in a namespace that the user left out, or the name is misspelt. */
#include "cli/derive_fortran.h"

#include "base/suggest.h"
#include "cli/message.h"

#include <string.h>

typedef struct search {
    const char *name;             /* name of the function that is searched */
    bool declared;                /* a file declares this very name, yet clang rejected it */
    const char *qualified;        /* the same name in a namespace; NULL: none found */
    const char *another;          /* the same name in a second namespace; NULL: none found */
    verso__suggestion suggestion; /* the most similar name */
    const derive_file *file;      /* the file that declares the suggestion */
} search;

/* Removes "(anonymous namespace)::", which clang prints but which cannot be written in C++. */
static char *without_unnamed(derive *task, const char *name) {
    static const char unnamed[] = "(anonymous namespace)::";
    char *copy = cli_region_copy(&task->region, name, strlen(name));
    for (char *at; (at = strstr(copy, unnamed)) != NULL;)
        memmove(at, at + sizeof unnamed - 1, strlen(at + sizeof unnamed - 1) + 1);
    return copy;
}

static void consider(derive *task, const derive_file *file, search *s, const char *line) {
    size_t length = strlen(line), wanted = strlen(s->name);
    if (strcmp(line, s->name) == 0)
        s->declared = true;
    const char *best = s->suggestion.best;
    verso__suggest_word(&s->suggestion, line);
    if (s->suggestion.best != best)
        s->file = file;
    if (length < wanted + 2 || strcmp(line + length - wanted, s->name) != 0 || line[length - wanted - 1] != ':')
        return;
    const char *qualified = without_unnamed(task, line);
    if (!s->qualified)
        s->qualified = qualified;
    else if (strcmp(s->qualified, qualified) != 0)
        s->another = qualified;
}

/* Compares the name with all names that a file declares. */
static int search_file(derive *task, const derive_file *file, search *s) {
    char *list = cli_scratch_file(&task->scratch, &task->region, "names.txt");
    bool succeeded;
    size_t size;
    int status =
        derive_query_clang(task, file->path, file->cpp, (const char *[]){"-ast-list", NULL}, NULL, list, &succeeded);
    if (status != CLI_OK)
        return status;
    if (!succeeded) {
        derive_show(task, cli_scratch_file(&task->scratch, &task->region, DERIVE_QUERY_ERRORS));
        return cli_failure(task->command, "'%s' cannot be compiled", file->name);
    }
    for (char *line = cli_file_read(&task->region, list, &size); line && *line;) {
        char *end = line + strcspn(line, "\n"), *next = *end ? end + 1 : end;
        *end = '\0';
        consider(task, file, s, line);
        line = next;
    }
    return CLI_OK;
}

/* True if the suggestion is a function: the names of types and parameters are listed, too. */
static bool is_function(derive *task, const search *s) {
    const char *answer;
    size_t size;
    if (derive_query_type(task, s->file, s->suggestion.best, &answer) != CLI_OK || !answer)
        return false;
    const char *text = cli_file_read(&task->region, answer, &size);
    return text && strstr(text, "\"kind\": \"FunctionProtoType\"");
}

/* The file declares the name, yet clang rejected it. Returns true, and sets *status after a message, if the name is
 * ambiguous or clang cannot be run; false if it is not visible at file scope, e.g. a parameter. */
static bool is_ambiguous(derive *task, const derive_file *file, int *status) {
    const char *answer;
    size_t size;
    *status = derive_query_type(task, file, task->signature.name, &answer);
    if (*status != CLI_OK)
        return true;
    char *errors = cli_scratch_file(&task->scratch, &task->region, DERIVE_QUERY_ERRORS);
    const char *text = cli_file_read(&task->region, errors, &size);
    if (text && strstr(text, "undeclared identifier"))
        return false;
    derive_show(task, errors);
    *status = cli_failure(task->command,
                          "'%s' is not the name of a single function; write a function with another name that calls it",
                          task->signature.name);
    return true;
}

int derive_explain_missing(derive *task, bool may_rename) {
    search s = {.name = task->signature.name};
    const derive_file *last = NULL;
    verso__suggest_begin(&s.suggestion, s.name, strlen(s.name));
    for (size_t i = 0; i < task->file_count; i++) {
        if (task->files[i].kind == DERIVE_PART)
            continue;
        last = &task->files[i];
        if (last->fortran)
            continue;
        int status = search_file(task, last, &s);
        if (status != CLI_OK)
            return status;
        if (s.declared && is_ambiguous(task, last, &status))
            return status;
        s.declared = false;
    }
    if (!last)
        return cli_usage_error(
            task->command, "no file declares '%s'; give a source or header file in addition to objects and archives",
            s.name);
    if (last->fortran && !s.suggestion.best && !s.qualified)
        return derive_fortran_missing(task, last);
    if (s.another)
        return cli_usage_error(task->command, "'%s' is ambiguous; write '%s' or '%s'", s.name, s.qualified, s.another);
    if (s.qualified && may_rename) {
        task->signature.name = s.qualified;
        return CLI_OK;
    }
    if (s.suggestion.best && is_function(task, &s))
        return cli_usage_error(task->command, "there is no function '%s' in '%s'; did you mean '%s'?", s.name,
                               s.file->name, s.suggestion.best);
    return cli_usage_error(task->command, "there is no function '%s' in '%s'", s.name, last->name);
}
