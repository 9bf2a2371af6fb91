/* Types of numbers: see scalar.h. */
#include "native/memory/memory.h"

#include <string.h>

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

/* Returns the number of doubles from the cell of one number to that of the next; 0 if they are in different planes. */
static size_t stride_of(verso_scalar type) {
    return verso__native_scalar_size(type) / sizeof(double);
}

void verso__native_cells_read(const void *numbers, verso_scalar type, size_t count, double *values) {
    verso__native_kind kind = verso__native_kind_of(type);
    size_t size = verso__native_scalar_size(type), stride = stride_of(type);
    const double *cells = verso__native_cell_of(numbers, kind);
    if (kind == VERSO_NATIVE_FLOAT)
        for (size_t i = 0; i < count; i++)
            values[i] = (double)verso__native_float_cell(numbers)[i];
    else if (stride > 0)
        for (size_t i = 0; i < count; i++)
            values[i] = cells[i * stride];
    else
        for (size_t i = 0; i < count; i++)
            values[i] = verso__native_cell_read((const char *)numbers + i * size, kind);
}

void verso__native_cells_write(const void *numbers, verso_scalar type, size_t count, const double *values) {
    verso__native_kind kind = verso__native_kind_of(type);
    size_t size = verso__native_scalar_size(type), stride = stride_of(type);
    double *cells = verso__native_cell_of(numbers, kind);
    if (kind == VERSO_NATIVE_FLOAT)
        for (size_t i = 0; i < count; i++)
            verso__native_float_cell(numbers)[i] = (float)values[i];
    else if (stride > 0)
        for (size_t i = 0; i < count; i++)
            cells[i * stride] = values[i];
    else
        for (size_t i = 0; i < count; i++)
            verso__native_cell_write((const char *)numbers + i * size, kind, values[i]);
}

static bool is_zero(const char *cells, size_t size) {
    uint64_t any = 0, word;
    for (; size >= sizeof word; size -= sizeof word, cells += sizeof word) {
        memcpy(&word, cells, sizeof word);
        any |= word;
    }
    for (; size > 0; size--)
        any |= (unsigned char)*cells++;
    return any == 0;
}

/* The cells of doubles and long doubles at even and at odd multiples of 4 are in different planes. */
bool verso__native_cells_are_zero(uintptr_t begin, uintptr_t end, verso__native_kind kind) {
    begin = (begin + 3) & ~(uintptr_t)3;
    if (begin >= end)
        return true;
    uintptr_t plane = (uintptr_t)verso__native_plane_of(kind);
    if (kind == VERSO_NATIVE_FLOAT)
        return is_zero((const char *)(begin + plane), ((end + 3) & ~(uintptr_t)3) - begin);
    uintptr_t even = begin & ~(uintptr_t)7, size = ((end + 7) & ~(uintptr_t)7) - even;
    return is_zero((const char *)(even + plane), size) &&
           is_zero((const char *)(even + 4 + plane - (uintptr_t)VERSO_SHADOW_ODD), size);
}
