/* The program's variables, and lists of ranges that are sorted by address. See variables.h. */
#include "native/run/run.h"

#include "base/alloc.h"

#include <stdlib.h>

static struct {
    verso__native_range *list; /* NULL: not made yet */
    size_t count;
} variables;

/* ---- Sorted lists ---- */

static int compare(const void *a, const void *b) {
    const verso__native_range *first = a, *second = b;
    return first->begin < second->begin ? -1 : first->begin > second->begin;
}

void verso__native_ranges_sort(verso__native_range *list, size_t count) {
    qsort(list, count, sizeof *list, compare);
}

verso__native_range verso__native_ranges_find(const verso__native_range *list, size_t count, const char *address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (address < list[middle].begin)
            high = middle;
        else if (address >= list[middle].end)
            low = middle + 1;
        else
            return list[middle];
    }
    return (verso__native_range){NULL, NULL};
}

/* ---- The program's variables ---- */

const verso__native_range *verso__native_variables(size_t *count) {
    size_t all = verso__native_is_linked() ? (size_t)verso__native_global_count : 0;
    if (variables.list == NULL) {
        verso__native_range *list = verso__alloc(all + 1, sizeof *list);
        if (list == NULL)
            verso__native_give_up(VERSO_STATUS_NO_MEMORY, "no memory to list the program's variables");
        for (size_t i = 0; i < all; i++) {
            char *data = verso__native_globals[i].data;
            list[i] = (verso__native_range){data, data + verso__native_globals[i].size};
        }
        verso__native_ranges_sort(list, all);
        variables.list = list;
        variables.count = all;
    }
    *count = variables.count;
    return variables.list;
}

verso__native_range verso__native_variable_at(const char *address) {
    size_t count;
    const verso__native_range *list = verso__native_variables(&count);
    return verso__native_ranges_find(list, count, address);
}

void verso__native_variables_forget(void) {
    verso__dealloc(variables.list);
    variables.list = NULL;
}
