/* Archives may have several members of the same name (CMake makes such archives), which a linker's trace does not
 * distinguish. This file makes a copy of an archive in which the members are numbered. It changes only the names in the
 * headers, so that all offsets in the archive's index stay valid. */
#include "cc/driver/link.h"

#include "base/alloc.h"
#include "cc/driver/archive.h"

#include <stdio.h>
#include <string.h>

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Numbers the members of the copy. Returns false for thin archives, whose names are needed to find the files, and for
 * BSD's long names, which are not in the header. */
static bool number_members(const driver_mapping *file, unsigned char *copy) {
    driver_archive archive;
    driver_archive_open(file->content.bytes, file->content.size, &archive);
    if (archive.thin)
        return false;
    for (size_t number = 1;; number++) {
        driver_member member;
        bool more;
        if (driver_archive_next(&archive, file->path, &member, &more, NULL) != VERSO_STATUS_OK)
            return false;
        if (!more)
            return true;
        if (memcmp(copy + member.header, "#1/", 3) == 0)
            return false;
        char name[DRIVER_MEMBER_NAME + 1], field[DRIVER_MEMBER_NAME + 1];
        snprintf(name, sizeof name, "%zu.o/", number);
        snprintf(field, sizeof field, "%-16s", name);
        memcpy(copy + member.header, field, DRIVER_MEMBER_NAME);
    }
}

/* -lNAME finds libNAME.a, -l:NAME finds NAME. */
static bool names_library(const char *name, const char *path) {
    const char *file = last_part(path);
    if (name[0] == ':')
        return strcmp(name + 1, file) == 0;
    size_t size = strlen(name);
    return strncmp(file, "lib", 3) == 0 && strncmp(file + 3, name, size) == 0 && strcmp(file + 3 + size, ".a") == 0;
}

static void replace(driver_arguments *arguments, const char *path, const char *copy) {
    for (size_t i = 0; i < arguments->count; i++) {
        driver_argument *argument = &arguments->at[i];
        bool library = argument->kind == DRIVER_ARGUMENT_LIBRARY && names_library(argument->text, path);
        bool named = (argument->kind == DRIVER_ARGUMENT_INPUT || argument->kind == DRIVER_ARGUMENT_LINKER) &&
                     strcmp(argument->text, path) == 0;
        if (!library && !named)
            continue;
        if (library)
            argument->kind = DRIVER_ARGUMENT_INPUT;
        argument->text = copy;
        argument->source = path;
    }
}

bool driver_rename_members(driver_session *session, driver_arguments *arguments, const driver_mapping *archive) {
    size_t size = archive->content.size;
    unsigned char *copy = verso__alloc(size, 1);
    if (copy == NULL)
        return driver_error(session, "out of memory"), false;
    memcpy(copy, archive->content.bytes, size);
    const char *name =
        driver_words_print(&session->kept, "renamed-%zu-%s", session->kept.count, last_part(archive->path));
    const char *path = driver_scratch(session, name);
    bool done = path != NULL;
    if (done &&
        (strncmp(archive->path, session->scratch, strlen(session->scratch)) == 0 || !number_members(archive, copy))) {
        driver_error(session,
                     "%s has several members of the same name, and the linker does not report which one it takes; give "
                     "them different names",
                     archive->path);
        done = false;
    }
    done = done && driver_write_file(session, path, copy, size);
    verso__dealloc(copy);
    if (done)
        replace(arguments, archive->path, path);
    return done;
}
