/* Finds out whether a directory contains a run, and removes it.
 *
 * The journal is removed first, and its removal is synced. A directory without a journal is not a run, so an
 * interruption at any instant leaves the directory in a valid state. */
#include "base/alloc.h"
#include "base/file.h"
#include "drive/inside.h"
#include "drive/journal_record.h"

#include <fcntl.h>

static verso_status no_memory(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the names of a run's files");
}

verso_status verso__holds_run(const verso__system *system, const char *directory, bool *holds, verso_error *error) {
    verso__file file;
    verso_error why = {0};
    char *path = verso__path_join(directory, "journal");
    if (path == NULL)
        return no_memory(error);
    verso_status status = verso__journal_open_existing(system, path, O_RDONLY, &file, &why);
    *holds = status == VERSO_STATUS_OK;
    if (status == VERSO_STATUS_OK)
        (void)verso__file_close(&file, NULL);
    verso__dealloc(path);
    return status == VERSO_STATUS_OK || status == VERSO_STATUS_STATE ? VERSO_STATUS_OK
                                                                     : verso__fail(error, status, "%s", why.message);
}

static verso_status remove_run(const verso__drive *drive, verso_error *error) {
    verso_status status = verso__file_remove(drive->system, drive->journal_path, error);
    return status == VERSO_STATUS_OK ? verso__directory_sync(drive->system, drive->directory, error) : status;
}

verso_status verso__abandon(const verso__system *system, const char *directory, verso_error *error) {
    const verso_run_options quiet = {0};
    verso__drive drive = {.system = system,
                          .options = &quiet,
                          .directory = (char *)(uintptr_t)directory,
                          .lock_path = verso__path_join(directory, "lock"),
                          .journal_path = verso__path_join(directory, "journal"),
                          .capsules_path = verso__path_join(directory, "capsules")};
    verso_status status = drive.lock_path != NULL && drive.journal_path != NULL && drive.capsules_path != NULL
                              ? VERSO_STATUS_OK
                              : no_memory(error);
    if (status == VERSO_STATUS_OK)
        status = verso__directory_refuse_link(system, drive.capsules_path, error);
    if (status == VERSO_STATUS_OK)
        status = verso__lock_take(system, drive.lock_path, &drive.lock, error);
    if (status == VERSO_STATUS_OK)
        status = remove_run(&drive, error);
    if (status == VERSO_STATUS_OK)
        status = verso__remove_strays(&drive, error);
    verso__lock_release(drive.lock);
    verso__dealloc(drive.lock_path);
    verso__dealloc(drive.journal_path);
    verso__dealloc(drive.capsules_path);
    return status;
}
