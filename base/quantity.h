/* Numbers as people write them on a command line or in a variable, read exactly: 1000000, 1e6, 1M, 2.5k, 0.25, 64Mi. */
#ifndef VERSO_BASE_QUANTITY_H
#define VERSO_BASE_QUANTITY_H

#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

enum { VERSO_DECIMALS_MAX = 9 };

/* digits * 10^exponent; digits do not end in 0. */
typedef struct verso_quantity {
    uint64_t digits;
    int exponent;
} verso_quantity;

/* All of these return NULL, or what is wrong with the number: the rest of a sentence that begins with the number. */

/* `length` characters of text: 1000000, 1e6, 1M, 2.5k, 0.25. Suffixes k, M, G, T are powers of 1000. */
const char *verso_quantity_read(const char *text, size_t length, verso_quantity *quantity);
/* A number that must be whole and below UINT64_MAX. */
const char *verso_quantity_whole(verso_quantity quantity, uint64_t *value);
/* A number times 10^decimals, which must be whole and below UINT64_MAX. */
const char *verso_quantity_scaled(verso_quantity quantity, unsigned decimals, uint64_t *value);
/* How many decimals it has; more than VERSO_DECIMALS_MAX is wrong. */
const char *verso_quantity_decimals(verso_quantity quantity, unsigned *decimals);
/* Bytes: 64000000, 64M, 64MB, 1.5G; or 64Mi, 64MiB in powers of 1024. */
const char *verso_bytes_read(const char *text, size_t length, uint64_t *bytes);

/* A whole text of bytes, more than 0. `name` begins the message: "VERSO_MEMORY", "--memory". */
verso_status verso_memory_read(const char *name, const char *text, uint64_t *memory, verso_error *error);

#endif
