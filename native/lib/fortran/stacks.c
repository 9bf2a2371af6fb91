/* Stacks of values and of descriptors, with which FORALL and WHERE keep right-hand sides and targets that overlap. */
#include "native/lib/fortran/fortran.h"

typedef struct stack {
    room *list;
    size_t count, capacity;
    const char *file;
    int line;
} stack;

static void *create(const char *file, int line) {
    stack *made = verso__native_malloc(sizeof *made);
    if (made == NULL)
        verso__fortran_fail("there is no memory for the values of FORALL or WHERE", file, line);
    made->list = NULL;
    made->count = made->capacity = 0;
    made->file = file;
    made->line = line;
    return made;
}

/* Adds a descriptor, and returns it. */
static array *push(stack *on, const array *a) {
    if (on->count == on->capacity) {
        on->capacity = on->capacity == 0 ? 16 : 2 * on->capacity;
        room *longer = verso__native_malloc(on->capacity * sizeof *longer);
        if (longer == NULL)
            verso__fortran_fail("there is no memory for the values of FORALL or WHERE", on->file, on->line);
        for (size_t i = 0; i < on->count; i++)
            longer[i] = on->list[i];
        verso__native_free(on->list);
        on->list = longer;
    }
    array *copy = (array *)on->list[on->count++].bytes;
    copy_descriptor(copy, a);
    return copy;
}

void *_FortranACreateValueStack(const char *file, int line) {
    return create(file, line);
}

void _FortranAPushValue(void *on, const array *a) {
    array *copy = push(on, a);
    copy->attribute = ALLOCATABLE;
    if (!verso__fortran_allocate(copy))
        verso__fortran_fail("there is no memory for the values of FORALL or WHERE", ((stack *)on)->file,
                            ((stack *)on)->line);
    verso__fortran_copy_all(copy, a);
}

/* The descriptor refers to the value on the stack. */
void _FortranAValueAt(void *on, uint64_t index, array *value) {
    copy_descriptor(value, (const array *)((stack *)on)->list[index].bytes);
}

void _FortranADestroyValueStack(void *on) {
    stack *ends = on;
    for (size_t i = 0; i < ends->count; i++)
        verso__fortran_free((array *)ends->list[i].bytes);
    verso__native_free(ends->list);
    verso__native_free(ends);
}

void *_FortranACreateDescriptorStack(const char *file, int line) {
    return create(file, line);
}

void _FortranAPushDescriptor(void *on, const array *a) {
    push(on, a);
}

void _FortranADescriptorAt(void *on, uint64_t index, array *a) {
    copy_descriptor(a, (const array *)((stack *)on)->list[index].bytes);
}

void _FortranADestroyDescriptorStack(void *on) {
    verso__native_free(((stack *)on)->list);
    verso__native_free(on);
}
