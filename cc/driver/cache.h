/* The cache of object files: a folder in which verso-transform keeps the code that LLVM made, under a key that
 * identifies everything it was made from. The next link takes the object files of the parts of the program that have
 * not changed from there.
 *
 * The cache never makes a link fail. What cannot be read, was damaged, or could have been written by someone else
 * counts as missing, and what cannot be written is not kept. Any number of links may use a folder at the same time. */
#ifndef CC_DRIVER_CACHE_H
#define CC_DRIVER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/identity.h>

/* Where the cache is and how large it may become. */
typedef struct driver_cache {
    char *folder;   /* an absolute or relative path, allocated by malloc; NULL: there is no cache */
    uint64_t limit; /* the most bytes that its entries take */
} driver_cache;

enum { DRIVER_CACHE_HEADER = 64 }; /* bytes of an entry before the object file */

/* Finds the folder: $VERSO_CACHE, else $XDG_CACHE_HOME/verso, else $HOME/.cache/verso, and creates it with mode 0700 if
 * it is missing. There is no cache if VERSO_CACHE is empty, or if the folder cannot be used: it cannot be created,
 * belongs to another user, or others may write to it. The limit is $VERSO_CACHE_LIMIT, else 1 GB. */
driver_cache driver_cache_open(void);
void driver_cache_close(driver_cache *cache);

/* Writes the object file of the entry `key` to a new file `path`. Returns false if there is no such entry, if it is
 * damaged, or if the file cannot be written; `path` may then exist. */
bool driver_cache_take(const driver_cache *cache, verso_identity key, const char *path);
/* Makes an entry of the object file `path`, in one step for other processes. No-op if that fails. */
void driver_cache_keep(const driver_cache *cache, verso_identity key, const char *path);
/* Removes entries, the least recently used first, until the others take less than nine tenths of the limit. No-op if
 * all entries are within the limit. Also removes what interrupted links have left. */
void driver_cache_trim(const driver_cache *cache);

/* ---- The format, for tests ---- */

/* Writes the header of an entry. */
void driver_cache_seal(verso_identity key, const void *object, size_t size, unsigned char header[DRIVER_CACHE_HEADER]);
/* Returns whether `bytes` are an undamaged entry of this key. The object file then follows the header. */
bool driver_cache_is_sound(verso_identity key, const void *bytes, size_t size);

#endif
