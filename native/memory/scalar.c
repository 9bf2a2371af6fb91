/* Types of numbers: see scalar.h. */
#include "native/memory/memory.h"

size_t verso__native_scalar_size(verso_scalar type) {
    switch (type) {
    case VERSO_SCALAR_DOUBLE: return sizeof(double);
    case VERSO_SCALAR_FLOAT: return sizeof(float);
    case VERSO_SCALAR_LONG_DOUBLE: return sizeof(long double);
    }
    return 0;
}

double verso__native_cell_read(const void *number, verso__native_kind kind) {
    return kind == VERSO_NATIVE_FLOAT ? (double)*verso__native_float_cell(number)
                                      : *verso__native_cell_of(number, kind);
}

void verso__native_cell_write(const void *number, verso__native_kind kind, double value) {
    if (kind == VERSO_NATIVE_FLOAT)
        *verso__native_float_cell(number) = (float)value;
    else
        *verso__native_cell_of(number, kind) = value;
}

/* Numbers of a kind that no function of the program uses are only copied, as parts of doubles. */
verso__native_kind verso__native_kind_of(verso_scalar type) {
    verso__native_kind kind = type == VERSO_SCALAR_FLOAT         ? VERSO_NATIVE_FLOAT
                              : type == VERSO_SCALAR_LONG_DOUBLE ? VERSO_NATIVE_LONG
                                                                 : VERSO_NATIVE_DOUBLE;
    return verso__native_uses(kind) ? kind : VERSO_NATIVE_DOUBLE;
}
