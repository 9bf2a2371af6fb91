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

#endif
