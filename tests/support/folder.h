/* Folders for tests that write files. */
#ifndef VERSO_TESTS_FOLDER_H
#define VERSO_TESTS_FOLDER_H

#include <stddef.h>

/* A new, empty one below TMPDIR, or else where files are in memory (/dev/shm), or else in /tmp; aborts when there is
 * none to be had. Freed by folder_remove. */
char *folder_make(void);
/* With all that is in it. */
void folder_remove(char *path);
/* Removes what is in it. */
void folder_empty(const char *path);

/* Path of a file in it, allocated with malloc. */
char *folder_path(const char *folder, const char *name);
/* The whole file, allocated with malloc; NULL: there is none. */
unsigned char *folder_read(const char *folder, const char *name, size_t *size);
void folder_write(const char *folder, const char *name, const void *bytes, size_t size);
/* How many names in it begin so. */
size_t folder_count(const char *folder, const char *prefix);

#endif
