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

verso_status verso_file_error(verso_error *error, const char *what, const char *path) {
    int code = errno;
    return verso_fail(error, VERSO_IO, "cannot %s '%s': %s%s", what, path, strerror(code), remedy(code));
}

verso_status verso_file_open(const verso_system *system, const char *path, int flags, verso_file *file,
                             verso_error *error) {
    *file = (verso_file){system, path, -1};
    do
        file->handle = system->open(system, path, flags, 0666);
    while (file->handle < 0 && errno == EINTR);
    if (file->handle < 0)
        return verso_file_error(error, (flags & O_CREAT) != 0 ? "create" : "open", path);
    return VERSO_OK;
}

verso_status verso_file_write(verso_file *file, const void *bytes, size_t size, verso_error *error) {
    const unsigned char *rest = bytes;
    while (size > 0) {
        ssize_t written = file->system->write(file->system, file->handle, rest, size);
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return verso_file_error(error, "write", file->path);
        }
        rest += written;
        size -= (size_t)written;
    }
    return VERSO_OK;
}

verso_status verso_file_write_at(verso_file *file, const void *bytes, size_t size, uint64_t offset,
                                 verso_error *error) {
    const unsigned char *rest = bytes;
    while (size > 0) {
        ssize_t written = file->system->write_at(file->system, file->handle, rest, size, (off_t)offset);
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return verso_file_error(error, "write", file->path);
        }
        rest += written;
        size -= (size_t)written;
        offset += (uint64_t)written;
    }
    return VERSO_OK;
}

verso_status verso_file_size(verso_file *file, uint64_t *size, verso_error *error) {
    off_t found = 0;
    int result;
    do
        result = file->system->size(file->system, file->handle, &found);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return verso_file_error(error, "find the size of", file->path);
    *size = (uint64_t)found;
    return VERSO_OK;
}

/* From `offset` on; NULL: from where the file stands. */
static verso_status read_all(verso_file *file, void *bytes, size_t size, const uint64_t *offset, size_t *got,
                             verso_error *error) {
    const verso_system *system = file->system;
    *got = 0;
    while (*got < size) {
        unsigned char *to = (unsigned char *)bytes + *got;
        ssize_t part = offset == NULL ? system->read(system, file->handle, to, size - *got)
                                      : system->read_at(system, file->handle, to, size - *got, (off_t)(*offset + *got));
        if (part < 0) {
            if (errno == EINTR)
                continue;
            return verso_file_error(error, "read", file->path);
        }
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    return VERSO_OK;
}

verso_status verso_file_read(verso_file *file, void *bytes, size_t size, size_t *got, verso_error *error) {
    return read_all(file, bytes, size, NULL, got, error);
}

verso_status verso_file_read_at(verso_file *file, void *bytes, size_t size, uint64_t offset, size_t *got,
                                verso_error *error) {
    return read_all(file, bytes, size, &offset, got, error);
}

static int sync_handle(const verso_system *system, int handle) {
    int result;
    do
        result = system->sync(system, handle);
    while (result != 0 && errno == EINTR);
    return result;
}

verso_status verso_file_sync(verso_file *file, verso_error *error) {
    return sync_handle(file->system, file->handle) == 0 ? VERSO_OK : verso_file_error(error, "sync", file->path);
}

/* An interrupted close has closed on Linux: trying again could close another's file. */
static int close_handle(const verso_system *system, int handle) {
    int result = system->close(system, handle);
    return result != 0 && errno == EINTR ? 0 : result;
}

verso_status verso_file_close(verso_file *file, verso_error *error) {
    if (file->handle < 0)
        return VERSO_OK;
    int result = close_handle(file->system, file->handle);
    file->handle = -1;
    return result == 0 ? VERSO_OK : verso_file_error(error, "close", file->path);
}

static verso_status read_whole(verso_file *file, char **bytes, size_t *size, verso_error *error) {
    uint64_t length;
    verso_status status = verso_file_size(file, &length, error);
    if (status != VERSO_OK)
        return status;
    *bytes = length < SIZE_MAX ? verso_alloc((size_t)length + 1, 1) : NULL;
    if (*bytes == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the %llu bytes of %s.", (unsigned long long)length,
                          file->path);
    return verso_file_read(file, *bytes, (size_t)length, size, error);
}

verso_status verso_file_whole(const verso_system *system, const char *path, char **bytes, size_t *size,
                              verso_error *error) {
    verso_file file;
    *bytes = NULL;
    verso_status status = verso_file_open(system, path, O_RDONLY, &file, error);
    if (status != VERSO_OK)
        return status;
    status = read_whole(&file, bytes, size, error);
    (void)verso_file_close(&file, NULL);
    if (status != VERSO_OK) {
        verso_dealloc(*bytes);
        *bytes = NULL;
    }
    return status;
}

verso_status verso_file_rename(const verso_system *system, const char *from, const char *to, verso_error *error) {
    int result;
    do
        result = system->rename(system, from, to);
    while (result != 0 && errno == EINTR);
    return result == 0 ? VERSO_OK : verso_file_error(error, "rename to", to);
}

verso_status verso_file_remove(const verso_system *system, const char *path, verso_error *error) {
    int result;
    do
        result = system->remove(system, path);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == ENOENT ? VERSO_OK : verso_file_error(error, "remove", path);
}

verso_status verso_directory_sync(const verso_system *system, const char *path, verso_error *error) {
    verso_file directory;
    verso_status status = verso_file_open(system, path, O_RDONLY | O_DIRECTORY, &directory, error);
    if (status != VERSO_OK)
        return status;
    status = verso_file_sync(&directory, error);
    verso_status closed = verso_file_close(&directory, status == VERSO_OK ? error : NULL);
    return status == VERSO_OK ? closed : status;
}

verso_status verso_directory_make(const verso_system *system, const char *path, bool durable, verso_error *error) {
    int result;
    do
        result = system->make_directory(system, path);
    while (result != 0 && errno == EINTR);
    bool existed = result != 0 && errno == EEXIST;
    if (result != 0 && !existed)
        return verso_file_error(error, "make the directory", path);
    if (!durable)
        return VERSO_OK;
    char *parent = verso_path_parent(path);
    if (parent == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the path of '%s'", path);
    /* One that was there may have been made a moment ago by a process that died before it could sync. It need not be
     * ours, and the directory above it need not be open to us. */
    verso_status status = verso_directory_sync(system, parent, existed ? NULL : error);
    verso_dealloc(parent);
    return existed ? VERSO_OK : status;
}

char *verso_path_join(const char *directory, const char *name) {
    size_t left = strlen(directory), right = strlen(name);
    char *path = verso_alloc(left + right + 2, 1);
    if (path == NULL)
        return NULL;
    memcpy(path, directory, left);
    path[left] = '/';
    memcpy(path + left + 1, name, right + 1);
    return path;
}

char *verso_path_parent(const char *path) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    while (size > 0 && path[size - 1] != '/')
        size--;
    while (size > 1 && path[size - 1] == '/')
        size--;
    char *parent = verso_alloc(size + 2, 1);
    if (parent != NULL)
        memcpy(parent, size == 0 ? "." : path, size == 0 ? 1 : size);
    return parent;
}

char *verso_path_absolute(const char *path) {
    char here[4096];
    if (path[0] != '/' && getcwd(here, sizeof here) != NULL)
        return verso_path_join(here, path);
    char *copy = verso_alloc(strlen(path) + 1, 1);
    return copy != NULL ? strcpy(copy, path) : NULL;
}
