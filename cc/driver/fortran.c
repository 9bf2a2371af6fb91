/* Implements fortran.h. */
#include "cc/driver/fortran.h"

#include "cc/driver/annotate.h"
#include "cc/driver/directives.h"
#include "cc/driver/fortran_options.h"
#include "cc/driver/inputs.h"
#include "cc/driver/process.h"
#include "cc/driver/unit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- Where flang is ---- */

/* Returns the path of an executable as execvp would find it; NULL if there is none. Kept by the session. */
static const char *find_program(driver_session *session, const char *name) {
    if (strchr(name, '/') != NULL)
        return access(name, X_OK) == 0 ? name : NULL;
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        size_t size = strcspn(folders, ":");
        const char *path = driver_words_print(&session->kept, "%.*s/%s", (int)size, folders, name);
        if (size > 0 && access(path, X_OK) == 0)
            return path;
        folders += size + (folders[size] == ':');
    }
    return NULL;
}

/* Returns the path of flang 19, which Debian and LLVM's releases install under different names; NULL: missing. */
static const char *find_flang(driver_session *session) {
    static const char *const names[] = {"flang-new-19", "flang-19", "/usr/lib/llvm-19/bin/flang-new", NULL};
    const char *chosen = getenv("VERSO_FLANG"), *found = NULL;
    if (chosen != NULL && chosen[0] != '\0')
        return find_program(session, chosen);
    for (size_t i = 0; names[i] != NULL && found == NULL; i++)
        found = find_program(session, names[i]);
    return found;
}

static int complain_missing(const driver_session *session) {
    const char *chosen = getenv("VERSO_FLANG");
    if (chosen != NULL && chosen[0] != '\0')
        return driver_error(session, "cannot run '%s', which VERSO_FLANG names", chosen);
    return driver_error(session, "flang 19, which compiles Fortran, is not installed; install the packages flang-19 "
                                 "and libflang-19-dev, or name the compiler in VERSO_FLANG");
}

/* ---- From Fortran to LLVM IR ---- */

/* Options for the linker, of which flang would say that they are unused. */
static bool is_for_linking(const char *word) {
    static const char *const words[] = {"-c",      "-shared", "-static", "-static-pie", "-rdynamic", "-pie",
                                        "-no-pie", "-nopie",  "-s",      "-t",          "-r",        NULL};
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return strncmp(word, "-L", 2) == 0 || strncmp(word, "-save-temps", 11) == 0;
}

/* `own`: the source is Verso's. */
static void add_options(const driver_session *session, const driver_arguments *arguments, bool own,
                        driver_words *command) {
    bool takes = false; /* the last option was added; its value follows */
    for (size_t i = 0; i < arguments->count; i++) {
        const driver_argument *at = &arguments->at[i];
        if (at->kind == DRIVER_ARGUMENT_OPTION && own)
            takes = strncmp(at->text, "-O", 2) == 0;
        else if (at->kind == DRIVER_ARGUMENT_OPTION)
            takes =
                !is_for_linking(at->text) && (session->language == DRIVER_FORTRAN || driver_is_shared_option(at->text));
        if ((at->kind == DRIVER_ARGUMENT_FORTRAN && !own) ||
            (takes && (at->kind == DRIVER_ARGUMENT_OPTION || at->kind == DRIVER_ARGUMENT_VALUE)))
            driver_words_add(command, at->text);
    }
}

/* Keeps flang's optimiser from inlining procedures that need calls. */
static void keep_calls(const driver_words *names, driver_words *command) {
    for (size_t i = 0; i < names->count; i++) {
        driver_words_add(command, "-mllvm");
        driver_words_print(command, "-force-attribute=%s:noinline", names->at[i]);
    }
}

/* ---- The module `verso` ---- */

/* Returns whether a line of the source says "use verso". */
static bool uses_module(driver_bytes text) {
    const char *at = (const char *)text.bytes, *end = at + text.size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline != NULL ? newline : end;
        while (at < stop && (*at == ' ' || *at == '\t'))
            at++;
        bool use = stop - at >= 9 && strncasecmp(at, "use", 3) == 0;
        for (at += 3; use && at < stop && (*at == ' ' || *at == '\t' || *at == ':'); at++)
            ;
        if (use && stop - at >= 5 && strncasecmp(at, "verso", 5) == 0 &&
            (at + 5 == stop || strchr(" \t\r,!;", at[5]) != NULL))
            return true;
        at = stop + 1;
    }
    return false;
}

static const char *module_source(driver_session *session, const driver_places *places) {
    return places->include == NULL ? NULL : driver_words_print(&session->kept, "%s/verso/verso.f90", places->include);
}

/* Makes the module file in the scratch folder, which it returns; NULL if that is not possible. */
static const char *make_module_file(driver_session *session, const driver_places *places, const char *flang) {
    const char *source = module_source(session, places), *file = driver_scratch(session, "verso.mod");
    if (source == NULL || file == NULL)
        return NULL;
    char *folder = (char *)(uintptr_t)driver_words_add_part(&session->kept, file, (size_t)(strrchr(file, '/') - file));
    driver_words command = {0};
    driver_words_add(&command, flang);
    driver_words_add(&command, "-w");
    driver_words_add(&command, "-fsyntax-only");
    driver_words_add(&command, "-module-dir");
    driver_words_add(&command, folder);
    driver_words_add(&command, source);
    int status = access(file, R_OK) == 0 ? DRIVER_OK : driver_process_run(session, &command, NULL, "/dev/null");
    driver_words_free(&command);
    return status == DRIVER_OK ? folder : NULL;
}

bool driver_fortran_add_module(driver_session *session, driver_arguments *arguments, const driver_places *places) {
    const char *source = module_source(session, places);
    bool wanted = false;
    for (size_t i = 0; source != NULL && i < arguments->count && !wanted; i++) {
        const driver_argument *at = &arguments->at[i];
        const driver_mapping *file =
            at->kind == DRIVER_ARGUMENT_INPUT ? driver_mapping_open(&session->files, at->text) : NULL;
        driver_unit unit = {.label = at->text};
        if (file == NULL)
            continue;
        unit.content = file->content;
        wanted = driver_unit_read(&unit, NULL) == VERSO_STATUS_OK && unit.module;
    }
    return wanted && driver_arguments_insert(arguments, arguments->count,
                                             (driver_argument){.kind = DRIVER_ARGUMENT_INPUT,
                                                               .text = source,
                                                               .input = DRIVER_INPUT_FORTRAN,
                                                               .own = true});
}

/* ---- Running flang ---- */

static int run_flang(driver_session *session, const driver_arguments *arguments, const driver_argument *input,
                     const driver_directives *directives, const char *folder, const char *path) {
    const char *flang = find_flang(session);
    if (flang == NULL)
        return complain_missing(session);
    driver_words command = {0};
    driver_words_add(&command, flang);
    add_options(session, arguments, input->own, &command);
    if (folder != NULL) {
        driver_words_add(&command, "-I");
        driver_words_add(&command, folder);
    }
    if (input->own) {
        driver_words_add(&command, "-w");
        driver_words_add(&command, "-module-dir");
        driver_words_add(&command, folder);
    }
    keep_calls(&arguments->noinline, &command);
    keep_calls(&arguments->inactive, &command);
    keep_calls(&directives->calls, &command);
    driver_words_add(&command, "-ffp-contract=off");
    driver_words_add(&command, "-Xflang");
    driver_words_add(&command, "-flto=thin"); /* no vectorised loops; as an option of the driver it causes a warning */
    if (!arguments->debug)
        driver_words_add(&command, "-gline-tables-only");
    driver_words_add(&command, "-emit-llvm");
    driver_words_add(&command, "-S");
    driver_words_add(&command, "-o");
    driver_words_add(&command, path);
    if (input->language != NULL) {
        driver_words_add(&command, "-x");
        driver_words_add(&command, input->language);
    }
    driver_words_add(&command, input->text);
    int status = driver_process_run(session, &command, NULL, NULL);
    driver_words_free(&command);
    return status;
}

int driver_fortran_translate(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                             size_t index, const char **path) {
    const driver_argument *input = &arguments->at[index];
    const char *base = driver_base_name(&session->kept, input->text);
    const char *raw = driver_scratch(session, driver_words_print(&session->kept, "%s-%zu.flang.ll", base, index));
    *path = driver_scratch(session, driver_words_print(&session->kept, "%s-%zu.ll", base, index));
    if (raw == NULL || *path == NULL)
        return DRIVER_FAILED;
    driver_directives directives = {0};
    const driver_mapping *source = driver_mapping_open(&session->files, input->text);
    int status = DRIVER_OK;
    if (source != NULL && !driver_directives_read(session, input->text, source->content, &directives))
        status = DRIVER_FAILED;
    const char *flang = find_flang(session), *folder = NULL;
    if (flang != NULL && (input->own || (source != NULL && uses_module(source->content))))
        folder = make_module_file(session, places, flang);
    if (status == DRIVER_OK)
        status = run_flang(session, arguments, input, &directives, folder, raw);
    if (status == DRIVER_OK && !driver_annotate(session, arguments, &directives, input->text, raw, *path))
        status = DRIVER_FAILED;
    driver_directives_free(&directives);
    return status;
}

/* Options that matter for the meaning of a source. Only these are options of flang's front end, too. */
static bool is_for_meaning(const char *word) {
    static const char *const starts[] = {"-D", "-I", "-U", "-fopenmp", NULL};
    for (size_t i = 0; starts[i] != NULL; i++)
        if (strncmp(word, starts[i], strlen(starts[i])) == 0)
            return true;
    return driver_is_fortran_option(word) && strcmp(word, "-Xflang") != 0;
}

int driver_fortran_symbols(driver_session *session, const driver_arguments *arguments, const driver_places *places) {
    const char *flang = find_flang(session), *source = NULL;
    if (flang == NULL)
        return complain_missing(session);
    driver_words command = {0};
    driver_words_add(&command, flang);
    driver_words_add(&command, "-fc1");
    driver_words_add(&command, "-fdebug-dump-symbols");
    bool takes = false;
    for (size_t i = 0; i < arguments->count; i++) {
        const driver_argument *at = &arguments->at[i];
        if (at->kind == DRIVER_ARGUMENT_INPUT && at->input == DRIVER_INPUT_FORTRAN && source == NULL)
            source = at->text;
        if (at->kind == DRIVER_ARGUMENT_INPUT)
            continue;
        takes = at->kind == DRIVER_ARGUMENT_VALUE ? takes : is_for_meaning(at->text);
        if (takes || (at->kind == DRIVER_ARGUMENT_FORTRAN && at->text[0] != '-'))
            driver_words_add(&command, at->text);
    }
    const driver_mapping *text = source == NULL ? NULL : driver_mapping_open(&session->files, source);
    const char *folder = text != NULL && uses_module(text->content) ? make_module_file(session, places, flang) : NULL;
    if (folder != NULL) {
        driver_words_add(&command, "-I");
        driver_words_add(&command, folder);
    }
    driver_words_add(&command, source == NULL ? "" : source);
    int status = driver_process_run(session, &command, NULL, NULL);
    driver_words_free(&command);
    return status;
}

int driver_fortran_pass(driver_session *session, const driver_arguments *arguments) {
    const char *flang = find_flang(session);
    if (flang == NULL)
        return complain_missing(session);
    driver_words command = {0};
    driver_words_add(&command, flang);
    driver_words_append(&command, &arguments->words);
    int status = driver_process_exec(session, &command);
    driver_words_free(&command);
    return status;
}

void driver_fortran_code_options(const driver_arguments *arguments, driver_words *command) {
    bool takes = false;
    driver_words_add(command, "-Qunused-arguments");
    for (size_t i = 0; i < arguments->count; i++) {
        const driver_argument *at = &arguments->at[i];
        if (at->kind == DRIVER_ARGUMENT_OPTION)
            takes = driver_is_code_option(at->text);
        if (takes && (at->kind == DRIVER_ARGUMENT_OPTION || at->kind == DRIVER_ARGUMENT_VALUE))
            driver_words_add(command, at->text);
    }
}

/* ---- The run-time library ---- */

/* Returns whether an object file of the link calls flang's run-time library. */
static bool objects_call_library(driver_session *session, const driver_arguments *arguments) {
    for (size_t i = 0; i < arguments->count; i++) {
        const driver_argument *at = &arguments->at[i];
        const driver_mapping *file =
            at->kind == DRIVER_ARGUMENT_INPUT ? driver_mapping_open(&session->files, at->text) : NULL;
        driver_unit unit = {.label = at->text};
        if (file == NULL)
            continue;
        unit.content = file->content;
        if (driver_unit_read(&unit, NULL) == VERSO_STATUS_OK && unit.fortran)
            return true;
    }
    return false;
}

static bool append_argument(driver_arguments *arguments, driver_argument_kind kind, const char *text) {
    return driver_arguments_insert(arguments, arguments->count,
                                   (driver_argument){.kind = kind, .text = text, .input = DRIVER_INPUT_LINKED});
}

bool driver_fortran_library(driver_session *session, driver_arguments *arguments) {
    static const char *const names[] = {"libFortranRuntime.a", "libFortranDecimal.a"};
    bool wanted = session->language == DRIVER_FORTRAN || arguments->has_fortran;
    if (!wanted && !objects_call_library(session, arguments))
        return true;
    const char *flang = find_flang(session);
    char whole[PATH_MAX];
    if (flang == NULL || realpath(flang, whole) == NULL)
        return complain_missing(session), false;
    *strrchr(whole, '/') = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = driver_words_print(&session->kept, "%s/../lib/%s", whole, names[i]);
        if (access(path, R_OK) != 0) {
            driver_error(session, "%s is missing, the run-time library of Fortran; install the package libflang-19-dev",
                         path);
            return false;
        }
        if (!append_argument(arguments, DRIVER_ARGUMENT_INPUT, path))
            return false;
    }
    return append_argument(arguments, DRIVER_ARGUMENT_LIBRARY, "m");
}
