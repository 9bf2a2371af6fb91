/* MAXLOC, MINLOC, FINDLOC, COUNT, ANY, ALL and PARITY with results in arrays: integers and logicals, without
 * derivatives. Only those that allocate are here; others only read. */
#include "native/lib/fortran/fortran.h"

static bool is_true(const char *at, size_t bytes) {
    return bytes == 4   ? *(const int32_t *)at != 0
           : bytes == 8 ? *(const int64_t *)at != 0
           : bytes == 2 ? *(const int16_t *)at != 0
                        : *at != 0;
}

static void put_integer(char *to, int kind, int64_t value) {
    switch (kind) {
    case 1: *(int8_t *)to = (int8_t)value; return;
    case 2: *(int16_t *)to = (int16_t)value; return;
    case 4: *(int32_t *)to = (int32_t)value; return;
    default: *(int64_t *)to = value;
    }
}

static int8_t integer_code(int kind) {
    return (int8_t)(TYPE_INTEGER + (kind == 1 ? 0 : kind == 2 ? 1 : kind == 4 ? 2 : 3));
}

static int64_t integer_at(const char *at, int8_t code) {
    switch (code) {
    case 7:
    case 39: return *(const int8_t *)at;
    case 8:
    case 13: return *(const int16_t *)at;
    case 9:
    case 14: return *(const int32_t *)at;
    default: return *(const int64_t *)at;
    }
}

static long double real_at(const char *at, int8_t code) {
    return code == 27   ? (long double)*(const float *)at
           : code == 28 ? (long double)*(const double *)at
                        : *(const long double *)at;
}

/* Returns a negative number, 0 or a positive number if the first element is less than, equal to or greater than the
 * second one. Elements of complex type are only equal or not. */
static int compare(const char *a, int8_t a_code, size_t a_bytes, const char *b, int8_t b_code, size_t b_bytes) {
    if (a_code == TYPE_CHARACTER) {
        for (size_t i = 0; i < a_bytes || i < b_bytes; i++) {
            unsigned char x = i < a_bytes ? (unsigned char)a[i] : ' ', y = i < b_bytes ? (unsigned char)b[i] : ' ';
            if (x != y)
                return x < y ? -1 : 1;
        }
        return 0;
    }
    if (a_code >= TYPE_COMPLEX && a_code < 39 && a_code == b_code)
        return memcmp(a, b, a_bytes) != 0;
    if (!is_real(a_code) && !is_real(b_code)) {
        int64_t x = integer_at(a, a_code), y = integer_at(b, b_code);
        return x < y ? -1 : x > y;
    }
    long double x = is_real(a_code) ? real_at(a, a_code) : (long double)integer_at(a, a_code);
    long double y = is_real(b_code) ? real_at(b, b_code) : (long double)integer_at(b, b_code);
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

/* What is looked for: the greatest (1) or least (-1) element, or one that equals `target` (0). */
typedef struct search {
    int which;
    const array *target;
    bool back;
    const char *best; /* NULL: none yet */
} search;

static bool is_better(search *search, const array *a, const char *at) {
    if (search->which == 0)
        return (search->best == NULL || search->back) &&
               compare(at, a->code, a->bytes, search->target->base, search->target->code, search->target->bytes) == 0;
    if (search->best == NULL)
        return true;
    int order = compare(at, a->code, a->bytes, search->best, a->code, a->bytes);
    return order == search->which || (order == 0 && search->back);
}

static void locate(array *result, const array *a, const array *mask, int kind, search search, const char *file,
                   int line) {
    int64_t rank = a->rank;
    verso__fortran_result_of(result, integer_code(kind), (size_t)kind, 1, &rank, file, line);
    memset(result->base, 0, (size_t)(rank * kind));
    if (elements(a) == 0 || (mask != NULL && mask->rank == 0 && !is_true(mask->base, mask->bytes)))
        return;
    walk walk = {{0}};
    do {
        const char *at = line_of(a, &walk, 0);
        if (mask != NULL && mask->rank > 0 && !is_true(line_of(mask, &walk, 0), mask->bytes))
            continue;
        if (!is_better(&search, a, at))
            continue;
        search.best = at;
        for (int i = 0; i < rank; i++)
            put_integer(result->base + i * kind, kind, walk.at[i] + 1);
    } while (next_line(a, &walk, 0));
}

#define LOCATE(type) \
    void _FortranAMaxloc##type(array *result, const array *a, int kind, const char *file, int line, const array *mask, \
                               bool back) { \
        locate(result, a, mask, kind, (search){1, NULL, back, NULL}, file, line); \
    } \
    void _FortranAMinloc##type(array *result, const array *a, int kind, const char *file, int line, const array *mask, \
                               bool back) { \
        locate(result, a, mask, kind, (search){-1, NULL, back, NULL}, file, line); \
    }
LOCATE(Character)
LOCATE(Integer1)
LOCATE(Integer2)
LOCATE(Integer4)
LOCATE(Integer8)
LOCATE(Real4)
LOCATE(Real8)
LOCATE(Real10)

void _FortranAFindloc(array *result, const array *a, const array *target, int kind, const char *file, int line,
                      const array *mask, bool back) {
    locate(result, a, mask, kind, (search){0, target, back, NULL}, file, line);
}

/* ---- Along a dimension ---- */

/* Moves from the result's subscripts to an array's, whose dimension `along` is left out. */
static const char *start_of(const array *a, const walk *walk, int along) {
    const char *at = a->base;
    for (int i = 0, j = 0; i < a->rank; i++)
        at += i == along ? 0 : walk->at[j++] * a->dim[i].stride;
    return at;
}

static void make_result(array *result, const array *a, int along, int8_t code, size_t bytes, const char *file,
                        int line) {
    int64_t counts[RANK_MOST];
    for (int i = 0, j = 0; i < a->rank; i++)
        if (i != along)
            counts[j++] = a->dim[i].count;
    verso__fortran_result_of(result, code, bytes, a->rank - 1, counts, file, line);
}

static void locate_along(array *result, const array *a, const array *mask, int kind, int dim, search begin,
                         const char *file, int line) {
    int along = dim - 1;
    make_result(result, a, along, integer_code(kind), (size_t)kind, file, line);
    if (elements(result) == 0)
        return;
    bool none = mask != NULL && mask->rank == 0 && !is_true(mask->base, mask->bytes);
    walk walk = {{0}};
    do {
        search search = begin;
        int64_t found = 0;
        const char *at = start_of(a, &walk, along);
        const char *chosen = mask != NULL && mask->rank > 0 ? start_of(mask, &walk, along) : NULL;
        for (int64_t i = 0; i < a->dim[along].count && !none; i++) {
            if (chosen != NULL && !is_true(chosen + i * mask->dim[along].stride, mask->bytes))
                continue;
            if (!is_better(&search, a, at + i * a->dim[along].stride))
                continue;
            search.best = at + i * a->dim[along].stride;
            found = i + 1;
        }
        put_integer(line_of(result, &walk, 0), kind, found);
    } while (next_line(result, &walk, 0));
}

void _FortranAMaxlocDim(array *result, const array *a, int kind, int dim, const char *file, int line, const array *mask,
                        bool back) {
    locate_along(result, a, mask, kind, dim, (search){1, NULL, back, NULL}, file, line);
}

void _FortranAMinlocDim(array *result, const array *a, int kind, int dim, const char *file, int line, const array *mask,
                        bool back) {
    locate_along(result, a, mask, kind, dim, (search){-1, NULL, back, NULL}, file, line);
}

void _FortranAFindlocDim(array *result, const array *a, const array *target, int kind, int dim, const char *file,
                         int line, const array *mask, bool back) {
    locate_along(result, a, mask, kind, dim, (search){0, target, back, NULL}, file, line);
}

/* Counts the true elements of each line into integers of `kind` bytes, or decides about them. */
static void decide_along(array *result, const array *mask, int dim, int8_t code, int kind, char how, const char *file,
                         int line) {
    int along = dim - 1;
    make_result(result, mask, along, code, (size_t)kind, file, line);
    if (elements(result) == 0)
        return;
    int64_t n = mask->dim[along].count;
    walk walk = {{0}};
    do {
        const char *at = start_of(mask, &walk, along);
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            count += is_true(at + i * mask->dim[along].stride, mask->bytes);
        put_integer(line_of(result, &walk, 0), kind,
                    how == 'c'   ? count
                    : how == 'a' ? count == n
                    : how == 'o' ? count > 0
                                 : count % 2);
    } while (next_line(result, &walk, 0));
}

void _FortranACountDim(array *result, const array *mask, int dim, int kind, const char *file, int line) {
    decide_along(result, mask, dim, integer_code(kind), kind, 'c', file, line);
}

void _FortranAAllDim(array *result, const array *mask, int dim, const char *file, int line) {
    decide_along(result, mask, dim, mask->code, (int)mask->bytes, 'a', file, line);
}

void _FortranAAnyDim(array *result, const array *mask, int dim, const char *file, int line) {
    decide_along(result, mask, dim, mask->code, (int)mask->bytes, 'o', file, line);
}

void _FortranAParityDim(array *result, const array *mask, int dim, const char *file, int line) {
    decide_along(result, mask, dim, mask->code, (int)mask->bytes, 'p', file, line);
}
