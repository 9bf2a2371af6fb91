/* Functions of flang's run-time library that move or combine numbers, written in C so that they are differentiated
 * like the program's own. They have flang's names and take its descriptors; a program that calls one gets it as a
 * static function (cc/front/fortran.c). Everything else of the run-time library is used as it is.
 *
 * Elements are moved as numbers of their type, or by memcpy, so that their derivatives move with them. */
#ifndef NATIVE_LIB_FORTRAN_H
#define NATIVE_LIB_FORTRAN_H

#include "native/lib/fortran/layout.h"

/* ---- Descriptors ---- */

static inline addendum *addendum_of(const array *a) {
    return a->extra == 0 ? NULL : (addendum *)(uintptr_t)&a->dim[a->rank];
}

static inline const type *type_of(const array *a) {
    const addendum *more = addendum_of(a);
    return more == NULL ? NULL : more->type;
}

static inline int64_t elements(const array *a) {
    int64_t count = 1;
    for (int i = 0; i < a->rank; i++)
        count *= a->dim[i].count;
    return count;
}

/* Returns whether the elements follow each other in memory. */
static inline bool is_contiguous(const array *a) {
    int64_t stride = (int64_t)a->bytes;
    for (int i = 0; i < a->rank; i++) {
        if (a->dim[i].stride != stride && a->dim[i].count != 1)
            return elements(a) == 0;
        stride *= a->dim[i].count;
    }
    return true;
}

static inline bool is_character(const array *a) {
    return a->code == TYPE_CHARACTER || a->code == TYPE_CHARACTER + 3 || a->code == TYPE_CHARACTER + 4;
}

static inline bool is_real(int8_t code) {
    return code >= TYPE_REAL && code < TYPE_COMPLEX;
}

/* Returns whether the elements are, or may contain, reals. */
static inline bool has_numbers(const array *a) {
    return (a->code >= TYPE_REAL && a->code < TYPE_LOGICAL_1) || a->code == TYPE_STRUCT;
}

/* Sets the strides of contiguous elements. */
static inline void set_strides(array *a) {
    int64_t stride = (int64_t)a->bytes;
    for (int i = 0; i < a->rank; i++) {
        a->dim[i].stride = stride;
        stride *= a->dim[i].count;
    }
}

/* Copies the descriptor with its addendum. */
static inline void copy_descriptor(array *to, const array *from) {
    memcpy(to, from, sizeof *from + from->rank * sizeof(extent) + (from->extra != 0 ? sizeof(addendum) : 0));
}

/* A walk through all elements in array order. `at[]` are subscripts from 0. The caller goes through the dimensions
 * before `first` by itself: the walk stops once for each line. */
typedef struct walk {
    int64_t at[RANK_MOST];
} walk;

/* Returns the first element of the line that the walk is at. */
static inline char *line_of(const array *a, const walk *walk, int first) {
    char *line = a->base;
    for (int i = first; i < a->rank; i++)
        line += walk->at[i] * a->dim[i].stride;
    return line;
}

/* Goes to the next line, from dimension `first` on. Returns false after the last one. */
static inline bool next_line(const array *a, walk *walk, int first) {
    for (int i = first; i < a->rank; i++) {
        if (++walk->at[i] < a->dim[i].count)
            return true;
        walk->at[i] = 0;
    }
    return false;
}

/* ---- allocate.c ---- */

/* Allocates memory for the elements of a descriptor with type and extents, and sets its strides. Returns false if
 * memory is exhausted. */
bool verso__fortran_allocate(array *a);
void verso__fortran_free(array *a);
/* Establishes a result: type and rank as given, extents by the caller afterwards. */
void verso__fortran_establish(array *a, int8_t code, size_t bytes, int rank, const type *type);
/* Makes an allocated result of the type of `like`, with these extents, lower bounds 1. Ends the program if memory is
 * exhausted. */
void verso__fortran_result(array *result, const array *like, int rank, const int64_t *counts, const char *file,
                           int line);
/* The same with a type code. */
void verso__fortran_result_of(array *result, int8_t code, size_t bytes, int rank, const int64_t *counts,
                              const char *file, int line);
/* Ends the program with a message. */
_Noreturn void verso__fortran_fail(const char *message, const char *file, int line);

/* ---- derived.c ---- */

void verso__fortran_initialise(const array *a, const type *type);
void verso__fortran_destroy(const array *a, const type *type);
void _FortranADestroyWithoutFinalization(const array *a);
void verso__fortran_finalise(const array *a, const type *type);
/* Reads the tables of a type. */
const component *verso__fortran_components(const type *type, int64_t *count);
const procedure_component *verso__fortran_procedures(const type *type, int64_t *count);
const special *verso__fortran_special(const type *type, int which);
const type *verso__fortran_type_of_component(const component *component);
/* Makes a descriptor of a component that is data, in the instance at `at`. */
void verso__fortran_component(const component *component, char *at, array *made);
/* Returns the number of bytes that the component takes in an instance. */
int64_t verso__fortran_component_bytes(const component *component);
/* The run time: after a call of flang's library, tell what it has read into memory, or written to it. */
void verso__fortran_was_read(const array *a);
void verso__fortran_was_written(char *data, uint64_t bytes);

/* ---- statements.c, inout.c: numbers in files ---- */

/* All elements of a contiguous array were written (`out`) or read by the statement. `defined` is flang's list of
 * procedures for defined input and output; NULL: none. */
void verso__fortran_moved(const void *statement, const array *a, const void *defined, bool out);
/* The statement is about to read numbers: refuses it if they are text that this run has written. */
void verso__fortran_text_in(const void *statement);
void verso__fortran_statement_ends(const void *statement);
bool verso__fortran_group_has_numbers(const namelist *group);
/* Makes a contiguous copy of an array, which verso__fortran_free frees. */
void verso__fortran_copy_aside(array *copy, const array *a);

/* ---- assign.c ---- */

enum { REALLOCATE = 1, FINALISE = 2 };
void verso__fortran_assign(array *to, const array *from, int flags, const char *file, int line);
/* Copies n elements of `bytes` bytes each. */
void verso__fortran_copy(int8_t code, size_t bytes, char *to, int64_t to_stride, const char *from, int64_t from_stride,
                         int64_t n);
/* Copies all elements of `from` to `to`, which has the same shape. */
void verso__fortran_copy_all(const array *to, const array *from);

#endif
