/* See file.h. */
#include "base/file.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *remedy(int code) {
    switch (code) {
    case ENOSPC:
    case EDQUOT: return "; make room and run again, nothing is lost";
    case EACCES:
    case EPERM:
    case EROFS: return "; give write permission or another directory";
    case ENOENT: return "; make the directory above it, or give another path";
    case ENOTDIR: return "; a part of the path is a file, not a directory";
    case EMFILE:
    case ENFILE: return "; raise the limit of open files (ulimit -n)";
    default: return "";
    }
}

verso_status verso__file_error(verso_error *error, const char *what, const char *path) {
    int code = errno;
    if (code == ELOOP || code == ENXIO || code == EISDIR)
        return verso__fail(error, VERSO_STATUS_IO, "cannot %s '%s': it is %s; remove it, or give another directory",
                           what, path, code == ELOOP ? "a symbolic link, which is not followed" : "not a regular file");
    return verso__fail(error, VERSO_STATUS_IO, "cannot %s '%s': %s%s", what, path, strerror(code), remedy(code));
}

static verso_status open_with(const verso__system *system, const char *path, int flags, mode_t mode, verso__file *file,
                              verso_error *error) {
    *file = (verso__file){system, path, -1};
    do
        file->handle = system->open(system, path, flags, mode);
    while (file->handle < 0 && errno == EINTR);
    if (file->handle < 0)
        return verso__file_error(error, (flags & O_CREAT) != 0 ? "create" : "open", path);
    return VERSO_STATUS_OK;
}

verso_status verso__file_open(const verso__system *system, const char *path, int flags, verso__file *file,
                              verso_error *error) {
    return open_with(system, path, flags, 0666, file, error);
}

verso_status verso__file_open_own(const verso__system *system, const char *path, int flags, verso__file *file,
                                  verso_error *error) {
    return open_with(system, path, flags | O_NOFOLLOW, 0600, file, error);
}

verso_status verso__file_write(verso__file *file, const void *bytes, size_t size, verso_error *error) {
    const unsigned char *rest = bytes;
    while (size > 0) {
        ssize_t written = file->system->write(file->system, file->handle, rest, size);
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return verso__file_error(error, "write", file->path);
        }
        rest += written;
        size -= (size_t)written;
    }
    return VERSO_STATUS_OK;
}

verso_status verso__file_write_at(verso__file *file, const void *bytes, size_t size, uint64_t offset,
                                  verso_error *error) {
    const unsigned char *rest = bytes;
    while (size > 0) {
        ssize_t written = file->system->write_at(file->system, file->handle, rest, size, (off_t)offset);
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return verso__file_error(error, "write", file->path);
        }
        rest += written;
        size -= (size_t)written;
        offset += (uint64_t)written;
    }
    return VERSO_STATUS_OK;
}

verso_status verso__file_size(verso__file *file, uint64_t *size, verso_error *error) {
    off_t found = 0;
    int result;
    do
        result = file->system->size(file->system, file->handle, &found);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return verso__file_error(error, "find the size of", file->path);
    *size = (uint64_t)found;
    return VERSO_STATUS_OK;
}

/* Reads from *offset on, or from the current position if `offset` is NULL. */
static verso_status read_all(verso__file *file, void *bytes, size_t size, const uint64_t *offset, size_t *got,
                             verso_error *error) {
    const verso__system *system = file->system;
    *got = 0;
    while (*got < size) {
        unsigned char *to = (unsigned char *)bytes + *got;
        ssize_t part = offset == NULL ? system->read(system, file->handle, to, size - *got)
                                      : system->read_at(system, file->handle, to, size - *got, (off_t)(*offset + *got));
        if (part < 0) {
            if (errno == EINTR)
                continue;
            return verso__file_error(error, "read", file->path);
        }
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    return VERSO_STATUS_OK;
}

verso_status verso__file_read(verso__file *file, void *bytes, size_t size, size_t *got, verso_error *error) {
    return read_all(file, bytes, size, NULL, got, error);
}

verso_status verso__file_read_at(verso__file *file, void *bytes, size_t size, uint64_t offset, size_t *got,
                                 verso_error *error) {
    return read_all(file, bytes, size, &offset, got, error);
}

static int sync_handle(const verso__system *system, int handle) {
    int result;
    do
        result = system->sync(system, handle);
    while (result != 0 && errno == EINTR);
    return result;
}

verso_status verso__file_sync(verso__file *file, verso_error *error) {
    return sync_handle(file->system, file->handle) == 0 ? VERSO_STATUS_OK
                                                        : verso__file_error(error, "sync", file->path);
}

/* On Linux an interrupted close has closed the file: a second attempt could close a file that another thread
 * has just opened. */
static int close_handle(const verso__system *system, int handle) {
    int result = system->close(system, handle);
    return result != 0 && errno == EINTR ? 0 : result;
}

verso_status verso__file_close(verso__file *file, verso_error *error) {
    if (file->handle < 0)
        return VERSO_STATUS_OK;
    int result = close_handle(file->system, file->handle);
    file->handle = -1;
    return result == 0 ? VERSO_STATUS_OK : verso__file_error(error, "close", file->path);
}

static verso_status read_whole(verso__file *file, char **bytes, size_t *size, verso_error *error) {
    uint64_t length;
    verso_status status = verso__file_size(file, &length, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *bytes = length < SIZE_MAX ? verso__alloc((size_t)length + 1, 1) : NULL;
    if (*bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the %llu bytes of %s",
                           (unsigned long long)length, file->path);
    return verso__file_read(file, *bytes, (size_t)length, size, error);
}

/* Reads the whole file, then closes it. */
static verso_status take_whole(verso__file *file, char **bytes, size_t *size, verso_error *error) {
    verso_status status = read_whole(file, bytes, size, error);
    (void)verso__file_close(file, NULL);
    if (status != VERSO_STATUS_OK) {
        verso__dealloc(*bytes);
        *bytes = NULL;
    }
    return status;
}

verso_status verso__file_whole(const verso__system *system, const char *path, char **bytes, size_t *size,
                               verso_error *error) {
    verso__file file;
    *bytes = NULL;
    verso_status status = verso__file_open(system, path, O_RDONLY, &file, error);
    return status == VERSO_STATUS_OK ? take_whole(&file, bytes, size, error) : status;
}

verso_status verso__file_block_own(const verso__system *system, const char *path, char **bytes, size_t *size,
                                   verso_error *error) {
    verso__file file;
    uint64_t length = 0;
    *bytes = NULL;
    *size = 0;
    verso_status status = verso__file_open_own(system, path, O_RDONLY, &file, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__file_size(&file, &length, error);
    if (status == VERSO_STATUS_OK && (*bytes = verso__block_new((size_t)length)) == NULL)
        status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the %llu bytes of %s",
                             (unsigned long long)length, path);
    if (status == VERSO_STATUS_OK)
        status = verso__file_read(&file, *bytes, (size_t)length, size, error);
    if (status == VERSO_STATUS_OK && *size != length)
        status = verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' became shorter while it was read", path);
    (void)verso__file_close(&file, NULL);
    if (status != VERSO_STATUS_OK) {
        verso__block_free(*bytes, (size_t)length);
        *bytes = NULL;
    }
    return status;
}

verso_status verso__file_rename(const verso__system *system, const char *from, const char *to, verso_error *error) {
    int result;
    do
        result = system->rename(system, from, to);
    while (result != 0 && errno == EINTR);
    return result == 0 ? VERSO_STATUS_OK : verso__file_error(error, "rename to", to);
}

verso_status verso__file_remove(const verso__system *system, const char *path, verso_error *error) {
    int result;
    do
        result = system->remove(system, path);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == ENOENT ? VERSO_STATUS_OK : verso__file_error(error, "remove", path);
}

verso_status verso__directory_sync(const verso__system *system, const char *path, verso_error *error) {
    verso__file directory;
    verso_status status = verso__file_open(system, path, O_RDONLY | O_DIRECTORY, &directory, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__file_sync(&directory, error);
    verso_status closed = verso__file_close(&directory, status == VERSO_STATUS_OK ? error : NULL);
    return status == VERSO_STATUS_OK ? closed : status;
}

verso_status verso__directory_make(const verso__system *system, const char *path, bool durable, verso_error *error) {
    int result;
    do
        result = system->make_directory(system, path);
    while (result != 0 && errno == EINTR);
    bool existed = result != 0 && errno == EEXIST;
    if (result != 0 && !existed)
        return verso__file_error(error, "make the directory", path);
    if (!durable)
        return VERSO_STATUS_OK;
    char *parent = verso__path_parent(path);
    if (parent == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the path of '%s'", path);
    /* An existing directory may have been created a moment ago by a process that died before it could sync. A
     * failed sync is then not an error: the directory may belong to another user, and its parent may be
     * unreadable. */
    verso_status status = verso__directory_sync(system, parent, existed ? NULL : error);
    verso__dealloc(parent);
    return existed ? VERSO_STATUS_OK : status;
}

verso_status verso__directory_refuse_link(const verso__system *system, const char *path, verso_error *error) {
    verso__file directory;
    verso_status status = open_with(system, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, &directory, NULL);
    if (status == VERSO_STATUS_OK)
        return verso__file_close(&directory, error);
    if (errno == ENOENT)
        return VERSO_STATUS_OK;
    if (errno == ENOTDIR || errno == ELOOP)
        return verso__fail(error, VERSO_STATUS_IO,
                           "'%s' should be a directory, but is a symbolic link or another kind of file; remove it",
                           path);
    return verso__file_error(error, "open", path);
}

char *verso__path_join(const char *directory, const char *name) {
    size_t left = strlen(directory), right = strlen(name);
    char *path = verso__alloc(left + right + 2, 1);
    if (path == NULL)
        return NULL;
    memcpy(path, directory, left);
    path[left] = '/';
    memcpy(path + left + 1, name, right + 1);
    return path;
}

char *verso__path_parent(const char *path) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    while (size > 0 && path[size - 1] != '/')
        size--;
    while (size > 1 && path[size - 1] == '/')
        size--;
    char *parent = verso__alloc(size + 2, 1);
    if (parent != NULL)
        memcpy(parent, size == 0 ? "." : path, size == 0 ? 1 : size);
    return parent;
}

char *verso__path_absolute(const char *path) {
    char here[4096];
    if (path[0] != '/' && getcwd(here, sizeof here) != NULL)
        return verso__path_join(here, path);
    char *copy = verso__alloc(strlen(path) + 1, 1);
    return copy != NULL ? strcpy(copy, path) : NULL;
}
