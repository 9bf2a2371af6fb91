/* Makes the command of the second link, see link.h. The transformed object comes first, directly followed by
 * libverso.a, so that no other copy of Verso's run time is linked. Object files that it was made from are removed.
 * Archives remain for their other members, which the linker takes or not as before. An archive that is linked as a
 * whole (--whole-archive) is replaced by its members without bitcode, one by one, because it would link the others
 * again.
 *
 * A program is position-independent, because shadow memory covers only the addresses of such programs. It has a build
 * id, by which a durable run identifies the program that began it. */
#include "cc/driver/link.h"

#include "base/status.h"
#include "cc/driver/archive.h"

#include <string.h>

enum { DEEPEST = 32 };

typedef struct relinking {
    driver_session *session;
    const driver_arguments *arguments;
    const driver_trace *trace;
    driver_words *command;
    bool whole;           /* --whole-archive is in effect */
    bool pushed[DEEPEST]; /* values of `whole` saved by --push-state */
    size_t depth;         /* number of them */
    size_t extracted;     /* number of members extracted so far, for file names */
} relinking;

/* ---- The state of the linker ---- */

static bool is_linker_option(const char *word, const char *name) {
    return word[0] == '-' && strcmp(word + (word[1] == '-' ? 2 : 1), name) == 0;
}

static void follow_state(relinking *relinking, const char *word) {
    if (is_linker_option(word, "whole-archive"))
        relinking->whole = true;
    else if (is_linker_option(word, "no-whole-archive"))
        relinking->whole = false;
    else if (is_linker_option(word, "push-state") && relinking->depth < DEEPEST)
        relinking->pushed[relinking->depth++] = relinking->whole;
    else if (is_linker_option(word, "pop-state") && relinking->depth > 0)
        relinking->whole = relinking->pushed[--relinking->depth];
}

/* ---- Units on the command line ---- */

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool is_merged_object(const driver_trace *trace, const char *path) {
    for (size_t i = 0; i < trace->count; i++)
        if (trace->units[i].bitcode && trace->units[i].member == NULL && strcmp(trace->units[i].path, path) == 0)
            return true;
    return false;
}

/* Returns the archive that an argument names; NULL if it is not an archive. */
static const driver_mapping *archive_of(relinking *relinking, const driver_argument *argument) {
    if (argument->kind != DRIVER_ARGUMENT_LIBRARY) {
        const driver_mapping *file = driver_mapping_open(&relinking->session->files, argument->text);
        return file != NULL && driver_is_archive(file->content.bytes, file->content.size) ? file : NULL;
    }
    const char *name = argument->text[0] == ':'
                           ? argument->text + 1
                           : driver_words_print(&relinking->session->kept, "lib%s.a", argument->text);
    const driver_mappings *files = &relinking->session->files;
    for (size_t i = 0; i < files->count; i++) /* the archives in the trace are mapped */
        if (driver_is_archive(files->at[i]->content.bytes, files->at[i]->content.size) &&
            strcmp(last_part(files->at[i]->path), name) == 0)
            return files->at[i];
    return NULL;
}

/* ---- Archives that are linked as a whole: every member with bitcode is part of the transformed object ---- */

/* Reads the next member into *unit. For a thin archive, unit->path is the member's file. Returns false after printing a
 * message. */
static bool next_member(relinking *relinking, driver_archive *archive, const char *path, driver_unit *unit,
                        bool *more) {
    driver_session *session = relinking->session;
    driver_member member;
    verso_error error;
    verso_status status = driver_archive_next(archive, path, &member, more, &error);
    if (status == VERSO_STATUS_OK && !*more)
        return true;
    if (status == VERSO_STATUS_OK)
        *unit = (driver_unit){.label = path, .content = {member.bytes, member.size}};
    if (status == VERSO_STATUS_OK && member.bytes == NULL) {
        unit->path = driver_thin_path(&session->kept, path, member.name, member.name_size);
        const driver_mapping *outside = driver_mapping_open(&session->files, unit->path);
        if (outside == NULL)
            status = verso__fail(&error, VERSO_STATUS_IO, "cannot read '%s', a member of %s", unit->path, path);
        else
            unit->content = outside->content;
    }
    if (status == VERSO_STATUS_OK)
        status = driver_unit_read(unit, &error);
    if (status != VERSO_STATUS_OK)
        driver_error(session, "%s", error.message);
    return status == VERSO_STATUS_OK;
}

static bool has_bitcode(relinking *relinking, const driver_mapping *file, bool *found) {
    driver_archive archive;
    driver_archive_open(file->content.bytes, file->content.size, &archive);
    *found = false;
    for (bool more = true; more && !*found;) {
        driver_unit unit = {0};
        if (!next_member(relinking, &archive, file->path, &unit, &more))
            return false;
        *found = unit.bitcode;
    }
    return true;
}

/* Adds the members without bitcode to the command, each as a file. */
static bool add_others(relinking *relinking, const driver_mapping *file) {
    driver_session *session = relinking->session;
    driver_archive archive;
    driver_archive_open(file->content.bytes, file->content.size, &archive);
    for (bool more = true; more;) {
        driver_unit unit = {.bitcode = true};
        if (!next_member(relinking, &archive, file->path, &unit, &more))
            return false;
        if (unit.bitcode)
            continue;
        const char *path = unit.path;
        if (path == NULL) {
            path = driver_scratch(session, driver_words_print(&session->kept, "member-%zu.o", relinking->extracted++));
            if (path == NULL || !driver_write_file(session, path, unit.content.bytes, unit.content.size))
                return false;
        }
        driver_words_add(relinking->command, path);
    }
    return true;
}

/* ---- The command ---- */

/* Adds the replacement of an input, if it has one. *replaced: the caller must not add the input itself. Returns false
 * after printing a message. */
static bool replace_input(relinking *relinking, const driver_argument *argument, bool *replaced) {
    bool library = argument->kind == DRIVER_ARGUMENT_LIBRARY;
    *replaced = !library && is_merged_object(relinking->trace, argument->text);
    if (*replaced || !relinking->whole)
        return true;
    const driver_mapping *archive = archive_of(relinking, argument);
    if (archive == NULL)
        return true;
    if (!has_bitcode(relinking, archive, replaced))
        return false;
    return !*replaced || add_others(relinking, archive);
}

static void add_option(relinking *relinking, const char *word) {
    if (strcmp(word, "-static") == 0 || strcmp(word, "--static") == 0)
        driver_words_add(relinking->command, "-static-pie");
    else if (strcmp(word, "-no-pie") != 0 && strcmp(word, "-nopie") != 0)
        driver_words_add(relinking->command, word);
}

static bool add_argument(relinking *relinking, const driver_argument *argument) {
    bool replaced = false;
    switch (argument->kind) {
    case DRIVER_ARGUMENT_FORTRAN:
    case DRIVER_ARGUMENT_LANGUAGE: return true;
    case DRIVER_ARGUMENT_OPTION: add_option(relinking, argument->text); return true;
    case DRIVER_ARGUMENT_VALUE: driver_words_add(relinking->command, argument->text); return true;
    case DRIVER_ARGUMENT_OUTPUT:
        driver_words_add(relinking->command, "-o");
        driver_words_add(relinking->command, argument->text);
        return true;
    case DRIVER_ARGUMENT_LINKER:
        follow_state(relinking, argument->text);
        if (argument->text[0] != '-' && !replace_input(relinking, argument, &replaced))
            return false;
        if (!replaced) {
            driver_words_add(relinking->command, "-Xlinker");
            driver_words_add(relinking->command, argument->text);
        }
        return true;
    case DRIVER_ARGUMENT_LIBRARY:
    case DRIVER_ARGUMENT_INPUT: break;
    }
    if (!replace_input(relinking, argument, &replaced))
        return false;
    if (!replaced && argument->kind == DRIVER_ARGUMENT_LIBRARY)
        driver_words_print(relinking->command, "-l%s", argument->text);
    else if (!replaced)
        driver_words_add(relinking->command, argument->text);
    return true;
}

static bool is_for_linker(const driver_argument *argument) {
    return argument->kind == DRIVER_ARGUMENT_INPUT || argument->kind == DRIVER_ARGUMENT_LIBRARY ||
           argument->kind == DRIVER_ARGUMENT_LINKER;
}

/* True if the unit is a member of a thin archive, which GNU ld lists in its trace as an ordinary file. */
static bool is_in_thin_archive(relinking *relinking, const driver_unit *unit) {
    driver_mappings *files = &relinking->session->files;
    for (size_t i = 0; i < files->count; i++) {
        const driver_mapping *file = files->at[i];
        if (!driver_is_archive(file->content.bytes, file->content.size))
            continue;
        driver_archive archive;
        driver_archive_open(file->content.bytes, file->content.size, &archive);
        driver_member member;
        for (bool more; archive.thin &&
                        driver_archive_next(&archive, file->path, &member, &more, NULL) == VERSO_STATUS_OK && more;) {
            const char *path = driver_thin_path(&relinking->session->kept, file->path, member.name, member.name_size);
            const driver_mapping *outside = driver_mapping_open(files, path);
            if (outside != NULL && driver_mapping_is_same(outside, unit->file))
                return true;
        }
    }
    return false;
}

/* True if the command line names the unit, so that it can be removed from it. */
static bool is_on_line(relinking *relinking, const driver_unit *unit) {
    const driver_arguments *arguments = relinking->arguments;
    for (size_t i = 0; i < arguments->count; i++)
        if (is_for_linker(&arguments->at[i]) && strcmp(arguments->at[i].text, unit->path) == 0)
            return true;
    return is_in_thin_archive(relinking, unit);
}

static bool check_line(relinking *relinking) {
    for (size_t i = 0; i < relinking->trace->count; i++) {
        const driver_unit *unit = &relinking->trace->units[i];
        if (!unit->bitcode || unit->member != NULL || is_on_line(relinking, unit))
            continue;
        driver_error(
            relinking->session,
            "%s is linked but not named on the command line (a linker script names it); name it on the command "
            "line",
            unit->label);
        return false;
    }
    return true;
}

bool driver_relink_command(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                           const driver_trace *trace, const char *object, driver_words *command) {
    relinking relinking = {.session = session, .arguments = arguments, .trace = trace, .command = command};
    if (!check_line(&relinking))
        return false;
    driver_link_begin(session, arguments, command);
    driver_words_add(command, "-Wl,--build-id"); /* first, so that the user's own option overrides it */
    bool placed = false;
    for (size_t i = 0; i < arguments->count; i++) {
        if (!placed && is_for_linker(&arguments->at[i])) {
            driver_words_add(command, object);
            driver_words_add(command, places->library);
            placed = true;
        }
        if (!add_argument(&relinking, &arguments->at[i]))
            return false;
    }
    if (arguments->shared)
        driver_link_shared(command);
    else if (!arguments->is_static)
        driver_words_add(command, "-pie");
    driver_link_library(places, command);
    return true;
}
