/* Implements mapping.h. Files are mapped and not read, because only the headers and symbols of large archives are
 * used. */
#include "cc/driver/mapping.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map(driver_mapping *mapping, int file) {
    struct stat about;
    if (fstat(file, &about) != 0)
        return false;
    if (!S_ISREG(about.st_mode)) {
        errno = EINVAL;
        return false;
    }
    mapping->device = about.st_dev;
    mapping->number = about.st_ino;
    if (about.st_size == 0)
        return true;
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return false;
    mapping->content = (driver_bytes){bytes, (size_t)about.st_size};
    return true;
}

static void close_mapping(driver_mapping *mapping) {
    if (mapping->content.bytes != NULL)
        munmap((void *)(uintptr_t)mapping->content.bytes, mapping->content.size);
    verso__dealloc(mapping->path);
    verso__dealloc(mapping);
}

static driver_mapping *new_mapping(const char *path) {
    driver_mapping *mapping = verso__alloc(1, sizeof *mapping);
    char *copy = verso__alloc(strlen(path) + 1, 1);
    if (mapping == NULL || copy == NULL) {
        verso__dealloc(mapping);
        verso__dealloc(copy);
        errno = ENOMEM;
        return NULL;
    }
    mapping->path = strcpy(copy, path);
    return mapping;
}

static bool keep(driver_mappings *mappings, driver_mapping *mapping) {
    if (mappings->count == mappings->capacity) {
        size_t capacity = mappings->capacity == 0 ? 64 : 2 * mappings->capacity;
        driver_mapping **at = verso__realloc(mappings->at, capacity, sizeof(driver_mapping *));
        if (at == NULL) {
            errno = ENOMEM;
            return false;
        }
        mappings->at = at;
        mappings->capacity = capacity;
    }
    mappings->at[mappings->count++] = mapping;
    return true;
}

const driver_mapping *driver_mapping_open(driver_mappings *mappings, const char *path) {
    for (size_t i = mappings->count; i > 0; i--) /* backwards: the last archive is the most likely one */
        if (strcmp(mappings->at[i - 1]->path, path) == 0)
            return mappings->at[i - 1];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a FIFO must not block */
    if (file < 0)
        return NULL;
    driver_mapping *mapping = new_mapping(path);
    bool done = mapping != NULL && map(mapping, file) && keep(mappings, mapping);
    int code = errno;
    close(file);
    if (!done && mapping != NULL)
        close_mapping(mapping);
    errno = code;
    return done ? mapping : NULL;
}

bool driver_mapping_is_same(const driver_mapping *one, const driver_mapping *other) {
    return one->device == other->device && one->number == other->number;
}

void driver_mappings_close(driver_mappings *mappings) {
    for (size_t i = 0; i < mappings->count; i++)
        close_mapping(mappings->at[i]);
    verso__dealloc(mappings->at);
    *mappings = (driver_mappings){0};
}
