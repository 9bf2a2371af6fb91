/* What all that print JSON share. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

/* With quotes around it; what JSON does not take as it is, is escaped. */
void cli_json_string(FILE *out, const char *text);

#endif
