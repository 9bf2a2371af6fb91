/* Folders for tests that need real files. */
#ifndef VERSO_TESTS_FOLDER_H
#define VERSO_TESTS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* A new, empty one; folder_remove removes it with all that is in it and frees the name. */
char *folder_new(void);
void folder_remove(char *folder);
/* Everything in it goes, the folder stays. */
void folder_empty(const char *folder);
void folder_copy(const char *from, const char *to);
/* The same files with the same bytes are in both, but for what a file called `but` holds. */
bool folder_same(const char *left, const char *right, const char *but);
/* The path of something in it; to be freed. */
char *folder_path(const char *folder, const char *name);

/* The whole file of that name in it, to be freed; NULL: there is none. */
unsigned char *folder_read(const char *folder, const char *name, size_t *size);
void folder_write(const char *folder, const char *name, const void *bytes, size_t size);
/* How many names in it begin so. */
size_t folder_count(const char *folder, const char *prefix);

/* Paths of all plain files below it, in a fixed order; NULL ends the list. */
char **folder_files(const char *folder);
void folder_files_free(char **files);

/* A whole file, in a block of exactly its size; to be freed. */
unsigned char *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *bytes, size_t size);

#endif
