/* JSON, written member by member: commas and layout are kept here. Numbers are exact: integers with all their digits
 * (JSON bounds no number), others in the shortest form that reads back as the same bits, in no locale.
 *
 * A name is NULL within an array. Members of the outermost object take a line each. */
#ifndef VERSO_BASE_JSON_H
#define VERSO_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

typedef struct verso_json {
    verso_text *text;
    unsigned depth;
    bool follows; /* something stands before in the same object or array */
} verso_json;

void verso_json_open(verso_json *json, const char *name, char bracket); /* '{' or '[' */
void verso_json_close(verso_json *json, char bracket);                  /* '}' or ']' */
void verso_json_null(verso_json *json, const char *name);
void verso_json_bool(verso_json *json, const char *name, bool value);
void verso_json_wide(verso_json *json, const char *name, verso_wide value);
/* null where the value is the largest, which stands for "not known" and "not bounded". */
void verso_json_known(verso_json *json, const char *name, uint64_t value);
void verso_json_double(verso_json *json, const char *name, double value); /* null when not finite */
/* What is not UTF-8 becomes U+FFFD, as JSON has no other text. */
void verso_json_string(verso_json *json, const char *name, const char *value);

/* The number as verso_json_double writes it; not for NaN and infinities. */
verso_number verso_shortest(double value);

#endif
