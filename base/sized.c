/* Structs that can grow: see sized.h. */
#include "base/sized.h"

#include "base/status.h"

#include <string.h>

enum { SIZE_LEAST = 2 * sizeof(size_t), SIZE_MOST = 1 << 20 };

static size_t size_of(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

verso_status verso__sized_check(const void *given, const char *macro, verso_error *error) {
    size_t size = size_of(given);
    if (size >= SIZE_LEAST && size <= SIZE_MOST)
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_INVALID, "the member `size` of a struct is %zu: initialise it with %s", size,
                       macro);
}

verso_status verso__sized_read(const void *given, void *own, size_t size, const char *macro, verso_error *error) {
    verso_status status = verso__sized_check(given, macro, error);
    if (status != VERSO_STATUS_OK)
        return status;
    size_t has = size_of(given);
    const char *bytes = given;
    for (size_t i = size; i < has; i++)
        if (bytes[i] != 0)
            return verso__fail(error, VERSO_STATUS_INVALID,
                               "an option is set that this version of the library does not know (%s): link with the "
                               "library whose headers the program was compiled with",
                               macro);
    memset(own, 0, size);
    memcpy(own, given, has < size ? has : size);
    memcpy(own, &size, sizeof size);
    return VERSO_STATUS_OK;
}

void verso__sized_write(void *given, const void *own, size_t size) {
    size_t has = size_of(given), most = has < size ? has : size;
    if (most > sizeof size)
        memcpy((char *)given + sizeof size, (const char *)own + sizeof size, most - sizeof size);
}
