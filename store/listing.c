/* See listing.h. */
#include "store/listing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "store/name.h"

#include <errno.h>
#include <string.h>

static bool visit(void *context, const char *text) {
    verso__listing *all = context;
    verso__listed one = {0};
    size_t prefix = strlen(VERSO_WRITING_PREFIX);
    one.writing = strncmp(text, VERSO_WRITING_PREFIX, prefix) == 0;
    if (!verso__file_name_read(one.writing ? text + prefix : text, &one.name))
        return true;
    if (all->count == all->room) {
        size_t room = all->room > 0 ? 2 * all->room : 64;
        verso__listed *longer = verso__realloc(all->list, room, sizeof *longer);
        all->no_memory = longer == NULL;
        if (all->no_memory)
            return false;
        all->list = longer;
        all->room = room;
    }
    all->list[all->count++] = one;
    return true;
}

verso_status verso__listing_read(const verso__system *system, const char *directory, verso__listing *listing,
                                 verso_error *error) {
    int result;
    *listing = (verso__listing){0};
    do {
        listing->count = 0;
        result = system->list(system, directory, visit, listing);
    } while (result != 0 && errno == EINTR);
    if (listing->no_memory)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a list of the capsules in '%s'", directory);
    return result == 0 || errno == ENOENT ? VERSO_STATUS_OK : verso__file_error(error, "list", directory);
}

void verso__listing_free(verso__listing *listing) {
    verso__dealloc(listing->list);
    *listing = (verso__listing){0};
}
