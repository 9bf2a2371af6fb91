/* What is wrong when no file declares the function that was asked for: a file that does not compile, a name that stands
 * for several functions, one in a namespace that was left out, or one that was mistyped. */
#include "cli/derive.h"

#include "base/suggest.h"
#include "cli/message.h"

#include <string.h>

typedef struct search {
    const char *name;
    bool declared;         /* as it is: then clang has said what is wrong with it */
    const char *qualified; /* the same name in a namespace */
    const char *another;   /* and in another one */
    verso_suggestion suggestion;
    const derive_file *file; /* where the suggestion is from; else the last */
} search;

/* What clang lists for a function in an unnamed namespace is not how one writes it. */
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
    verso_suggest_word(&s->suggestion, line);
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

/* Looks through the names that a file declares, a line each. */
static int look_through(derive *task, const derive_file *file, search *s) {
    char *list = cli_scratch_file(&task->scratch, &task->region, "names.txt");
    bool agreed;
    size_t size;
    int status = derive_ask(task, file->path, file->cpp, (const char *[]){"-ast-list", NULL}, list, &agreed);
    if (status != CLI_OK)
        return status;
    if (!agreed) {
        derive_show(task, cli_scratch_file(&task->scratch, &task->region, DERIVE_ASK_ERRORS));
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

/* Whether the suggestion is a function: the names of types and parameters are in the list, too. */
static bool is_function(derive *task, const search *s) {
    const char *answer;
    size_t size;
    if (derive_ask_for_type(task, s->file, s->suggestion.best, &answer) != CLI_OK || !answer)
        return false;
    const char *text = cli_file_read(&task->region, answer, &size);
    return text && strstr(text, "\"kind\": \"FunctionProtoType\"");
}

/* The name is in the list, and yet clang did not take it. It may be that of a parameter: then *status stays. */
static bool is_ambiguous(derive *task, const derive_file *file, int *status) {
    const char *answer;
    size_t size;
    *status = derive_ask_for_type(task, file, task->signature.name, &answer);
    if (*status != CLI_OK)
        return true;
    char *errors = cli_scratch_file(&task->scratch, &task->region, DERIVE_ASK_ERRORS);
    const char *text = cli_file_read(&task->region, errors, &size);
    if (text && strstr(text, "undeclared identifier"))
        return false;
    derive_show(task, errors);
    *status = cli_failure(task->command,
                          "'%s' names no single function; write one of another name that calls the one you mean",
                          task->signature.name);
    return true;
}

int derive_explain_missing(derive *task, bool may_rename) {
    search s = {.name = task->signature.name};
    const derive_file *last = NULL;
    verso_suggest_begin(&s.suggestion, s.name, strlen(s.name));
    for (size_t i = 0; i < task->file_count; i++) {
        if (task->files[i].kind == DERIVE_PART)
            continue;
        last = &task->files[i];
        int status = look_through(task, last, &s);
        if (status != CLI_OK)
            return status;
        if (s.declared && is_ambiguous(task, last, &status))
            return status;
        s.declared = false;
    }
    if (!last)
        return cli_usage_error(
            task->command, "no file declares '%s': give a source or header file beside objects and archives", s.name);
    if (s.another)
        return cli_usage_error(task->command, "'%s' is '%s' or '%s': which?", s.name, s.qualified, s.another);
    if (s.qualified && may_rename) {
        task->signature.name = s.qualified;
        return CLI_OK;
    }
    if (s.suggestion.best && is_function(task, &s))
        return cli_usage_error(task->command, "there is no function '%s' in '%s'; did you mean '%s'?", s.name,
                               s.file->name, s.suggestion.best);
    return cli_usage_error(task->command, "there is no function '%s' in '%s'", s.name, last->name);
}
