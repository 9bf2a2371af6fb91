/* at: 0.7,1.1,0.25,2.0
 * A list on the heap: made, reversed, spliced, walked, freed while it is walked. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct node {
    double value;
    struct node *next;
} node;

static node *cons(double value, node *next) {
    node *made = malloc(sizeof *made);
    *made = (node){value, next};
    return made;
}

static node *reverse(node *list) {
    node *result = NULL;
    while (list) {
        node *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

static void remove_small(node **link, double limit) {
    while (*link) {
        node *here = *link;
        if (here->value < limit) {
            *link = here->next;
            free(here);
        } else {
            here->value *= 1.5;
            link = &here->next;
        }
    }
}

double f(const double *x, size_t n) {
    node *list = NULL;
    for (size_t i = 0; i < 12; i++)
        list = cons(x[i % n] * sin((double)i) + (list ? 0.1 * list->value : 0), list);
    list = reverse(list);
    remove_small(&list, -0.5);
    double sum = 0;
    int position = 0;
    while (list) {
        node *done = list;
        sum += done->value * done->value * ++position;
        list = done->next;
        free(done);
    }
    return sum;
}
