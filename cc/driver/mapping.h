/* Maps files into memory. Each file is mapped once, however often it is opened, and stays mapped until all are
 * closed. */
#ifndef CC_DRIVER_MAPPING_H
#define CC_DRIVER_MAPPING_H

#include "cc/driver/elf.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct driver_mapping {
    char *path;
    driver_bytes content; /* bytes is NULL if the file is empty */
    dev_t device;         /* device and inode identify the file, whatever its path */
    ino_t number;         /* inode */
} driver_mapping;

typedef struct driver_mappings {
    driver_mapping **at;
    size_t count;
    size_t capacity;
} driver_mappings;

/* Maps a file. Returns NULL with errno set if it is not a readable regular file; ENOMEM: out of memory. `mappings` owns
 * the result. */
const driver_mapping *driver_mapping_open(driver_mappings *mappings, const char *path);
/* Returns true if both are the same file, perhaps by different paths. */
bool driver_mapping_is_same(const driver_mapping *one, const driver_mapping *other);
void driver_mappings_close(driver_mappings *mappings);

#endif
