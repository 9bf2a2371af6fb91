/* Temporary folders for tests that need real files. A failure ends the test program. */
#ifndef VERSO_TESTS_FOLDER_H
#define VERSO_TESTS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Creates an empty folder and returns its path. folder_remove removes it with its contents and frees the path. */
char *folder_new(void);
void folder_remove(char *folder);
/* Removes the contents of the folder. */
void folder_empty(const char *folder);
/* Copies the contents of one folder to another. */
void folder_copy(const char *from, const char *to);
/* Returns true if both contain the same files with the same bytes; ignores the contents of files called `but`. */
bool folder_same(const char *left, const char *right, const char *but);
/* Returns the path of `name` in the folder; the caller frees it. */
char *folder_path(const char *folder, const char *name);

/* Reads a whole file in the folder; the caller frees the bytes. Returns NULL if there is no such file. */
unsigned char *folder_read(const char *folder, const char *name, size_t *size);
/* Writes a whole file in the folder. */
void folder_write(const char *folder, const char *name, const void *bytes, size_t size);
/* Returns the number of names in the folder that begin with `prefix`. */
size_t folder_count(const char *folder, const char *prefix);

/* Returns the paths of all regular files below the folder in a fixed order; NULL ends the list. */
char **folder_files(const char *folder);
void folder_files_free(char **files);

/* Reads a whole file into a block of exactly its size; the caller frees it. */
unsigned char *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *bytes, size_t size);

#endif
