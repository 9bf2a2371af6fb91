/* See folder.h. */
#include "tests/support/folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *must(void *block) {
    if (block == NULL)
        abort();
    return block;
}

char *folder_path(const char *folder, const char *name) {
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = must(malloc(room));
    (void)snprintf(path, room, "%s/%s", folder, name);
    return path;
}

char *folder_make(void) {
    const char *given = getenv("TMPDIR");
    const char *root = given != NULL && given[0] != '\0' ? given : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char *path = folder_path(root, "verso-test-XXXXXX");
    return must(mkdtemp(path));
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where) {
    (void)facts;
    (void)kind;
    (void)where;
    return remove(path);
}

static int remove_below(const char *path, const struct stat *facts, int kind, struct FTW *where) {
    return where->level > 0 ? remove_entry(path, facts, kind, where) : 0;
}

void folder_remove(char *path) {
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        perror(path);
    free(path);
}

void folder_empty(const char *path) {
    if (nftw(path, remove_below, 16, FTW_DEPTH | FTW_PHYS) != 0)
        perror(path);
}

unsigned char *folder_read(const char *folder, const char *name, size_t *size) {
    char *path = folder_path(folder, name);
    FILE *file = fopen(path, "rb");
    free(path);
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) != 0)
        abort();
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = must(malloc(*size + 1));
    if (fread(bytes, 1, *size, file) != *size || fclose(file) != 0)
        abort();
    return bytes;
}

void folder_write(const char *folder, const char *name, const void *bytes, size_t size) {
    char *path = folder_path(folder, name);
    FILE *file = must(fopen(path, "wb"));
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
    free(path);
}

size_t folder_count(const char *folder, const char *prefix) {
    DIR *directory = must(opendir(folder));
    size_t count = 0;
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                 strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(directory);
    return count;
}
