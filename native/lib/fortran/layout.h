/* The layouts of flang 19: descriptors of arrays (ISO_Fortran_binding.h), and tables of derived types (the module
 * __fortran_type_info). */
#ifndef NATIVE_LIB_FORTRAN_LAYOUT_H
#define NATIVE_LIB_FORTRAN_LAYOUT_H

#include "native/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { RANK_MOST = 15, VERSION = 20180515 };
enum { OTHER = 0, POINTER = 1, ALLOCATABLE = 2 };             /* attributes */
enum { INTEGER, REAL, COMPLEX, CHARACTER, LOGICAL, DERIVED }; /* categories */
enum {
    TYPE_INTEGER = 7,
    TYPE_REAL = 25,
    TYPE_COMPLEX = 32,
    TYPE_CHARACTER = 40,
    TYPE_LOGICAL_1 = 39,
    TYPE_STRUCT = 42
};
enum { DATA_COMPONENT = 1, POINTER_COMPONENT, ALLOCATABLE_COMPONENT, AUTOMATIC_COMPONENT };

typedef struct extent {
    int64_t lower, count, stride; /* stride in bytes */
} extent;

typedef struct array array;
typedef struct type type;

/* A descriptor. If `extra` is not 0, an addendum follows the last dimension. */
struct array {
    char *base;
    size_t bytes; /* of an element */
    int version;
    uint8_t rank;
    int8_t code;
    uint8_t attribute, extra;
    extent dim[];
};

typedef struct addendum {
    const type *type;
    int64_t length[1];
} addendum;

/* A descriptor of any rank, as a variable. */
typedef struct room {
    _Alignas(8) char bytes[sizeof(array) + RANK_MOST * sizeof(extent) + sizeof(addendum)];
} room;

typedef struct value {
    int8_t genre; /* 1 deferred, 2 explicit, 3 a length parameter */
    int64_t value;
} value;

typedef struct component {
    char name[sizeof(array)];
    int8_t genre, category, kind, rank;
    int64_t offset;
    value length; /* of characters */
    char derived[sizeof(array) + sizeof(addendum)];
    char length_values[sizeof(array) + sizeof(extent) + sizeof(addendum)];
    char bounds[sizeof(array) + 2 * sizeof(extent) + sizeof(addendum)];
    const void *initial;
} component;

typedef struct procedure_component {
    char name[sizeof(array)];
    int64_t offset;
    const void *initial;
} procedure_component;

enum { SCALAR_ASSIGNMENT = 1, ELEMENTAL_ASSIGNMENT = 2, ELEMENTAL_FINAL = 7, ANY_RANK_FINAL = 8, SCALAR_FINAL = 9 };
typedef struct special {
    int8_t which, by_descriptor, type_bound, contiguous;
    void (*procedure)(void);
} special;

struct type {
    char bindings[sizeof(array) + sizeof(extent) + sizeof(addendum)];
    char name[sizeof(array)];
    int64_t bytes;
    char uninstantiated[sizeof(array) + sizeof(addendum)];
    char kind_parameters[sizeof(array) + sizeof(extent)];
    char length_kinds[sizeof(array) + sizeof(extent)];
    char components[sizeof(array) + sizeof(extent) + sizeof(addendum)];
    char procedures[sizeof(array) + sizeof(extent) + sizeof(addendum)];
    char specials[sizeof(array) + sizeof(extent) + sizeof(addendum)];
    int32_t special_set;
    int8_t has_parent, no_initialisation, no_destruction, no_finalisation;
};

typedef struct namelist_item {
    const char *name;
    const array *a;
} namelist_item;

typedef struct namelist {
    const char *name;
    size_t count;
    const namelist_item *items;
    const void *defined;
} namelist;

_Static_assert(sizeof(array) == 24 && sizeof(component) == 256 && sizeof(type) == 432, "flang's layout");

#endif
