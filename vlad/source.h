/* The texts of a program, places in them, and messages that show them: file:line:column, the line, a caret.
 * Everything that is read or expanded is allocated in the arena of the sources and freed with them. */
#ifndef VLAD_SOURCE_H
#define VLAD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

typedef struct vlad_sources vlad_sources;

typedef struct vlad_place {
    uint32_t file;         /* number of a text */
    uint32_t line, column; /* from 1; a column is a character, also a tab. 0: no place */
} vlad_place;

/* Returns NULL if there is no memory. */
vlad_sources *vlad_sources_new(void);
void vlad_sources_free(vlad_sources *sources);
/* Say, and tell, whether programs begin with the prelude (core.h); they do not unless it was said. */
void vlad_sources_use_prelude(vlad_sources *sources);
bool vlad_sources_has_prelude(const vlad_sources *sources);

/* Returns zeroed memory that lives as long as the sources, aligned for any type; NULL if there is none. */
void *vlad_sources_alloc(vlad_sources *sources, size_t size);

/* Adds a text with a name; copies the bytes. Sets *file to its number. */
verso_status vlad_sources_add(vlad_sources *sources, const char *name, const char *text, size_t size, uint32_t *file,
                              verso_error *error);
/* Adds the text of a file. If the file was added before (same device and inode), sets *file to its old number and
 * *again to true. Relative names start from the folder of the file `from`, which includes it; UINT32_MAX: none.
 * `-` is the standard input, up to its end. */
verso_status vlad_sources_open(vlad_sources *sources, const char *name, uint32_t from, uint32_t *file, bool *again,
                               verso_error *error);
/* Return the text of a file and its name, valid as long as the sources, and the number of texts. */
const char *vlad_sources_text(const vlad_sources *sources, uint32_t file, size_t *size);
const char *vlad_sources_name(const vlad_sources *sources, uint32_t file);
uint32_t vlad_sources_count(const vlad_sources *sources);
/* Makes files from number `first` on be read again when they are opened again. Their texts stay available for
 * messages. */
void vlad_sources_forget(vlad_sources *sources, uint32_t first);

/* A file that was opened, by the name that it was opened by. Also the form in which a compiled program contains
 * its texts. */
typedef struct vlad_embedded {
    const char *path;
    const char *bytes;
    size_t size;
    uint32_t same; /* index of the first opening of the same text */
} vlad_embedded;
/* Return the number of openings so far, and one of them. */
uint32_t vlad_sources_opened(const vlad_sources *sources);
vlad_embedded vlad_sources_opening(const vlad_sources *sources, uint32_t index);
/* From now on only these files exist. They must outlive the sources. */
void vlad_sources_embed(vlad_sources *sources, const vlad_embedded *texts, size_t count);

/* Fails with "NAME:LINE:COLUMN: message", the line and a caret, each on its own line. Characters of the line that
 * are not printable are shown as `?`; a long line is shortened around the caret. Returns `status`. */
verso_status vlad_fail_at(const vlad_sources *sources, vlad_place place, verso_status status, verso_error *error,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
