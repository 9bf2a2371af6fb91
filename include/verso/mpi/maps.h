/* Datatypes: where in memory the numbers of a message are, from the constructors of the type. */
#ifndef VERSO_MPI_MAPS_H
#define VERSO_MPI_MAPS_H

enum { WORD = 4, RAW_KINDS = 3 };

/* Adds a piece, and joins it with the one before if they touch. */
static void add_piece(map *m, int64_t offset, uint64_t bytes, char kind) {
    piece *before = m->count > 0 ? &m->pieces[m->count - 1] : NULL;
    if (bytes == 0)
        return;
    if (before != NULL && before->kind == kind && before->offset + (int64_t)before->bytes == offset) {
        before->bytes += bytes;
        return;
    }
    m->pieces = grow(m->pieces, m->count, &m->room, sizeof *m->pieces);
    m->pieces[m->count++] = (piece){offset, bytes, kind};
}

static void add_named(map *m, MPI_Datatype type, int64_t at) {
    int size;
    PMPI_Type_size(type, &size);
    if (type == MPI_DOUBLE || type == MPI_C_DOUBLE_COMPLEX || type == MPI_CXX_DOUBLE_COMPLEX)
        add_piece(m, at, (uint64_t)size, 'd');
    else if (type == MPI_FLOAT || type == MPI_C_FLOAT_COMPLEX || type == MPI_CXX_FLOAT_COMPLEX)
        add_piece(m, at, (uint64_t)size, 'f');
    else if (type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX || type == MPI_CXX_LONG_DOUBLE_COMPLEX)
        add_piece(m, at, (uint64_t)size, 'l');
    else if (type == MPI_BYTE || type == MPI_CHAR || type == MPI_SIGNED_CHAR || type == MPI_UNSIGNED_CHAR ||
             type == MPI_INT8_T || type == MPI_UINT8_T || type == MPI_PACKED)
        add_piece(m, at, (uint64_t)size, 'r');
    else if (type == MPI_DOUBLE_INT || type == MPI_FLOAT_INT) {
        uint64_t number = type == MPI_DOUBLE_INT ? sizeof(double) : sizeof(float);
        add_piece(m, at, number, type == MPI_DOUBLE_INT ? 'd' : 'f');
        add_piece(m, at + (int64_t)number, sizeof(int), 'n');
        m->pair = true;
    } else if (type == MPI_LONG_DOUBLE_INT) {
        add_piece(m, at, sizeof(long double), 'l');
        add_piece(m, at + (int64_t)sizeof(long double), sizeof(int), 'n');
    } else
        add_piece(m, at, (uint64_t)size, 'n');
}

static void add_type(map *m, MPI_Datatype type, int64_t at);

/* Adds `count` elements, one after the other. */
static void add_block(map *m, MPI_Datatype type, int64_t at, int64_t count) {
    MPI_Aint low, extent;
    PMPI_Type_get_extent(type, &low, &extent);
    for (int64_t i = 0; i < count; i++)
        add_type(m, type, at + i * (int64_t)extent);
}

static int64_t extent_of(MPI_Datatype type) {
    MPI_Aint low, extent;
    PMPI_Type_get_extent(type, &low, &extent);
    return extent;
}

/* Adds a subarray: i is {dimensions, sizes..., subsizes..., starts..., order}. */
static void add_subarray(map *m, MPI_Datatype type, int64_t at, const int *i) {
    int n = i[0];
    const int *sizes = i + 1, *subsizes = i + 1 + n, *starts = i + 1 + 2 * n;
    bool rows = i[1 + 3 * n] == MPI_ORDER_C;
    int64_t extent = extent_of(type), total = 1;
    int index[64] = {0};
    for (int k = 0; k < n; k++)
        total *= subsizes[k];
    for (int64_t done = 0; done < total; done++) {
        int64_t offset = 0;
        for (int k = 0; k < n; k++) {
            int d = rows ? k : n - 1 - k;
            offset = offset * sizes[d] + starts[d] + index[d];
        }
        add_type(m, type, at + offset * extent);
        for (int k = n - 1; k >= 0; k--) {
            int d = rows ? k : n - 1 - k;
            if (++index[d] < subsizes[d])
                break;
            index[d] = 0;
        }
    }
}

/* Adds the elements of a type from its constructor's arguments: integers i, addresses a, types t. */
static void add_made(map *m, int combiner, int64_t at, const int *i, const MPI_Aint *a, const MPI_Datatype *t) {
    int64_t extent = combiner == MPI_COMBINER_STRUCT ? 0 : extent_of(t[0]);
    switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: add_type(m, t[0], at); break;
    case MPI_COMBINER_CONTIGUOUS: add_block(m, t[0], at, i[0]); break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        for (int64_t k = 0; k < i[0]; k++)
            add_block(m, t[0], at + k * (combiner == MPI_COMBINER_VECTOR ? i[2] * extent : (int64_t)a[0]), i[1]);
        break;
    case MPI_COMBINER_INDEXED:
        for (int k = 0; k < i[0]; k++)
            add_block(m, t[0], at + i[1 + i[0] + k] * extent, i[1 + k]);
        break;
    case MPI_COMBINER_HINDEXED:
        for (int k = 0; k < i[0]; k++)
            add_block(m, t[0], at + a[k], i[1 + k]);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        for (int k = 0; k < i[0]; k++)
            add_block(m, t[0], at + i[2 + k] * extent, i[1]);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (int k = 0; k < i[0]; k++)
            add_block(m, t[0], at + a[k], i[1]);
        break;
    case MPI_COMBINER_STRUCT:
        for (int k = 0; k < i[0]; k++)
            add_block(m, t[k], at + a[k], i[1 + k]);
        break;
    case MPI_COMBINER_SUBARRAY: add_subarray(m, t[0], at, i); break;
    default:
        fail(VERSO_STATUS_INVALID,
             "Verso does not know how this datatype was made (MPI_Type_create_darray or a Fortran "
             "type); make it with MPI_Type_create_struct, _vector, _indexed or _subarray");
    }
}

static void add_type(map *m, MPI_Datatype type, int64_t at) {
    int counts[3], combiner;
    PMPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
    if (combiner == MPI_COMBINER_NAMED) {
        add_named(m, type, at);
        return;
    }
    int *i = need(verso__alloc((size_t)counts[0] + 1, sizeof *i));
    MPI_Aint *a = need(verso__alloc((size_t)counts[1] + 1, sizeof *a));
    MPI_Datatype *t = need(verso__alloc((size_t)counts[2] + 1, sizeof *t));
    PMPI_Type_get_contents(type, counts[0], counts[1], counts[2], i, a, t);
    add_made(m, combiner, at, i, a, t);
    for (int k = 0; k < counts[2]; k++) {
        int ignored[3], how;
        PMPI_Type_get_envelope(t[k], &ignored[0], &ignored[1], &ignored[2], &how);
        if (how != MPI_COMBINER_NAMED)
            PMPI_Type_free(&t[k]);
    }
    verso__dealloc(i);
    verso__dealloc(a);
    verso__dealloc(t);
}

static uint64_t size_of_kind(char kind) {
    return kind == 'd' ? sizeof(double) : kind == 'f' ? sizeof(float) : kind == 'l' ? sizeof(long double) : 1;
}

/* Derivatives of so many bytes of a kind. Bytes of any type may hold numbers of each kind at multiples of 4. */
static uint64_t numbers_of(char kind, uint64_t bytes) {
    return kind == 'n' ? 0 : kind == 'r' ? bytes / WORD * RAW_KINDS : bytes / size_of_kind(kind);
}

static map *map_of(MPI_Datatype type) {
    void *found;
    int flag = 0, size;
    open_keys();
    PMPI_Type_get_attr(type, w->type_key, &found, &flag);
    if (flag)
        return found;
    map *m = need(verso__alloc(1, sizeof *m));
    add_type(m, type, 0);
    PMPI_Type_size(type, &size);
    m->bytes = (uint64_t)size;
    m->extent = extent_of(type);
    for (size_t i = 0; i < m->count; i++)
        m->numbers += m->pieces[i].kind == 'r' ? 1 : numbers_of(m->pieces[i].kind, m->pieces[i].bytes);
    m->dense = m->count == 1 && m->pieces[0].offset == 0 && m->extent == (int64_t)m->bytes;
    m->pair = m->pair && m->count == 2;
    PMPI_Type_set_attr(type, w->type_key, m);
    return m;
}

/* ---- Walking over the pieces of a message ---- */

typedef void visit(void *context, char *at, uint64_t bytes, char kind);

/* Calls `visit` with the pieces of `bytes` bytes of elements from `at` on, in order. */
static void each_piece(const map *m, char *at, uint64_t bytes, visit *visit, void *context) {
    if (m->dense) {
        visit(context, at, bytes, m->pieces[0].kind);
        return;
    }
    for (uint64_t left = bytes; left > 0 && m->bytes > 0; at += m->extent)
        for (size_t i = 0; i < m->count && left > 0; i++) {
            uint64_t now = m->pieces[i].bytes < left ? m->pieces[i].bytes : left;
            visit(context, at + m->pieces[i].offset, now, m->pieces[i].kind);
            left -= now;
        }
}

static void count_piece(void *context, char *at, uint64_t bytes, char kind) {
    (void)at;
    *(uint64_t *)context += numbers_of(kind, bytes);
}

static uint64_t count_numbers(const map *m, uint64_t bytes) {
    uint64_t count = 0;
    if (m->numbers > 0 && bytes > 0)
        each_piece(m, NULL, bytes, count_piece, &count);
    return count;
}

typedef struct copying {
    char *other;
    bool back; /* from `other` to the pieces */
} copying;

static void copy_piece(void *context, char *at, uint64_t bytes, char kind) {
    copying *copy = context;
    (void)kind;
    memcpy(copy->back ? at : copy->other, copy->back ? copy->other : at, bytes);
    copy->other += bytes;
}

/* Copies the data of elements, without gaps, to `to`; or back. */
static void pack(const map *m, const char *at, uint64_t bytes, char *to) {
    copying copy = {to, false};
    each_piece(m, (char *)(uintptr_t)at, bytes, copy_piece, &copy);
}

static void unpack(const map *m, char *at, uint64_t bytes, const char *from) {
    copying copy = {(char *)(uintptr_t)from, true};
    each_piece(m, at, bytes, copy_piece, &copy);
}

/* Pieces of the same size at the same distance, for the log. */
typedef struct rows {
    char *at;
    uint64_t size, stride, count;
} rows;

static void flush_rows(rows *r) {
    verso__native_wrote_rows(r->at, r->size, r->count > 1 ? r->stride : r->size, r->count);
    r->count = 0;
}

static void write_piece(void *context, char *at, uint64_t bytes, char kind) {
    rows *r = context;
    (void)kind;
    uint64_t stride = (uint64_t)(at - r->at) - (r->count > 0 ? (r->count - 1) * r->stride : 0);
    if (r->count > 0 && bytes == r->size && at > r->at && (r->count == 1 || stride == r->stride)) {
        r->stride = stride;
        r->count++;
        return;
    }
    flush_rows(r);
    *r = (rows){at, bytes, 0, 1};
}

/* Tells Verso that elements were written. */
static void wrote(const map *m, char *at, uint64_t bytes) {
    rows r = {0};
    if (bytes == 0)
        return;
    each_piece(m, at, bytes, write_piece, &r);
    flush_rows(&r);
}

/* ---- Derivatives ---- */

typedef enum action { READ, TAKE, ADD, WRITE } action;
typedef struct moving {
    action action;
    double *numbers;
} moving;

static void move_numbers(action action, char *at, verso_scalar type, uint64_t count, double *numbers) {
    switch (action) {
    case READ: verso_adjoint_read(at, type, count, numbers); break;
    case TAKE: verso_adjoint_take(at, type, count, numbers); break;
    case ADD: verso_adjoint_add(at, type, count, numbers); break;
    case WRITE: verso_tangent_write(at, type, count, numbers); break;
    }
}

static void move_word(action action, char *at, verso_scalar type, double *number) {
    double zero = 0;
    if (action == WRITE || (action == ADD && *number == 0)) {
        verso_adjoint_read(at, type, 1, &zero);
        if (zero == *number || action == ADD)
            return;
    }
    if (action == TAKE) {
        verso_adjoint_read(at, type, 1, number);
        if (*number == 0)
            return;
    }
    move_numbers(action, at, type, 1, number);
}

static void move_piece(void *context, char *at, uint64_t bytes, char kind) {
    moving *moving = context;
    uint64_t count = numbers_of(kind, bytes);
    static const verso_scalar types[RAW_KINDS] = {VERSO_SCALAR_DOUBLE, VERSO_SCALAR_FLOAT, VERSO_SCALAR_LONG_DOUBLE};
    if (kind == 'd' || kind == 'f' || kind == 'l')
        move_numbers(moving->action, at, types[kind == 'd' ? 0 : kind == 'f' ? 1 : 2], count, moving->numbers);
    for (uint64_t i = 0; kind == 'r' && i < count; i++) {
        char *word = at + i / RAW_KINDS * WORD;
        if ((uintptr_t)word % WORD == 0 && verso__native_mpi_has_numbers(types[i % RAW_KINDS]))
            move_word(moving->action, word, types[i % RAW_KINDS], &moving->numbers[i]);
        else if (moving->action == READ || moving->action == TAKE)
            moving->numbers[i] = 0;
    }
    moving->numbers += count;
}

static void move_all(action action, const map *m, char *at, uint64_t bytes, double *numbers) {
    moving moving = {action, numbers};
    each_piece(m, at, bytes, move_piece, &moving);
}

#endif
