/* Implements annotate.h. The text is edited line by line, because the driver does not use LLVM. Annotations are an
 * array that nothing in flang's output defines, and custom adjoints are constants with names of their own. */
#include "cc/driver/annotate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANNOTATION "{ ptr, ptr, ptr, i32, ptr }"

typedef struct annotating {
    driver_session *session;
    const driver_directives *directives;
    const char *source;
    FILE *file;
    driver_words symbols; /* of all functions that the IR defines or declares */
    size_t count;         /* annotations so far */
} annotating;

/* Adds the name of the function that a line declares or defines: between '@' and '('. */
static void read_symbol(annotating *annotating, const char *line, size_t size) {
    const char *at = memchr(line, '@', size);
    const char *open = at == NULL ? NULL : memchr(at, '(', size - (size_t)(at - line));
    if (open == NULL)
        return;
    at++;
    if (*at == '"' && open - at >= 2)
        driver_words_add_part(&annotating->symbols, at + 1, (size_t)(open - at) - 2);
    else
        driver_words_add_part(&annotating->symbols, at, (size_t)(open - at));
}

static bool begins(const char *line, size_t size, const char *start) {
    return size >= strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

static void print_source(const annotating *annotating) {
    fputs("source_filename = \"", annotating->file);
    for (const unsigned char *c = (const unsigned char *)annotating->source; *c != 0; c++)
        if (*c == '"' || *c == '\\' || *c < ' ')
            fprintf(annotating->file, "\\%02X", *c);
        else
            fputc(*c, annotating->file);
    fputs("\"\n", annotating->file);
}

/* Returns the name "@main" in the line that defines it; NULL if another line. */
static const char *main_of(const char *line, size_t size) {
    const char *name = begins(line, size, "define ") ? memchr(line, '@', size) : NULL;
    return name != NULL && begins(name, size - (size_t)(name - line), "@main(") ? name : NULL;
}

/* Copies the IR, and reads its symbols. */
static void copy_lines(annotating *annotating, driver_bytes text, const driver_arguments *arguments) {
    bool simple = arguments->optimise == 0 || arguments->optimise == '0' || arguments->optimise == '1';
    const char *at = (const char *)text.bytes, *end = at + text.size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *brace, *name;
        size_t size = (size_t)((newline != NULL ? newline + 1 : end) - at);
        if (begins(at, size, "define ") || begins(at, size, "declare "))
            read_symbol(annotating, at, size);
        if (begins(at, size, "source_filename = ")) {
            print_source(annotating);
        } else if (arguments->other_main && (name = main_of(at, size)) != NULL) {
            fputs("define internal ", annotating->file);
            fwrite(at + strlen("define "), 1, (size_t)(name - at) - strlen("define "), annotating->file);
            fputs("@verso__other_main", annotating->file);
            fwrite(name + strlen("@main"), 1, size - (size_t)(name + strlen("@main") - at), annotating->file);
        } else if (simple && begins(at, size, "attributes #") && (brace = memchr(at, '{', size)) != NULL) {
            fwrite(at, 1, (size_t)(brace + 1 - at), annotating->file);
            fputs(" \"verso-level\"=\"1\"", annotating->file);
            fwrite(brace + 1, 1, size - (size_t)(brace + 1 - at), annotating->file);
        } else {
            fwrite(at, 1, size, annotating->file);
        }
        at += size;
    }
    fputc('\n', annotating->file);
}

/* ---- Annotations ---- */

static const char *annotation_of(driver_directive_kind kind) {
    switch (kind) {
    case DRIVER_DIRECTIVE_INACTIVE: return "verso.inactive";
    case DRIVER_DIRECTIVE_PURE: return "verso.pure";
    case DRIVER_DIRECTIVE_CHECKPOINT: return "verso.checkpoint";
    case DRIVER_DIRECTIVE_NOCHECKPOINT: return "verso.nocheckpoint";
    case DRIVER_DIRECTIVE_NOINLINE:
    case DRIVER_DIRECTIVE_ADJOINT:
    case DRIVER_DIRECTIVE_CUSTOM: break;
    }
    return NULL;
}

/* Returns the symbol of the procedure; NULL after printing a message. `line` 0: the name is from an option. */
static const char *resolve(const annotating *annotating, const char *name, unsigned line, const char **next) {
    const driver_words *symbols = &annotating->symbols;
    bool found = *next == NULL;
    for (size_t i = 0; i < symbols->count; i++) {
        if (found && driver_is_symbol_of(symbols->at[i], strlen(symbols->at[i]), name))
            return symbols->at[i];
        found = found || symbols->at[i] == *next;
    }
    if (*next == NULL && line > 0)
        driver_error(annotating->session, "%s:%u: this file neither has nor calls a procedure '%s'", annotating->source,
                     line, name);
    return NULL;
}

/* Prints one element of the array of annotations. */
static void annotate_symbol(annotating *annotating, const char *symbol, const char *annotation) {
    fprintf(annotating->file, "%s" ANNOTATION " { ptr @\"%s\", ptr @.%s, ptr null, i32 0, ptr null }",
            annotating->count++ > 0 ? ", " : "", symbol, annotation);
}

/* Prints the elements for a procedure, which the file may have in several program units. */
static bool annotate_name(annotating *annotating, const char *name, unsigned line, const char *annotation) {
    const char *symbol = NULL, *last = NULL;
    while ((symbol = resolve(annotating, name, line, &last)) != NULL) {
        annotate_symbol(annotating, symbol, annotation);
        last = symbol;
    }
    return last != NULL;
}

static void list_annotations(annotating *annotating, const driver_arguments *arguments, bool *fine) {
    const driver_directives *directives = annotating->directives;
    for (size_t i = 0; i < directives->count; i++) {
        const driver_directive *at = &directives->list[i];
        const char *none = NULL;
        if (annotation_of(at->kind) != NULL)
            *fine = annotate_name(annotating, at->name, at->line, annotation_of(at->kind)) && *fine;
        else if (at->kind == DRIVER_DIRECTIVE_NOINLINE)
            *fine = resolve(annotating, at->name, at->line, &none) != NULL && *fine;
    }
    for (size_t i = 0; i < arguments->inactive.count; i++)
        annotate_name(annotating, arguments->inactive.at[i], 0, "verso.inactive");
    for (size_t i = 0; i < arguments->pure.count; i++)
        annotate_name(annotating, arguments->pure.at[i], 0, "verso.pure");
}

static void print_annotations(annotating *annotating, const driver_arguments *arguments, bool *fine) {
    static const char *const names[] = {"verso.inactive", "verso.pure", "verso.checkpoint", "verso.nocheckpoint"};
    char *elements = NULL;
    size_t size = 0;
    FILE *file = annotating->file, *list = open_memstream(&elements, &size);
    if (list == NULL) {
        annotating->symbols.failed = true;
        return;
    }
    annotating->file = list;
    list_annotations(annotating, arguments, fine);
    annotating->symbols.failed = fclose(list) != 0 || annotating->symbols.failed;
    annotating->file = file;
    for (size_t i = 0; annotating->count > 0 && i < sizeof names / sizeof *names; i++)
        fprintf(file, "@.%s = private unnamed_addr constant [%zu x i8] c\"%s\\00\", section \"llvm.metadata\"\n",
                names[i], strlen(names[i]) + 1, names[i]);
    if (annotating->count > 0)
        fprintf(file,
                "@llvm.global.annotations = appending global [%zu x " ANNOTATION "] [%s], section "
                "\"llvm.metadata\"\n",
                annotating->count, elements);
    free(elements);
}

/* ---- Adjoints ---- */

/* Prints the constants that the macros VERSO_ADJOINT and VERSO_CUSTOM_ADJOINT define. */
static bool print_adjoint(annotating *annotating, const driver_directive *directive, driver_words *used) {
    const char *symbols[4] = {NULL}, *none;
    bool whole = directive->kind == DRIVER_DIRECTIVE_ADJOINT;
    for (size_t i = 0; i < 4; i++) {
        const char *name = i == 0 ? directive->name : directive->given[i - 1];
        none = NULL;
        if (name != NULL && (symbols[i] = resolve(annotating, name, directive->line, &none)) == NULL)
            return false;
    }
    if (whole) { /* function, none, adjoint, tangent */
        symbols[3] = symbols[2];
        symbols[2] = symbols[1];
        symbols[1] = NULL;
    }
    const char *name = driver_words_print(used, "verso__%s_adjoint_%s", whole ? "whole" : "custom", symbols[0]);
    fprintf(annotating->file, "@%s = internal constant {", name);
    fputs(" ptr, ptr, ptr, ptr } {", annotating->file);
    for (size_t i = 0; i < 4; i++) {
        fputs(i == 0 ? " ptr " : ", ptr ", annotating->file);
        if (symbols[i] == NULL)
            fputs("null", annotating->file);
        else
            fprintf(annotating->file, "@\"%s\"", symbols[i]);
    }
    fputs(" }, align 8\n", annotating->file);
    return true;
}

static void print_adjoints(annotating *annotating, bool *fine) {
    const driver_directives *directives = annotating->directives;
    driver_words used = {0};
    for (size_t i = 0; i < directives->count; i++)
        if (directives->list[i].kind == DRIVER_DIRECTIVE_ADJOINT || directives->list[i].kind == DRIVER_DIRECTIVE_CUSTOM)
            *fine = print_adjoint(annotating, &directives->list[i], &used) && *fine;
    if (used.count > 0)
        fprintf(annotating->file, "@llvm.used = appending global [%zu x ptr] [", used.count);
    for (size_t i = 0; i < used.count; i++)
        fprintf(annotating->file, "%sptr @%s%s", i > 0 ? ", " : "", used.at[i],
                i + 1 < used.count ? "" : "], section \"llvm.metadata\"\n");
    annotating->symbols.failed = annotating->symbols.failed || used.failed;
    driver_words_free(&used);
}

bool driver_annotate(driver_session *session, const driver_arguments *arguments, const driver_directives *directives,
                     const char *source, const char *from, const char *to) {
    const driver_mapping *text = driver_mapping_open(&session->files, from);
    annotating annotating = {.session = session, .directives = directives, .source = source};
    bool fine = true;
    if (text == NULL)
        return driver_error(session, "cannot read '%s': %s", from, strerror(errno)), false;
    annotating.file = fopen(to, "w");
    if (annotating.file != NULL) {
        copy_lines(&annotating, text->content, arguments);
        print_annotations(&annotating, arguments, &fine);
        print_adjoints(&annotating, &fine);
    }
    if (annotating.file == NULL || fclose(annotating.file) != 0)
        fine = (driver_error(session, "cannot write '%s': %s", to, strerror(errno)), false);
    if (annotating.symbols.failed)
        fine = (driver_error(session, "out of memory"), false);
    driver_words_free(&annotating.symbols);
    return fine;
}
