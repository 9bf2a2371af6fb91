/* The texts that a program is made of, places in them, and messages that show them: file:line:column, the line, a
 * caret. Everything that is read or expanded lives in the arena of its sources and is freed with them. */
#ifndef VLAD_SOURCE_H
#define VLAD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

typedef struct vlad_sources vlad_sources;

typedef struct vlad_place {
    uint32_t file;         /* number of a text */
    uint32_t line, column; /* from 1; a column is a character, a tab one too. 0: no place */
} vlad_place;

/* NULL: no memory. */
vlad_sources *vlad_sources_new(void);
void vlad_sources_free(vlad_sources *sources);
/* Memory that lives as long as the sources, zeroed, aligned for any type. NULL: none. */
void *vlad_sources_alloc(vlad_sources *sources, size_t size);

/* A text by its name; the bytes are copied. */
verso_status vlad_sources_add(vlad_sources *sources, const char *name, const char *text, size_t size, uint32_t *file,
                              verso_error *error);
/* A file's text. A file that was added before (by device and inode) gets its old number, and *again. `from` is the file
 * that names it, whose folder relative names start from; UINT32_MAX: none. `-` is the standard input, to its end. */
verso_status vlad_sources_open(vlad_sources *sources, const char *name, uint32_t from, uint32_t *file, bool *again,
                               verso_error *error);
const char *vlad_sources_text(const vlad_sources *sources, uint32_t file, size_t *size);
const char *vlad_sources_name(const vlad_sources *sources, uint32_t file);
uint32_t vlad_sources_count(const vlad_sources *sources);
/* Files from that number on are read anew when they are opened again; their texts stay, for messages. */
void vlad_sources_forget(vlad_sources *sources, uint32_t first);

/* Files that were opened, in order, by the names that they were opened by; and the same as they are carried in a
 * compiled program. */
typedef struct vlad_embedded {
    const char *path;
    const char *bytes;
    size_t size;
    uint32_t same; /* the first time that the same text was opened, by number */
} vlad_embedded;
uint32_t vlad_sources_opened(const vlad_sources *sources);
vlad_embedded vlad_sources_opening(const vlad_sources *sources, uint32_t index);
/* From now on there are no other files than these, which must outlive the sources. */
void vlad_sources_embed(vlad_sources *sources, const vlad_embedded *texts, size_t count);

/* Fails with "NAME:LINE:COLUMN: what", the line and a caret, each on a line of its own. What is not printable in the
 * line is shown as `?`; a long line is cut around the caret. Returns `status`. */
verso_status vlad_fail_at(const vlad_sources *sources, vlad_place place, verso_status status, verso_error *error,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
