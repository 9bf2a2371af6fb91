/* What the files of this program share: values that are floats or doubles. */
#include <stddef.h>

typedef union number {
    float f;
    double d;
} number;
typedef struct value {
    int narrow;
    number v;
} value;
typedef value operation(value, value);

value value_of(double d, int narrow);
double value_number(value a);
number value_bare(value a);
value value_multiply(value a, value b);
value value_fold(operation *op, const value *all, size_t n);
operation *value_adding(void);
