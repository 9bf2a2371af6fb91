/* Prints the results of `verso vlad --check`. See check.h. */
#include "vlad/check.h"

#include <math.h>
#include <string.h>

bool vlad_check_holds(const vlad_checking *checking) {
    bool holds = checking->places.count > 0 && !checking->incomplete;
    for (size_t i = 0; i < checking->places.count; i++)
        holds = holds && ((const vlad_checked *)vlad_at(&checking->places, i))->failed == 0;
    return holds;
}

/* Prints "file:line:column". With NULL it prints nothing. Returns the number of characters. */
static int print_place(FILE *messages, const vlad_sources *sources, vlad_place place) {
    const char *name = vlad_sources_name(sources, place.file);
    return messages != NULL ? fprintf(messages, "%s:%u:%u", name, place.line, place.column)
                            : snprintf(NULL, 0, "%s:%u:%u", name, place.line, place.column);
}

static int widest_place(const vlad_checking *checking, const vlad_sources *sources) {
    int widest = (int)strlen("place");
    for (size_t i = 0; i < checking->places.count; i++) {
        int width = print_place(NULL, sources, ((const vlad_checked *)vlad_at(&checking->places, i))->place);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_row(FILE *messages, const vlad_sources *sources, const vlad_checked *row, int width) {
    char bound[32], order[32], ways[48];
    typedef unsigned long long number;
    snprintf(bound, sizeof bound, "< %.1e", row->bound);
    snprintf(order, sizeof order, row->order < INFINITY ? "order %.3f" : row->seen ? "linear" : "-", row->order);
    snprintf(ways, sizeof ways, "%llu of %llu", (number)row->same, (number)row->ways);
    fputs("  ", messages);
    int printed = print_place(messages, sources, row->place);
    fprintf(messages, "%*s  %-13s  %7llu  %7llu  %11.1e  %-9s  %-11s  %9s  %s\n", width - printed, "",
            vlad_operator_name(row->operation), (number)row->applied, (number)row->checked, row->apart, bound, order,
            ways, row->failed == 0 ? "pass" : "FAIL");
}

static void print_complaint(FILE *messages, const vlad_sources *sources, const vlad_checked *row) {
    if (row->failed == 0)
        return;
    fputs("\n  ", messages);
    print_place(messages, sources, row->place);
    fprintf(messages, ", %s\n", row->complaint);
    if (row->failed > 1)
        fprintf(messages, "  (%llu of %llu that were checked)\n", (unsigned long long)row->failed,
                (unsigned long long)row->checked);
}

void vlad_check_print(const vlad_checking *checking, const vlad_sources *sources, FILE *messages) {
    int width = widest_place(checking, sources);
    if (checking->places.count == 0)
        fputs("the program takes no derivative: there is nothing to check\n", messages);
    else
        fprintf(messages, "  %-*s  %-13s  %7s  %7s  %11s  %-9s  %-11s  %9s  %s\n", width, "place", "operator",
                "applied", "checked", "dot product", "wanted", "Taylor", "same bits", "verdict");
    for (size_t i = 0; i < checking->places.count; i++)
        print_row(messages, sources, vlad_at(&checking->places, i), width);
    for (size_t i = 0; i < checking->places.count; i++)
        print_complaint(messages, sources, vlad_at(&checking->places, i));
    if (checking->incomplete)
        fputs("\n  no memory to check everything\n", messages);
    fprintf(messages, "\n%s (seed %llu)\n", vlad_check_holds(checking) ? "PASS" : "FAIL",
            (unsigned long long)checking->seed);
}
