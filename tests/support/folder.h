/* A folder of a test's own, and files in it as a whole. Whatever fails fails the running test. */
#ifndef VERSO_TESTS_FOLDER_H
#define VERSO_TESTS_FOLDER_H

#include <stddef.h>

char *folder_make(void);
char *folder_path(const char *folder, const char *name); /* to be freed */
/* With all that is in it, and frees the name. */
void folder_remove(char *folder);

unsigned char *file_bytes(const char *path, size_t *size); /* to be freed; a block of exactly this size */
void file_write(const char *path, const void *bytes, size_t size);

#endif
