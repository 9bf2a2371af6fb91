/* A profile as bytes.
 *
 *   magic "versoprf" · version 2 · sites · nodes · cells · bytes of text
 *   seconds · of running forward · of copying a byte, and of using a fresh one
 *   bytes beside the tape · and beside steps and capsules
 *   for each site    lengths of caller, callee and place · number · on
 *   for each node    site · first cell · snapshot · behind, with the site on and off · calls · seconds
 *   for each cell    node · next cell · before
 *   text             of all sites, caller, callee and place of each, with nothing between
 *   XXH3-64 of all of these
 *
 * Everything but the text is 64-bit words, little-endian; doubles are their IEEE bits. Nodes and cells are those of
 * tree.h, in their order. A checksum that fits is not believed blindly: what is read keeps all that predictions and
 * searches rely on (see file.c), whoever wrote it. */
#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include <verso/profile.h>

/* Allocated (verso_dealloc); NULL: no memory. */
unsigned char *verso_profile_bytes(const verso_profile *profile, size_t *size);
/* `path` is for messages. VERSO_CORRUPT, VERSO_NO_MEMORY; then *profile is NULL. */
verso_status verso_profile_parse(const void *bytes, size_t size, const char *path, verso_profile **profile,
                                 verso_error *error);

#endif
