/* Assignment of arrays and derived types, copies of arguments, and array constructors. */
#include "native/lib/fortran/fortran.h"

/* ---- Elements without pointers ---- */

#define COPY(type) \
    for (int64_t i = 0; i < n; i++) \
    *(type *)(to + i * to_stride) = *(const type *)(from + i * from_stride)
#define COPY_BESIDE(type) /* with constant strides, so that the loop is vectorised */ \
    for (int64_t i = 0; i < n; i++) \
    ((type *)to)[i] = *(const type *)(from + i * from_stride)

void verso__fortran_copy(int8_t code, size_t bytes, char *to, int64_t to_stride, const char *from, int64_t from_stride,
                         int64_t n) {
    if (to_stride == (int64_t)bytes && from_stride == (int64_t)bytes) {
        memcpy(to, from, (size_t)n * bytes);
    } else if (code == 28 && to_stride == 8) {
        COPY_BESIDE(double);
    } else if (code == 28) {
        COPY(double);
    } else if (code == 27) {
        COPY(float);
    } else if (code == 35) {
        for (int64_t i = 0; i < n; i++) {
            const double *a = (const double *)(from + i * from_stride);
            double *b = (double *)(to + i * to_stride);
            b[0] = a[0];
            b[1] = a[1];
        }
    } else if (bytes == 4 && !is_real(code)) {
        COPY(int32_t);
    } else {
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_stride, from + i * from_stride, bytes);
    }
}

/* Copies all elements of `from`, whose rank is 0 or that of `to`; the shapes agree. */
void verso__fortran_copy_all(const array *to, const array *from) {
    if (elements(to) == 0)
        return;
    if (from->rank == to->rank && is_contiguous(to) && is_contiguous(from)) {
        memcpy(to->base, from->base, (size_t)elements(to) * to->bytes);
        return;
    }
    walk walk = {{0}};
    int first = to->rank > 0;
    int64_t n = to->rank > 0 ? to->dim[0].count : 1, stride = to->rank > 0 ? to->dim[0].stride : 0;
    do
        verso__fortran_copy(to->code, to->bytes, line_of(to, &walk, first), stride,
                            from->rank == 0 ? from->base : line_of(from, &walk, first),
                            from->rank == 0 ? 0 : from->dim[0].stride, n);
    while (next_line(to, &walk, first));
}

/* ---- Characters of different lengths ---- */

static void assign_text(char *to, size_t room, const char *from, size_t length, size_t kind) {
    size_t both = room < length ? room : length;
    memcpy(to, from, both);
    for (size_t at = both; at < room; at += kind) {
        memset(to + at, 0, kind);
        to[at] = ' ';
    }
}

static void assign_texts(const array *to, const array *from) {
    size_t kind = to->code == TYPE_CHARACTER ? 1 : to->code == 43 ? 2 : 4;
    walk walk = {{0}};
    if (elements(to) == 0)
        return;
    do
        assign_text(line_of(to, &walk, 0), to->bytes, from->rank == 0 ? from->base : line_of(from, &walk, 0),
                    from->bytes, kind);
    while (next_line(to, &walk, 0));
}

/* ---- Derived types ---- */

typedef void two_arguments(void *, const void *);

/* Calls the defined assignment of a type for one element. Returns false if it has none. */
static bool assign_as_defined(char *to, const char *from, const type *type) {
    const special *special = verso__fortran_special(type, SCALAR_ASSIGNMENT);
    if (special == NULL)
        special = verso__fortran_special(type, ELEMENTAL_ASSIGNMENT);
    if (special == NULL || !special->type_bound)
        return false;
    room rooms[2];
    array *one = (array *)rooms[0].bytes, *other = (array *)rooms[1].bytes;
    verso__fortran_establish(one, TYPE_STRUCT, (size_t)type->bytes, 0, type);
    verso__fortran_establish(other, TYPE_STRUCT, (size_t)type->bytes, 0, type);
    one->attribute = other->attribute = OTHER;
    one->base = to;
    other->base = (char *)(uintptr_t)from;
    ((two_arguments *)special->procedure)(special->by_descriptor & 1 ? (void *)one : to,
                                          special->by_descriptor & 2 ? (const void *)other : from);
    return true;
}

/* Whether instances can be assigned as bytes: nothing in them is allocated or has a defined assignment. */
static bool is_plain(const type *type) {
    int64_t count;
    const component *components = verso__fortran_components(type, &count);
    for (int64_t i = 0; i < count; i++) {
        const component *c = &components[i];
        if (c->genre == ALLOCATABLE_COMPONENT || c->genre == AUTOMATIC_COMPONENT)
            return false;
        if (c->genre != DATA_COMPONENT || c->category != DERIVED)
            continue;
        const struct type *of = verso__fortran_type_of_component(c);
        if (verso__fortran_special(of, SCALAR_ASSIGNMENT) != NULL ||
            verso__fortran_special(of, ELEMENTAL_ASSIGNMENT) != NULL || !is_plain(of))
            return false;
    }
    return true;
}

static void assign_components(char *to, const char *from, const type *type);

static void assign_component(char *to, const char *from, const component *c) {
    const type *of = c->category == DERIVED ? verso__fortran_type_of_component(c) : NULL;
    if (c->genre == ALLOCATABLE_COMPONENT || c->genre == AUTOMATIC_COMPONENT) {
        array *place = (array *)(to + c->offset);
        const array *source = (const array *)(from + c->offset);
        if (source->base == NULL) {
            if (place->base != NULL && type_of(place) != NULL)
                _FortranADestroyWithoutFinalization(place);
            if (place->base != NULL)
                verso__fortran_free(place);
        } else if (place->base != source->base) {
            verso__fortran_assign(place, source, REALLOCATE, NULL, 0);
        }
    } else if (c->genre == DATA_COMPONENT && of != NULL && !is_plain(of)) {
        room rooms[2];
        array *one = (array *)rooms[0].bytes, *other = (array *)rooms[1].bytes;
        verso__fortran_component(c, to, one);
        verso__fortran_component(c, (char *)(uintptr_t)from, other);
        for (int64_t i = 0, n = elements(one); i < n; i++) {
            char *at = one->base + i * (int64_t)one->bytes, *with = other->base + i * (int64_t)one->bytes;
            if (!assign_as_defined(at, with, of))
                assign_components(at, with, of);
        }
    } else {
        memcpy(to + c->offset, from + c->offset, (size_t)verso__fortran_component_bytes(c));
    }
}

static void assign_components(char *to, const char *from, const type *type) {
    int64_t count;
    if (is_plain(type)) {
        memcpy(to, from, (size_t)type->bytes);
        return;
    }
    const component *components = verso__fortran_components(type, &count);
    for (int64_t i = 0; i < count; i++)
        assign_component(to, from, &components[i]);
    const procedure_component *procedures = verso__fortran_procedures(type, &count);
    for (int64_t i = 0; i < count; i++)
        memcpy(to + procedures[i].offset, from + procedures[i].offset, sizeof(void *));
}

static void assign_instances(const array *to, const array *from, const type *type) {
    walk walk = {{0}};
    if (is_plain(type)) {
        verso__fortran_copy_all(to, from);
        return;
    }
    if (elements(to) == 0)
        return;
    do
        assign_components(line_of(to, &walk, 0), from->rank == 0 ? from->base : line_of(from, &walk, 0), type);
    while (next_line(to, &walk, 0));
}

/* ---- Assignment ---- */

/* Returns the addresses between which the elements are. */
static void bounds_of(const array *a, const char **begin, const char **end) {
    *begin = *end = a->base;
    for (int i = 0; i < a->rank; i++) {
        int64_t span = (a->dim[i].count - 1) * a->dim[i].stride;
        if (span > 0)
            *end += span;
        else
            *begin += span;
    }
    *end += a->bytes;
}

/* Whether the elements may overlap otherwise than one by one. */
static bool overlaps(const array *to, const array *from) {
    const char *begin, *end, *from_begin, *from_end;
    if (to->base == NULL || from->base == NULL || elements(to) == 0 || elements(from) == 0)
        return false;
    bounds_of(to, &begin, &end);
    bounds_of(from, &from_begin, &from_end);
    if (begin >= from_end || from_begin >= end)
        return false;
    if (to->base != from->base || to->rank != from->rank)
        return true;
    for (int i = 0; i < to->rank; i++)
        if (to->dim[i].stride != from->dim[i].stride)
            return true;
    return false;
}

/* Whether `to` must get other memory to hold `from`. */
static bool differs(const array *to, const array *from) {
    if (to->base == NULL || to->bytes != from->bytes || type_of(to) != type_of(from))
        return true;
    for (int i = 0; i < to->rank && from->rank > 0; i++)
        if (to->dim[i].count != from->dim[i].count)
            return true;
    return false;
}

/* Frees what `to` has, and allocates memory of the shape and type of `from`. */
static void reallocate(array *to, const array *from, bool finalise, const char *file, int line) {
    const type *old = type_of(to), *new = type_of(from);
    if (to->base != NULL) {
        if (finalise && old != NULL && !old->no_finalisation)
            verso__fortran_finalise(to, old);
        if (old != NULL && !old->no_destruction)
            verso__fortran_destroy(to, old);
        verso__fortran_free(to);
    }
    to->bytes = from->bytes;
    to->code = from->code;
    for (int i = 0; i < to->rank && from->rank > 0; i++)
        to->dim[i] = (extent){from->dim[i].count == 0 ? 1 : from->dim[i].lower, from->dim[i].count, 0};
    if (addendum_of(to) != NULL && addendum_of(from) != NULL)
        *addendum_of(to) = *addendum_of(from);
    if (!verso__fortran_allocate(to))
        verso__fortran_fail("assignment: there is no memory for the variable", file, line);
    if (new != NULL && !new->no_initialisation)
        verso__fortran_initialise(to, new);
}

/* Makes a copy of the elements of `from` in fresh memory. */
static void copy_aside(array *copy, const array *from, const char *file, int line) {
    const type *type = type_of(from);
    copy_descriptor(copy, from);
    copy->attribute = ALLOCATABLE;
    if (!verso__fortran_allocate(copy))
        verso__fortran_fail("assignment: there is no memory for a copy of the expression", file, line);
    if (type != NULL && !type->no_initialisation)
        verso__fortran_initialise(copy, type);
    if (type != NULL)
        assign_instances(copy, from, type);
    else
        verso__fortran_copy_all(copy, from);
}

static void check_shapes(const array *to, const array *from, const char *file, int line) {
    bool same = from->rank == 0 || from->rank == to->rank;
    for (int i = 0; i < to->rank && from->rank > 0 && same; i++)
        same = to->dim[i].count == from->dim[i].count;
    if (!same)
        verso__fortran_fail("assignment: the shapes of variable and expression differ", file, line);
}

void verso__fortran_assign(array *to, const array *from, int flags, const char *file, int line) {
    room room;
    array *copy = NULL;
    const type *type = type_of(from);
    if (overlaps(to, from)) {
        copy = (array *)room.bytes;
        copy_aside(copy, from, file, line);
        from = copy;
    }
    bool finalise = (flags & FINALISE) != 0;
    if (to->attribute == ALLOCATABLE && (flags & REALLOCATE) != 0 && differs(to, from))
        reallocate(to, from, finalise, file, line);
    else if (finalise && type_of(to) != NULL && !type_of(to)->no_finalisation)
        verso__fortran_finalise(to, type_of(to));
    check_shapes(to, from, file, line);
    if (type != NULL)
        assign_instances(to, from, type);
    else if (is_character(to) && to->bytes != from->bytes)
        assign_texts(to, from);
    else
        verso__fortran_copy_all(to, from);
    if (copy == NULL)
        return;
    if (type != NULL && !type->no_destruction)
        verso__fortran_destroy(copy, type);
    verso__fortran_free(copy);
}

void _FortranAAssign(array *to, const array *from, const char *file, int line) {
    verso__fortran_assign(to, from, REALLOCATE | FINALISE, file, line);
}

void _FortranAAssignTemporary(array *to, const array *from, const char *file, int line) {
    const type *type = type_of(to);
    if (to->base != NULL && type != NULL && !type->no_initialisation)
        verso__fortran_initialise(to, type);
    verso__fortran_assign(to, from, REALLOCATE, file, line);
}

void _FortranAAssignPolymorphic(array *to, const array *from, const char *file, int line) {
    verso__fortran_assign(to, from, REALLOCATE | FINALISE, file, line);
}

void _FortranAAssignExplicitLengthCharacter(array *to, const array *from, const char *file, int line) {
    size_t bytes = to->bytes;
    if (to->base == NULL) {
        for (int i = 0; i < to->rank && from->rank > 0; i++)
            to->dim[i] = (extent){from->dim[i].lower, from->dim[i].count, 0};
        to->bytes = bytes;
        if (!verso__fortran_allocate(to))
            verso__fortran_fail("assignment: there is no memory for the variable", file, line);
    }
    verso__fortran_assign(to, from, 0, file, line);
}

/* ---- Actual arguments that must be contiguous ---- */

void _FortranACopyInAssign(array *copy, const array *variable, const char *file, int line) {
    copy_aside(copy, variable, file, line);
}

/* `variable`: NULL if the procedure does not change it. */
void _FortranACopyOutAssign(array *variable, array *copy, const char *file, int line) {
    const type *type = type_of(copy);
    if (variable != NULL)
        verso__fortran_assign(variable, copy, 0, file, line);
    if (type != NULL && !type->no_destruction)
        verso__fortran_destroy(copy, type);
    verso__fortran_free(copy);
}

/* ---- Array constructors ---- */

typedef struct constructor {
    array *to;
    int64_t next, room; /* elements */
    const char *file;
    int line;
    bool takes_length;
} constructor;

void _FortranAInitArrayConstructorVector(constructor *vector, array *to, bool takes_length, int bytes, const char *file,
                                         int line) {
    (void)bytes;
    int64_t room = to->base != NULL || to->rank == 0 ? elements(to) : 0;
    *vector = (constructor){to, 0, room, file, line, takes_length};
}

/* Makes room for n more elements. */
static void grow(constructor *vector, int64_t n) {
    array *to = vector->to;
    int64_t wanted = vector->next + n, count = to->dim[0].count;
    if (wanted > vector->room) {
        int64_t room = to->base == NULL && count > wanted ? count
                       : wanted > 2 * vector->room        ? wanted
                                                          : 2 * vector->room;
        char *fresh = verso__native_malloc(room * (int64_t)to->bytes > 0 ? (size_t)room * to->bytes : 1);
        if (fresh == NULL)
            verso__fortran_fail("array constructor: there is no memory", vector->file, vector->line);
        if (to->base != NULL) {
            memcpy(fresh, to->base, (size_t)vector->next * to->bytes);
            verso__native_free(to->base);
        }
        to->base = fresh;
        vector->room = room;
    }
    if (wanted > count)
        to->dim[0].count = wanted;
    to->dim[0].stride = (int64_t)to->bytes;
}

void _FortranAPushArrayConstructorSimpleScalar(constructor *vector, const void *from) {
    grow(vector, 1);
    array *to = vector->to;
    verso__fortran_copy(to->code, to->bytes, to->base + vector->next++ * (int64_t)to->bytes, 0, from, 0, 1);
}

void _FortranAPushArrayConstructorValue(constructor *vector, const array *from) {
    array *to = vector->to;
    if (to->base == NULL && vector->takes_length && is_character(to))
        to->bytes = from->bytes;
    int64_t n = elements(from);
    grow(vector, n);
    room room;
    array *part = (array *)room.bytes;
    copy_descriptor(part, from);
    part->bytes = to->bytes;
    set_strides(part);
    part->base = to->base + vector->next * (int64_t)to->bytes;
    part->attribute = OTHER;
    const type *type = type_of(from);
    if (type != NULL && !type->no_initialisation)
        verso__fortran_initialise(part, type);
    if (type != NULL)
        assign_instances(part, from, type);
    else if (is_character(to) && to->bytes != from->bytes)
        assign_texts(part, from);
    else
        verso__fortran_copy_all(part, from);
    vector->next += n;
}
