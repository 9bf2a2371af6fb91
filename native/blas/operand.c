/* Operands as BLAS stores them: see inside.h. */
#include "native/blas/inside.h"

#include "native/memory/memory.h"

#include <string.h>

typedef verso__blas_operand operand;
typedef verso__blas_matrix matrix;
typedef verso__blas_number number;

/* ---- Arguments ---- */

operand verso__blas_vector(const verso__blas_call *c, unsigned k, int64_t count) {
    int64_t step = c->argument[k + 1].integer;
    count = count < 0 ? 0 : count;
    operand made = {.at = {c->argument[k].pointer, count, 1, step, step == 1 ? count : 1, c->type, false}};
    if (step < 0 && count > 0) /* the first element is the last one in memory */
        made.at.data -= (count - 1) * step * (int64_t)verso__blas_size(c->type);
    return made;
}

operand verso__blas_full(const verso__blas_call *c, unsigned k, int64_t rows, int64_t cols) {
    int64_t distance = c->argument[k + 1].integer;
    matrix at = {c->argument[k].pointer, rows < 0 ? 0 : rows, cols < 0 ? 0 : cols, 1, distance, c->type, false};
    if (c->by_rows) {
        at.down = distance;
        at.across = 1;
    }
    return (operand){.at = at};
}

/* ---- Where elements are ---- */

/* Returns the index of the stored element (i, j) of a packed triangle or a band. */
static int64_t index_of(const operand *o, int64_t i, int64_t j) {
    int64_t n = o->at.rows;
    bool lower = o->lower;
    if (o->storage == VERSO_BLAS_BAND)
        return o->by_rows ? i * o->distance + o->below + j - i : j * o->distance + o->above + i - j;
    if (o->by_rows) { /* the rows of a triangle are the columns of the other one */
        int64_t swap = i;
        i = j;
        j = swap;
        lower = !lower;
    }
    return lower ? i + j * (2 * n - j - 1) / 2 : i + j * (j + 1) / 2;
}

/* Returns a matrix of one element. */
static matrix element_at(const operand *o, int64_t i, int64_t j) {
    if (o->storage == VERSO_BLAS_FULL)
        return verso__blas_part(o->at, i, j, 1, 1);
    matrix at = o->at;
    at.data += index_of(o, i, j) * (int64_t)verso__blas_size(at.type);
    at.rows = at.cols = at.down = at.across = 1;
    return at;
}

/* The rows of column j that are stored. */
typedef struct rows {
    int64_t first, end;
} rows;

static rows stored_rows(const operand *o, int64_t j) {
    rows all = {0, o->at.rows};
    if (o->storage == VERSO_BLAS_BAND) {
        all.first = j - o->above > 0 ? j - o->above : 0;
        all.end = j + o->below + 1 < all.end ? j + o->below + 1 : all.end;
    }
    if (o->shape != VERSO_BLAS_GENERAL) {
        if (o->lower)
            all.first = all.first > j ? all.first : j;
        else
            all.end = all.end < j + 1 ? all.end : j + 1;
    }
    return all;
}

static bool is_whole(const operand *o) {
    return o->storage == VERSO_BLAS_FULL && o->shape == VERSO_BLAS_GENERAL;
}

/* Returns the number of elements in memory of a packed triangle or a band. */
static int64_t length_of(const operand *o) {
    if (o->storage == VERSO_BLAS_PACKED)
        return o->at.rows * (o->at.rows + 1) / 2;
    return (o->by_rows ? o->at.rows : o->at.cols) * o->distance;
}

/* ---- Keeping ---- */

static matrix line_of(const operand *o) {
    matrix line = o->at;
    line.rows = length_of(o);
    line.cols = line.down = 1;
    line.across = line.rows;
    return line;
}

static bool is_contiguous(const matrix *m) {
    return m->down == 1 && (m->cols <= 1 || m->across == m->rows);
}

static void keep_lines(verso__blas_call *c, matrix m) {
    static const char zeros[8];
    size_t size = verso__blas_size(m.type), bytes = (size_t)m.rows * (size_t)m.cols * size;
    for (int64_t j = 0; j < m.cols; j++)
        if (m.down == 1)
            verso_keep(c->call, verso__blas_part(m, 0, j, m.rows, 1).data, (size_t)m.rows * size);
        else
            for (int64_t i = 0; i < m.rows; i++)
                verso_keep(c->call, verso__blas_part(m, i, j, 1, 1).data, size);
    verso_keep(c->call, zeros, -bytes & 7);
}

/* Returns the elements as columns, which are the rows of the matrix if these are contiguous. */
static matrix lines_of(const operand *o) {
    matrix m = o->storage == VERSO_BLAS_FULL ? o->at : line_of(o);
    return m.down != 1 && m.across == 1 ? verso__blas_transposed(m) : m;
}

/* Keeps column by column without padding in between, after the address of a lasting copy (native/sweep/lasting.h) if
 * there is one. */
void verso__blas_keep(verso__blas_call *c, operand o) {
    matrix m = lines_of(&o);
    uint64_t bytes = (uint64_t)m.rows * (uint64_t)m.cols * verso__blas_size(m.type);
    const char *lasting = is_contiguous(&m) ? verso__native_lasting(m.data, bytes, m.data, bytes) : NULL;
    verso__blas_keep_bytes(c, &lasting, sizeof lasting);
    if (lasting == NULL)
        keep_lines(c, m);
}

operand verso__blas_take(verso__blas_call *c, operand o) {
    matrix m = o.storage == VERSO_BLAS_FULL ? o.at : line_of(&o);
    bool by_rows = m.down != 1 && m.across == 1;
    size_t bytes = (size_t)m.rows * (size_t)m.cols * verso__blas_size(m.type);
    const char *lasting = *(const char *const *)verso__blas_take_bytes(c, sizeof lasting);
    const void *data = lasting != NULL ? lasting : verso__blas_take_bytes(c, bytes);
    o.at.data = (char *)(uintptr_t)data;
    if (o.storage == VERSO_BLAS_FULL) {
        o.at.down = by_rows ? o.at.cols : 1;
        o.at.across = by_rows ? 1 : o.at.rows;
    }
    return o;
}

/* ---- Cells ---- */

operand verso__blas_cells(operand o) {
    bool single = o.at.type == VERSO_BLAS_S || o.at.type == VERSO_BLAS_C_;
    uintptr_t unit = single ? sizeof(float) : sizeof(double);
    if (o.at.rows == 0 || o.at.cols == 0)
        return o;
    if ((uintptr_t)o.at.data % unit != 0 || !verso__native_covers(o.at.data, unit))
        verso__native_give_up(
            VERSO_STATUS_INVALID,
            "a routine of BLAS or LAPACK gets numbers at %p: that is not a multiple of %zu, or not memory that Verso "
            "has cells for",
            (void *)o.at.data, (size_t)unit);
    o.at.data = single ? (char *)verso__native_float_cell(o.at.data) : (char *)verso__native_cell(o.at.data);
    return o;
}

/* ---- What an operand stands for ---- */

static number real_part(const operand *o, bool diagonal, number value) {
    return diagonal && o->shape == VERSO_BLAS_HERMITIAN ? creal(value) : value;
}

static number mirrored(const operand *o, number value) {
    return o->shape == VERSO_BLAS_HERMITIAN ? conj(value) : value;
}

matrix verso__blas_dense(operand o, bool cells) {
    if (is_whole(&o))
        return o.at;
    matrix made = verso__blas_new(o.at.type, o.at.rows, o.at.cols);
    bool mirrors = o.shape == VERSO_BLAS_SYMMETRIC || o.shape == VERSO_BLAS_HERMITIAN;
    for (int64_t j = 0; j < made.cols; j++) {
        rows stored = stored_rows(&o, j);
        for (int64_t i = stored.first; i < stored.end; i++) {
            bool one = i == j && o.unit;
            number value = one ? !cells : real_part(&o, i == j, verso__blas_get(element_at(&o, i, j), 0, 0));
            verso__blas_set(made, i, j, value);
            if (mirrors && i != j)
                verso__blas_set(made, j, i, mirrored(&o, value));
        }
    }
    return made;
}

void verso__blas_spread(operand cells, number factor, matrix m) {
    if (is_whole(&cells)) {
        verso__blas_add(cells.at, factor, m);
        return;
    }
    bool mirrors = cells.shape == VERSO_BLAS_SYMMETRIC || cells.shape == VERSO_BLAS_HERMITIAN;
    for (int64_t j = 0; j < cells.at.cols; j++) {
        rows stored = stored_rows(&cells, j);
        for (int64_t i = stored.first; i < stored.end; i++) {
            if (i == j && cells.unit)
                continue;
            matrix at = element_at(&cells, i, j);
            number term = real_part(&cells, i == j, factor * verso__blas_get(m, i, j));
            if (mirrors && i != j)
                term += mirrored(&cells, factor * verso__blas_get(m, j, i));
            verso__blas_set(at, 0, 0, verso__blas_get(at, 0, 0) + term);
        }
    }
}

matrix verso__blas_stored(operand o) {
    matrix made = verso__blas_new(o.at.type, o.at.rows, o.at.cols);
    if (is_whole(&o)) {
        verso__blas_copy(made, o.at);
        return made;
    }
    for (int64_t j = 0; j < made.cols; j++) {
        rows stored = stored_rows(&o, j);
        for (int64_t i = stored.first; i < stored.end; i++)
            verso__blas_set(made, i, j, real_part(&o, i == j, verso__blas_get(element_at(&o, i, j), 0, 0)));
    }
    return made;
}

void verso__blas_scale_stored(operand o, number factor) {
    if (is_whole(&o)) {
        verso__blas_scale(o.at, factor);
        return;
    }
    for (int64_t j = 0; j < o.at.cols; j++) {
        rows stored = stored_rows(&o, j);
        for (int64_t i = stored.first; i < stored.end; i++) {
            matrix at = element_at(&o, i, j);
            number value = factor == 0 ? 0 : factor * verso__blas_get(at, 0, 0);
            verso__blas_set(at, 0, 0, real_part(&o, i == j, value));
        }
    }
}

void verso__blas_store(operand o, number keep, matrix m) {
    verso__blas_scale_stored(o, keep);
    if (is_whole(&o)) {
        verso__blas_add(o.at, 1, m);
        return;
    }
    for (int64_t j = 0; j < o.at.cols; j++) {
        rows stored = stored_rows(&o, j);
        for (int64_t i = stored.first; i < stored.end; i++) {
            matrix at = element_at(&o, i, j);
            number value = verso__blas_get(at, 0, 0) + verso__blas_get(m, i, j);
            verso__blas_set(at, 0, 0, real_part(&o, i == j, value));
        }
    }
}
