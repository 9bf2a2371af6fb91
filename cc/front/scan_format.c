/* Parses scanf formats: how many bytes each conversion writes, by the C standard and with glibc's extension %m. */
#include "cc/front/areas.h"
#include "cc/front/front.h"
#include "cc/ir/program.h"

#include <ctype.h>
#include <string.h>

typedef struct conversion {
    bool suppressed; /* '*': assigns nothing */
    bool allocates;  /* 'm': allocates memory and assigns its address */
    uint64_t width;  /* 0: none given */
    char size;       /* 0, 'H' for hh, 'h', 'l', 'q' for ll, 'j', 'z', 't', 'L' */
} conversion;

static const char *read_flags(const char *at, conversion *conversion) {
    if (*at == '*') {
        conversion->suppressed = true;
        at++;
    }
    if (*at == '\'')
        at++;
    while (isdigit((unsigned char)*at))
        conversion->width = conversion->width * 10 + (uint64_t)(*at++ - '0');
    if (*at == 'm') {
        conversion->allocates = true;
        at++;
    }
    return at;
}

static const char *read_size(const char *at, conversion *conversion) {
    if (*at == '\0' || strchr("hlqjztL", *at) == NULL)
        return at;
    conversion->size = *at++;
    if ((conversion->size == 'h' || conversion->size == 'l') && *at == conversion->size) {
        conversion->size = conversion->size == 'h' ? 'H' : 'q';
        at++;
    }
    return at;
}

/* Skips the rest of a set such as "[^]a-z]", after its first bracket. Returns the place after the closing bracket;
 * NULL if there is none. */
static const char *read_set(const char *at) {
    if (*at == '^')
        at++;
    if (*at == ']')
        at++;
    while (*at != ']' && *at != '\0')
        at++;
    return *at == '\0' ? NULL : at + 1;
}

static uint64_t integer_bytes(char size) {
    switch (size) {
    case 'H': return 1;
    case 'h': return 2;
    case '\0': return 4;
    default: return 8;
    }
}

/* Sets *scanned. Returns false if the conversion is unknown. */
static bool bytes_written(const conversion *conversion, char letter, cc_scanned *scanned) {
    *scanned = (cc_scanned){.counted = letter != 'n'};
    if (conversion->allocates) {
        scanned->bytes = sizeof(void *);
        return strchr("scS[C", letter) != NULL;
    }
    if (strchr("diouxXn", letter) != NULL)
        scanned->bytes = integer_bytes(conversion->size);
    else if (strchr("aAeEfFgG", letter) != NULL)
        scanned->bytes = conversion->size == 'L' ? 16 : conversion->size == 'l' ? 8 : 4;
    else if (letter == 'p')
        scanned->bytes = sizeof(void *);
    else if (letter == 'c' && conversion->size == '\0')
        scanned->bytes = conversion->width == 0 ? 1 : conversion->width;
    else
        return (letter == 's' || letter == '[') && conversion->size == '\0';
    return true;
}

bool cc_scan_format(cc_unit *unit, const char *format, cc_scanned **scanned, size_t *count) {
    size_t capacity = 0;
    *scanned = NULL;
    *count = 0;
    for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
        at++;
        if (*at == '%') {
            at++;
            continue;
        }
        conversion conversion = {0};
        at = read_size(read_flags(at, &conversion), &conversion);
        char letter = *at;
        if (letter == '\0' || letter == '$')
            return false;
        at = letter == '[' ? read_set(at + 1) : at + 1;
        cc_scanned one;
        if (at == NULL || !bytes_written(&conversion, letter, &one))
            return false;
        if (conversion.suppressed)
            continue;
        cc_reserve(unit, scanned, &capacity, *count + 1, sizeof one);
        (*scanned)[(*count)++] = one;
    }
    return true;
}
