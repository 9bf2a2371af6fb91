/* See check.h. Each evaluation of the tests starts with an empty machine, at the effects before f, which are
 * frozen. Values that several evaluations need are rooted. The reals of structures are copied to arrays, in the
 * order of vlad_shape_map, and structures are made from such arrays. */
#include "vlad/check.h"

#include "native/api/tests.h"
#include "vlad/checkpoint.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Number of applications at each place that are always tested. */
#define APPLICATIONS 10
/* If the program uses checkpoint-*j and f takes at most RECORDED_MOST steps, *j is tried as well. If f takes at
 * most SHORT_MOST steps, all leaves are tried. */
#define RECORDED_MOST (UINT64_C(1) << 22)
#define SHORT_MOST 2000
/* An evaluation near x may take STEPS_FACTOR times as many steps as at x, plus STEPS_MORE. */
#define STEPS_FACTOR 10
#define STEPS_MORE 10000
/* Round-off relative to the size of the value and of its differential; a larger deviation is a discontinuity. */
#define NOISE_MOST 0x1p-20
/* Tolerance for the cotangents of functions that use checkpoint-*j, relative to the largest. */
#define NESTED_MOST 1e-12

/* Rooted values. */
enum { OUTER, FUNCTION, X, SEED, OWN, Y, RESULT, VALUES };

enum { AT_X, AT_Y, DIRECTION, WEIGHTS, GRADIENT, TANGENT, OTHER, REFERENCE, ARRAYS };

typedef struct check {
    vlad_machine *machine;
    vlad_checked *row;
    const vlad_expression *e;
    vlad_expression operation; /* copy of *e in which the operator is replaced */
    vlad_checkpointing how;    /* a copy, so that the tests do not change the statistics of the program */
    vlad_value values[VALUES];
    vlad_roots roots;
    uint64_t effects; /* number of effects before f */
    uint64_t steps;   /* number of steps of f at x */
    uint64_t random;
    bool nests;  /* f uses checkpoint-*j */
    bool failed; /* a test has failed */
    double side; /* side of x in the Taylor test: 1 or -1 */
    size_t inputs, outputs;
    double *numbers[ARRAYS];
    verso_error error;     /* of the current evaluation */
    verso_error elsewhere; /* of the first evaluation that failed at a point other than x */
} check;

void vlad_checking_open(vlad_checking *checking, uint64_t seed) {
    *checking = (vlad_checking){.seed = seed, .places.item = sizeof(vlad_checked)};
}

void vlad_checking_close(vlad_checking *checking) {
    vlad_stack_free(&checking->places);
}

/* ---- Failures ---- */

/* Records a failure of the application, unless one is recorded already. Only the first line of a message is kept;
 * the others show the source. */
static void complain(check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(check *check, const char *format, ...) {
    char *text = check->row->complaint;
    size_t size = sizeof check->row->complaint;
    check->failed = true;
    if (text[0] != '\0')
        return;
    int length = snprintf(text, size, "application %llu: ", (unsigned long long)check->row->applied);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - (size_t)length, format, arguments);
    va_end(arguments);
    text[strcspn(text, "\n")] = '\0';
}

/* ---- Structures and numbers ---- */

typedef struct walk {
    double *numbers;
    const double *from;
    size_t next;
    double divisor;
} walk;

static vlad_value count_number(void *context, vlad_value real, vlad_value other) {
    (void)real, (void)other;
    ((walk *)context)->next++;
    return VLAD_NULL;
}

static vlad_value read_number(void *context, vlad_value real, vlad_value other) {
    walk *walk = context;
    (void)real;
    walk->numbers[walk->next++] = vlad_number_plain(other);
    return VLAD_NULL;
}

static vlad_value write_number(void *context, vlad_value real, vlad_value other) {
    walk *walk = context;
    (void)real, (void)other;
    return vlad_number(walk->from[walk->next++] / walk->divisor);
}

static verso_status count_numbers(check *check, vlad_value value, size_t *count) {
    walk walk = {0};
    verso_status status =
        vlad_shape_map(&check->machine->heap, value, VLAD_NOTHING, count_number, &walk, NULL, &check->error);
    *count = walk.next;
    return status;
}

/* Copies the reals of a value that has the same shape as values[shape]. */
static verso_status read_numbers(check *check, int shape, vlad_value value, double *numbers) {
    walk walk = {.numbers = numbers};
    return vlad_shape_map(&check->machine->heap, check->values[shape], value, read_number, &walk, NULL, &check->error);
}

static verso_status make_value(check *check, int shape, const double *numbers, double divisor, vlad_value *value) {
    walk walk = {.from = numbers, .divisor = divisor};
    return vlad_shape_map(&check->machine->heap, check->values[shape], VLAD_NOTHING, write_number, &walk, value,
                          &check->error);
}

/* ---- Evaluating ---- */

static void prepare(check *check, uint64_t most) {
    vlad_machine *machine = check->machine;
    check->error = (verso_error){0};
    machine->effects->at = check->effects;
    machine->limit = verso__add_u64(machine->steps, most);
    vlad_machine_begin(machine, NULL);
}

/* Clears the machine after an evaluation, whatever its outcome. */
static void clear(check *check) {
    vlad_machine *machine = check->machine;
    for (int i = 0; i < VLAD_LEVELS; i++)
        machine->numbers.tapes[i] = machine->plays[i] = VLAD_NULL;
    for (size_t i = 0; i < machine->register_count; i++)
        machine->registers[i] = VLAD_NULL;
    machine->numbers.count = machine->player_count = 0;
    machine->numbers.tags = 0;
    machine->binding.count = 0;
    machine->at = NULL;
    machine->phase = 0;
    machine->limit = VLAD_FOR_EVER;
    if (machine->heap.exhausted)
        vlad_heap_recover(&machine->heap);
}

/* Runs a begun evaluation to its end, and sets values[RESULT]. */
static verso_status evaluate(check *check, bool begun) {
    vlad_machine *machine = check->machine;
    vlad_outcome outcome = begun ? vlad_machine_run(machine) : VLAD_FAILED;
    if (outcome == VLAD_ENDED)
        check->values[RESULT] = machine->registers[VLAD_RESULT];
    clear(check);
    if (outcome == VLAD_INTERRUPTED)
        return verso__fail(&check->error, VERSO_STATUS_STATE,
                           "the function takes more than %d times as many steps as at x", STEPS_FACTOR);
    return outcome == VLAD_ENDED ? VERSO_STATUS_OK : check->error.status;
}

static verso_status call(check *check, vlad_value argument, uint64_t most) {
    prepare(check, most);
    return evaluate(check, vlad_machine_apply(check->machine, check->values[FUNCTION], argument) == VERSO_STATUS_OK);
}

/* Applies an AD operator at x. Sets `result` to the reals of the tangent or cotangent, which has the shape of y or
 * x. */
static verso_status differentiate(check *check, vlad_operator operation, vlad_value seed, double *result) {
    const vlad_value values[] = {check->values[FUNCTION], check->values[X], seed};
    prepare(check, VLAD_FOR_EVER);
    check->operation.is.operation = operation;
    verso_status status = evaluate(check, vlad_differentiate(check->machine, &check->operation, values));
    if (status != VERSO_STATUS_OK)
        return status;
    const vlad_object *pair = vlad_object_of(check->values[RESULT]);
    return read_numbers(check, operation == VLAD_J_FORWARD ? Y : X, pair->field[1], result);
}

/* Returns *j if its recording fits into memory, else checkpoint-*j. */
static vlad_operator recorded(const check *check) {
    bool affordable = check->steps <= RECORDED_MOST || check->e->is.operation == VLAD_J_REVERSE;
    return affordable ? VLAD_J_REVERSE : VLAD_J_CHECKPOINT;
}

/* ---- Dot products and Taylor ---- */

static verso_status reverse(void *self, double divisor, double *result) {
    check *check = self;
    vlad_value seed;
    verso_status status = make_value(check, Y, check->numbers[WEIGHTS], divisor, &seed);
    return status == VERSO_STATUS_OK ? differentiate(check, recorded(check), seed, result) : status;
}

static verso_status forward(void *self, double divisor, double *result) {
    check *check = self;
    vlad_value seed;
    verso_status status = make_value(check, X, check->numbers[DIRECTION], divisor, &seed);
    return status == VERSO_STATUS_OK ? differentiate(check, VLAD_J_FORWARD, seed, result) : status;
}

/* Returns the distance by which input i is moved. */
static double step_of(check *check, size_t i, double h, bool nearby) {
    double x = check->numbers[AT_X][i], size = h * fabs(check->numbers[DIRECTION][i]);
    if (!nearby)
        return check->side * h * check->numbers[DIRECTION][i];
    double least = DBL_EPSILON * (x != 0 ? fabs(x) : 1);
    double distance = (size > least ? size : least) * (1 + verso__test_random(&check->random));
    return verso__test_random(&check->random) < 0.5 ? -distance : distance;
}

/* Evaluates f at a moved point. The step is the actual difference after rounding, and sums are long double, so
 * that the test adds no round-off of its own. */
static verso_status remainder_there(check *check, double h, bool nearby, long double *term, long double *change) {
    double *moved = check->numbers[OTHER];
    vlad_value argument;
    for (size_t i = 0; i < check->inputs; i++) {
        moved[i] = check->numbers[AT_X][i] + step_of(check, i, h, nearby);
        *term += ((long double)moved[i] - check->numbers[AT_X][i]) * check->numbers[GRADIENT][i];
    }
    verso_status status = make_value(check, X, moved, 1, &argument);
    if (status == VERSO_STATUS_OK)
        status = call(check, argument, verso__add_u64(verso__mul_u64(STEPS_FACTOR, check->steps), STEPS_MORE));
    if (status == VERSO_STATUS_OK)
        status = read_numbers(check, Y, check->values[RESULT], moved);
    for (size_t i = 0; status == VERSO_STATUS_OK && i < check->outputs; i++)
        *change += ((long double)moved[i] - check->numbers[AT_Y][i]) * check->numbers[WEIGHTS][i];
    return status;
}

/* A failed evaluation counts as a value that is not finite, and its message is kept. */
static verso_status move(void *self, double h, bool nearby, verso__test_move *moved) {
    check *check = self;
    long double term = 0, change = 0;
    check->machine->checkpointing = NULL; /* players can be interrupted anywhere, the driver cannot */
    check->machine->nested = &check->how;
    verso_status status = remainder_there(check, h, nearby, &term, &change);
    check->machine->checkpointing = &check->how;
    check->machine->nested = NULL;
    if (status != VERSO_STATUS_OK && check->elsewhere.status == VERSO_STATUS_OK)
        check->elsewhere = check->error;
    bool finite = status == VERSO_STATUS_OK && isfinite(change - term);
    *moved = (verso__test_move){(double)change, (double)term, finite ? (double)(change - term) : NAN};
    return VERSO_STATUS_OK;
}

/* Returns the sum of the absolute values of all terms of v f(x). */
static double size_of_value(const check *check) {
    double size = 0;
    for (size_t i = 0; i < check->outputs; i++)
        size += fabs(check->numbers[WEIGHTS][i] * check->numbers[AT_Y][i]);
    return size;
}

static void judge_dot(check *check, const verso_check_report *report) {
    vlad_checked *row = check->row;
    double apart = fabs(report->dot_tangent - report->dot_reverse);
    if (!report->dot_holds)
        complain(check, "dot product: %.6g by j*, %.6g by *j, %.1e apart; %.1e is allowed", report->dot_tangent,
                 report->dot_reverse, apart, report->dot_bound);
    if (row->checked == 1 || (!isnan(row->apart) && !(apart * row->bound <= row->apart * report->dot_bound))) {
        row->apart = apart;
        row->bound = report->dot_bound;
    }
}

static void judge_taylor(check *check, const verso_check_report *report) {
    double scale = fmax(size_of_value(check), fabs(report->dot_reverse));
    bool anywhere = false;
    for (int i = 0; i < VERSO_CHECK_STEPS; i++)
        anywhere |= !isnan(report->taylor_remainder[i]);
    if (!anywhere && check->elsewhere.status != VERSO_STATUS_OK)
        complain(check, "Taylor: not checked, near x the function takes a different path: %s",
                 check->elsewhere.message);
    else if (!anywhere)
        complain(check, "Taylor: the function is not finite near x");
    else if (report->taylor_linear && report->taylor_noise > NOISE_MOST * scale)
        complain(check, "Taylor: the function jumps by %.1e at x, or is hardly more than rounding",
                 report->taylor_noise);
    else if (!report->taylor_holds && report->taylor_linear)
        complain(check, "Taylor: the function is linear near x, but with another derivative");
    else if (!report->taylor_holds)
        complain(check, "Taylor: order %.3f instead of 2: another derivative, or a corner at x", report->taylor_order);
    check->row->seen |= anywhere;
    if (anywhere && !report->taylor_linear)
        check->row->order = fmin(check->row->order, report->taylor_order);
}

static verso_status test_derivative(check *check) {
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso__tested tested = {.self = check,
                            .inputs = check->inputs,
                            .outputs = check->outputs,
                            .direction = check->numbers[DIRECTION],
                            .weights = check->numbers[WEIGHTS],
                            .gradient = check->numbers[GRADIENT],
                            .tangent = check->numbers[TANGENT],
                            .other = check->numbers[OTHER],
                            .noise = DBL_EPSILON * size_of_value(check),
                            .reverse = reverse,
                            .forward = forward,
                            .move = move};
    verso_status status = verso__test_dot(&tested, &report);
    if (status != VERSO_STATUS_OK)
        return status;
    judge_dot(check, &report);
    for (check->side = 1; check->side >= -1; check->side -= 2) {
        check->elsewhere = (verso_error){0};
        (void)verso__test_taylor(&tested, &report); /* `move` never fails */
        judge_taylor(check, &report);
    }
    return VERSO_STATUS_OK;
}

/* ---- The same bits ---- */

static bool are_same(const check *check, const double *numbers, const double *others, size_t count) {
    double largest = 0;
    if (!check->nests)
        return memcmp(numbers, others, count * sizeof *numbers) == 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(numbers[i]));
    for (size_t i = 0; i < count; i++)
        if (fabs(numbers[i] - others[i]) > NESTED_MOST * largest || isnan(numbers[i]) != isnan(others[i]))
            return false;
    return true;
}

/* Compares a cotangent with the reference. A schedule that is impossible for this number of steps is skipped. */
static verso_status compare(check *check, vlad_operator operation, uint64_t leaf) {
    check->how.leaf = leaf;
    verso_status status = differentiate(check, operation, check->values[SEED], check->numbers[OTHER]);
    if (status == VERSO_STATUS_IMPOSSIBLE)
        return VERSO_STATUS_OK;
    if (status != VERSO_STATUS_OK)
        return status;
    bool same = are_same(check, check->numbers[REFERENCE], check->numbers[OTHER], check->inputs);
    check->row->ways++;
    check->row->same += same;
    if (!same && operation == VLAD_J_REVERSE)
        complain(check, "the cotangents by checkpoint-*j and by *j differ");
    else if (!same)
        complain(check, "the cotangent by checkpoint-*j in leaves of %llu steps is different",
                 (unsigned long long)leaf);
    return VERSO_STATUS_OK;
}

/* Sets the reference: the cotangent of the program's operator, or for j* that of *j with random weights. */
static verso_status choose_reference(check *check) {
    const vlad_object *own = vlad_object_of(check->values[OWN]);
    if (check->e->is.operation != VLAD_J_FORWARD)
        return read_numbers(check, X, own->field[1], check->numbers[REFERENCE]);
    memcpy(check->numbers[REFERENCE], check->numbers[GRADIENT], check->inputs * sizeof(double));
    return make_value(check, Y, check->numbers[WEIGHTS], 1, &check->values[SEED]);
}

static verso_status test_bits(check *check) {
    bool checkpointed = check->e->is.operation == VLAD_J_CHECKPOINT;
    uint64_t leaf = check->how.leaf, steps = check->steps, some[3] = {1, 7, 1};
    uint64_t part = (uint64_t)(verso__test_random(&check->random) * (double)(steps <= SHORT_MOST ? steps : steps / 8));
    some[2] = steps <= SHORT_MOST ? 1 + part : steps / 64 + part;
    verso_status status = choose_reference(check);
    if (status == VERSO_STATUS_OK && (!checkpointed || recorded(check) == VLAD_J_REVERSE))
        status = compare(check, checkpointed ? VLAD_J_REVERSE : VLAD_J_CHECKPOINT, leaf);
    for (int i = steps <= SHORT_MOST ? 0 : 2; status == VERSO_STATUS_OK && i < 3; i++)
        status = compare(check, VLAD_J_CHECKPOINT, some[i]);
    check->how.leaf = leaf;
    return status;
}

/* ---- An application ---- */

static verso_status make_room(check *check) {
    size_t most = 1 + (check->inputs > check->outputs ? check->inputs : check->outputs);
    double *block = verso__alloc(most, ARRAYS * sizeof *block);
    if (block == NULL)
        return vlad_no_memory(&check->error);
    for (int i = 0; i < ARRAYS; i++)
        check->numbers[i] = block + (size_t)i * most;
    return VERSO_STATUS_OK;
}

/* Evaluates f at x as the program does, and compares its value. */
static verso_status test_value(check *check) {
    uint64_t before = check->machine->steps;
    check->how.statistics.runs = 0;
    verso_status status = call(check, check->values[X], VLAD_FOR_EVER);
    check->steps = check->machine->steps - before;
    check->nests = check->how.statistics.runs > 0;
    if (status == VERSO_STATUS_OK)
        status = read_numbers(check, Y, check->values[RESULT], check->numbers[OTHER]);
    if (status == VERSO_STATUS_OK && !are_same(check, check->numbers[AT_Y], check->numbers[OTHER], check->outputs))
        complain(check, "the value differs from that of the function without derivatives");
    return status;
}

static verso_status test(check *check) {
    check->values[Y] = vlad_object_of(check->values[OWN])->field[0];
    verso_status status = count_numbers(check, check->values[X], &check->inputs);
    if (status == VERSO_STATUS_OK)
        status = count_numbers(check, check->values[Y], &check->outputs);
    if (status == VERSO_STATUS_OK)
        status = make_room(check);
    if (status == VERSO_STATUS_OK)
        status = read_numbers(check, X, check->values[X], check->numbers[AT_X]);
    if (status == VERSO_STATUS_OK)
        status = read_numbers(check, Y, check->values[Y], check->numbers[AT_Y]);
    for (size_t i = 0; status == VERSO_STATUS_OK && i < check->inputs; i++)
        check->numbers[DIRECTION][i] = verso__test_distance(&check->random, check->numbers[AT_X][i]);
    for (size_t i = 0; status == VERSO_STATUS_OK && i < check->outputs; i++)
        check->numbers[WEIGHTS][i] = verso__test_number(&check->random);
    if (status == VERSO_STATUS_OK)
        status = test_value(check);
    if (status == VERSO_STATUS_OK)
        status = test_derivative(check);
    if (status == VERSO_STATUS_OK)
        status = test_bits(check);
    verso__dealloc(check->numbers[0]);
    return status;
}

/* Runs the tests on the program's machine, and restores its state afterwards. */
static void test_apart(check *check, vlad_checking *checking) {
    vlad_machine *machine = check->machine;
    vlad_checkpointing *checkpointing = machine->checkpointing;
    verso_error *error = machine->error;
    uint64_t steps = machine->steps, limit = machine->limit, effects = machine->effects->at;
    size_t number = (size_t)(check->row - (vlad_checked *)checking->places.items);
    check->random = checking->seed + number * UINT64_C(0x100000001) + (check->row->applied << 8);
    check->how = *checkpointing;
    machine->checkpointing = &check->how;
    machine->error = &check->error;
    machine->effects->frozen = true;
    check->row->checked++;
    verso_status status = test(check);
    if (status != VERSO_STATUS_OK)
        complain(check, "not checked: %s", check->error.message);
    check->row->failed += check->failed;
    machine->effects->frozen = false;
    machine->effects->at = effects;
    machine->error = error;
    machine->checkpointing = checkpointing;
    machine->steps = steps;
    machine->limit = limit;
    vlad_heap_recover(&machine->heap);
}

static vlad_checked *find_row(vlad_checking *checking, const vlad_expression *e) {
    for (size_t i = 0; i < checking->places.count; i++) {
        vlad_checked *row = vlad_at(&checking->places, i);
        if (row->place.file == e->place.file && row->place.line == e->place.line &&
            row->place.column == e->place.column)
            return row;
    }
    vlad_checked *row = vlad_push(&checking->places);
    if (row != NULL)
        *row = (vlad_checked){.place = e->place, .operation = e->is.operation, .order = INFINITY};
    checking->incomplete |= row == NULL;
    return row;
}

static bool is_wanted(const vlad_checked *row) {
    return row->applied <= APPLICATIONS || (row->applied & (row->applied - 1)) == 0;
}

bool vlad_check(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    vlad_checking *checking = machine->checking;
    check check = {.machine = machine,
                   .e = e,
                   .operation = *e,
                   .effects = machine->effects->at,
                   .values = {machine->registers[VLAD_CONTINUATION], values[0], values[1], values[2], VLAD_NULL,
                              VLAD_NULL, VLAD_NULL}};
    check.roots = (vlad_roots){.values = check.values, .count = VALUES};
    vlad_heap_root(&machine->heap, &check.roots);
    machine->checking = NULL;
    vlad_machine_begin(machine, NULL);
    bool done = vlad_differentiate(machine, e, values) && vlad_machine_run(machine) == VLAD_ENDED;
    if (done) {
        check.values[OWN] = machine->registers[VLAD_RESULT];
        check.row = find_row(checking, e);
        if (check.row != NULL && (check.row->applied++, is_wanted(check.row)))
            test_apart(&check, checking);
    }
    machine->checking = checking;
    machine->registers[VLAD_CONTINUATION] = check.values[OUTER];
    vlad_heap_unroot(&machine->heap, &check.roots);
    return done && vlad_give(machine, check.values[OWN]);
}
