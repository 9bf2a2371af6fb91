/* Checksums of what is written and read back. */
#ifndef VERSO_BASE_CHECKSUM_H
#define VERSO_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits: finds damage, not malice. */
uint64_t verso_checksum(const void *bytes, size_t size);

#endif
