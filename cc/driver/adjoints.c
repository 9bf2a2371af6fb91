/* Links members of archives that contain only custom adjoints (VERSO_CUSTOM_ADJOINT and the like). No object refers
 * to such a member, so the linker does not take it. If it has an adjoint of a function of the program, this file
 * extracts it as an object file and puts it before its archive on the command line. */
#include "cc/driver/link.h"

#include "cc/driver/archive.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct search {
    driver_session *session;
    driver_arguments *arguments;
    const driver_trace *trace;
    size_t taken; /* number of members extracted */
    bool wanted;  /* the current member has an adjoint of a function of the program */
    verso_error error;
} search;

/* ---- The functions of the program ---- */

typedef struct lookup {
    const char *name;
    char mangled[256]; /* the name as part of a C++ symbol: "4name"; "" if it is too long */
    bool found;
} lookup;

static void compare_symbol(void *context, const char *symbol, bool defined) {
    lookup *lookup = context;
    (void)defined;
    lookup->found =
        lookup->found || strcmp(symbol, lookup->name) == 0 ||
        (strncmp(symbol, "_Z", 2) == 0 && lookup->mangled[0] != '\0' && strstr(symbol, lookup->mangled) != NULL);
}

static bool program_has(const driver_trace *trace, const char *name) {
    lookup lookup = {.name = name};
    if ((size_t)snprintf(lookup.mangled, sizeof lookup.mangled, "%zu%s", strlen(name), name) >= sizeof lookup.mangled)
        lookup.mangled[0] = '\0';
    for (size_t i = 0; i < trace->count && !lookup.found; i++) {
        const driver_unit *unit = &trace->units[i];
        driver_elf elf;
        if (driver_elf_is_object(unit->content.bytes, unit->content.size) &&
            driver_elf_open(unit->content.bytes, unit->content.size, unit->label, &elf, NULL) == VERSO_STATUS_OK)
            driver_elf_symbols(&elf, unit->label, compare_symbol, &lookup, NULL);
    }
    return lookup.found;
}

/* ---- Members ---- */

static void note_adjoint(void *context, const char *symbol, bool defined) {
    static const char *const prefixes[] = {"verso__custom_adjoint_", "verso__whole_adjoint_", "verso__world_adjoint_"};
    search *search = context;
    for (size_t i = 0; defined && !search->wanted && i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(symbol, prefixes[i], strlen(prefixes[i])) == 0)
            search->wanted = program_has(search->trace, symbol + strlen(prefixes[i]));
}

/* True if the linker has taken the member, or it was extracted before. */
static bool is_linked(const search *search, const char *label, driver_bytes content) {
    for (size_t i = 0; i < search->trace->count; i++)
        if (search->trace->units[i].content.bytes == content.bytes)
            return true;
    for (size_t i = 0; i < search->arguments->count; i++)
        if (search->arguments->at[i].source != NULL && strcmp(search->arguments->at[i].source, label) == 0)
            return true;
    return false;
}

/* Sets search->wanted for a member. Returns false after printing a message. */
static bool examine_member(search *search, const char *label, driver_bytes content) {
    driver_elf elf;
    search->wanted = false;
    if (content.bytes == NULL || !driver_elf_is_object(content.bytes, content.size) ||
        is_linked(search, label, content))
        return true;
    verso_status status = driver_elf_open(content.bytes, content.size, label, &elf, &search->error);
    if (status == VERSO_STATUS_OK)
        status = driver_elf_symbols(&elf, label, note_adjoint, search, &search->error);
    if (status == VERSO_STATUS_OK)
        return true;
    driver_error(search->session, "%s", search->error.message);
    return false;
}

static bool take(search *search, size_t *index, const char *label, driver_bytes content) {
    driver_session *session = search->session;
    const char *path =
        driver_scratch(session, driver_words_print(&session->kept, "adjoints-%zu.o", session->kept.count));
    if (path == NULL || !driver_write_file(session, path, content.bytes, content.size))
        return false;
    driver_argument object = {
        .kind = DRIVER_ARGUMENT_INPUT, .text = path, .input = DRIVER_INPUT_LINKED, .source = label};
    if (!driver_arguments_insert(search->arguments, (*index)++, object))
        return driver_error(session, "out of memory"), false;
    search->taken++;
    return true;
}

/* Searches the members of the archive at arguments->at[*index], and increments *index for each object that is inserted
 * before it. */
static bool search_archive(search *search, size_t *index, const driver_mapping *file) {
    driver_session *session = search->session;
    driver_archive archive;
    driver_archive_open(file->content.bytes, file->content.size, &archive);
    for (bool more = true; more;) {
        driver_member member;
        if (driver_archive_next(&archive, file->path, &member, &more, &search->error) != VERSO_STATUS_OK)
            return driver_error(session, "%s", search->error.message), false;
        if (!more)
            break;
        driver_bytes content = {member.bytes, member.size};
        if (archive.thin) {
            const char *path = driver_thin_path(&session->kept, file->path, member.name, member.name_size);
            const driver_mapping *outside = driver_mapping_open(&session->files, path);
            content = outside == NULL ? (driver_bytes){0} : outside->content;
        }
        const char *label =
            driver_words_print(&session->kept, "%s(%.*s)", file->path, (int)member.name_size, member.name);
        if (!examine_member(search, label, content) || (search->wanted && !take(search, index, label, content)))
            return false;
    }
    return true;
}

/* ---- Archives on the command line ---- */

/* Finds the archive of -lNAME in the first folder of -L that has such a library. Returns NULL if that is a shared
 * library, or if there is none. */
static const char *find_library(const search *search, const char *name) {
    const driver_arguments *arguments = search->arguments;
    driver_words *kept = &search->session->kept;
    for (size_t i = 0; i < arguments->count; i++) {
        const char *text = arguments->at[i].text;
        if (arguments->at[i].kind != DRIVER_ARGUMENT_OPTION || strncmp(text, "-L", 2) != 0)
            continue;
        const char *folder = text[2] != '\0' ? text + 2 : i + 1 < arguments->count ? arguments->at[i + 1].text : "";
        if (name[0] != ':' && !arguments->is_static &&
            access(driver_words_print(kept, "%s/lib%s.so", folder, name), F_OK) == 0)
            return NULL;
        const char *path = name[0] == ':' ? driver_words_print(kept, "%s/%s", folder, name + 1)
                                          : driver_words_print(kept, "%s/lib%s.a", folder, name);
        if (access(path, F_OK) == 0)
            return path;
    }
    return NULL;
}

bool driver_take_adjoints(driver_session *session, driver_arguments *arguments, const driver_trace *trace,
                          bool *taken) {
    search search = {.session = session, .arguments = arguments, .trace = trace};
    for (size_t i = 0; i < arguments->count; i++) {
        const driver_argument *argument = &arguments->at[i];
        const char *path = NULL;
        if (argument->kind == DRIVER_ARGUMENT_LIBRARY)
            path = find_library(&search, argument->text);
        else if (argument->kind == DRIVER_ARGUMENT_INPUT ||
                 (argument->kind == DRIVER_ARGUMENT_LINKER && argument->text[0] != '-'))
            path = argument->text;
        const driver_mapping *file = path == NULL ? NULL : driver_mapping_open(&session->files, path);
        if (file != NULL && driver_is_archive(file->content.bytes, file->content.size) &&
            !search_archive(&search, &i, file))
            return false;
    }
    *taken = search.taken > 0;
    return true;
}
