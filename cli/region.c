/* Allocations that are freed together, so that subcommands need not free each list, name and file on each path. Blocks
 * are chained; each is an allocation of its own, because there are few. */
#include "cli/region.h"

#include "base/alloc.h"
#include "cli/command.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cli_region_block {
    struct cli_region_block *before;
    max_align_t bytes[];
} cli_region_block;

enum { FIRST_ROOM = 8 };

static _Noreturn void give_up(void) {
    fputs("verso: out of memory\n", stderr);
    exit(CLI_FAILED);
}

void *cli_region_alloc(cli_region *region, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        give_up();
    cli_region_block *block = verso__alloc(1, sizeof *block + bytes);
    if (!block)
        give_up();
    block->before = region->last;
    region->last = block;
    return block->bytes;
}

void *cli_region_grow(cli_region *region, void *array, size_t count, size_t size) {
    bool full = count == 0 || (count >= FIRST_ROOM && (count & (count - 1)) == 0);
    if (!full)
        return array;
    void *larger = cli_region_alloc(region, count == 0 ? FIRST_ROOM : 2 * count, size);
    if (count > 0)
        memcpy(larger, array, count * size);
    return larger;
}

char *cli_region_copy(cli_region *region, const char *text, size_t length) {
    char *copy = cli_region_alloc(region, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *cli_region_print(cli_region *region, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        give_up();
    char *text = cli_region_alloc(region, (size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void cli_region_free(cli_region *region) {
    while (region->last) {
        cli_region_block *before = region->last->before;
        verso__dealloc(region->last);
        region->last = before;
    }
}
