/* Implements directives.h. The source is searched without preprocessing. */
#include "cc/driver/directives.h"

#include "base/alloc.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *word;
    driver_directive_kind kind;
} words[] = {
    {"inactive", DRIVER_DIRECTIVE_INACTIVE},     {"pure", DRIVER_DIRECTIVE_PURE},
    {"checkpoint", DRIVER_DIRECTIVE_CHECKPOINT}, {"nocheckpoint", DRIVER_DIRECTIVE_NOCHECKPOINT},
    {"noinline", DRIVER_DIRECTIVE_NOINLINE},     {"adjoint", DRIVER_DIRECTIVE_ADJOINT},
    {"custom_adjoint", DRIVER_DIRECTIVE_CUSTOM},
};

/* A line of the source; it ends before the newline or a second comment. */
typedef struct line {
    const char *at, *end;
    unsigned number;
} line;

typedef struct reading {
    const driver_session *session;
    const char *path;
    driver_directives *directives;
    driver_words units; /* beginnings of symbols of contained procedures: "_QMm", "_QFhost" */
    const char *module; /* "_QMm" of the module that is being read; "" if none is */
} reading;

static bool is_letter(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static void skip_spaces(line *line) {
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t' || *line->at == '\r'))
        line->at++;
}

/* Takes a word in lower case; the empty string if there is none. */
static const char *take_word(reading *reading, line *line) {
    skip_spaces(line);
    const char *start = line->at;
    while (line->at < line->end && is_letter(*line->at))
        line->at++;
    char *word =
        (char *)(uintptr_t)driver_words_add_part(&reading->directives->texts, start, (size_t)(line->at - start));
    for (char *c = word; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return word;
}

static bool take_mark(line *line, char mark) {
    skip_spaces(line);
    if (line->at == line->end || *line->at != mark)
        return false;
    line->at++;
    return true;
}

static bool complain(const reading *reading, const line *line, const char *what) {
    driver_error(
        reading->session,
        "%s:%u: %s; a directive is '!verso$ WORD NAME, ...' with WORD inactive, pure, checkpoint, nocheckpoint "
        "or noinline, '!verso$ adjoint NAME = ADJOINT' or '!verso$ custom_adjoint NAME = RECORD, SWEEP'",
        reading->path, line->number, what);
    return false;
}

/* ---- Directives ---- */

static bool add_directive(driver_directives *directives, driver_directive directive) {
    driver_directive *list = verso__realloc(directives->list, directives->count + 1, sizeof *list);
    if (list == NULL) {
        directives->texts.failed = true;
        return false;
    }
    directives->list = list;
    list[directives->count++] = directive;
    return true;
}

static bool read_names(reading *reading, line *line, driver_directive_kind kind) {
    bool adjoint = kind == DRIVER_DIRECTIVE_ADJOINT || kind == DRIVER_DIRECTIVE_CUSTOM;
    do {
        driver_directive directive = {.kind = kind, .line = line->number, .name = take_word(reading, line)};
        if (directive.name[0] == '\0')
            return complain(reading, line, "a name of a procedure is missing");
        if (adjoint && !take_mark(line, '='))
            return complain(reading, line, "'= ADJOINT' is missing");
        size_t given = 0, least = kind == DRIVER_DIRECTIVE_CUSTOM ? 2 : 1;
        if (adjoint)
            do {
                directive.given[given] = take_word(reading, line);
                if (directive.given[given++][0] == '\0')
                    return complain(reading, line, "a name of a procedure is missing");
            } while (given < least + 1 && take_mark(line, ','));
        if (adjoint && given < least)
            return complain(reading, line, "the sweep is missing");
        if (!add_directive(reading->directives, directive))
            return false;
    } while (take_mark(line, ','));
    skip_spaces(line);
    return line->at == line->end || complain(reading, line, "there is text after the names");
}

static bool read_directive(reading *reading, line *line) {
    const char *word = take_word(reading, line);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return read_names(reading, line, words[i].kind);
    return complain(reading, line, "this is no directive");
}

/* Moves past "!verso$"; returns false if the line does not begin so. */
static bool take_sentinel(line *line) {
    static const char rest[] = "verso$";
    struct line here = *line;
    bool first = here.at < here.end && strchr("cC*", *here.at) != NULL; /* of a comment in fixed form */
    if (!first)
        skip_spaces(&here);
    if (here.at == here.end || (*here.at != '!' && !first))
        return false;
    here.at++;
    for (const char *c = rest; *c != '\0'; c++, here.at++)
        if (here.at == here.end || tolower((unsigned char)*here.at) != *c)
            return false;
    *line = here;
    return true;
}

/* ---- Program units, whose names begin the symbols of contained procedures ---- */

static void read_statement(reading *reading, line line) {
    driver_words *texts = &reading->directives->texts;
    for (size_t taken = 0; taken < 8 && !texts->failed; taken++) { /* "pure real(8) function f" */
        const char *word = take_word(reading, &line);
        if (strcmp(word, "end") == 0 && (take_word(reading, &line), true))
            return;
        bool module = strcmp(word, "module") == 0 && taken == 0, program = strcmp(word, "program") == 0 && taken == 0;
        if (module || program || strcmp(word, "subroutine") == 0 || strcmp(word, "function") == 0) {
            const char *name = take_word(reading, &line);
            if (module && strcmp(name, "procedure") != 0 && strcmp(name, "subroutine") != 0 &&
                strcmp(name, "function") != 0 && name[0] != '\0') {
                reading->module = driver_words_print(texts, "_QM%s", name);
                driver_words_add(&reading->units, reading->module);
            } else if (!module && name[0] != '\0') {
                driver_words_print(&reading->units, "%sF%s", reading->module[0] ? reading->module : "_Q",
                                   program ? "" : name);
            }
            return;
        }
        if (word[0] == '\0' && !take_mark(&line, '(') && !take_mark(&line, ')') && !take_mark(&line, '*') &&
            !take_mark(&line, '='))
            return;
    }
}

/* Lists the symbols that the procedures of directives may have in this file. */
static void list_calls(reading *reading) {
    driver_directives *directives = reading->directives;
    for (size_t i = 0; i < directives->count; i++) {
        const char *name = directives->list[i].name, *colons = strstr(name, "::");
        if (colons != NULL) {
            int size = (int)(colons - name);
            driver_words_print(&directives->calls, "_QM%.*sP%s", size, name, colons + 2);
            driver_words_print(&directives->calls, "_QF%.*sP%s", size, name, colons + 2);
            continue;
        }
        driver_words_add(&directives->calls, name);
        driver_words_print(&directives->calls, "%s_", name);
        for (size_t j = 0; j < reading->units.count; j++)
            driver_words_print(&directives->calls, "%sP%s", reading->units.at[j], name);
    }
}

bool driver_directives_read(const driver_session *session, const char *path, driver_bytes text,
                            driver_directives *directives) {
    reading reading = {.session = session, .path = path, .directives = directives, .module = ""};
    const char *at = (const char *)text.bytes, *end = at + text.size;
    bool fine = true;
    for (unsigned number = 1; at < end && fine; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        line line = {at, newline != NULL ? newline : end, number};
        if (take_sentinel(&line))
            fine = read_directive(&reading, &line);
        else
            read_statement(&reading, line);
        at = newline != NULL ? newline + 1 : end;
    }
    list_calls(&reading);
    if (fine && (directives->texts.failed || directives->calls.failed || reading.units.failed))
        fine = (driver_error(session, "out of memory"), false);
    driver_words_free(&reading.units);
    return fine;
}

void driver_directives_free(driver_directives *directives) {
    driver_words_free(&directives->texts);
    driver_words_free(&directives->calls);
    verso__dealloc(directives->list);
    *directives = (driver_directives){0};
}

/* ---- Symbols ---- */

static bool ends_with(const char *symbol, size_t size, const char *name, size_t length) {
    return size >= length && memcmp(symbol + size - length, name, length) == 0;
}

bool driver_is_symbol_of(const char *symbol, size_t size, const char *name) {
    const char *colons = strstr(name, "::"), *own = colons == NULL ? name : colons + 2;
    size_t length = strlen(own);
    if (size < 3 || memcmp(symbol, "_Q", 2) != 0) /* external: "step_"; bind(C): "step" */
        return colons == NULL && (size == length || (size == length + 1 && symbol[length] == '_')) &&
               memcmp(symbol, own, length) == 0;
    if (size < length + 3 || !ends_with(symbol, size, own, length) || symbol[size - length - 1] != 'P')
        return false;
    size_t before = size - length - 1, unit = colons == NULL ? 0 : (size_t)(colons - name);
    return colons == NULL || (before > unit && ends_with(symbol, before, name, unit) &&
                              isupper((unsigned char)symbol[before - unit - 1]));
}
