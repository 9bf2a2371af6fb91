/* Values: a word each. A real number is its IEEE bits; everything else lies among the NaNs that arithmetic never makes.
 * An object is a header and fields, a word each, which are values or raw words below 2^48 (addresses of C things, small
 * numbers): a raw word reads as a tiny real, so that whoever walks through memory need not know one from the other.
 *
 * Objects are immutable once they are made, and never cyclic. The one exception are vectors, which change within though
 * not in meaning: nobody but vector.h looks into a VLAD_VECTOR or a VLAD_ARRAY. Objects lie in a heap (heap.h), or
 * outside it and never move: constants of the program, which point to constants only. */
#ifndef VLAD_VALUE_H
#define VLAD_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t vlad_value;

typedef enum vlad_object_kind {
    VLAD_PAIR,         /* first, second */
    VLAD_CLOSURE,      /* vlad_lambda * (raw), captured values; in a letrec: vlad_lambda *, the group */
    VLAD_GROUP_VALUES, /* vlad_letrec * (raw), the variables that its lambdas share */
    VLAD_VECTOR,       /* a version of a vector: vector.h */
    VLAD_DUAL,         /* tag (raw), primal, tangent */
    VLAD_REVERSE,      /* tag (raw), number (raw), primal */
    VLAD_FRAME,        /* a continuation: what it does (raw), the next one, what it keeps */
    VLAD_CAPSULE,      /* an interrupted evaluation */
    VLAD_TAPE,         /* a chunk of a recording */
    VLAD_PLAY,         /* a checkpointed evaluation within another one: player.h */
    VLAD_BYTES,        /* how many (raw), and they: not values */
    VLAD_TABLE,        /* cotangents by number */
    VLAD_CONVERTED,    /* a continuation of a converted program: vlad_cps_continuation * (raw), what it captures */
    VLAD_ARRAY,        /* the elements of vectors: vector.h */
    VLAD_OBJECT_KINDS
} vlad_object_kind;

typedef struct vlad_object {
    uint64_t header;    /* kind, number of fields; the collector's forwarding address */
    vlad_value field[]; /* flexible: C17, and the header is a word, so there is no padding */
} vlad_object;

#define VLAD_NAN UINT64_C(0x7ff8000000000000)
#define VLAD_POINTER UINT64_C(0xfffa000000000000)
#define VLAD_NULL UINT64_C(0xfffb000000000000)
#define VLAD_FALSE UINT64_C(0xfffb000000000001)
#define VLAD_TRUE UINT64_C(0xfffb000000000002)
#define VLAD_NOTHING UINT64_C(0xfffb000000000003) /* no value at all: never seen by a program */

/* Plain numbers are below the first of the others; the NaN that arithmetic makes is put at VLAD_NAN. */
static inline bool vlad_is_plain(vlad_value v) {
    return v < VLAD_POINTER;
}
static inline bool vlad_is_object(vlad_value v) {
    return v >> 48 == VLAD_POINTER >> 48;
}
static inline double vlad_plain(vlad_value v) {
    double number;
    memcpy(&number, &v, sizeof number);
    return number;
}
static inline vlad_value vlad_number(double number) {
    vlad_value v;
    memcpy(&v, &number, sizeof v);
    return number != number ? VLAD_NAN : v;
}
static inline vlad_value vlad_boolean(bool truth) {
    return truth ? VLAD_TRUE : VLAD_FALSE;
}
static inline vlad_object *vlad_object_of(vlad_value v) {
    return (vlad_object *)(uintptr_t)(v & UINT64_C(0xffffffffffff));
}
static inline vlad_value vlad_value_of(const vlad_object *object) {
    return VLAD_POINTER | (uint64_t)(uintptr_t)object;
}
/* Of an object outside the heap, in its header. */
#define VLAD_STATIC UINT64_C(128)

static inline uint64_t vlad_header(vlad_object_kind kind, uint64_t fields) {
    return fields << 8 | (uint64_t)kind << 1 | 1; /* odd: not a forwarding address */
}
static inline vlad_object_kind vlad_kind_of(const vlad_object *object) {
    return (vlad_object_kind)(object->header >> 1 & 63);
}
static inline uint64_t vlad_fields_of(const vlad_object *object) {
    return object->header >> 8;
}
static inline bool vlad_is_kind(vlad_value v, vlad_object_kind kind) {
    return vlad_is_object(v) && vlad_kind_of(vlad_object_of(v)) == kind;
}
/* A number of any level. */
static inline bool vlad_is_real(vlad_value v) {
    return vlad_is_plain(v) || vlad_is_kind(v, VLAD_DUAL) || vlad_is_kind(v, VLAD_REVERSE);
}

#endif
