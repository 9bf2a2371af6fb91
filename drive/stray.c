/* Capsules in a directory without a journal. A process that died before its journal was there leaves x_0 at most; more
 * than that is a run whose journal was lost, and without it nobody can tell what its capsules are good for. */
#include "base/alloc.h"
#include "base/file.h"
#include "drive/drive.h"
#include "store/listing.h"
#include "store/name.h"

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
    verso_listing all;
    verso_status status = verso_listing_read(drive->system, drive->capsules_path, &all, error);
    size_t whole = 0, more = 0;
    for (size_t i = 0; i < all.count; i++) {
        const verso_capsule_name *name = &all.list[i].name;
        whole += !all.list[i].writing;
        more += !all.list[i].writing && (name->kind != VERSO_CAPSULE_STATE || name->step != 0);
    }
    if (status == VERSO_OK && more > 0)
        verso_drive_notice(drive,
                           "'%s' holds %zu capsules of a run whose journal is gone; they are removed, and the "
                           "run begins anew",
                           drive->capsules_path, whole);
    for (size_t i = 0; i < all.count && status == VERSO_OK; i++)
        if (!all.list[i].writing) /* halves are removed when the vault is opened */
            status = remove_one(drive, &all.list[i].name, error);
    verso_listing_free(&all);
    return status;
}
