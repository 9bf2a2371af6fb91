/* Memory that is all given back at once, when a subcommand ends. */
#ifndef CLI_REGION_H
#define CLI_REGION_H

#include <stddef.h>

typedef struct cli_region {
    struct cli_region_block *last; /* NULL: empty, which is how a region begins */
} cli_region;

/* Zeroed. Never NULL: without memory the command says so and exits with CLI_FAILED, there being nothing left to do. */
void *cli_region_alloc(cli_region *region, size_t count, size_t size);
/* `array` holds `count` elements, its room being always a power of two from 8 on: has room for one more when it
 * returns. Begins with NULL and 0. */
void *cli_region_grow(cli_region *region, void *array, size_t count, size_t size);
char *cli_region_copy(cli_region *region, const char *text, size_t length);
char *cli_region_print(cli_region *region, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_region_free(cli_region *region);

#endif
