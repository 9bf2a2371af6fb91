/* Writes JSON member by member and takes care of commas and line breaks. Numbers are exact: integers are
 * written with all their digits, floating-point numbers in the shortest form that reads back as the same bits.
 * The output does not depend on the locale.
 *
 * In all functions `name` is the member's name in an object and NULL in an array. Each member of the outermost
 * object begins a new line. */
#ifndef VERSO_BASE_JSON_H
#define VERSO_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/wide.h"

typedef struct verso__json {
    verso__text *text;
    unsigned depth;
    bool follows; /* the current object or array already has a member */
} verso__json;

void verso__json_open(verso__json *json, const char *name, char bracket); /* '{' or '[' */
void verso__json_close(verso__json *json, char bracket);                  /* '}' or ']' */
void verso__json_null(verso__json *json, const char *name);
void verso__json_bool(verso__json *json, const char *name, bool value);
void verso__json_wide(verso__json *json, const char *name, verso__wide value);
/* Writes null if `value` is UINT64_MAX, which means "not known" or "unlimited". */
void verso__json_known(verso__json *json, const char *name, uint64_t value);
void verso__json_double(verso__json *json, const char *name, double value); /* NaN and infinities are written as null */
/* Writes a string. Bytes that are not valid UTF-8 are replaced by U+FFFD. */
void verso__json_string(verso__json *json, const char *name, const char *value);

/* Returns the number as verso__json_double writes it. `value` must be finite. */
verso__number verso__shortest(double value);

#endif
