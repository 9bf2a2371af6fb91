/* Prints a table whose columns are as wide as their widest cells. The cells are one text with tabs, so that callers can
 * fill a table with fprintf; the widths are found by reading that text once before it is printed. */
#include "cli/table.h"

#include <stdbool.h>
#include <string.h>

enum { COLUMNS_MAX = 32 };

static void measure(const char *text, size_t widths[COLUMNS_MAX]) {
    for (size_t column = 0; *text; text++) {
        size_t width = strcspn(text, "\t\n");
        if (column < COLUMNS_MAX && widths[column] < width)
            widths[column] = width;
        text += width;
        if (!*text)
            return;
        column = *text == '\t' ? column + 1 : 0;
    }
}

static void print_row(FILE *out, const char *row, const size_t widths[COLUMNS_MAX]) {
    if (*row == '\n') {
        fputc('\n', out);
        return;
    }
    for (size_t column = 0; column < COLUMNS_MAX; column++) {
        int length = (int)strcspn(row, "\t\n");
        bool last = row[length] != '\t';
        if (column == 0)
            fprintf(out, "  %-*.*s", last ? 0 : (int)widths[column], length, row);
        else
            fprintf(out, "  %*.*s", (int)widths[column], length, row);
        if (last)
            break;
        row += length + 1;
    }
    fputc('\n', out);
}

void cli_table_print(FILE *out, const char *text) {
    size_t widths[COLUMNS_MAX] = {0};
    measure(text, widths);
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        print_row(out, text, widths);
}
