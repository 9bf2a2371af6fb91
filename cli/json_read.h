/* Reading JSON in place: nothing is built, a value is where it begins and ends in the text.
 *
 * For texts of megabytes of which a few lines matter, nested as deep as they please. */
#ifndef CLI_JSON_READ_H
#define CLI_JSON_READ_H

#include "cli/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_json_value {
    const char *at, *end; /* NULL, NULL: there is none */
} cli_json_value;

/* Takes the first whole value off `text`; false at its end, and where no value begins. */
bool cli_json_take(cli_json_value *text, cli_json_value *value);
/* A member of an object; of anything else, and when there is no such member: no value. */
cli_json_value cli_json_member(cli_json_value object, const char *name);
/* What `list` holds, ready for cli_json_next. */
cli_json_value cli_json_items(cli_json_value list);
bool cli_json_next(cli_json_value *items, cli_json_value *item);

/* A string, its escapes resolved; NULL when the value is no string. */
char *cli_json_string_of(cli_region *region, cli_json_value value);
/* Whether the value is this string, which needs no escapes. */
bool cli_json_is(cli_json_value value, const char *string);
bool cli_json_true(cli_json_value value);
/* A whole number, also as the string clang puts it in; false when it is none. */
bool cli_json_whole(cli_json_value value, int64_t *number);

#endif
