/* Tests numbers that are written in parts against a model that knows where each byte came from: copies and fills of
 * some bytes of doubles, in random order with whole writes and reads, in both modes. A derivative is right, or a NaN,
 * or refused; and a number that consists of all bytes of another one has the right derivative. */
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

enum { NUMBERS = 3, STEPS = 12, TRIALS = 100000 };

/* The numbers lie in the midst of it, at multiples of 8, or at odd ones of 4, as where copies have brought them. */
static _Alignas(8) char room[8 * (NUMBERS + 3)];
static char *memory;

/* ---- Programs ---- */

typedef enum kind { VARIABLE, CONSTANT, COPY, FILL, READ, KINDS } kind;

typedef struct step {
    kind kind;
    size_t number, from, first, count; /* bytes `first` ... of `number` */
} step;

typedef struct program {
    step steps[STEPS];
    double derivative[STEPS]; /* reverse mode: by the variable of that step; tangent mode: of what it reads */
} program;

static program random_program(random_source *source) {
    static const size_t parts[][2] = {{0, 4}, {4, 4}, {4, 4}, {0, 4}, {0, 8}, {0, 5}, {5, 3}, {0, 7}, {7, 1}, {2, 2}};
    program made = {0};
    for (size_t i = 0; i < STEPS; i++) {
        const size_t *part = parts[random_below(source, sizeof parts / sizeof *parts)];
        step *one = &made.steps[i];
        *one = (step){(kind)random_below(source, KINDS), random_below(source, NUMBERS), 0, part[0], part[1]};
        one->from = (one->number + 1 + random_below(source, NUMBERS - 1)) % NUMBERS;
        if (random_below(source, 3) > 0)
            one->kind = COPY;
        if (one->kind < COPY)
            one->first = 0, one->count = 8;
        if (i < NUMBERS) /* all are written before they are used */
            *one = (step){random_below(source, 4) > 0 ? VARIABLE : CONSTANT, i, 0, 0, 8};
        if (i == STEPS - 1)
            one->kind = READ;
    }
    return made;
}

static char *at(const step *one, size_t number) {
    return memory + 8 * number + one->first;
}

static void reverse(void *context) {
    program *run = context;
    for (size_t i = STEPS; i-- > 0;) {
        const step *one = &run->steps[i];
        double *cell = verso__native_cell(memory + 8 * one->number);
        switch (one->kind) {
        case VARIABLE:
            run->derivative[i] = *cell;
            *cell = 0;
            break;
        case CONSTANT: *cell = 0; break;
        case COPY: verso__native_sweep_copy(at(one, one->number), at(one, one->from), one->count); break;
        case FILL: verso__native_sweep_clear(at(one, one->number), one->count); break;
        default: *cell += 1; break;
        }
    }
}

static void forward(void *context) {
    program *run = context;
    for (size_t i = 0; i < STEPS; i++) {
        const step *one = &run->steps[i];
        double *cell = verso__native_cell(memory + 8 * one->number);
        switch (one->kind) {
        case VARIABLE: *cell = (double)(i + 1); break;
        case CONSTANT: *cell = 0; break;
        case COPY: verso__native_tangent_copy(at(one, one->number), at(one, one->from), one->count); break;
        case FILL: verso__native_tangent_clear(at(one, one->number), one->count); break;
        default: run->derivative[i] = *cell; break;
        }
    }
}

/* False: refused. */
static bool carried_out(void (*run)(void *), program *context) {
    verso__native_job job = {.run = run, .context = context};
    verso_error error = {0};
    assert_int_equal(verso__native_enter(&job, &error), VERSO_STATUS_OK);
    verso__native_parts_begin();
    verso_status status = verso__native_plain(&job, &error);
    if (status == VERSO_STATUS_OK && run == reverse)
        status = verso__native_parts_check(NULL, 0, &error);
    verso__native_leave();
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        for (size_t i = 0; i < 8; i += 4)
            if (kind != VERSO_NATIVE_FLOAT)
                memset((void *)verso__native_cell_of(room + i, (verso__native_kind)kind), 0, sizeof room);
    memset(verso__native_float_cell(room), 0, sizeof room);
    assert_true(status == VERSO_STATUS_OK || (status == VERSO_STATUS_INVALID && error.message[0] != '\0'));
    return status == VERSO_STATUS_OK;
}

/* ---- The model ---- */

/* Where a byte's value was made, and where it came from when a part of its number was written last. */
typedef struct byte {
    size_t variable; /* of that step; STEPS: of none */
    size_t source;   /* a number; NUMBERS: it was not copied */
} byte;

typedef enum verdict {
    RIGHT,    /* the number of one variable, or of none */
    BELIEVED, /* all copied from one place, but at two times: a number was written there in between */
    LOST,
} verdict;

static void write_byte(const step *one, size_t i, size_t k, byte bytes[NUMBERS][8]) {
    byte *to = &bytes[one->number][k];
    if (one->kind != COPY) {
        *to = (byte){one->kind == VARIABLE ? i : STEPS, NUMBERS};
        return;
    }
    *to = bytes[one->from][k];
    if (one->count < 8) /* a copy of the whole number changes nothing */
        to->source = one->from;
}

static verdict judge(const byte number[8]) {
    bool same = true, together = number[0].source < NUMBERS;
    for (size_t k = 0; k < 8; k++) {
        same = same && number[k].variable == number[0].variable;
        together = together && number[k].source == number[0].source;
    }
    return same ? RIGHT : together ? BELIEVED : LOST;
}

enum { NONE = STEPS + 1 };

typedef struct expected {
    verdict worst;
    bool believed;             /* of some number, at some time: others may be made of it */
    double derivative[STEPS];  /* by variables */
    size_t variable_of[STEPS]; /* of what is read; NONE: lost */
} expected;

static expected model(const program *run) {
    byte bytes[NUMBERS][8] = {0};
    expected all = {.worst = RIGHT};
    for (size_t i = 0; i < STEPS; i++) {
        const step *one = &run->steps[i];
        const byte *number = bytes[one->number];
        for (size_t k = one->first; one->kind < READ && k < one->first + one->count; k++)
            write_byte(one, i, k, bytes);
        verdict found = judge(number);
        all.believed = all.believed || (i >= NUMBERS && found == BELIEVED);
        if (one->kind != READ)
            continue;
        all.worst = found > all.worst ? found : all.worst;
        all.variable_of[i] = found == RIGHT ? number[0].variable : NONE;
        if (found == RIGHT && number[0].variable < STEPS)
            all.derivative[number[0].variable] += 1;
    }
    return all;
}

/* ---- The comparison ---- */

static void show(const program *run) {
    static const char *const names[] = {"variable", "constant", "copy", "fill", "read"};
    for (size_t i = 0; i < STEPS; i++)
        print_message("%zu: %s %zu from %zu: %zu bytes at %zu: %g\n", i, names[run->steps[i].kind],
                      run->steps[i].number, run->steps[i].from, run->steps[i].count, run->steps[i].first,
                      run->derivative[i]);
}

#define REQUIRE(run, condition) \
    do { \
        if (!(condition)) { \
            show(run); \
            fail_msg("does not hold: %s", #condition); \
        } \
    } while (0)

static bool any_nan(const program *run) {
    for (size_t i = 0; i < STEPS; i++)
        if (isnan(run->derivative[i]))
            return true;
    return false;
}

static size_t wrong_gradients(const program *run, const expected *all) {
    size_t wrong = 0;
    for (size_t i = 0; i < STEPS; i++)
        wrong += run->steps[i].kind == VARIABLE && run->derivative[i] != all->derivative[i];
    return wrong;
}

static size_t wrong_tangents(const program *run, const expected *all) {
    size_t wrong = 0;
    for (size_t i = 0; i < STEPS; i++) {
        size_t variable = all->variable_of[i];
        if (run->steps[i].kind == READ && !isnan(run->derivative[i]))
            wrong += variable == NONE || run->derivative[i] != (variable < STEPS ? (double)(variable + 1) : 0);
    }
    return wrong;
}

static void trials_at(char *place) {
    memory = place;
    random_source source = random_from_seed(random_seed());
    size_t right = 0, lost = 0, composed = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        program backwards = random_program(&source), forwards = backwards;
        expected all = model(&backwards);
        if (all.believed)
            continue;
        bool silent = carried_out(reverse, &backwards) && !any_nan(&backwards);
        REQUIRE(&backwards, !silent || all.worst != LOST);
        REQUIRE(&backwards, !silent || all.worst != RIGHT || wrong_gradients(&backwards, &all) == 0);
        REQUIRE(&forwards, carried_out(forward, &forwards));
        REQUIRE(&forwards, wrong_tangents(&forwards, &all) == 0);
        right += silent && all.worst == RIGHT;
        lost += all.worst == LOST;
        composed += all.worst == RIGHT;
    }
    assert_true(lost > TRIALS / 10);
    assert_true(right > composed / 2);
}

static void derivatives_are_right_or_refused(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    trials_at(room + 8);
    trials_at(room + 12);
}

/* What a program does that copies numbers word by word, or byte by byte, in whatever order. */
static void all_bytes_of_a_number_make_it(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    memory = room + 8;
    for (unsigned order = 0; order < 4; order++)
        for (int over = 0; over < 2; over++) {
            size_t first = order & 1 ? 4 : 0, second = 4 - first;
            program run = {.steps = {{VARIABLE, 0, 0, 0, 8},
                                     {over ? VARIABLE : CONSTANT, 1, 0, 0, 8},
                                     {READ, 1, 0, 0, 8},
                                     {COPY, 1, 0, first, order & 2 ? 3 : 4},
                                     {COPY, 1, 0, first + (order & 2 ? 3 : 0), order & 2 ? 1 : 0},
                                     {COPY, 1, 0, second, 4},
                                     {READ, 1, 0, 0, 8}}};
            for (size_t i = 7; i < STEPS; i++)
                run.steps[i] = (step){CONSTANT, 2, 0, 0, 8};
            program forwards = run;
            if ((order & 2) != 0 && first == 0)
                continue; /* three bytes of a number's first four are refused */
            assert_true(carried_out(reverse, &run));
            assert_true(run.derivative[0] == 1 && run.derivative[1] == over);
            assert_true(carried_out(forward, &forwards));
            assert_true(forwards.derivative[6] == 1);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_right_or_refused),
        cmocka_unit_test(all_bytes_of_a_number_make_it),
    };
    return cmocka_run_group_tests_name("native parts", tests, NULL, NULL);
}
