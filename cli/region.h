/* A region of memory: allocations that are all freed at once, when a subcommand ends. */
#ifndef CLI_REGION_H
#define CLI_REGION_H

#include <stddef.h>

typedef struct cli_region {
    struct cli_region_block *last; /* newest allocation; NULL: the region is empty. Zero-initialise a region */
} cli_region;

/* Returns zeroed memory for `count` elements of `size` bytes. Never returns NULL: if memory is exhausted, prints a
 * message and exits with CLI_FAILED. */
void *cli_region_alloc(cli_region *region, size_t count, size_t size);
/* Returns `array`, or a larger copy of it, with room for one more element than the `count` it holds. Start with NULL
 * and 0, and use only arrays made by this function: it assumes that their capacity is a power of two, at least 8. */
void *cli_region_grow(cli_region *region, void *array, size_t count, size_t size);
/* Returns a copy of `length` bytes, NUL-terminated. */
char *cli_region_copy(cli_region *region, const char *text, size_t length);
/* Returns a formatted string. */
char *cli_region_print(cli_region *region, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Frees all allocations; the region is empty afterwards. */
void cli_region_free(cli_region *region);

#endif
