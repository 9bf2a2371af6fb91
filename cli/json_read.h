/* Reads JSON in place: builds no tree; a value is represented by where it begins and ends in the text. Made for clang's
 * answers, which are megabytes of text, nested to any depth, of which only a few lines matter. */
#ifndef CLI_JSON_READ_H
#define CLI_JSON_READ_H

#include "cli/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_json_value {
    const char *at;  /* first byte; NULL: no value */
    const char *end; /* byte after the last */
} cli_json_value;

/* Sets *value to the first value in `text` and moves text->at past it. Returns false if no complete value follows. */
bool cli_json_take(cli_json_value *text, cli_json_value *value);
/* Returns the member `name` of an object, or no value if there is none or `object` is not an object. */
cli_json_value cli_json_member(cli_json_value object, const char *name);
/* Returns the items of an array, for cli_json_next; no value if `list` is not an array. */
cli_json_value cli_json_items(cli_json_value list);
/* Sets *item to the next item and moves past it. Returns false after the last. */
bool cli_json_next(cli_json_value *items, cli_json_value *item);

/* Returns a copy of a string in `region`, with its escapes resolved; NULL if the value is not a string. */
char *cli_json_string_of(cli_region *region, cli_json_value value);
/* Returns true if the value is this string, which must not need escapes. */
bool cli_json_is(cli_json_value value, const char *string);
/* Returns true if the value is `true`. */
bool cli_json_is_true(cli_json_value value);
/* Reads a whole number, or a string that contains one (clang prints sizes so). Returns false if it is neither. */
bool cli_json_whole(cli_json_value value, int64_t *number);

#endif
