/* Tests cells against a model of single bytes: copies of any size, alignment and overlap, clears, and numbers at odd
 * addresses, in both modes. Also tests the pages of shadow memory: everything that a run touches is zero when the
 * next one begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "tests/support/native_program.h"
#include "tests/support/random_spec.h"

#include <math.h>
#include <stdio.h>

enum { UNITS = 256, BYTES = 4 * UNITS, TRIALS = 300000 };

static uint64_t seed;
static _Alignas(64) char memory[BYTES];

static void require_possible(void) {
    if (!native_possible())
        skip();
}

/* ---- One operation, on the private stack ---- */

typedef enum kind { SWEEP_COPY, SWEEP_CLEAR, SWEEP_OPAQUE, TANGENT_COPY, TANGENT_CLEAR, KINDS } kind;

typedef struct operation {
    kind kind;
    char *to, *from;
    size_t size;
} operation;

static void perform(void *context) {
    const operation *one = context;
    switch (one->kind) {
    case SWEEP_COPY: verso__native_sweep_copy(one->to, one->from, one->size); break;
    case SWEEP_CLEAR: verso__native_sweep_clear(one->to, one->size); break;
    case SWEEP_OPAQUE: verso__native_sweep_opaque(one->to, one->size, "cells.c:1: opaque"); break;
    case TANGENT_COPY: verso__native_tangent_copy(one->to, one->from, one->size); break;
    case TANGENT_CLEAR: verso__native_tangent_clear(one->to, one->size); break;
    case KINDS: break;
    }
}

/* Returns true if the operation was carried out, false if it was refused. */
static bool carried_out(operation *one) {
    verso__native_job job = {.run = perform, .context = one};
    verso_error error = {0};
    verso_status status = verso__native_enter(&job, &error);
    if (status != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    status = verso__native_plain(&job, &error);
    verso__native_leave();
    assert_true(status == VERSO_STATUS_OK || (status == VERSO_STATUS_INVALID && error.message[0] != '\0'));
    return status == VERSO_STATUS_OK;
}

/* ---- The model ---- */

typedef struct model {
    double cell[UNITS];
    bool refused;
} model;

static double load(size_t unit) {
    return verso__native_cell_read(memory + 4 * unit, VERSO_NATIVE_FLOAT);
}

static void store(size_t unit, double value) {
    verso__native_cell_write(memory + 4 * unit, VERSO_NATIVE_FLOAT, value);
}

/* Returns how many bytes of a unit are within `size` bytes at `at`. */
static unsigned covered(size_t unit, const char *at, size_t size) {
    unsigned count = 0;
    for (size_t i = 0; i < 4; i++) {
        const char *byte = memory + 4 * unit + i;
        count += byte >= at && byte < at + size;
    }
    return count;
}

static bool any_part(const model *before, const char *at, size_t size, bool partial_only) {
    for (size_t unit = 0; unit < UNITS; unit++) {
        unsigned bytes = covered(unit, at, size);
        if (bytes > 0 && (bytes < 4 || !partial_only) && before->cell[unit] != 0)
            return true;
    }
    return false;
}

static void model_sweep(model *now, const operation *one) {
    model before = *now;
    bool copy = one->kind == SWEEP_COPY, travels = (one->to - one->from) % 4 == 0;
    if (copy && one->to == one->from)
        return;
    if (any_part(&before, one->to, one->size, one->kind != SWEEP_OPAQUE && (!copy || travels))) {
        now->refused = true;
        return;
    }
    for (size_t unit = 0; unit < UNITS; unit++)
        if (covered(unit, one->to, one->size) == 4)
            now->cell[unit] = 0;
    for (size_t unit = 0; copy && travels && unit < UNITS; unit++)
        if (covered(unit, one->to, one->size) == 4)
            now->cell[(ptrdiff_t)unit + (one->from - one->to) / 4] += before.cell[unit];
}

static void model_tangent(model *now, const operation *one) {
    model before = *now;
    bool copy = one->kind == TANGENT_COPY, travels = (one->to - one->from) % 4 == 0;
    if (copy && one->to == one->from)
        return;
    bool some = copy && any_part(&before, one->from, one->size, travels);
    for (size_t unit = 0; unit < UNITS; unit++) {
        unsigned bytes = covered(unit, one->to, one->size);
        if (bytes == 4)
            now->cell[unit] = !copy     ? 0
                              : travels ? before.cell[(ptrdiff_t)unit + (one->from - one->to) / 4]
                              : some    ? NAN
                                        : 0;
        else if (bytes > 0 && (some || before.cell[unit] != 0))
            now->cell[unit] = NAN;
    }
}

static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* ---- Random operations ---- */

static operation random_operation(random_source *source) {
    operation one = {.kind = (kind)random_below(source, KINDS), .size = random_below(source, 4) ? 4 : 200};
    one.size = random_below(source, 3) == 0 ? random_below(source, one.size + 1) : 8 * random_below(source, 24);
    size_t room = BYTES - one.size;
    one.to = memory + random_below(source, room + 1);
    one.from = memory + random_below(source, room + 1);
    if (random_below(source, 3) > 0) { /* aligned, as most are */
        size_t alignment = random_below(source, 2) ? 8 : 4;
        one.to -= (uintptr_t)one.to % alignment;
        one.from -= (uintptr_t)one.from % alignment;
    }
    if (random_below(source, 2)) { /* overlapping */
        ptrdiff_t shift = (ptrdiff_t)random_below(source, 81) - 40;
        shift = random_below(source, 4) ? shift / 4 * 4 : shift;
        if (one.to + shift >= memory && one.to + shift + one.size <= memory + BYTES)
            one.from = one.to + shift;
    }
    return one;
}

/* Some cells are not zero; how many differs, so that also what must find none is tried. */
static void random_cells(random_source *source, model *now) {
    uint64_t share = UINT64_C(1) << random_below(source, 9);
    for (size_t unit = 0; unit < UNITS; unit++) {
        now->cell[unit] = random_below(source, share) == 0 ? (double)random_below(source, 1000) - 500 : 0;
        store(unit, now->cell[unit]);
        for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++) /* NaNs are left in all */
            if (kind != VERSO_NATIVE_FLOAT)
                memset((void *)verso__native_cell_of(memory + 4 * unit, (verso__native_kind)kind), 0, sizeof(double));
    }
    now->refused = false;
}

static void operations_agree_with_a_model(void **state) {
    (void)state;
    require_possible();
    random_source source = random_from_seed(seed);
    uint64_t refused = 0, done[KINDS] = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        operation one = random_operation(&source);
        model now;
        if (trial == 0)
            (void)carried_out(&one); /* reserves the planes */
        random_cells(&source, &now);
        if (one.kind <= SWEEP_OPAQUE)
            model_sweep(&now, &one);
        else
            model_tangent(&now, &one);
        bool out = carried_out(&one);
        if (out == now.refused)
            fail_msg("kind %d to %td from %td size %zu: %s", one.kind, one.to - memory, one.from - memory, one.size,
                     out ? "not refused" : "refused");
        for (size_t unit = 0; out && unit < UNITS; unit++)
            if (!same(load(unit), now.cell[unit]))
                fail_msg("kind %d to %td from %td size %zu: unit %zu is %g, not %g", one.kind, one.to - memory,
                         one.from - memory, one.size, unit, load(unit), now.cell[unit]);
        refused += !out;
        done[one.kind] += out;
    }
    for (size_t i = 0; i < KINDS; i++)
        assert_true(done[i] > TRIALS / 50);
    assert_true(refused > TRIALS / 50);
    for (size_t unit = 0; unit < UNITS; unit++)
        store(unit, 0);
}

/* ---- Single numbers ---- */

static void single_numbers(void *context) {
    (void)context;
    verso__native_sweep_read(memory + 12, VERSO_NATIVE_FLOAT, 2, "a");
    verso__native_sweep_read(memory + 12, VERSO_NATIVE_FLOAT, 3, "a");
    if (verso__native_sweep_write(memory + 12, VERSO_NATIVE_FLOAT) != 5 ||
        verso__native_sweep_write(memory + 12, VERSO_NATIVE_FLOAT) != 0)
        verso__native_refuse("reverse");
    verso__native_sweep_read(memory + 13, VERSO_NATIVE_FLOAT, 0, "a"); /* no cell, no derivative: no matter */
    verso__native_refuse_lost(0, "a");
    if (verso__native_sweep_write(memory + 13, VERSO_NATIVE_FLOAT) != 0)
        verso__native_refuse("reverse, odd");
    verso__native_tangent_write(memory + 20, VERSO_NATIVE_FLOAT, 7, "a");
    verso__native_tangent_write(memory + 27, VERSO_NATIVE_FLOAT, 0, "a");
    if (verso__native_tangent_read(memory + 20, VERSO_NATIVE_FLOAT) != 7 ||
        verso__native_tangent_read(memory + 29, VERSO_NATIVE_FLOAT) != 0)
        verso__native_refuse("tangent");
    verso__native_tangent_write(memory + 18, VERSO_NATIVE_FLOAT, 0, "a"); /* over a part of it */
    if (!isnan(verso__native_tangent_read(memory + 20, VERSO_NATIVE_FLOAT)) ||
        !isnan(verso__native_tangent_read(memory + 19, VERSO_NATIVE_FLOAT)))
        verso__native_refuse("tangent, spoilt");
    verso__native_tangent_write(memory + 20, VERSO_NATIVE_FLOAT, 0, "a");
}

static void read_at_odd_address(void *context) {
    verso__native_sweep_read(memory + 13, VERSO_NATIVE_FLOAT, *(double *)context, "cells.c:2: odd");
}

static void write_at_odd_address(void *context) {
    verso__native_tangent_write(memory + 13, VERSO_NATIVE_FLOAT, *(double *)context, "cells.c:2: odd");
}

static void at_odd_addresses_derivatives_are_refused(void **state) {
    (void)state;
    require_possible();
    void (*runs[])(void *) = {single_numbers, read_at_odd_address, write_at_odd_address};
    double values[] = {1, NAN};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++) {
            verso__native_job job = {.run = runs[i], .context = &values[j]};
            verso_error error = {0};
            assert_int_equal(verso__native_enter(&job, &error), VERSO_STATUS_OK);
            assert_int_equal(verso__native_plain(&job, &error), i == 0 ? VERSO_STATUS_OK : VERSO_STATUS_INVALID);
            verso__native_leave();
            assert_string_equal(error.message, i == 0 ? "" : "cells.c:2: odd");
        }
}

/* ---- Large ones ---- */

enum { LARGE = 400000 };

typedef struct arrays {
    double *a, *b;
    size_t offset, count;
} arrays;

static void copy_large(void *context) {
    const arrays *two = context;
    verso__native_sweep_copy(two->b + two->offset, two->a, two->count * sizeof(double));
}

static void clear_large(void *context) {
    const arrays *two = context;
    verso__native_sweep_clear(two->a, two->count * sizeof(double));
}

static void run_plain(void (*run)(void *), void *context) {
    verso__native_job job = {.run = run, .context = context};
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__native_plain(&job, NULL), VERSO_STATUS_OK);
    verso__native_leave();
}

static void large_copies_and_clears(void **state) {
    (void)state;
    require_possible();
    arrays two = {verso__native_malloc(LARGE * sizeof(double)), verso__native_malloc(2 * LARGE * sizeof(double)), 0,
                  LARGE};
    double zero = 0;
    run_plain(read_at_odd_address, &zero);
    for (two.offset = 0; two.offset < 3; two.offset++) {
        for (size_t i = 0; i < LARGE; i++) {
            *verso__native_cell(&two.b[i + two.offset]) = i % 1000 == 0 ? 0 : (double)i;
            *verso__native_cell(&two.a[i]) = 1;
        }
        run_plain(copy_large, &two);
        for (size_t i = 0; i < LARGE; i++) {
            assert_true(*verso__native_cell(&two.a[i]) == (i % 1000 == 0 ? 1 : (double)i + 1));
            assert_true(*verso__native_cell(&two.b[i + two.offset]) == 0);
        }
        two.count = LARGE - 5; /* what follows is unchanged */
        run_plain(clear_large, &two);
        for (size_t i = 0; i < LARGE; i++)
            assert_true(*verso__native_cell(&two.a[i]) == (i < LARGE - 5 ? 0 : i % 1000 == 0 ? 1 : (double)i + 1));
        two.count = LARGE;
        run_plain(clear_large, &two);
    }
    /* Clearing cells that were never touched allocates no memory. */
    char *fresh = (char *)verso__native_cell(two.b + LARGE + 4096);
    unsigned char resident;
    fresh -= (uintptr_t)fresh % 4096;
    verso__native_drop(fresh, fresh + (1 << 20));
    verso__native_shadow_clear(fresh, fresh + (1 << 20));
    assert_int_equal(verso__native_resident(fresh + (1 << 19), 1, &resident), 0);
    verso__native_free(two.a);
    verso__native_free(two.b);
}

/* ---- Pages ---- */

enum { SPOTS = 40, HEAP = 3000000 };
static double global_number;
static const double constant_number = 3;

/* Places of every kind that a program has; or only some that a run is likely to touch again. */
static void spots(random_source *source, double *heap, double *mapped, bool again, double *spot[SPOTS]) {
    for (size_t i = 0; i < SPOTS; i++) {
        double *places[] = {&global_number,
                            (double *)(uintptr_t)&constant_number,
                            (double *)(verso__native_stack_top() - 8 * (1 + random_below(source, again ? 500 : 50000))),
                            heap + random_below(source, again ? 1000 : HEAP),
                            mapped + random_below(source, 100000),
                            (double *)(uintptr_t)&stdout - random_below(source, 100)};
        spot[i] = places[random_below(source, again ? 4 : 6)];
        spot[i] = (double *)((char *)spot[i] + 4 * random_below(source, 2));
    }
}

static void everything_touched_is_zero_afterwards(void **state) {
    (void)state;
    require_possible();
    random_source source = random_from_seed(seed);
    double zero = 0;
    double *heap = verso__native_malloc(HEAP * sizeof *heap), *mapped = malloc(100000 * sizeof *mapped);
    run_plain(read_at_odd_address, &zero);
    uint64_t without_faults = 0;
    size_t most = 0;
    double *spot[SPOTS] = {&global_number};
    for (int round = 0; round < 2000; round++) {
        /* Elsewhere; then a few times at the same places, which is done without asking the system. */
        if (round % 10 == 0)
            spots(&source, heap, mapped, round % 4 == 0, spot);
        verso__native_range nearby[] = {verso__native_program(),
                                        verso__native_arena_ever_used(),
                                        {verso__native_stack_top() - 500000, verso__native_stack_top()}};
        verso__native_shadow_begin();
        for (size_t i = 0; i < SPOTS; i++)
            assert_true(*verso__native_cell(spot[i]) == 0);
        for (size_t i = 0; i < SPOTS; i++)
            *verso__native_cell(spot[i]) = 1;
        without_faults += !verso__native_shadow_touched();
        size_t bytes = verso__native_shadow_end(nearby, random_below(&source, 20) ? 3 : 0);
        most = bytes > most ? bytes : most;
        for (size_t i = 0; i < SPOTS; i++)
            assert_true(*verso__native_cell(spot[i]) == 0);
    }
    assert_true(without_faults > 20);
    assert_true(most >= 4096 && most < HEAP * sizeof *heap + (4 << 20)); /* pages of the heap, by and by all */
    verso__native_free(heap);
    free(mapped);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_agree_with_a_model),
        cmocka_unit_test(at_odd_addresses_derivatives_are_refused),
        cmocka_unit_test(large_copies_and_clears),
        cmocka_unit_test(everything_touched_is_zero_afterwards),
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("native cells", tests, NULL, NULL);
}
