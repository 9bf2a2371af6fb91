/* What the files of this room share. */
#ifndef NATIVE_BLAS_INSIDE_H
#define NATIVE_BLAS_INSIDE_H

#include "native/blas/blas.h"

#include <complex.h>

typedef double _Complex verso__blas_number;
static inline verso__blas_number verso__blas_complex(double re, double im) {
    return __builtin_complex(re, im);
}
typedef enum verso__blas_type { VERSO_BLAS_S, VERSO_BLAS_D, VERSO_BLAS_C_, VERSO_BLAS_Z } verso__blas_type;

/* ---- matrix.c ---- */

/* Element (i, j) is at data + (i * down + j * across) * size of an element; `conj`: its conjugate is meant. Functions
 * below write to matrices without `conj` only. */
typedef struct verso__blas_matrix {
    char *data;
    int64_t rows, cols, down, across;
    verso__blas_type type;
    bool conj;
} verso__blas_matrix;

size_t verso__blas_size(verso__blas_type type); /* bytes of an element */
static inline bool verso__blas_is_complex(verso__blas_type type) {
    return type >= VERSO_BLAS_C_;
}
/* Return the transposed, the conjugated and transposed matrix, and op(m) of a flag n, t or c (r: conjugated). */
verso__blas_matrix verso__blas_transposed(verso__blas_matrix m);
verso__blas_matrix verso__blas_adjoint(verso__blas_matrix m);
verso__blas_matrix verso__blas_op(verso__blas_matrix m, char flag);
verso__blas_matrix verso__blas_part(verso__blas_matrix m, int64_t row, int64_t col, int64_t rows, int64_t cols);
/* Returns a new matrix of zeros, which lives until verso__blas_release. Gives the run up if there is no memory. */
verso__blas_matrix verso__blas_new(verso__blas_type type, int64_t rows, int64_t cols);
verso__blas_matrix verso__blas_new_copy(verso__blas_matrix m);
void verso__blas_release(void);
verso__blas_number verso__blas_get(verso__blas_matrix m, int64_t i, int64_t j);
void verso__blas_set(verso__blas_matrix m, int64_t i, int64_t j, verso__blas_number value);
void verso__blas_copy(verso__blas_matrix to, verso__blas_matrix from);
void verso__blas_add(verso__blas_matrix to, verso__blas_number factor, verso__blas_matrix from);
void verso__blas_scale(verso__blas_matrix m, verso__blas_number factor); /* by 0: sets zeros, whatever is there */
bool verso__blas_is_zero(verso__blas_matrix m);
verso__blas_number verso__blas_dot(verso__blas_matrix a, verso__blas_matrix b); /* sum of conj(a) b */
/* c = factor a b + keep c. `keep` is 0 (c is not read) or 1. */
void verso__blas_multiply(verso__blas_number factor, verso__blas_matrix a, verso__blas_matrix b, double keep,
                          verso__blas_matrix c);
/* Solves a x = b for a triangular `a`, of which only the triangle is read; b becomes x. */
void verso__blas_solve(verso__blas_matrix a, bool lower, bool unit, verso__blas_matrix b);
/* Keeps one triangle of a square matrix and sets the other elements to zero. The diagonal is multiplied by `diagonal`.
 */
void verso__blas_keep_triangle(verso__blas_matrix m, bool lower, double diagonal);

/* ---- arguments.c ---- */

enum { VERSO_BLAS_ARGUMENTS = 16 };

/* The arguments of a call, in the order of the signature, without the layout. */
typedef struct verso__blas_call {
    verso_call *call;
    verso__blas_routine routine;
    verso__blas_type type;
    verso__blas_interface interface;
    bool by_rows;     /* CBLAS, LAPACKE: row-major */
    const char *kept; /* sweep: what is next of the bytes that were kept */
    struct {
        void *pointer; /* of arrays; of numbers that the program passes by address, else NULL */
        verso__blas_number number;
        int64_t integer;
        int slot; /* of numbers passed by value: index in call->argument; -1 otherwise */
    } argument[VERSO_BLAS_ARGUMENTS];
    unsigned count;
} verso__blas_call;

/* Reads the arguments. When recording, it keeps what the program passes by address; in the sweep, it reads that from
 * the kept bytes. */
typedef enum verso__blas_phase { VERSO_BLAS_RECORDS, VERSO_BLAS_REREADS, VERSO_BLAS_SWEEPS } verso__blas_phase;
void verso__blas_read_call(verso__blas_call *c, verso_call *call, uint64_t code, const int64_t *words,
                           verso__blas_phase phase);
/* Returns a flag as a lower-case letter. */
static inline char verso__blas_flag(const verso__blas_call *c, unsigned k) {
    return (char)c->argument[k].integer;
}
/* Returns whether the derivative by number k may be wanted. */
bool verso__blas_wants(const verso__blas_call *c, unsigned k);
/* Adds to the adjoint of number k, and returns its tangent. */
void verso__blas_add_number(const verso__blas_call *c, unsigned k, verso__blas_number adjoint);
verso__blas_number verso__blas_number_tangent(const verso__blas_call *c, unsigned k);
/* Keeps bytes; takes them in the sweep. Both round up to multiples of 8. */
void verso__blas_keep_bytes(verso__blas_call *c, const void *bytes, size_t size);
const void *verso__blas_take_bytes(verso__blas_call *c, size_t size);

/* ---- operand.c ---- */

typedef enum verso__blas_shape {
    VERSO_BLAS_GENERAL,
    VERSO_BLAS_SYMMETRIC,
    VERSO_BLAS_HERMITIAN,
    VERSO_BLAS_TRIANGULAR
} verso__blas_shape;
typedef enum verso__blas_storage { VERSO_BLAS_FULL, VERSO_BLAS_PACKED, VERSO_BLAS_BAND } verso__blas_storage;

/* A matrix as a routine stores it. */
typedef struct verso__blas_operand {
    verso__blas_matrix at; /* FULL: the elements. Otherwise its data, rows and columns; see element_at in operand.c */
    verso__blas_shape shape;
    verso__blas_storage storage;
    bool lower, unit;     /* the triangle that is stored; its diagonal counts as ones */
    bool by_rows;         /* PACKED, BAND */
    int64_t below, above; /* BAND: number of diagonals */
    int64_t distance;     /* BAND: between columns (rows) */
} verso__blas_operand;

/* The arguments from k on as an operand. */
verso__blas_operand verso__blas_vector(const verso__blas_call *c, unsigned k, int64_t count);
verso__blas_operand verso__blas_full(const verso__blas_call *c, unsigned k, int64_t rows, int64_t cols);
/* Keeps the elements; takes them in the sweep: an operand that is stored in the same way elsewhere. */
void verso__blas_keep(verso__blas_call *c, verso__blas_operand o);
verso__blas_operand verso__blas_take(verso__blas_call *c, verso__blas_operand o);
/* Returns the same operand with the cells of its elements in place of the elements. Gives the run up if there are none.
 */
verso__blas_operand verso__blas_cells(verso__blas_operand o);
/* Returns the matrix that the operand stands for: itself if it is full and general, otherwise a new one. `cells`: the
 * operand holds derivatives, so that a unit diagonal counts as zeros. */
verso__blas_matrix verso__blas_dense(verso__blas_operand o, bool cells);
/* Adds factor * m, the adjoint of the matrix that the operand stands for, to the adjoints of the stored elements. */
void verso__blas_spread(verso__blas_operand cells, verso__blas_number factor, verso__blas_matrix m);
/* Returns, for an operand that a routine writes, a new matrix that holds the stored elements, and zeros elsewhere. */
verso__blas_matrix verso__blas_stored(verso__blas_operand o);
/* Sets the stored elements to keep * elements + those of m. */
void verso__blas_store(verso__blas_operand o, verso__blas_number keep, verso__blas_matrix m);
/* Multiplies the stored elements. */
void verso__blas_scale_stored(verso__blas_operand o, verso__blas_number factor);

/* ---- Rules ---- */

typedef struct verso__blas_rule {
    void (*record)(verso__blas_call *c);   /* before the routine; NULL: nothing to do, here and below */
    void (*recorded)(verso__blas_call *c); /* after it */
    void (*sweep)(verso__blas_call *c);
    void (*tangent)(verso__blas_call *c); /* before it */
    void (*tangent_end)(verso__blas_call *c);
} verso__blas_rule;

extern const verso__blas_rule verso__blas_vector_rule, verso__blas_product_rule, verso__blas_solve_rule,
    verso__blas_getrf_rule, verso__blas_getrs_rule, verso__blas_gesv_rule, verso__blas_potrf_rule,
    verso__blas_potrs_rule, verso__blas_posv_rule;

#endif
