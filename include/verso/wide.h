/* verso_wide: unsigned 128-bit integers, in which the costs of schedules are exact. 64 bits do not suffice: 10^12 steps
 * on one slot take 5 * 10^23 forward steps.
 *
 *     char text[VERSO_WIDE_TEXT];
 *     printf("%s forward steps\n", verso_wide_text(cost.forward_steps, text));
 *
 * Thread safety: any thread may call these functions at any time. They cannot fail. */
#ifndef VERSO_WIDE_H
#define VERSO_WIDE_H

#include <stdint.h>
#include <verso/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number high * 2^64 + low. */
typedef struct verso_wide {
    uint64_t low, high;
} verso_wide;

enum { VERSO_WIDE_TEXT = 48 }; /* size of a buffer that holds any verso_wide as text */

/* Writes the decimal digits of `value`, NUL-terminated, to `text`, and returns `text`. */
VERSO_API char *verso_wide_text(verso_wide value, char text[VERSO_WIDE_TEXT]);

/* Returns `value` as a double, rounded. */
static inline double verso_wide_double(verso_wide value) {
    return (double)value.high * 18446744073709551616.0 + (double)value.low;
}

#ifdef __cplusplus
}
#endif
#endif
