/* ALLOCATE, DEALLOCATE, MOVE_ALLOC and pointers: memory comes from the program's heap, which is part of capsules. */
#include "native/lib/fortran/fortran.h"

enum { STAT_NOT_ALLOCATED = 11, STAT_ALLOCATED = 12, STAT_NO_MEMORY = 19, STAT_SAME = 109 };

_Noreturn void _FortranAReportFatalUserError(const char *message, const char *file, int line);

void verso__fortran_fail(const char *message, const char *file, int line) {
    _FortranAReportFatalUserError(message, file, line);
}

/* ---- Descriptors ---- */

void verso__fortran_establish(array *a, int8_t code, size_t bytes, int rank, const type *type) {
    a->base = NULL;
    a->bytes = bytes;
    a->version = VERSION;
    a->rank = (uint8_t)rank;
    a->code = code;
    a->attribute = ALLOCATABLE;
    a->extra = type != NULL;
    for (int i = 0; i < rank; i++)
        a->dim[i] = (extent){1, 0, (int64_t)bytes};
    if (type != NULL)
        *addendum_of(a) = (addendum){type, {0}};
}

/* Returns the type code of an intrinsic type; sets *bytes to the size of an element. */
static int8_t code_of(int category, int kind, size_t *bytes) {
    *bytes = (size_t)(kind == 10 ? 16 : kind);
    switch (category) {
    case INTEGER: return (int8_t)(TYPE_INTEGER + (kind == 1 ? 0 : kind == 2 ? 1 : kind == 4 ? 2 : kind == 8 ? 3 : 4));
    case COMPLEX:
        *bytes *= 2;
        return (int8_t)(kind == 4 ? 34 : kind == 8 ? 35 : kind == 10 ? 36 : kind == 16 ? 38 : TYPE_COMPLEX + kind - 2);
    case LOGICAL: return (int8_t)(kind == 1 ? TYPE_LOGICAL_1 : kind == 2 ? 13 : kind == 4 ? 14 : 15);
    case CHARACTER: return (int8_t)(kind == 1 ? TYPE_CHARACTER : kind == 2 ? 43 : 44);
    default:
        return (int8_t)(kind == 4 ? 27 : kind == 8 ? 28 : kind == 10 ? 29 : kind == 16 ? 31 : TYPE_REAL + kind - 2);
    }
}

bool verso__fortran_allocate(array *a) {
    set_strides(a);
    int64_t size = elements(a) * (int64_t)a->bytes;
    a->base = verso__native_malloc(size > 0 ? (size_t)size : 1);
    return a->base != NULL;
}

void verso__fortran_free(array *a) {
    verso__native_free(a->base);
    a->base = NULL;
}

void verso__fortran_result_of(array *result, int8_t code, size_t bytes, int rank, const int64_t *counts,
                              const char *file, int line) {
    const type *derived = type_of(result);
    verso__fortran_establish(result, code, bytes, rank, code == TYPE_STRUCT ? derived : NULL);
    for (int i = 0; i < rank; i++)
        result->dim[i] = (extent){1, counts[i] > 0 ? counts[i] : 0, 0};
    if (!verso__fortran_allocate(result))
        verso__fortran_fail("no memory for the result of an array intrinsic", file, line);
}

void verso__fortran_result(array *result, const array *like, int rank, const int64_t *counts, const char *file,
                           int line) {
    verso__fortran_establish(result, like->code, like->bytes, rank, type_of(like));
    for (int i = 0; i < rank; i++)
        result->dim[i] = (extent){1, counts[i] > 0 ? counts[i] : 0, 0};
    if (!verso__fortran_allocate(result))
        verso__fortran_fail("no memory for the result of an array intrinsic", file, line);
}

/* ---- What a statement reports ---- */

static void fill_message(const array *message, const char *text) {
    if (message == NULL || message->base == NULL)
        return;
    size_t length = strlen(text), room = message->bytes;
    memcpy(message->base, text, length < room ? length : room);
    if (length < room)
        memset(message->base + length, ' ', room - length);
}

static int report(int status, bool has_status, const array *message, const char *file, int line) {
    const char *text = status == STAT_ALLOCATED       ? "ALLOCATE of an object that is allocated already"
                       : status == STAT_NOT_ALLOCATED ? "DEALLOCATE of an object that is not allocated"
                       : status == STAT_SAME          ? "MOVE_ALLOC to the same object"
                                                      : "ALLOCATE: there is no memory";
    if (!has_status)
        verso__fortran_fail(text, file, line);
    fill_message(message, text);
    return status;
}

/* ---- ALLOCATE ---- */

static void initialise_intrinsic(array *a, int category, int kind, int rank, uint8_t attribute) {
    size_t bytes;
    int8_t code = code_of(category, kind, &bytes);
    verso__fortran_establish(a, code, bytes, rank, NULL);
    a->attribute = attribute;
}

static void initialise_derived(array *a, const type *type, int rank, uint8_t attribute) {
    verso__fortran_establish(a, TYPE_STRUCT, (size_t)type->bytes, rank, type);
    a->attribute = attribute;
}

static void initialise_character(array *a, int64_t length, int kind, int rank, uint8_t attribute) {
    size_t bytes;
    int8_t code = code_of(CHARACTER, kind, &bytes);
    verso__fortran_establish(a, code, (size_t)(length * kind), rank, NULL);
    a->attribute = attribute;
}

void _FortranAAllocatableInitIntrinsic(array *a, int category, int kind, int rank, int corank) {
    (void)corank;
    initialise_intrinsic(a, category, kind, rank, ALLOCATABLE);
}

void _FortranAAllocatableInitCharacter(array *a, int64_t length, int kind, int rank, int corank) {
    (void)corank;
    initialise_character(a, length, kind, rank, ALLOCATABLE);
}

void _FortranAAllocatableInitDerived(array *a, const type *type, int rank, int corank) {
    (void)corank;
    initialise_derived(a, type, rank, ALLOCATABLE);
}

void _FortranAAllocatableInitIntrinsicForAllocate(array *a, int category, int kind, int rank, int corank) {
    (void)corank;
    if (a->base == NULL)
        initialise_intrinsic(a, category, kind, rank, ALLOCATABLE);
}

void _FortranAAllocatableInitCharacterForAllocate(array *a, int64_t length, int kind, int rank, int corank) {
    (void)corank;
    if (a->base == NULL)
        initialise_character(a, length, kind, rank, ALLOCATABLE);
}

void _FortranAAllocatableInitDerivedForAllocate(array *a, const type *type, int rank, int corank) {
    (void)corank;
    if (a->base == NULL)
        initialise_derived(a, type, rank, ALLOCATABLE);
}

static void set_bounds(array *a, int dim, int64_t lower, int64_t upper) {
    if (upper < lower)
        a->dim[dim] = (extent){1, 0, a->dim[dim].stride};
    else
        a->dim[dim] = (extent){lower, upper - lower + 1, a->dim[dim].stride};
}

void _FortranAAllocatableSetBounds(array *a, int dim, int64_t lower, int64_t upper) {
    if (a->base == NULL)
        set_bounds(a, dim, lower, upper);
}

void _FortranAAllocatableSetDerivedLength(array *a, int which, int64_t length) {
    if (addendum_of(a) != NULL)
        addendum_of(a)->length[which] = length;
}

/* Takes the dynamic type of `mold`, and its element size. */
static void apply_mold(array *a, const array *mold, int rank) {
    uint8_t attribute = a->attribute;
    char *base = a->base;
    const type *type = type_of(mold);
    verso__fortran_establish(a, mold->code, mold->bytes, rank, type);
    if (rank == mold->rank)
        for (int i = 0; i < rank; i++)
            a->dim[i] = mold->dim[i];
    a->attribute = attribute;
    a->base = base;
}

void _FortranAAllocatableApplyMold(array *a, const array *mold, int rank) {
    if (a->base == NULL)
        apply_mold(a, mold, rank);
}

static int allocate(array *a, bool has_status, const array *message, const char *file, int line) {
    if (!verso__fortran_allocate(a))
        return report(STAT_NO_MEMORY, has_status, message, file, line);
    const type *type = type_of(a);
    if (type != NULL && !type->no_initialisation)
        verso__fortran_initialise(a, type);
    return 0;
}

int _FortranAAllocatableAllocate(array *a, bool has_status, const array *message, const char *file, int line) {
    if (a->base != NULL)
        return report(STAT_ALLOCATED, has_status, message, file, line);
    return allocate(a, has_status, message, file, line);
}

/* Gives a result that has no extents yet those of the source. */
static int allocate_source(array *a, const array *source, bool has_status, const array *message, const char *file,
                           int line) {
    if (is_character(a) && a->bytes == 0)
        a->bytes = source->bytes;
    int status = allocate(a, has_status, message, file, line);
    if (status == 0)
        verso__fortran_assign(a, source, 0, file, line);
    return status;
}

int _FortranAAllocatableAllocateSource(array *a, const array *source, bool has_status, const array *message,
                                       const char *file, int line) {
    if (a->base != NULL)
        return report(STAT_ALLOCATED, has_status, message, file, line);
    return allocate_source(a, source, has_status, message, file, line);
}

/* ---- DEALLOCATE, MOVE_ALLOC ---- */

static void release(array *a, bool finalise) {
    const type *type = type_of(a);
    if (type != NULL && finalise && !type->no_finalisation)
        verso__fortran_finalise(a, type);
    if (type != NULL && !type->no_destruction)
        verso__fortran_destroy(a, type);
    verso__fortran_free(a);
}

int _FortranAAllocatableDeallocate(array *a, bool has_status, const array *message, const char *file, int line) {
    if (a->base == NULL)
        return report(STAT_NOT_ALLOCATED, has_status, message, file, line);
    release(a, true);
    return 0;
}

static void forget_type(array *a, const type *type) {
    if (addendum_of(a) != NULL)
        addendum_of(a)->type = type;
    a->code = type != NULL ? TYPE_STRUCT : -1;
}

int _FortranAAllocatableDeallocatePolymorphic(array *a, const type *type, bool has_status, const array *message,
                                              const char *file, int line) {
    int status = _FortranAAllocatableDeallocate(a, has_status, message, file, line);
    if (status == 0)
        forget_type(a, type);
    return status;
}

void _FortranAAllocatableDeallocateNoFinal(array *a, const char *file, int line) {
    if (a->base == NULL)
        report(STAT_NOT_ALLOCATED, false, NULL, file, line);
    release(a, false);
}

int _FortranAMoveAlloc(array *to, array *from, const type *type, bool has_status, const array *message,
                       const char *file, int line) {
    if (to == from || (to->base != NULL && to->base == from->base))
        return report(STAT_SAME, has_status, message, file, line);
    if (to->base != NULL)
        release(to, true);
    if (from->base == NULL)
        return 0;
    copy_descriptor(to, from);
    from->base = NULL;
    if (type != NULL && addendum_of(from) != NULL)
        forget_type(from, type);
    return 0;
}

/* ---- Pointers ---- */

void _FortranAPointerNullifyIntrinsic(array *a, int category, int kind, int rank, int corank) {
    (void)corank;
    initialise_intrinsic(a, category, kind, rank, POINTER);
}

void _FortranAPointerNullifyCharacter(array *a, int64_t length, int kind, int rank, int corank) {
    (void)corank;
    initialise_character(a, length, kind, rank, POINTER);
}

void _FortranAPointerNullifyDerived(array *a, const type *type, int rank, int corank) {
    (void)corank;
    initialise_derived(a, type, rank, POINTER);
}

void _FortranAPointerSetBounds(array *a, int dim, int64_t lower, int64_t upper) {
    set_bounds(a, dim, lower, upper);
}

void _FortranAPointerSetDerivedLength(array *a, int which, int64_t length) {
    _FortranAAllocatableSetDerivedLength(a, which, length);
}

void _FortranAPointerApplyMold(array *a, const array *mold, int rank) {
    apply_mold(a, mold, rank);
}

int _FortranAPointerAllocate(array *a, bool has_status, const array *message, const char *file, int line) {
    return allocate(a, has_status, message, file, line);
}

int _FortranAPointerAllocateSource(array *a, const array *source, bool has_status, const array *message,
                                   const char *file, int line) {
    return allocate_source(a, source, has_status, message, file, line);
}

int _FortranAPointerDeallocate(array *a, bool has_status, const array *message, const char *file, int line) {
    return _FortranAAllocatableDeallocate(a, has_status, message, file, line);
}

int _FortranAPointerDeallocatePolymorphic(array *a, const type *type, bool has_status, const array *message,
                                          const char *file, int line) {
    return _FortranAAllocatableDeallocatePolymorphic(a, type, has_status, message, file, line);
}

void _FortranAPointerAssociateScalar(array *a, void *target) {
    a->base = target;
}

void _FortranAPointerAssociate(array *a, const array *target) {
    copy_descriptor(a, target);
    a->attribute = POINTER;
}

void _FortranAPointerAssociateLowerBounds(array *a, const array *target, const array *bounds) {
    _FortranAPointerAssociate(a, target);
    for (int i = 0; i < a->rank; i++) {
        const char *at = bounds->base + i * bounds->dim[0].stride;
        int64_t lower;
        if (bounds->bytes == 8)
            memcpy(&lower, at, 8);
        else {
            int32_t small;
            memcpy(&small, at, 4);
            lower = small;
        }
        a->dim[i].lower = a->dim[i].count == 0 ? 1 : lower;
    }
}

static int64_t bound_at(const array *bounds, int which, int dim) {
    const char *at = bounds->base + which * bounds->dim[0].stride + dim * bounds->dim[1].stride;
    int32_t small;
    int64_t large;
    if (bounds->bytes == 8) {
        memcpy(&large, at, 8);
        return large;
    }
    memcpy(&small, at, 4);
    return small;
}

void _FortranAPointerAssociateRemapping(array *a, const array *target, const array *bounds, const char *file,
                                        int line) {
    int rank = (int)bounds->dim[1].count;
    int64_t stride = target->rank > 0 ? target->dim[0].stride : (int64_t)target->bytes;
    const type *type = type_of(target);
    a->base = target->base;
    a->bytes = target->bytes;
    a->code = target->code;
    a->rank = (uint8_t)rank;
    a->version = VERSION;
    a->attribute = POINTER;
    for (int i = 0; i < rank; i++) {
        int64_t lower = bound_at(bounds, 0, i), upper = bound_at(bounds, 1, i);
        a->dim[i] = (extent){upper < lower ? 1 : lower, upper < lower ? 0 : upper - lower + 1, stride};
        stride *= a->dim[i].count;
    }
    a->extra = target->extra;
    if (type != NULL)
        *addendum_of(a) = (addendum){type, {0}};
    if (elements(a) > elements(target))
        verso__fortran_fail("pointer assignment: the target has fewer elements than the pointer", file, line);
}

/* ---- Descriptors that change hands ---- */

void _FortranACopyAndUpdateDescriptor(array *to, const array *from, const type *type, uint8_t attribute, int lower) {
    copy_descriptor(to, from);
    if (type != NULL && addendum_of(to) != NULL)
        addendum_of(to)->type = type;
    to->attribute = attribute;
    for (int i = 0; i < to->rank && lower != 0; i++)
        to->dim[i].lower = lower == 1 ? 1 : 0;
}
