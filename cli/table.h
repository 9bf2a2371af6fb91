/* A table for people: columns as wide as their widest cell. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdio.h>

/* `text` has a line a row and a tab between cells; the cells are ASCII. The first column is set to the left, the others
 * to the right. Each line is indented by two spaces. */
void cli_table_print(FILE *out, const char *text);

#endif
