/* A directory seen by who is about to run in it: whether a run lies there, and making it hold none.
 *
 * The journal goes first, and that is synced: a directory without one is no run, at whatever instant this ends. */
#include "base/alloc.h"
#include "base/file.h"
#include "drive/drive.h"
#include "drive/journal_record.h"

#include <fcntl.h>

static verso_status no_memory(verso_error *error) {
    return verso_fail(error, VERSO_NO_MEMORY, "no memory for the names of a run's files");
}

verso_status verso_holds_run(const verso_system *system, const char *directory, bool *holds, verso_error *error) {
    verso_file file;
    verso_error why = {0};
    char *path = verso_path_join(directory, "journal");
    if (path == NULL)
        return no_memory(error);
    verso_status status = verso_journal_open_existing(system, path, O_RDONLY, &file, &why);
    *holds = status == VERSO_OK;
    if (status == VERSO_OK)
        (void)verso_file_close(&file, NULL);
    verso_dealloc(path);
    return status == VERSO_OK || status == VERSO_STATE ? VERSO_OK : verso_fail(error, status, "%s", why.message);
}

static verso_status remove_run(const verso_drive *drive, verso_error *error) {
    verso_status status = verso_file_remove(drive->system, drive->journal_path, error);
    return status == VERSO_OK ? verso_directory_sync(drive->system, drive->directory, error) : status;
}

verso_status verso_abandon(const verso_system *system, const char *directory, verso_error *error) {
    const verso_run_options quiet = {0};
    verso_drive drive = {.system = system,
                         .options = &quiet,
                         .directory = (char *)(uintptr_t)directory,
                         .lock_path = verso_path_join(directory, "lock"),
                         .journal_path = verso_path_join(directory, "journal"),
                         .capsules_path = verso_path_join(directory, "capsules")};
    verso_status status = drive.lock_path != NULL && drive.journal_path != NULL && drive.capsules_path != NULL
                              ? VERSO_OK
                              : no_memory(error);
    if (status == VERSO_OK)
        status = verso_lock_take(system, drive.lock_path, &drive.lock, error);
    if (status == VERSO_OK)
        status = remove_run(&drive, error);
    if (status == VERSO_OK)
        status = verso_remove_strays(&drive, error);
    verso_lock_release(drive.lock);
    verso_dealloc(drive.lock_path);
    verso_dealloc(drive.journal_path);
    verso_dealloc(drive.capsules_path);
    return status;
}
