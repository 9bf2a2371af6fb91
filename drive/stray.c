/* Removes capsules from a directory that has no journal. A process that died before it created its journal leaves
 * at most x_0. More capsules belong to a run whose journal was lost; they cannot be used without it. */
#include "base/alloc.h"
#include "base/file.h"
#include "drive/inside.h"
#include "store/listing.h"
#include "store/name.h"

static verso_status remove_one(const verso__drive *drive, const verso_capsule_name *name, verso_error *error) {
    char text[VERSO_FILE_NAME_MAX];
    verso__file_name_write("", name->kind, name->step, text);
    char *path = verso__path_join(drive->capsules_path, text);
    if (path == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a path");
    verso_status status = verso__file_remove(drive->system, path, error);
    verso__dealloc(path);
    return status;
}

verso_status verso__remove_strays(verso__drive *drive, verso_error *error) {
    verso__listing all;
    verso_status status = verso__listing_read(drive->system, drive->capsules_path, &all, error);
    size_t whole = 0, more = 0;
    for (size_t i = 0; i < all.count; i++) {
        const verso_capsule_name *name = &all.list[i].name;
        whole += !all.list[i].writing;
        more += !all.list[i].writing && (name->kind != VERSO_CAPSULE_STATE || name->step != 0);
    }
    drive->begun_anew += status == VERSO_STATUS_OK && more > 0;
    if (status == VERSO_STATUS_OK && more > 0)
        verso__drive_warn(drive,
                          "'%s' holds %zu capsules of a run whose journal is gone; they are removed, and the "
                          "run begins anew",
                          drive->capsules_path, whole);
    for (size_t i = 0; i < all.count && status == VERSO_STATUS_OK; i++)
        if (!all.list[i].writing) /* opening the vault removes half-written files */
            status = remove_one(drive, &all.list[i].name, error);
    verso__listing_free(&all);
    return status;
}
