/* The file format of a profile.
 *
 *   header       magic "versoprf", version 5; numbers of sites, nodes and cells; bytes of text; then the fields of
 *                verso__profile_run (profile.h): seconds, forward, copy, touch, beside, divided, beyond, flags (bit 0
 *                cut, bit 1 open)
 *   each site    lengths of caller, callee and place; number; flags (bit 0 on, 1 always; 4: never)
 *   each node    site, first cell, snapshot, after_on, after_off, calls, seconds, missing
 *   each cell    node or mark, next cell, before
 *   text         caller, callee and place of all sites, without separators
 *   checksum     XXH3-64 of all the above
 *
 * Everything except the text consists of 64-bit words, little-endian; doubles are their IEEE bits. Nodes and cells
 * are those of tree.h, in the same order. A valid checksum is not enough: reading checks everything that
 * predictions and searches rely on (see file.c), so that a forged file is safe to read. */
#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include <verso/profile.h>

/* Returns the profile as bytes, which the caller frees with verso__dealloc; NULL if there is no memory. */
unsigned char *verso__profile_bytes(const verso_profile *profile, size_t *size);
/* Makes a profile of bytes. `path` is only for messages. Returns VERSO_STATUS_CORRUPT or VERSO_STATUS_NO_MEMORY on
 * failure; then *profile is NULL. */
verso_status verso__profile_parse(const void *bytes, size_t size, const char *path, verso_profile **profile,
                                  verso_error *error);

#endif
