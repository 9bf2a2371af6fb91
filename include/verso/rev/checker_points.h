/* The points at which `verso rev --check` tests functions: the table that describes reversible functions and their
 * parameters, the buffers of the parameters, and random values for them. Part of checker.h, which has the tests.
 *
 * Each buffer ends at a page that is not accessible. So an access beyond its last element is caught and reported.
 * Thread safety: none, as in checker.h. */
#ifndef VERSO_REV_CHECKER_POINTS_H
#define VERSO_REV_CHECKER_POINTS_H

#include <sys/mman.h>
#include <unistd.h>
#include <verso/rev/generated.h>

typedef enum rev_number {
    REV_NUMBER_INTEGER,
    REV_NUMBER_FLOAT,
    REV_NUMBER_DOUBLE,
    REV_NUMBER_LONG_DOUBLE,
    REV_NUMBER_FIXED,
    REV_NUMBER_ULOG
} rev_number;

/* Adjacent numbers of one kind in the type of a parameter: a number, an array of numbers, or such a member of a struct.
 * An element is one value of that type; its bar holds the adjoints of its numbers. The numbers and their adjoints begin
 * at the same offset. */
typedef struct rev_checked_leaf {
    rev_number kind;
    rev_number shadow; /* kind of the adjoints */
    size_t offset;     /* bytes from the start of the element, and from the start of its bar */
    size_t count;      /* number of numbers */
    size_t size;       /* bytes of one number; an adjoint may have another size */
} rev_checked_leaf;

/* One parameter of a function: an array of `count` elements; a single value is one element. */
typedef struct rev_checked {
    const char *name;
    size_t size;        /* bytes of one element */
    size_t shadow_size; /* bytes of the bar of one element */
    long long count;    /* number of elements; -1: unknown */
    const rev_checked_leaf *leaves;
    int leaf_count;
    int active;          /* 1: it has derivatives */
    int is_length;       /* 1: an integer that may be the length of an array */
    const double *given; /* numbers given with --set; NULL: none */
    int given_count;
    int given_range; /* 1: `given` is a lower and an upper bound */
    char *value;     /* the current values */
    char *start;     /* the values at the point that is tested */
    char *dot;       /* tangents */
    char *bar;       /* adjoints */
    char *bar_dot;   /* tangents of the adjoints */
} rev_checked;

/* The `what` of rev_checked_function.run: f, f_inv, f_adj, f_jvp, f_hvp. */
enum { REV_RUN, REV_RUN_BACK, REV_RUN_ADJOINT, REV_RUN_TANGENT, REV_RUN_SECOND };

typedef struct rev_checked_function {
    const char *name;
    const char *skipped; /* why the function is not tested; NULL: it is tested */
    rev_checked *parameters;
    int count;
    int no_derivatives;                    /* 1: test only the round trip */
    rev_number least;                      /* the least precise kind of number that the function uses */
    void (*run)(rev_checked *p, int what); /* calls the function, or one derived from it, on the buffers */
    void (*lengths)(rev_checked *p);       /* sets the `count` of each parameter */
} rev_checked_function;

enum {
    REV_CHECK_ROUNDS = 3,    /* random points of each function */
    REV_CHECK_STEPS = 18,    /* step sizes of a Taylor test, each half of the one before */
    REV_CHECK_ROOM = 64,     /* elements of an array whose length is unknown */
    REV_CHECK_INTEGER = 4,   /* value of an integer that may be a length */
    REV_CHECK_SECONDS = 120, /* time limit of one function */
};

typedef struct rev_checker {
    const rev_checked_function *f;
    uint64_t seed;   /* given by the user */
    uint64_t random; /* state of the random number generator */
    size_t numbers;  /* number of numbers that have derivatives */
    double eps;      /* rounding unit of the least precise numbers */
    double scale;    /* the largest absolute value in the result of f */
    int faults;      /* run-time checks of the function that failed */
    int failures;    /* tests that failed */
    int exact;       /* 1: all round trips were exact so far */
    double back;     /* the largest error of a round trip, over all rounds */
    double dot;      /* the largest difference of dot products, over all rounds */
    double taylor;   /* the order of the Taylor test, over all rounds; 0: linear */
    double hessian;  /* the order of the Hessian test, over all rounds; 0: linear */
    int reasons;     /* file descriptor that failure messages are written to */
} rev_checker;

static rev_checker rev_checker_now;

/* ---- Numbers ---- */

static double rev_checker_random(double low, double high) {
    uint64_t *seed = &rev_checker_now.random;
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = (*seed ^ *seed >> 33) * 0xff51afd7ed558ccdu;
    return low + (high - low) * ((double)(mixed >> 11) / 9007199254740992.0);
}

static double rev_number_get(rev_number kind, const char *at, size_t size) {
    switch (kind) {
    case REV_NUMBER_FLOAT: return (double)*(const float *)(const void *)at;
    case REV_NUMBER_LONG_DOUBLE: return (double)*(const long double *)(const void *)at;
    case REV_NUMBER_FIXED: return rev_fixed_value(*(const fixed *)(const void *)at);
    case REV_NUMBER_ULOG:
        return rev_fixed_value(((const ulog *)(const void *)at)->log); /* bars refer to the logarithm */
    case REV_NUMBER_INTEGER: {
        long long value = 0;
        memcpy(&value, at, size < sizeof value ? size : sizeof value);
        return (double)value;
    }
    case REV_NUMBER_DOUBLE: break;
    }
    return *(const double *)(const void *)at;
}

static void rev_number_set(rev_number kind, char *at, size_t size, double value) {
    long long whole = (long long)value;
    switch (kind) {
    case REV_NUMBER_FLOAT: *(float *)(void *)at = (float)value; break;
    case REV_NUMBER_LONG_DOUBLE: *(long double *)(void *)at = value; break;
    case REV_NUMBER_FIXED: *(fixed *)(void *)at = rev_fixed(value); break;
    case REV_NUMBER_ULOG: ((ulog *)(void *)at)->log = rev_fixed(value); break;
    case REV_NUMBER_INTEGER: memcpy(at, &whole, size < sizeof whole ? size : sizeof whole); break;
    case REV_NUMBER_DOUBLE: *(double *)(void *)at = value; break;
    }
}

static double rev_number_eps(rev_number kind) {
    return kind == REV_NUMBER_FLOAT ? 0x1p-23 : kind == REV_NUMBER_FIXED || kind == REV_NUMBER_ULOG ? 0x1p-42 : 0x1p-52;
}

/* rev_checker_each calls it once for each number in the parameters of the function under test. The number belongs to
 * parameter p; it is `value` bytes after p->value, and its derivatives are `shadow` bytes after p->bar, p->dot and
 * p->bar_dot. */
typedef void (*rev_checker_visit)(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow,
                                  void *context);

static void rev_checker_each(rev_checker_visit visit, void *context) {
    for (int i = 0; i < rev_checker_now.f->count; i++) {
        rev_checked *p = &rev_checker_now.f->parameters[i];
        for (size_t e = 0; e < (size_t)p->count; e++)
            for (int k = 0; k < p->leaf_count; k++)
                for (size_t j = 0; j < p->leaves[k].count; j++) {
                    const rev_checked_leaf *leaf = &p->leaves[k];
                    size_t shadow = leaf->shadow == leaf->kind ? leaf->size : sizeof(double);
                    visit(p, leaf, e * p->size + leaf->offset + j * leaf->size,
                          e * p->shadow_size + leaf->offset + j * shadow, context);
                }
    }
}

/* ---- Vectors of all numbers that have derivatives ---- */

/* Which of a parameter's buffers is read or written. */
typedef enum rev_checker_which { REV_OF_VALUE, REV_OF_DOT, REV_OF_BAR, REV_OF_BAR_DOT } rev_checker_which;

typedef struct rev_checker_transfer {
    double *vector;
    rev_checker_which which;
    int into;
} rev_checker_transfer;

static void rev_checker_move(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow, void *context) {
    rev_checker_transfer *t = (rev_checker_transfer *)context;
    if (!p->active || leaf->kind == REV_NUMBER_INTEGER)
        return;
    char *const bases[] = {p->value, p->dot, p->bar, p->bar_dot};
    char *at = bases[t->which] + (t->which == REV_OF_VALUE ? value : shadow);
    rev_number kind = t->which == REV_OF_VALUE ? leaf->kind : leaf->shadow;
    if (t->into)
        rev_number_set(kind, at, leaf->size, *t->vector++);
    else
        *t->vector++ = rev_number_get(kind, at, leaf->size);
}

static void rev_checker_put(rev_checker_which which, const double *from) {
    rev_checker_transfer t = {(double *)(uintptr_t)from, which, 1};
    rev_checker_each(rev_checker_move, &t);
}

static void rev_checker_get(rev_checker_which which, double *to) {
    rev_checker_transfer t = {to, which, 0};
    rev_checker_each(rev_checker_move, &t);
}

static void *rev_checker_memory(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) {
        fprintf(stderr, "no memory for %zu numbers\n", count);
        _exit(1);
    }
    return memory;
}

static double *rev_checker_vector(void) {
    return (double *)rev_checker_memory(rev_checker_now.numbers, sizeof(double));
}

static double *rev_checker_direction(void) {
    double *d = rev_checker_vector();
    for (size_t i = 0; i < rev_checker_now.numbers; i++)
        d[i] = rev_checker_random(-1, 1);
    return d;
}

static double rev_checker_largest(const double *a) {
    double most = 0;
    for (size_t i = 0; i < rev_checker_now.numbers; i++)
        most = isfinite(a[i]) ? fmax(most, fabs(a[i])) : INFINITY;
    return most;
}

/* ---- Points ---- */

static void rev_checker_reset(void) {
    for (int i = 0; i < rev_checker_now.f->count; i++) {
        rev_checked *p = &rev_checker_now.f->parameters[i];
        memcpy(p->value, p->start, (size_t)p->count * p->size);
        memset(p->dot, 0, (size_t)p->count * p->shadow_size);
        memset(p->bar, 0, (size_t)p->count * p->shadow_size);
        memset(p->bar_dot, 0, (size_t)p->count * p->shadow_size);
    }
}

/* Sets one number of parameter p at the point to be tested:
 *
 *   --set gives a list of values  to the next value of the list, which starts again after its end
 *   --set gives a range           to a random number in the range
 *   no --set, an integer          to REV_CHECK_INTEGER if it may be a length, else to 0
 *   no --set, any other number    to a random number between 0.1 and 0.9
 *
 * *context, a size_t, counts the numbers set so far in this parameter. */
static void rev_checker_draw(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow, void *context) {
    size_t *drawn = (size_t *)context;
    (void)shadow;
    double low = p->given_range ? p->given[0] : 0.1, high = p->given_range ? p->given[1] : 0.9;
    double x = p->given && !p->given_range ? p->given[*drawn % (size_t)p->given_count] : rev_checker_random(low, high);
    if (leaf->kind == REV_NUMBER_INTEGER && !p->given)
        x = p->is_length ? REV_CHECK_INTEGER : 0;
    if (leaf->kind == REV_NUMBER_ULOG)
        x = log(x);
    rev_number_set(leaf->kind, p->value + value, leaf->size, x);
    rev_checker_now.eps = fmax(rev_checker_now.eps, rev_number_eps(leaf->kind));
    *drawn = value / p->size == (size_t)p->count - 1 ? 0 : *drawn + 1;
}

static char *rev_checker_guarded(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    char *base = (char *)mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == (char *)MAP_FAILED || mprotect(base + whole, page, PROT_NONE) != 0) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        _exit(1);
    }
    return base + whole - bytes;
}

static void rev_checker_allocate(rev_checked *p) {
    size_t count = p->count > 0 ? (size_t)p->count : 0;
    p->value = rev_checker_guarded(count * p->size);
    p->start = (char *)rev_checker_memory(count, p->size);
    p->dot = rev_checker_guarded(count * p->shadow_size);
    p->bar = rev_checker_guarded(count * p->shadow_size);
    p->bar_dot = rev_checker_guarded(count * p->shadow_size);
}

static void rev_checker_count(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow,
                              void *context) {
    (void)value, (void)shadow;
    *(size_t *)context += p->active && leaf->kind != REV_NUMBER_INTEGER;
}

/* Computes the lengths, then allocates the buffers. An array of unknown length gets REV_CHECK_ROOM elements, or 16
 * times the largest integer of --set. */
static void rev_checker_open(const rev_checked_function *f) {
    long long room = REV_CHECK_ROOM;
    for (int i = 0; i < f->count; i++)
        for (int k = 0; f->parameters[i].is_length && k < f->parameters[i].given_count; k++)
            room = (long long)fmax((double)room, 16 * f->parameters[i].given[k]);
    f->lengths(f->parameters);
    for (int i = 0; i < f->count; i++) {
        if (f->parameters[i].count < 0)
            f->parameters[i].count = room;
        rev_checker_allocate(&f->parameters[i]);
    }
    rev_checker_each(rev_checker_count, &rev_checker_now.numbers);
}

static void rev_checker_point(void) {
    size_t drawn = 0;
    rev_checker_each(rev_checker_draw, &drawn);
    for (int i = 0; i < rev_checker_now.f->count; i++) {
        rev_checked *p = &rev_checker_now.f->parameters[i];
        memcpy(p->start, p->value, (size_t)p->count * p->size);
    }
}

static void rev_checker_run(int what) {
    rev_checker_now.f->run(rev_checker_now.f->parameters, what);
}

#endif
