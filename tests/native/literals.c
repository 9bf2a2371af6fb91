/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Compound literals, designated initialisers, anonymous members, enumerators as sizes, nested initialisers. */
#include <math.h>
#include <stddef.h>

enum axis { X, Y, Z, AXES };

typedef struct box {
    union {
        struct {
            double left, right;
        };
        double sides[2];
    };
    double depth[AXES];
    const char *label;
} box;

static double volume(const box *b) {
    return (b->right - b->left) * b->depth[X] * (1 + b->depth[Y]) + b->sides[0] * b->depth[Z];
}

static double longest(const double *values, size_t count) {
    double found = values[0];
    for (size_t i = 1; i < count; i++)
        found = values[i] > found ? values[i] : found;
    return found;
}

double f(const double *x, size_t n) {
    (void)n;
    box first = {.left = x[0], .right = sin(x[1]) + 2, .depth = {[Z] = x[2], [X] = x[3]}};
    const box *boxes[] = {&first, &(box){.sides = {x[1], x[2]}, .depth = {1, 2, x[0]}, .label = "second"}};
    double sum = 0;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        sum += volume(boxes[i]) * (boxes[i]->label ? 2 : 1);
    first = (box){.right = sum, .depth = {[Y] = first.left}};
    return volume(&first) + longest((const double[]){x[0] * x[0], x[3] * x[1], x[2], 0.5}, 4) * first.right +
           longest((double[AXES]){[Y] = sum}, AXES);
}
