/* Implements folder.h. Any failure ends the test program, because it is not a failure of Verso. */
#include "tests/support/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(int good, const char *what) {
    if (!good) {
        perror(what);
        abort();
    }
}

char *folder_path(const char *folder, const char *name) {
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    check(path != NULL, "malloc");
    sprintf(path, "%s/%s", folder, name);
    return path;
}

/* Creates the folder in a file system in memory if there is one, because thousands of syncs to a disk would be slow. */
char *folder_new(void) {
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] == '\0')
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char *path = folder_path(base, "verso-test-XXXXXX");
    check(mkdtemp(path) != NULL, path);
    return path;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the names in the folder, sorted. */
static char **names_in(const char *folder, size_t *count) {
    char **names = NULL;
    *count = 0;
    DIR *directory = opendir(folder);
    check(directory != NULL, folder);
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        names = realloc(names, (*count + 1) * sizeof *names);
        check(names != NULL, "realloc");
        names[(*count)++] = folder_path(folder, entry->d_name);
    }
    closedir(directory);
    if (*count > 0)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

static int is_folder(const char *path) {
    struct stat facts;
    check(lstat(path, &facts) == 0, path);
    return S_ISDIR(facts.st_mode);
}

void folder_empty(const char *folder) {
    size_t count;
    char **names = names_in(folder, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_folder(names[i])) {
            folder_empty(names[i]);
            check(rmdir(names[i]) == 0, names[i]);
        } else
            check(unlink(names[i]) == 0, names[i]);
        free(names[i]);
    }
    free(names);
}

void folder_remove(char *folder) {
    if (access(folder, F_OK) == 0) {
        folder_empty(folder);
        check(rmdir(folder) == 0, folder);
    }
    free(folder);
}

void folder_copy(const char *from, const char *to) {
    size_t count;
    char **names = names_in(from, &count);
    for (size_t i = 0; i < count; i++) {
        char *target = folder_path(to, strrchr(names[i], '/') + 1);
        if (is_folder(names[i])) {
            check(mkdir(target, 0777) == 0, target);
            folder_copy(names[i], target);
        } else {
            size_t size;
            unsigned char *bytes = file_read(names[i], &size);
            file_write(target, bytes, size);
            free(bytes);
        }
        free(target);
        free(names[i]);
    }
    free(names);
}

size_t folder_count(const char *folder, const char *prefix) {
    size_t count, found = 0;
    char **names = names_in(folder, &count);
    for (size_t i = 0; i < count; i++) {
        found += strncmp(strrchr(names[i], '/') + 1, prefix, strlen(prefix)) == 0;
        free(names[i]);
    }
    free(names);
    return found;
}

static void collect(const char *folder, char ***files, size_t *total) {
    size_t count;
    char **names = names_in(folder, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_folder(names[i])) {
            collect(names[i], files, total);
            free(names[i]);
            continue;
        }
        *files = realloc(*files, (*total + 2) * sizeof **files);
        check(*files != NULL, "realloc");
        (*files)[(*total)++] = names[i];
        (*files)[*total] = NULL;
    }
    free(names);
}

char **folder_files(const char *folder) {
    char **files = calloc(1, sizeof *files);
    size_t total = 0;
    check(files != NULL, "calloc");
    collect(folder, &files, &total);
    return files;
}

void folder_files_free(char **files) {
    for (size_t i = 0; files[i] != NULL; i++)
        free(files[i]);
    free(files);
}

static bool same_file(const char *left, const char *right) {
    size_t left_size, right_size;
    unsigned char *bytes = file_read(left, &left_size), *other = file_read(right, &right_size);
    bool same = left_size == right_size && memcmp(bytes, other, left_size) == 0;
    free(bytes);
    free(other);
    return same;
}

bool folder_same(const char *left, const char *right, const char *but) {
    char **files = folder_files(left), **others = folder_files(right);
    bool same = true;
    size_t i = 0;
    for (; files[i] != NULL && same; i++) {
        same = others[i] != NULL && strcmp(files[i] + strlen(left), others[i] + strlen(right)) == 0;
        if (same && strcmp(strrchr(files[i], '/') + 1, but) != 0)
            same = same_file(files[i], others[i]);
    }
    same = same && others[i] == NULL;
    folder_files_free(files);
    folder_files_free(others);
    return same;
}

unsigned char *file_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    check(file != NULL, path);
    check(fseek(file, 0, SEEK_END) == 0, path);
    long end = ftell(file);
    check(end >= 0 && fseek(file, 0, SEEK_SET) == 0, path);
    *size = (size_t)end;
    unsigned char *bytes = malloc(*size > 0 ? *size : 1);
    check(bytes != NULL && fread(bytes, 1, *size, file) == *size, path);
    fclose(file);
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    check(file != NULL, path);
    check(size == 0 || fwrite(bytes, 1, size, file) == size, path);
    check(fclose(file) == 0, path);
}

unsigned char *folder_read(const char *folder, const char *name, size_t *size) {
    char *path = folder_path(folder, name);
    unsigned char *bytes = access(path, F_OK) == 0 ? file_read(path, size) : NULL;
    free(path);
    return bytes;
}

void folder_write(const char *folder, const char *name, const void *bytes, size_t size) {
    char *path = folder_path(folder, name);
    file_write(path, bytes, size);
    free(path);
}
