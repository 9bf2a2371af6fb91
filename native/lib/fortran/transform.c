/* RESHAPE, TRANSPOSE, SPREAD, PACK, UNPACK, CSHIFT, EOSHIFT. Elements are copied line by line. */
#include "native/lib/fortran/fortran.h"

static int64_t integer_at(const char *at, size_t bytes) {
    int8_t one;
    int16_t two;
    int32_t four;
    int64_t eight;
    switch (bytes) {
    case 1: memcpy(&one, at, 1); return one;
    case 2: memcpy(&two, at, 2); return two;
    case 4: memcpy(&four, at, 4); return four;
    default: memcpy(&eight, at, 8); return eight;
    }
}

static bool is_true(const char *at, size_t bytes) {
    return integer_at(at, bytes) != 0;
}

/* Returns the element at the walk's subscripts; a scalar's only one. */
static char *element_of(const array *a, const walk *walk) {
    return a->rank == 0 ? a->base : line_of(a, walk, 0);
}

static void copy_one(const array *like, char *to, const char *from) {
    verso__fortran_copy(like->code, like->bytes, to, 0, from, 0, 1);
}

/* ---- RESHAPE ---- */

/* The order of the result's dimensions, from 0. */
static void read_order(const array *order, int rank, int *place) {
    for (int i = 0; i < rank; i++)
        place[i] = order == NULL ? i : (int)integer_at(order->base + i * order->dim[0].stride, order->bytes) - 1;
}

void _FortranAReshape(array *result, const array *source, const array *shape, const array *pad, const array *order,
                      const char *file, int line) {
    int rank = (int)shape->dim[0].count, place[RANK_MOST];
    int64_t counts[RANK_MOST];
    for (int i = 0; i < rank; i++)
        counts[i] = integer_at(shape->base + i * shape->dim[0].stride, shape->bytes);
    verso__fortran_result(result, source, rank, counts, file, line);
    int64_t total = elements(result), given = elements(source);
    if (given < total && (pad == NULL || elements(pad) == 0))
        verso__fortran_fail("RESHAPE: SOURCE has fewer elements than the result, and there is no PAD", file, line);
    if (order == NULL && given >= total && is_contiguous(source)) {
        memcpy(result->base, source->base, (size_t)total * result->bytes);
        return;
    }
    read_order(order, rank, place);
    walk to = {{0}}, from = {{0}};
    const array *now = source;
    for (int64_t i = 0; i < total; i++) {
        if (i == given)
            now = pad, from = (walk){{0}};
        copy_one(result, element_of(result, &to), element_of(now, &from));
        next_line(now, &from, 0);
        for (int j = 0; j < rank && ++to.at[place[j]] == counts[place[j]]; j++)
            to.at[place[j]] = 0;
    }
}

/* ---- TRANSPOSE, SPREAD ---- */

void _FortranATranspose(array *result, const array *matrix, const char *file, int line) {
    int64_t counts[2] = {matrix->dim[1].count, matrix->dim[0].count};
    verso__fortran_result(result, matrix, 2, counts, file, line);
    for (int64_t j = 0; j < counts[1]; j++)
        verso__fortran_copy(result->code, result->bytes, result->base + j * result->dim[1].stride,
                            result->dim[0].stride, matrix->base + j * matrix->dim[0].stride, matrix->dim[1].stride,
                            counts[0]);
}

void _FortranASpread(array *result, const array *source, int dim, int64_t copies, const char *file, int line) {
    int64_t counts[RANK_MOST];
    int rank = source->rank + 1;
    for (int i = 0, j = 0; i < rank; i++)
        counts[i] = i == dim - 1 ? copies : source->dim[j++].count;
    verso__fortran_result(result, source, rank, counts, file, line);
    if (elements(result) == 0)
        return;
    walk walk = {{0}};
    do { /* each copy of the source's line that the walk is at */
        const char *from = element_of(source, &walk);
        char *to = result->base;
        for (int i = 0, j = 0; i < rank; i++)
            to += i == dim - 1 ? 0 : walk.at[j++] * result->dim[i].stride;
        verso__fortran_copy(result->code, result->bytes, to, result->dim[dim - 1].stride, from, 0, copies);
    } while (next_line(source, &walk, 0));
}

/* ---- PACK, UNPACK ---- */

void _FortranAPack(array *result, const array *source, const array *mask, const array *vector, const char *file,
                   int line) {
    int64_t count = 0, kept = 0;
    walk walk = {{0}};
    if (elements(source) > 0) {
        do
            count += is_true(element_of(mask, &walk), mask->bytes);
        while (next_line(source, &walk, 0));
    }
    int64_t length = vector != NULL ? vector->dim[0].count : count;
    if (count > length)
        verso__fortran_fail("PACK: VECTOR has fewer elements than MASK has true ones", file, line);
    verso__fortran_result(result, source, 1, &length, file, line);
    walk = (struct walk){{0}};
    if (count > 0) {
        do
            if (is_true(element_of(mask, &walk), mask->bytes))
                copy_one(result, result->base + kept++ * (int64_t)result->bytes, element_of(source, &walk));
        while (next_line(source, &walk, 0));
    }
    if (kept < length)
        verso__fortran_copy(result->code, result->bytes, result->base + kept * (int64_t)result->bytes,
                            (int64_t)result->bytes, vector->base + kept * vector->dim[0].stride, vector->dim[0].stride,
                            length - kept);
}

void _FortranAUnpack(array *result, const array *vector, const array *mask, const array *field, const char *file,
                     int line) {
    int64_t counts[RANK_MOST], taken = 0;
    for (int i = 0; i < mask->rank; i++)
        counts[i] = mask->dim[i].count;
    verso__fortran_result(result, vector, mask->rank, counts, file, line);
    if (elements(result) == 0)
        return;
    walk walk = {{0}};
    do {
        bool from_vector = is_true(element_of(mask, &walk), mask->bytes);
        if (from_vector && taken == vector->dim[0].count)
            verso__fortran_fail("UNPACK: VECTOR has fewer elements than MASK has true ones", file, line);
        copy_one(result, element_of(result, &walk),
                 from_vector ? vector->base + taken++ * vector->dim[0].stride : element_of(field, &walk));
    } while (next_line(result, &walk, 0));
}

/* ---- CSHIFT, EOSHIFT ---- */

static int64_t wrapped(int64_t shift, int64_t n) {
    int64_t left = n == 0 ? 0 : shift % n;
    return left < 0 ? left + n : left;
}

static void shift_circularly(const array *like, char *to, int64_t to_stride, const char *from, int64_t from_stride,
                             int64_t n, int64_t shift) {
    int64_t first = wrapped(shift, n);
    verso__fortran_copy(like->code, like->bytes, to, to_stride, from + first * from_stride, from_stride, n - first);
    verso__fortran_copy(like->code, like->bytes, to + (n - first) * to_stride, to_stride, from, from_stride, first);
}

/* `boundary`: the element that fills the end; NULL: zeros, blanks. */
static void shift_out(const array *like, char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n,
                      int64_t shift, const char *boundary) {
    int64_t away = shift > n ? n : shift < -n ? -n : shift, kept = away < 0 ? n + away : n - away;
    int64_t to_first = away < 0 ? -away : 0, from_first = away < 0 ? 0 : away, filled = away < 0 ? 0 : kept;
    verso__fortran_copy(like->code, like->bytes, to + to_first * to_stride, to_stride, from + from_first * from_stride,
                        from_stride, kept);
    for (int64_t i = filled; i < filled + n - kept; i++)
        if (boundary != NULL)
            copy_one(like, to + i * to_stride, boundary);
        else
            memset(to + i * to_stride, like->code == TYPE_CHARACTER ? ' ' : 0, like->bytes);
}

/* Shifts every line of dimension `dim`. */
static void shift_lines(array *result, const array *source, const array *shift, const array *boundary, bool circular,
                        int dim, const char *file, int line) {
    int64_t counts[RANK_MOST];
    int along = dim - 1;
    for (int i = 0; i < source->rank; i++)
        counts[i] = source->dim[i].count;
    verso__fortran_result(result, source, source->rank, counts, file, line);
    if (elements(result) == 0)
        return;
    room room;
    array *lines = (array *)room.bytes; /* the source without dimension `dim` */
    copy_descriptor(lines, source);
    for (int i = along; i + 1 < source->rank; i++)
        lines->dim[i] = source->dim[i + 1];
    lines->rank--;
    walk walk = {{0}};
    do {
        const char *from = element_of(lines, &walk);
        char *to = result->base;
        for (int i = 0, j = 0; i < result->rank; i++)
            to += i == along ? 0 : walk.at[j++] * result->dim[i].stride;
        int64_t by = integer_at(element_of(shift, &walk), shift->bytes);
        if (circular)
            shift_circularly(result, to, result->dim[along].stride, from, source->dim[along].stride, counts[along], by);
        else
            shift_out(result, to, result->dim[along].stride, from, source->dim[along].stride, counts[along], by,
                      boundary == NULL ? NULL : element_of(boundary, &walk));
    } while (next_line(lines, &walk, 0));
}

void _FortranACshift(array *result, const array *source, const array *shift, int dim, const char *file, int line) {
    shift_lines(result, source, shift, NULL, true, dim, file, line);
}

void _FortranAEoshift(array *result, const array *source, const array *shift, const array *boundary, int dim,
                      const char *file, int line) {
    shift_lines(result, source, shift, boundary, false, dim, file, line);
}

void _FortranACshiftVector(array *result, const array *source, int64_t shift, const char *file, int line) {
    int64_t n = source->dim[0].count;
    verso__fortran_result(result, source, 1, &n, file, line);
    if (n > 0)
        shift_circularly(result, result->base, (int64_t)result->bytes, source->base, source->dim[0].stride, n, shift);
}

void _FortranAEoshiftVector(array *result, const array *source, int64_t shift, const array *boundary, const char *file,
                            int line) {
    int64_t n = source->dim[0].count;
    verso__fortran_result(result, source, 1, &n, file, line);
    if (n > 0)
        shift_out(result, result->base, (int64_t)result->bytes, source->base, source->dim[0].stride, n, shift,
                  boundary == NULL ? NULL : boundary->base);
}
