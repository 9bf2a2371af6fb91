/* Capsules in a directory without a journal. A process that died before its journal was there leaves x_0 at most; more
 * than that is a run whose journal was lost, and without it nobody can tell what its capsules are good for. */
#include "base/alloc.h"
#include "base/file.h"
#include "drive/drive.h"
#include "store/name.h"

#include <errno.h>

typedef struct strays {
    verso_capsule_name *names;
    size_t count, room;
    bool no_memory;
} strays;

static bool visit(void *context, const char *text) {
    strays *all = context;
    verso_capsule_name name;
    if (!verso_file_name_read(text, &name))
        return true;
    if (all->count == all->room) {
        size_t room = all->room > 0 ? 2 * all->room : 64;
        verso_capsule_name *longer = verso_realloc(all->names, room, sizeof *longer);
        all->no_memory = longer == NULL;
        if (all->no_memory)
            return false;
        all->names = longer;
        all->room = room;
    }
    all->names[all->count++] = name;
    return true;
}

static verso_status list(const verso_drive *drive, strays *all, verso_error *error) {
    int result;
    do {
        all->count = 0;
        result = drive->system->list(drive->system, drive->capsules_path, visit, all);
    } while (result != 0 && errno == EINTR);
    if (all->no_memory)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a list of the capsules in '%s'", drive->capsules_path);
    return result == 0 || errno == ENOENT ? VERSO_OK : verso_file_error(error, "list", drive->capsules_path);
}

static verso_status remove_one(const verso_drive *drive, const verso_capsule_name *name, verso_error *error) {
    char text[VERSO_FILE_NAME_MAX];
    verso_file_name_write("", name->kind, name->step, text);
    char *path = verso_path_join(drive->capsules_path, text);
    if (path == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a path");
    verso_status status = verso_file_remove(drive->system, path, error);
    verso_dealloc(path);
    return status;
}

verso_status verso_remove_strays(verso_drive *drive, verso_error *error) {
    strays all = {0};
    verso_status status = list(drive, &all, error);
    size_t more = 0;
    for (size_t i = 0; i < all.count; i++)
        more += all.names[i].kind != VERSO_CAPSULE_STATE || all.names[i].step != 0;
    if (status == VERSO_OK && more > 0)
        verso_drive_notice(drive,
                           "'%s' holds %zu capsules of a run whose journal is gone; they are removed, and the "
                           "run begins anew",
                           drive->capsules_path, all.count);
    for (size_t i = 0; i < all.count && status == VERSO_OK; i++)
        status = remove_one(drive, &all.names[i], error);
    verso_dealloc(all.names);
    return status;
}
