/* See places.h. The build hands in, for each thing, the way to it from where `verso` is installed, and its full name.
 */
#include "cc/driver/places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const driver_library_links[] = {VERSO_LIBRARY_LINKS, NULL};

/* The folder of the running program; "." when the system does not say. */
static const char *own_folder(driver_words *kept) {
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    if (size <= 0)
        return ".";
    path[size] = '\0';
    char *slash = strrchr(path, '/');
    return slash == NULL ? "." : driver_words_add_part(kept, path, (size_t)(slash - path));
}

static bool is_there(const char *path) {
    return access(path, R_OK) == 0;
}

/* The first of `beside`, `installed` (both relative to the running program) and `full` that is there. */
static const char *first_there(driver_words *kept, const char *own, const char *beside, const char *installed,
                               const char *full) {
    const char *path = driver_words_print(kept, "%s/%s", own, beside);
    if (is_there(path))
        return path;
    path = driver_words_print(kept, "%s/%s", own, installed);
    if (is_there(path))
        return path;
    return is_there(full) ? full : NULL;
}

/* Beside the program there are no headers: a build folder's are in the source. */
static const char *find_headers(driver_words *kept, const char *own) {
    const char *built = driver_words_print(kept, "%s/libverso.a", own);
    if (is_there(built) && is_there(VERSO_SOURCE_INCLUDE "/verso/native.h"))
        return VERSO_SOURCE_INCLUDE;
    const char *installed = driver_words_print(kept, "%s/%s", own, VERSO_WAY_TO_INCLUDE);
    if (is_there(driver_words_print(kept, "%s/verso/native.h", installed)))
        return installed;
    return is_there(VERSO_FULL_INCLUDE "/verso/native.h") ? VERSO_FULL_INCLUDE : NULL;
}

driver_places driver_places_find(driver_words *kept) {
    const char *own = own_folder(kept);
    const char *named = getenv("VERSO_TRANSFORM");
    return (driver_places){
        .transform = named != NULL && named[0] != '\0'
                         ? named
                         : first_there(kept, own, "verso-transform", VERSO_WAY_TO_LIBEXEC "/verso-transform",
                                       VERSO_FULL_LIBEXEC "/verso-transform"),
        .library = first_there(kept, own, "libverso.a", VERSO_WAY_TO_LIB "/libverso.a", VERSO_FULL_LIB "/libverso.a"),
        .include = find_headers(kept, own),
    };
}
