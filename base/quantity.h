/* Reads numbers as people write them on a command line or in an environment variable, without rounding:
 * 1000000, 1e6, 1M, 2.5k, 0.25, 64Mi. */
#ifndef VERSO_BASE_QUANTITY_H
#define VERSO_BASE_QUANTITY_H

#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

enum { VERSO_DECIMALS_MAX = 9 };

/* The number digits * 10^exponent. `digits` does not end in 0, unless the number is 0. */
typedef struct verso__quantity {
    uint64_t digits;
    int exponent;
} verso__quantity;

/* The following functions return NULL on success, else the rest of a sentence that begins with the number and
 * says what is wrong with it, e.g. "is too large". The string is static. */

/* Reads `length` characters of `text`: 1000000, 1e6, 1M, 2.5k, 0.25. The suffixes k, M, G, T are powers of
 * 1000. */
const char *verso__quantity_read(const char *text, size_t length, verso__quantity *quantity);
/* Sets *value to the number, which must be an integer below UINT64_MAX. */
const char *verso__quantity_whole(verso__quantity quantity, uint64_t *value);
/* Sets *value to the number times 10^decimals, which must be an integer below UINT64_MAX. */
const char *verso__quantity_scaled(verso__quantity quantity, unsigned decimals, uint64_t *value);
/* Sets *decimals to the number of decimals, at most VERSO_DECIMALS_MAX. */
const char *verso__quantity_decimals(verso__quantity quantity, unsigned *decimals);
/* Reads a number of bytes: 64000000, 64M, 64MB, 1.5G; or 64Mi, 64MiB in powers of 1024. */
const char *verso__bytes_read(const char *text, size_t length, uint64_t *bytes);

/* Reads the whole text as a number of bytes greater than 0. `name` begins the error message: "VERSO_MEMORY",
 * "--memory". */
verso_status verso__memory_read(const char *name, const char *text, uint64_t *memory, verso_error *error);
/* Reads the whole text as a number of seconds greater than 0: 0.5, 60, 3600. `name` begins the error message:
 * "VERSO_INTERVAL", "--interval". */
verso_status verso__seconds_read(const char *name, const char *text, double *seconds, verso_error *error);

#endif
