/* Printing strings in JSON. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

/* Prints `text` as a JSON string, with quotes and escapes. */
void cli_json_string(FILE *out, const char *text);

#endif
