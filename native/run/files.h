/* Numbers that the program writes to files and reads again. native/state.h declares what generated code calls. */
#ifndef NATIVE_RUN_FILES_H
#define NATIVE_RUN_FILES_H

#include "native/run/notes.h"

typedef struct verso__native_file verso__native_file;
/* Records which numbers are in files, from `count` notes that an earlier process of this durable run has logged. */
void verso__native_files_inherit(const verso__native_note *notes, uint64_t count);
/* Forgets all files. */
void verso__native_files_forget(void);
/* Returns the addresses from VERSO_NATIVE_FILES_AT on that stand for numbers in files. */
verso__native_range verso__native_files_range(void);

/* For Fortran's statements, whose buffers and file positions only flang's run-time library knows. A number stands for
 * a file until all are forgotten. */
uint64_t verso__native_file_number(uint64_t device, uint64_t inode);
/* Adds the notes for bytes that were written to the file from `data`, or read from it to `data`. */
void verso__native_file_put(uint64_t number, char *data, uint64_t bytes, uint64_t offset, bool inactive);
void verso__native_file_get(uint64_t number, char *data, uint64_t bytes, uint64_t offset);
/* Numbers were written as text at this offset, which is the file's end from then on. */
void verso__native_file_put_text(uint64_t number, uint64_t offset, bool inactive);
bool verso__native_file_has_text(uint64_t number);

#endif
