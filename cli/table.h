/* Prints a text table whose columns are as wide as their widest cells. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdio.h>

/* `text` has one line per row and a tab between cells; the cells are ASCII. The first column is aligned to the left,
 * the others to the right. Each line is indented by two spaces. */
void cli_table_print(FILE *out, const char *text);

#endif
