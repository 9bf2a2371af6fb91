/* Components of derived types: default initialisation, destruction of allocatable components, final procedures. */
#include "native/lib/fortran/fortran.h"

/* ---- Tables ---- */

/* Returns what a descriptor in a table points to; sets *count to the number of entries. */
static const void *entries(const char *descriptor, int64_t *count) {
    const array *head = (const array *)descriptor;
    *count = head->base == NULL ? 0 : head->dim[0].count;
    return head->base;
}

const component *verso__fortran_components(const type *type, int64_t *count) {
    return entries(type->components, count);
}

const procedure_component *verso__fortran_procedures(const type *type, int64_t *count) {
    return entries(type->procedures, count);
}

const special *verso__fortran_special(const type *type, int which) {
    int64_t count;
    const special *specials = entries(type->specials, &count);
    for (int64_t i = 0; i < count; i++)
        if (specials[i].which == which)
            return &specials[i];
    return NULL;
}

const type *verso__fortran_type_of_component(const component *component) {
    return (const type *)((const array *)component->derived)->base;
}

static size_t element_bytes(const component *component) {
    size_t bytes = (size_t)(component->kind == 10 ? 16 : component->kind);
    switch (component->category) {
    case COMPLEX: return 2 * bytes;
    case CHARACTER: return bytes * (size_t)(component->length.genre == 2 ? component->length.value : 0);
    case DERIVED: {
        const type *type = verso__fortran_type_of_component(component);
        return type == NULL ? 0 : (size_t)type->bytes;
    }
    default: return bytes;
    }
}

static int8_t code_of(const component *component) {
    static const int8_t reals[] = {27, 28, 29, 31};
    int kind = component->kind, place = kind == 4 ? 0 : kind == 8 ? 1 : kind == 10 ? 2 : 3;
    switch (component->category) {
    case INTEGER: return (int8_t)(TYPE_INTEGER + (kind == 1 ? 0 : kind == 2 ? 1 : kind == 4 ? 2 : kind == 8 ? 3 : 4));
    case REAL: return reals[place];
    case COMPLEX: return (int8_t)(reals[place] + 7);
    case CHARACTER: return (int8_t)(kind == 1 ? TYPE_CHARACTER : kind == 2 ? 43 : 44);
    case LOGICAL: return (int8_t)(kind == 1 ? TYPE_LOGICAL_1 : kind == 2 ? 13 : kind == 4 ? 14 : 15);
    default: return (int8_t)(verso__fortran_type_of_component(component) == NULL ? -1 : TYPE_STRUCT);
    }
}

void verso__fortran_component(const component *component, char *at, array *made) {
    const type *type = component->category == DERIVED ? verso__fortran_type_of_component(component) : NULL;
    verso__fortran_establish(made, code_of(component), element_bytes(component), component->rank, type);
    const array *bounds = (const array *)component->bounds;
    for (int i = 0; i < component->rank && bounds->base != NULL; i++) {
        const value *pair = (const value *)bounds->base + 2 * i;
        int64_t lower = pair[0].value, upper = pair[1].value;
        made->dim[i] = (extent){lower, upper < lower ? 0 : upper - lower + 1, 0};
    }
    set_strides(made);
    made->attribute = OTHER;
    made->base = at + component->offset;
}

int64_t verso__fortran_component_bytes(const component *component) {
    room room;
    array *made = (array *)room.bytes;
    if (component->genre != DATA_COMPONENT)
        return (int64_t)(sizeof(array) + (size_t)component->rank * sizeof(extent) +
                         (component->category == DERIVED ? sizeof(addendum) : 0));
    verso__fortran_component(component, NULL, made);
    return elements(made) * (int64_t)made->bytes;
}

/* ---- Every instance in an array ---- */

static void each(const array *a, const type *type, void (*act)(char *, const struct type *)) {
    walk walk = {{0}};
    if (elements(a) == 0)
        return;
    do {
        char *line = line_of(a, &walk, 1);
        walk.at[0] = 0;
        if (a->rank == 0)
            line = a->base;
        int64_t n = a->rank == 0 ? 1 : a->dim[0].count, stride = a->rank == 0 ? 0 : a->dim[0].stride;
        for (int64_t i = 0; i < n; i++)
            act(line + i * stride, type);
    } while (next_line(a, &walk, 1));
}

/* ---- Initialisation ---- */

static void initialise_one(char *at, const type *type) {
    int64_t count;
    const component *components = verso__fortran_components(type, &count);
    for (int64_t i = 0; i < count; i++) {
        const component *c = &components[i];
        array *place = (array *)(at + c->offset);
        if (c->genre == ALLOCATABLE_COMPONENT || (c->genre == POINTER_COMPONENT && c->initial == NULL)) {
            const struct type *of = c->category == DERIVED ? verso__fortran_type_of_component(c) : NULL;
            verso__fortran_establish(place, code_of(c), element_bytes(c), c->rank, of);
            if (c->category == DERIVED && of == NULL) { /* class(*) */
                place->extra = 1;
                *addendum_of(place) = (addendum){NULL, {0}};
            }
            place->attribute = c->genre == POINTER_COMPONENT ? POINTER : ALLOCATABLE;
        } else if (c->initial != NULL) {
            memcpy(at + c->offset, c->initial, (size_t)verso__fortran_component_bytes(c));
        } else if (c->genre == DATA_COMPONENT && c->category == DERIVED &&
                   !verso__fortran_type_of_component(c)->no_initialisation) {
            room room;
            array *made = (array *)room.bytes;
            verso__fortran_component(c, at, made);
            verso__fortran_initialise(made, verso__fortran_type_of_component(c));
        }
    }
    const procedure_component *procedures = verso__fortran_procedures(type, &count);
    for (int64_t i = 0; i < count; i++)
        memcpy(at + procedures[i].offset, &procedures[i].initial, sizeof(void *));
}

void verso__fortran_initialise(const array *a, const type *type) {
    each(a, type, initialise_one);
}

void _FortranAInitialize(const array *a, const char *file, int line) {
    (void)file;
    (void)line;
    const type *type = type_of(a);
    if (type != NULL && !type->no_initialisation)
        verso__fortran_initialise(a, type);
}

/* ---- Finalisation ---- */

typedef void one_argument(void *);

static void finalise_components(char *at, const type *type) {
    int64_t count;
    const component *components = verso__fortran_components(type, &count);
    for (int64_t i = count - 1; i >= 0; i--) {
        const component *c = &components[i];
        const struct type *of = c->category == DERIVED ? verso__fortran_type_of_component(c) : NULL;
        if (c->genre == ALLOCATABLE_COMPONENT && c->category == DERIVED) {
            const array *place = (const array *)(at + c->offset);
            of = type_of(place);
            if (place->base != NULL && of != NULL && !of->no_finalisation)
                verso__fortran_finalise(place, of);
        } else if (c->genre == DATA_COMPONENT && of != NULL && !of->no_finalisation) {
            room room;
            array *made = (array *)room.bytes;
            verso__fortran_component(c, at, made);
            verso__fortran_finalise(made, of);
        }
    }
}

static void finalise_elemental(char *at, const type *type) {
    const special *final = verso__fortran_special(type, ELEMENTAL_FINAL);
    if (final == NULL)
        final = verso__fortran_special(type, SCALAR_FINAL);
    if (final->by_descriptor & 1) {
        room room;
        array *made = (array *)room.bytes;
        verso__fortran_establish(made, TYPE_STRUCT, (size_t)type->bytes, 0, type);
        made->attribute = OTHER;
        made->base = at;
        ((one_argument *) final->procedure)(made);
    } else {
        ((one_argument *) final->procedure)(at);
    }
}

void verso__fortran_finalise(const array *a, const type *type) {
    const special *final = verso__fortran_special(type, SCALAR_FINAL + a->rank);
    const special *any = verso__fortran_special(type, ANY_RANK_FINAL);
    if (a->rank > 0 && final != NULL) {
        room room;
        array *made = (array *)room.bytes;
        copy_descriptor(made, a);
        made->attribute = OTHER;
        ((one_argument *) final->procedure)(final->by_descriptor & 1 ? (void *)made : made->base);
    } else if (final != NULL || verso__fortran_special(type, ELEMENTAL_FINAL) != NULL) {
        each(a, type, finalise_elemental);
    } else if (any != NULL) {
        ((one_argument *)any->procedure)((void *)(uintptr_t)a);
    }
    each(a, type, finalise_components);
}

void _FortranAFinalize(const array *a, const char *file, int line) {
    (void)file;
    (void)line;
    const type *type = type_of(a);
    if (type != NULL && !type->no_finalisation)
        verso__fortran_finalise(a, type);
}

/* ---- Destruction ---- */

static void destroy_one(char *at, const type *type) {
    int64_t count;
    const component *components = verso__fortran_components(type, &count);
    for (int64_t i = 0; i < count; i++) {
        const component *c = &components[i];
        const struct type *of = c->category == DERIVED ? verso__fortran_type_of_component(c) : NULL;
        if (c->genre == ALLOCATABLE_COMPONENT || c->genre == AUTOMATIC_COMPONENT) {
            array *place = (array *)(at + c->offset);
            if (place->base == NULL)
                continue;
            if (type_of(place) != NULL && !type_of(place)->no_destruction)
                verso__fortran_destroy(place, type_of(place));
            verso__fortran_free(place);
        } else if (c->genre == DATA_COMPONENT && of != NULL && !of->no_destruction) {
            room room;
            array *made = (array *)room.bytes;
            verso__fortran_component(c, at, made);
            verso__fortran_destroy(made, of);
        }
    }
}

void verso__fortran_destroy(const array *a, const type *type) {
    each(a, type, destroy_one);
}

void _FortranADestroyWithoutFinalization(const array *a) {
    const type *type = type_of(a);
    if (type != NULL && !type->no_destruction && a->base != NULL)
        verso__fortran_destroy(a, type);
}

void _FortranADestroy(const array *a) {
    const type *type = type_of(a);
    if (type != NULL && !type->no_finalisation && a->base != NULL)
        verso__fortran_finalise(a, type);
    _FortranADestroyWithoutFinalization(a);
}
