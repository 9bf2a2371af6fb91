/* Implements cache.h. An entry is a file KEY.o:
 *
 *   bytes  0 to  7   "versoobj"
 *          8 to 15   version of this format
 *         16 to 31   key
 *         32 to 47   checksum of the object file
 *         48 to 55   its size
 *         56 to 63   checksum of bytes 0 to 55
 *         64 ...     the object file
 *
 * Invariants:
 *   1. A file named KEY.o was renamed from a temporary file when that was complete, so no process reads half of an
 *      entry. After a crash of the machine it may still be incomplete or zero; the checksums tell.
 *   2. Entries are read only if they and their folder belong to the user and no other user may write to them, because
 *      an entry decides what the user's program does.
 *   3. Reading sets the time of an entry, so the oldest is the least recently used. */
#include "cc/driver/cache.h"

#include "base/checksum.h"
#include "base/quantity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT = 1, CHECKED = DRIVER_CACHE_HEADER - (int)sizeof(uint64_t), STALE_SECONDS = 3600, PATH_BYTES = 4096 };
static const char magic[8] = "versoobj"; /* without a NUL */
static const char temporary[] = "making-";
static const uint64_t usual_limit = 1000000000;

/* ---- The folder ---- */

static char *join(const char *folder, const char *below) {
    size_t size = strlen(folder) + strlen(below) + 1;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s%s", folder, below);
    return path;
}

/* The XDG Base Directory Specification says that relative paths are ignored. */
static char *find_folder(void) {
    const char *own = getenv("VERSO_CACHE"), *users = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own != NULL)
        return own[0] == '\0' || strcmp(own, "off") == 0 ? NULL : join(own, "");
    if (users != NULL && users[0] == '/')
        return join(users, "/verso");
    return home != NULL && home[0] == '/' ? join(home, "/.cache/verso") : NULL;
}

static bool is_private(const struct stat *about) {
    return about->st_uid == geteuid() && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Creates the folder and those above it. */
static void make_folders(char *path) {
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, S_IRWXU);
        *at = '/';
    }
    mkdir(path, S_IRWXU);
}

static bool is_usable(char *folder) {
    struct stat about;
    if (stat(folder, &about) != 0) {
        make_folders(folder);
        if (stat(folder, &about) != 0)
            return false;
    }
    return S_ISDIR(about.st_mode) && is_private(&about);
}

static uint64_t find_limit(void) {
    const char *text = getenv("VERSO_CACHE_LIMIT");
    uint64_t limit;
    return text != NULL && verso__bytes_read(text, strlen(text), &limit) == NULL ? limit : usual_limit;
}

driver_cache driver_cache_open(void) {
    driver_cache cache = {.folder = find_folder(), .limit = find_limit()};
    if (cache.folder != NULL && (strlen(cache.folder) > PATH_BYTES / 2 || !is_usable(cache.folder)))
        driver_cache_close(&cache);
    return cache;
}

void driver_cache_close(driver_cache *cache) {
    free(cache->folder);
    cache->folder = NULL;
}

/* ---- The format ---- */

void driver_cache_seal(verso_identity key, const void *object, size_t size, unsigned char header[DRIVER_CACHE_HEADER]) {
    const uint64_t format = FORMAT, bytes = size;
    verso_identity sum = verso__checksum_wide(object, size);
    memcpy(header, magic, sizeof magic);
    memcpy(header + 8, &format, sizeof format);
    memcpy(header + 16, &key, sizeof key);
    memcpy(header + 32, &sum, sizeof sum);
    memcpy(header + 48, &bytes, sizeof bytes);
    uint64_t check = verso__checksum(header, CHECKED);
    memcpy(header + CHECKED, &check, sizeof check);
}

bool driver_cache_is_sound(verso_identity key, const void *bytes, size_t size) {
    unsigned char expected[DRIVER_CACHE_HEADER];
    if (size <= DRIVER_CACHE_HEADER)
        return false;
    driver_cache_seal(key, (const unsigned char *)bytes + DRIVER_CACHE_HEADER, size - DRIVER_CACHE_HEADER, expected);
    return memcmp(bytes, expected, sizeof expected) == 0;
}

/* ---- Files ---- */

static bool entry_path(const driver_cache *cache, verso_identity key, char path[PATH_BYTES]) {
    return cache->folder != NULL &&
           snprintf(path, PATH_BYTES, "%s/%016llx%016llx.o", cache->folder, (unsigned long long)key.words[0],
                    (unsigned long long)key.words[1]) < PATH_BYTES;
}

/* Returns the content of an open file, which the caller frees; NULL if it cannot be read. */
static unsigned char *read_whole(int file, size_t size) {
    unsigned char *bytes = malloc(size == 0 ? 1 : size);
    size_t got = 0;
    while (bytes != NULL && got < size) {
        ssize_t more = read(file, bytes + got, size - got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0) {
            free(bytes);
            return NULL;
        }
        got += (size_t)more;
    }
    return bytes;
}

static bool write_whole(int file, const unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t wrote = write(file, bytes, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

/* Opens and reads a file. If `own`, refuses files that another user could have written. */
static unsigned char *load(const char *path, bool own, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (own ? O_NOFOLLOW : 0));
    struct stat about;
    unsigned char *bytes = NULL;
    if (file < 0)
        return NULL;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && (!own || is_private(&about))) {
        *size = (size_t)about.st_size;
        bytes = read_whole(file, *size);
    }
    if (bytes != NULL && own)
        futimens(file, NULL); /* it was used now; if that fails, it is only removed earlier */
    close(file);
    return bytes;
}

bool driver_cache_take(const driver_cache *cache, verso_identity key, const char *path) {
    char entry[PATH_BYTES];
    size_t size;
    unsigned char *bytes = entry_path(cache, key, entry) ? load(entry, true, &size) : NULL;
    if (bytes == NULL)
        return false;
    bool taken = driver_cache_is_sound(key, bytes, size);
    if (taken) {
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
        taken = file >= 0 && write_whole(file, bytes + DRIVER_CACHE_HEADER, size - DRIVER_CACHE_HEADER);
        if (file >= 0)
            taken = close(file) == 0 && taken;
    }
    free(bytes);
    return taken;
}

static void write_entry(const driver_cache *cache, verso_identity key, const unsigned char *object, size_t size) {
    char made[PATH_BYTES], entry[PATH_BYTES];
    unsigned char header[DRIVER_CACHE_HEADER];
    if (!entry_path(cache, key, entry) ||
        snprintf(made, sizeof made, "%s/%sXXXXXX", cache->folder, temporary) >= (int)sizeof made)
        return;
    int file = mkstemp(made); /* with mode 0600 */
    if (file < 0)
        return;
    driver_cache_seal(key, object, size, header);
    bool written = write_whole(file, header, sizeof header) && write_whole(file, object, size);
    written = close(file) == 0 && written;
    if (!written || rename(made, entry) != 0)
        unlink(made);
}

void driver_cache_keep(const driver_cache *cache, verso_identity key, const char *path) {
    size_t size = 0;
    unsigned char *object = cache->folder == NULL ? NULL : load(path, false, &size);
    if (object != NULL && size > 0 && size + DRIVER_CACHE_HEADER <= cache->limit)
        write_entry(cache, key, object, size);
    free(object);
}

/* ---- The limit ---- */

typedef struct entry {
    struct timespec used;
    uint64_t bytes;
    char name[40];
} entry;

static int compare_age(const void *left, const void *right) {
    const struct timespec *a = &((const entry *)left)->used, *b = &((const entry *)right)->used;
    if (a->tv_sec != b->tv_sec)
        return a->tv_sec < b->tv_sec ? -1 : 1;
    return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

static bool is_entry(const char *name) {
    return strlen(name) == 34 && strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, ".o") == 0;
}

/* Adds the file to the list if it is an entry; removes it if an interrupted link has left it. */
static bool list_file(int folder, const char *name, entry **list, size_t *count, size_t *capacity) {
    struct stat about;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
        return true;
    if (strncmp(name, temporary, strlen(temporary)) == 0 && time(NULL) - about.st_mtim.tv_sec > STALE_SECONDS)
        unlinkat(folder, name, 0);
    if (!is_entry(name))
        return true;
    if (*count == *capacity) {
        size_t wanted = *capacity == 0 ? 256 : *capacity * 2;
        entry *grown = realloc(*list, wanted * sizeof **list);
        if (grown == NULL)
            return false;
        *list = grown;
        *capacity = wanted;
    }
    entry *made = &(*list)[(*count)++];
    *made = (entry){.used = about.st_mtim, .bytes = (uint64_t)about.st_size};
    memcpy(made->name, name, strlen(name) + 1);
    return true;
}

void driver_cache_trim(const driver_cache *cache) {
    DIR *folder = cache->folder == NULL ? NULL : opendir(cache->folder);
    entry *list = NULL;
    size_t count = 0, capacity = 0;
    uint64_t total = 0;
    if (folder == NULL)
        return;
    for (const struct dirent *at = readdir(folder); at != NULL; at = readdir(folder))
        if (!list_file(dirfd(folder), at->d_name, &list, &count, &capacity))
            break;
    for (size_t i = 0; i < count; i++)
        total += list[i].bytes;
    if (total > cache->limit) {
        qsort(list, count, sizeof *list, compare_age);
        for (size_t i = 0; i < count && total > cache->limit / 10 * 9; i++)
            if (unlinkat(dirfd(folder), list[i].name, 0) == 0)
                total -= list[i].bytes;
    }
    free(list);
    closedir(folder);
}
