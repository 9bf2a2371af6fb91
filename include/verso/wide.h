/* Wide numbers: costs are exact even where they exceed 64 bits. 10^12 steps on one slot are 5 * 10^23 forward steps. */
#ifndef VERSO_WIDE_H
#define VERSO_WIDE_H

#include <verso/export.h>

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef unsigned __int128 verso_wide;

enum { VERSO_WIDE_TEXT = 48 }; /* bytes that hold any verso_wide as text */

/* Its decimal digits, NUL-terminated; returns its argument. */
VERSO_API char *verso_wide_text(verso_wide value, char text[VERSO_WIDE_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
