/* Rules of FFTW's plans. Every transform is  store(F load(x)),  where F is a complex transform of a contiguous array in
 * this file's own buffer: complex to complex; of real numbers, of which the first half of the result is stored; of the
 * first half of a spectrum, weighted so that the real part of the result is what FFTW computes. The adjoint of F is F
 * with the other sign; those of `load` and `store` exchange reading and adding. Nothing is kept on the tape.
 *
 * The sweep may run when the program has destroyed its plan, and FFTW plans for certain arrays. So the transform F has
 * a plan of its own, which is made once for each size. */
#include "native/blas/fourier.h"

#include "base/alloc.h"
#include "native/blas/plans.h"
#include "native/memory/memory.h"

#include <complex.h>
#include <string.h>

enum { RANK_MOST = 8, BACKWARD = 1, FORWARD = -1, ESTIMATE = 1 << 6, PRESERVE_INPUT = 1 << 4 };

typedef enum form { COMPLEX, REAL_TO_HALF, HALF_TO_REAL } form;

/* One side of a transform. */
typedef struct side {
    char *data;
    int64_t embedded[RANK_MOST]; /* lengths of the array that contains the numbers */
    int64_t step, distance;      /* between numbers, between transforms */
} side;

typedef struct plan {
    void *made; /* FFTW's; NULL: none */
    const verso__native_fftw *library;
    bool single, destroyed, preserves;
    form form;
    int rank, sign;
    int length[RANK_MOST];
    int64_t count; /* transforms */
    side in, out;
} plan;

static struct {
    plan *all;
    size_t count, room;
} plans;

/* ---- Making and destroying ---- */

static plan *find_plan(const void *made) {
    for (size_t i = plans.count; i-- > 0;)
        if (plans.all[i].made == made)
            return &plans.all[i];
    return NULL;
}

/* Returns a place for a plan; NULL if there is no memory. */
static plan *new_plan(const void *made) {
    plan *place = find_plan(made);
    place = place != NULL ? place : find_plan(NULL);
    if (place != NULL)
        return place;
    if (plans.count == plans.room) {
        size_t room = plans.room == 0 ? 16 : 2 * plans.room;
        plan *all = verso__realloc(plans.all, room, sizeof *all);
        if (all == NULL)
            return NULL;
        plans.all = all;
        plans.room = room;
    }
    return &plans.all[plans.count++];
}

static form form_of(verso__plan_maker maker) {
    return maker < VERSO_PLAN_dft_r2c_1d ? COMPLEX : maker < VERSO_PLAN_dft_c2r_1d ? REAL_TO_HALF : HALF_TO_REAL;
}

static bool is_half(const plan *p, const side *s) {
    return p->form != COMPLEX && (s == &p->in) == (p->form == HALF_TO_REAL);
}

/* The lengths that FFTW assumes if the program gives none: those of the numbers; of a real array in place, padded. */
static void settle_side(plan *p, side *s, const int *embedded) {
    bool real = p->form != COMPLEX && !is_half(p, s), in_place = p->in.data == p->out.data;
    for (int i = 0; i < p->rank; i++) {
        bool last = i + 1 == p->rank;
        int64_t half = p->length[i] / 2 + 1;
        s->embedded[i] = embedded != NULL           ? embedded[i]
                         : last && is_half(p, s)    ? half
                         : last && real && in_place ? 2 * half
                                                    : p->length[i];
    }
    if (s->step == 0)
        s->step = 1;
}

static void read_plan(plan *p, uint64_t code, const int64_t *words) {
    static const char *const signatures[] = {
#define SIGNATURE(name, signature) signature,
        VERSO_PLAN_LIST(SIGNATURE)
#undef SIGNATURE
    };
    const int *in = NULL, *out = NULL;
    for (const char *at = signatures[code & 0xffff]; *at != '\0'; at++, words++) {
        void *pointer = (void *)(intptr_t)*words;
        switch (*at) {
        case 'k': p->rank = (int)*words; break;
        case 'l': memcpy(p->length, pointer, (size_t)(p->rank <= RANK_MOST ? p->rank : 0) * sizeof(int)); break;
        case 'n': p->length[p->rank++] = (int)*words; break;
        case 'h': p->count = (int)*words; break;
        case 'i': p->in.data = pointer; break;
        case 'o': p->out.data = pointer; break;
        case 'e': in = pointer; break;
        case 'f': out = pointer; break;
        case 's': p->in.step = (int)*words; break;
        case 't': p->out.step = (int)*words; break;
        case 'd': p->in.distance = (int)*words; break;
        case 'g': p->out.distance = (int)*words; break;
        case 'w': p->sign = (int)*words; break;
        default: p->preserves = ((uint64_t)*words & PRESERVE_INPUT) != 0;
        }
    }
    settle_side(p, &p->in, in);
    settle_side(p, &p->out, out);
}

static void sweep_up(void);

void verso__native_plan_made(void *made, uint64_t code, const int64_t *words, const verso__native_fftw *library) {
    sweep_up();
    plan *p = made != NULL ? new_plan(made) : NULL;
    if (p == NULL)
        return; /* its execution is refused */
    *p = (plan){.made = made, .library = library, .single = (code >> 16 & 1) != 0, .count = 1};
    p->form = form_of((verso__plan_maker)(code & 0xffff));
    p->sign = p->form == HALF_TO_REAL ? BACKWARD : FORWARD;
    read_plan(p, code, words);
    if (p->rank < 1 || p->rank > RANK_MOST)
        p->made = NULL;
}

void verso__native_plan_drop(void *made) {
    plan *p = find_plan(made);
    if (p != NULL)
        p->destroyed = true;
    sweep_up();
}

/* Destroys what was to be destroyed, when no sweep can need it. */
static void sweep_up(void) {
    if (verso__native_job_now() != NULL)
        return;
    for (size_t i = 0; i < plans.count; i++)
        if (plans.all[i].made != NULL && plans.all[i].destroyed) {
            plans.all[i].library->destroy_plan(plans.all[i].made);
            plans.all[i].made = NULL;
        }
}

/* ---- The transform F ---- */

/* The last transforms of each precision that were asked for, with their buffers. */
typedef struct transform {
    const verso__native_fftw *library;
    int rank, sign, length[RANK_MOST];
    void *plan;
    char *buffer;
} transform;
enum { TRANSFORMS = 16 };
static transform transforms[TRANSFORMS];
static size_t next_transform;

static size_t numbers_of(const plan *p) {
    size_t numbers = 1;
    for (int i = 0; i < p->rank; i++)
        numbers *= (size_t)p->length[i];
    return numbers;
}

static bool is_same(const transform *t, const plan *p, int sign) {
    return t->plan != NULL && t->library == p->library && t->sign == sign && t->rank == p->rank &&
           memcmp(t->length, p->length, (size_t)p->rank * sizeof *p->length) == 0;
}

static transform *transform_for(const plan *p, int sign) {
    for (size_t i = 0; i < TRANSFORMS; i++)
        if (is_same(&transforms[i], p, sign))
            return &transforms[i];
    transform *t = &transforms[next_transform++ % TRANSFORMS];
    if (t->plan != NULL)
        t->library->destroy_plan(t->plan);
    verso__dealloc(t->buffer);
    *t = (transform){.library = p->library, .rank = p->rank, .sign = sign};
    memcpy(t->length, p->length, sizeof t->length);
    t->buffer = verso__alloc(numbers_of(p) + 4, 2 * (p->single ? sizeof(float) : sizeof(double)));
    if (t->buffer != NULL) {
        char *aligned = t->buffer + (-(uintptr_t)t->buffer & 15);
        t->plan =
            p->library->plan_many_dft(p->rank, p->length, 1, aligned, NULL, 1, 0, aligned, NULL, 1, 0, sign, ESTIMATE);
    }
    if (t->plan == NULL)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY, "no memory for a Fourier transform of %zu numbers",
                              numbers_of(p));
    return t;
}

static char *numbers_at(const transform *t) {
    return t->buffer + (-(uintptr_t)t->buffer & 15);
}

/* ---- Between cells and the buffer ---- */

/* Calls `row` for each row of the last dimension: `at` is the index of its first number in the buffer, `from` that in
 * the array. */
typedef struct moving {
    const plan *p;
    const side *s;
    char *buffer, *cells; /* of one transform */
    bool half, real;      /* which numbers the side has */
    bool weighs, clears;  /* weights for a half; sets cells to zero after reading */
    bool adds;            /* writing: adds to cells */
} moving;

static double weight_of(const moving *m, int64_t k) {
    int64_t n = m->p->length[m->p->rank - 1];
    return !m->weighs || k == 0 || 2 * k == n ? 1 : 2;
}

static double get(const moving *m, const char *base, int64_t index) {
    return m->p->single ? (double)((const float *)base)[index] : ((const double *)base)[index];
}

static void set(const moving *m, char *base, int64_t index, double value) {
    if (m->p->single)
        ((float *)base)[index] = (float)value;
    else
        ((double *)base)[index] = value;
}

static void read_row(const moving *m, int64_t at, int64_t from) {
    int64_t n = m->p->length[m->p->rank - 1], count = m->half ? n / 2 + 1 : n;
    for (int64_t k = 0; k < n; k++)
        for (int part = 0; part < 2; part++) {
            int64_t cell = m->real ? from + k * m->s->step : 2 * (from + k * m->s->step) + part;
            bool there = k < count && (!m->real || part == 0);
            set(m, m->buffer, 2 * (at + k) + part, there ? weight_of(m, k) * get(m, m->cells, cell) : 0);
            if (there && m->clears)
                set(m, m->cells, cell, 0);
        }
}

static void write_row(const moving *m, int64_t at, int64_t from) {
    int64_t n = m->p->length[m->p->rank - 1], count = m->half ? n / 2 + 1 : n;
    for (int64_t k = 0; k < count; k++)
        for (int part = 0; part < (m->real ? 1 : 2); part++) {
            int64_t cell = m->real ? from + k * m->s->step : 2 * (from + k * m->s->step) + part;
            double value = weight_of(m, k) * get(m, m->buffer, 2 * (at + k) + part);
            set(m, m->cells, cell, m->adds ? get(m, m->cells, cell) + value : value);
        }
}

/* Calls `row` for all rows of one transform. */
static void for_rows(const moving *m, void (*row)(const moving *m, int64_t at, int64_t from)) {
    const plan *p = m->p;
    int64_t index[RANK_MOST] = {0}, at = 0;
    for (;;) {
        int64_t from = 0;
        for (int i = 0; i < p->rank; i++)
            from = from * m->s->embedded[i] + index[i];
        row(m, at, from * m->s->step);
        at += p->length[p->rank - 1];
        int i = p->rank - 2;
        while (i >= 0 && ++index[i] == p->length[i])
            index[i--] = 0;
        if (i < 0)
            return;
    }
}

/* Returns the cells of a side's array; refuses if it has none. */
static char *cells_of(const plan *p, const side *s) {
    uintptr_t unit = p->single ? sizeof(float) : sizeof(double);
    if ((uintptr_t)s->data % unit != 0 || !verso__native_covers(s->data, unit))
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "an array of a Fourier transform is at %p, for which Verso has no cells",
                              (void *)s->data);
    return p->single ? (char *)verso__native_float_cell(s->data) : (char *)verso__native_cell(s->data);
}

static moving movement(const plan *p, const side *s, const transform *t) {
    bool half = is_half(p, s);
    return (moving){.p = p,
                    .s = s,
                    .buffer = numbers_at(t),
                    .cells = cells_of(p, s),
                    .half = half,
                    .real = p->form != COMPLEX && !half,
                    .weighs = half && p->form == HALF_TO_REAL};
}

static size_t bytes_of_one(const moving *m) {
    return (m->p->single ? sizeof(float) : sizeof(double)) * (m->real ? 1 : 2);
}

/* Moves derivatives of all transforms from one side to the other. */
static void apply(const plan *p, const side *from, const side *to, int sign, bool back) {
    transform *t = transform_for(p, sign);
    moving reading = movement(p, from, t), writing = movement(p, to, t);
    bool destroyed = p->form == HALF_TO_REAL && !p->preserves;
    reading.clears = back;
    writing.adds = back && !destroyed;
    for (int64_t k = 0; k < p->count; k++) {
        for_rows(&reading, read_row);
        p->library->execute(t->plan);
        for_rows(&writing, write_row);
        reading.cells += (size_t)from->distance * bytes_of_one(&reading);
        writing.cells += (size_t)to->distance * bytes_of_one(&writing);
    }
}

/* ---- Calls ---- */

/* Returns the plan with the arrays of this call. */
static plan called(const int64_t *words, uint64_t code) {
    const plan *p = find_plan((void *)(intptr_t)words[0]);
    if (p == NULL || p->made == NULL)
        verso__native_refuse(
            "a plan of FFTW is executed that was made by a function without a rule in Verso; there are "
            "rules for plans of dft, dft_r2c and dft_c2r, in one to three dimensions, any rank, and many");
    plan used = *p;
    if (code != 0) {
        used.in.data = (char *)(intptr_t)words[1];
        used.out.data = (char *)(intptr_t)words[2];
    }
    return used;
}

void verso__native_plan_record(verso_call *call, uint64_t code, const int64_t *words) {
    (void)call;
    (void)called(words, code);
}

void verso__native_plan_recorded(verso_call *call, uint64_t code, const int64_t *words) {
    (void)call, (void)code, (void)words;
}

/* In place, the cells that are read are cleared first, so adding sets them. */
void verso__native_plan_sweep(verso_call *call, uint64_t code, const int64_t *words) {
    (void)call;
    plan p = called(words, code);
    apply(&p, &p.out, &p.in, -p.sign, true);
}

void verso__native_plan_tangent(verso_call *call, uint64_t code, const int64_t *words) {
    (void)call;
    plan p = called(words, code);
    apply(&p, &p.in, &p.out, p.sign, false);
}

void verso__native_plan_tangent_end(verso_call *call, uint64_t code, const int64_t *words) {
    (void)call, (void)code, (void)words;
}
