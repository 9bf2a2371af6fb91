/* Files seen as bytes in memory. Each file is opened once, however often it is asked for, and stays until all are
 * closed. */
#ifndef CC_DRIVER_MAPPING_H
#define CC_DRIVER_MAPPING_H

#include "cc/driver/elf.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct driver_mapping {
    char *path;
    driver_bytes content; /* bytes is NULL when the file is empty */
    dev_t device;         /* together with the next: which file it is, whatever its path */
    ino_t number;
} driver_mapping;

typedef struct driver_mappings {
    driver_mapping **at;
    size_t count;
    size_t capacity;
} driver_mappings;

/* NULL when it is no readable plain file (errno says why), or when there is no memory (ENOMEM). */
const driver_mapping *driver_mapping_open(driver_mappings *mappings, const char *path);
bool driver_mapping_same(const driver_mapping *one, const driver_mapping *other);
void driver_mappings_close(driver_mappings *mappings);

#endif
