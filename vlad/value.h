/* Values: one word each. A real number is its IEEE bits; all other values are NaNs that arithmetic never produces.
 * An object consists of a header and fields, one word each. A field is a value or a raw word below 2^48 (an
 * address of a C object, or a small number). A raw word looks like a tiny real, so that code that traverses memory
 * need not distinguish the two.
 *
 * Objects are immutable once they are made, and never cyclic. Vectors are the only exception: they change
 * internally, but not in meaning. Only vector.c accesses the fields of a VLAD_VECTOR or VLAD_ARRAY. Objects lie in
 * a heap (heap.h), or outside of it: constants of the program, which never move and point to constants only. */
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
    VLAD_FRAME,        /* a continuation: what it does (raw), the next frame, kept values */
    VLAD_CAPSULE,      /* an interrupted evaluation */
    VLAD_TAPE,         /* a chunk of a recording */
    VLAD_PLAY,         /* a checkpointed evaluation within another one: player.h */
    VLAD_BYTES,        /* number of bytes (raw), then the bytes */
    VLAD_TABLE,        /* cotangents by number */
    /* a continuation of a converted program: vlad_cps_continuation * (raw), captured values */
    VLAD_CONVERTED,
    VLAD_ARRAY, /* the elements of a vector: vector.h */
    VLAD_OBJECT_KINDS
} vlad_object_kind;

typedef struct vlad_object {
    uint64_t header;    /* kind and number of fields; during a collection the forwarding address */
    vlad_value field[]; /* flexible: C17; the header is a word, so there is no padding */
} vlad_object;

#define VLAD_NAN UINT64_C(0x7ff8000000000000)
#define VLAD_POINTER UINT64_C(0xfffa000000000000)
#define VLAD_NULL UINT64_C(0xfffb000000000000)
#define VLAD_FALSE UINT64_C(0xfffb000000000001)
#define VLAD_TRUE UINT64_C(0xfffb000000000002)
#define VLAD_NOTHING UINT64_C(0xfffb000000000003) /* not a value; programs never see it */

/* True for plain numbers, which are below all other values. A NaN made by arithmetic is replaced by VLAD_NAN. */
static inline bool vlad_is_plain(vlad_value v) {
    return v < VLAD_POINTER;
}
static inline bool vlad_is_object(vlad_value v) {
    return v >> 48 == VLAD_POINTER >> 48;
}
/* Convert between a plain number and its value. */
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
/* Convert between an object and its value. */
static inline vlad_object *vlad_object_of(vlad_value v) {
    return (vlad_object *)(uintptr_t)(v & UINT64_C(0xffffffffffff));
}
static inline vlad_value vlad_value_of(const vlad_object *object) {
    return VLAD_POINTER | (uint64_t)(uintptr_t)object;
}
/* Bits of the header: the object is outside of the heap; it never moves (heap.h). */
#define VLAD_STATIC UINT64_C(128)
#define VLAD_PINNED UINT64_C(64)

static inline uint64_t vlad_header(vlad_object_kind kind, uint64_t fields) {
    return fields << 8 | (uint64_t)kind << 1 | 1; /* odd: not a forwarding address */
}
static inline vlad_object_kind vlad_kind_of(const vlad_object *object) {
    return (vlad_object_kind)(object->header >> 1 & 31);
}
static inline uint64_t vlad_fields_of(const vlad_object *object) {
    return object->header >> 8;
}
static inline bool vlad_is_kind(vlad_value v, vlad_object_kind kind) {
    return vlad_is_object(v) && vlad_kind_of(vlad_object_of(v)) == kind;
}
/* True for a number of any level. */
static inline bool vlad_is_real(vlad_value v) {
    return vlad_is_plain(v) || vlad_is_kind(v, VLAD_DUAL) || vlad_is_kind(v, VLAD_REVERSE);
}

#endif
