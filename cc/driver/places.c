/* Implements places.h. For each part, the build defines a relative path from the folder of the installed `verso`
 * (VERSO_WAY_TO_...) and an absolute path (VERSO_FULL_...). */
#include "cc/driver/places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const driver_library_links[] = {VERSO_LIBRARY_LINKS, NULL};

/* Returns the folder of the running program; "." if it is unknown. */
static const char *own_folder(driver_words *kept) {
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    if (size <= 0)
        return ".";
    path[size] = '\0';
    char *slash = strrchr(path, '/');
    return slash == NULL ? "." : driver_words_add_part(kept, path, (size_t)(slash - path));
}

static bool is_readable(const char *path) {
    return access(path, R_OK) == 0;
}

/* Returns the first readable one of `beside`, `installed` (both relative to the folder `own`) and `full`; NULL if none
 * is. */
static const char *find_first(driver_words *kept, const char *own, const char *beside, const char *installed,
                              const char *full) {
    const char *path = driver_words_print(kept, "%s/%s", own, beside);
    if (is_readable(path))
        return path;
    path = driver_words_print(kept, "%s/%s", own, installed);
    if (is_readable(path))
        return path;
    return is_readable(full) ? full : NULL;
}

/* Finds the headers. Those of a build folder are in the source folder. */
static const char *find_headers(driver_words *kept, const char *own) {
    const char *built = driver_words_print(kept, "%s/libverso.a", own);
    if (is_readable(built) && is_readable(VERSO_SOURCE_INCLUDE "/verso/native.h"))
        return VERSO_SOURCE_INCLUDE;
    const char *installed = driver_words_print(kept, "%s/%s", own, VERSO_WAY_TO_INCLUDE);
    if (is_readable(driver_words_print(kept, "%s/verso/native.h", installed)))
        return installed;
    return is_readable(VERSO_FULL_INCLUDE "/verso/native.h") ? VERSO_FULL_INCLUDE : NULL;
}

driver_places driver_places_find(driver_words *kept) {
    const char *own = own_folder(kept);
    const char *named = getenv("VERSO_TRANSFORM");
    return (driver_places){
        .transform = named != NULL && named[0] != '\0'
                         ? named
                         : find_first(kept, own, "verso-transform", VERSO_WAY_TO_LIBEXEC "/verso-transform",
                                      VERSO_FULL_LIBEXEC "/verso-transform"),
        .library = find_first(kept, own, "libverso.a", VERSO_WAY_TO_LIB "/libverso.a", VERSO_FULL_LIB "/libverso.a"),
        .include = find_headers(kept, own),
    };
}
