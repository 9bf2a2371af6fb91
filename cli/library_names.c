/* Finds the functions that an object file defines: its symbols, in C++ as the program writes their names, without
 * parameters. Members, operators and instances of templates have no name by which a file could call them alone. */
#include "cli/library.h"

#include "cc/driver/demangle.h"
#include "cc/driver/elf.h"
#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    derive *task;
    derive_strings *names;
} search;

static bool is_listed(const derive_strings *names, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->at[i], name) == 0)
            return true;
    return false;
}

/* Returns the name without its parameters; NULL if it is none that a file can call. */
static const char *plain_name(derive *task, const char *symbol) {
    if (strncmp(symbol, "_Z", 2) != 0)
        return symbol[0] == '_' || strncmp(symbol, "verso_", 6) == 0 || strchr(symbol, '.') ? NULL : symbol;
    char *text = driver_demangled(symbol, false);
    size_t length = text ? strcspn(text, "(") : 0;
    bool whole = text && text[length] == '(' && length > 0 && strcspn(text, "<>~ [") > length;
    const char *name = whole ? cli_region_copy(&task->region, text, length) : NULL;
    free(text);
    return name && !strstr(name, "operator") ? name : NULL;
}

static void visit(void *context, const char *symbol, bool defined) {
    search *s = context;
    const char *name = defined ? plain_name(s->task, symbol) : NULL;
    if (name && !is_listed(s->names, name))
        derive_add_string(s->task, s->names, cli_region_copy(&s->task->region, name, strlen(name)));
}

int library_names(derive *task, const char *object, derive_strings *names) {
    search s = {task, names};
    size_t size;
    driver_elf elf;
    verso_error error;
    const char *bytes = cli_file_read(&task->region, object, &size);
    if (!bytes)
        return cli_failure(task->command, "cannot read '%s'", object);
    verso_status status = driver_elf_open(bytes, size, object, &elf, &error);
    if (status == VERSO_STATUS_OK)
        status = driver_elf_symbols(&elf, object, visit, &s, &error);
    return status == VERSO_STATUS_OK ? CLI_OK : cli_library_error(task->command, status, &error);
}
