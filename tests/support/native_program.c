/* The programs of native_program.h that have safepoints; native_singles.c has the others. Records and frames are
 * structs that are pushed and popped as a whole. */
#include "tests/support/native_program.h"

#include "native/api/api.h"
#include "native/sweep/inside.h"
#include "tests/support/native_versions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double chain_sum, chain_calls;

const verso__native_global verso__native_globals[] = {{&chain_sum, sizeof chain_sum, "chain_sum"},
                                                      {&chain_calls, sizeof chain_calls, "chain_calls"}};
const uint64_t verso__native_global_count = 2;

bool native_possible(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
    return false;
#endif
#endif
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded == NULL || strstr(preloaded, "vgpreload") == NULL;
}

/* ---- product(a, b) = a sin(b); a safepoint at its entry; it asks the outside world for a 1 ---- */

typedef struct product_record {
    double a, b;
} product_record;

typedef struct product_frame {
    double a, b;
} product_frame;

uint64_t chain_asked;

static double ask(void) {
    chain_asked++;
    return 1;
}

static double one_from_outside(void) {
    static const verso__native_outside call = {1, "product"};
    double one = 0;
    if (NOW.world == 0)
        return ask();
    if (verso__native_world_begin(&call))
        one = ask();
    verso__native_world_data(&one, sizeof one);
    verso__native_world_end();
    verso__native_free(malloc(1)); /* a block that is not in the arena */
    static const verso__native_write writes[] = {{0, "product"}, {0, NULL}};
    verso__native_check_write(&chain_calls, writes);
    return one;
}

static double product(double a, double b) {
    chain_calls += 1;
    return a * sin(b);
}

static void product_reverse(void);
static const verso__native_site product_entry = {product_reverse, 1, "product"};

static double product_record_version(double a, double b) {
    char *tape = safepoint(NOW.tape, 0, &product_entry);
    product_record record = {a, b};
    chain_calls += one_from_outside();
    NOW.tape = PUT(tape, record);
    NOW.last = product_reverse;
    return a * sin(b);
}

static void product_reverse(void) {
    char *tape = NOW.tape;
    product_frame adjoint;
    if (NOW.entry == 0) {
        product_record record;
        tape = TAKE(tape, record);
        adjoint.a = NOW.result[0] * sin(record.b);
        adjoint.b = NOW.result[0] * record.a * cos(record.b);
        if (stops(tape, 0, &product_entry)) {
            push_frame(&adjoint, sizeof adjoint);
            stop_here(tape);
            return;
        }
    } else {
        pop_frame(&adjoint, sizeof adjoint);
    }
    NOW.argument[0] = adjoint.a;
    NOW.argument[1] = adjoint.b;
    hand_back(tape);
}

static double product_tangent(double a, double b) {
    NOW.result[0] = NOW.argument[0] * sin(b) + NOW.argument[1] * a * cos(b);
    return product(a, b);
}

/* ---- chain: y = malloc(n); s += y[i] x[i] with y[i] = product(x[i], s); the result is s^2 ---- */

typedef struct chain_step {
    double *y;
    const double *x;
    double y_value, x_value;
} chain_step;

typedef struct chain_block {
    double *y;
    uint64_t size;
} chain_block;

typedef struct chain_exit {
    uint64_t count;
    double s;
} chain_exit;

typedef struct chain_frame {
    uint64_t i;
    double s;
    const double *x; /* of the current iteration */
} chain_frame;

static void chain_reverse(void);
static const verso__native_site chain_loop = {chain_reverse, 2, "chain"};

static double chain_primal(const double *x, size_t n) {
    double *y = verso__native_malloc(n * sizeof *y), s = 1;
    for (size_t i = 0; i < n; i++) {
        y[i] = product(x[i], s);
        s += y[i] * x[i];
    }
    chain_sum += s;
    verso__native_free(y);
    return s * s;
}

static double chain_record(const double *x, size_t n) {
    char *tape = NOW.tape;
    double *y = verso__native_malloc(n * sizeof *y), s = 1;
    chain_block block = {y, n * sizeof *y};
    tape = PUT(tape, block);
    for (size_t i = 0; i < n; i++) {
        tape = safepoint(tape, i, &chain_loop);
        leave_link(tape, chain_reverse, 1);
        y[i] = product_record_version(x[i], s);
        tape = NOW.tape;
        chain_step step = {&y[i], &x[i], y[i], x[i]};
        tape = PUT(tape, step);
        s += y[i] * x[i];
    }
    chain_exit leaving = {n, s};
    chain_sum += s;
    verso__native_free(y);
    NOW.tape = PUT(tape, leaving);
    NOW.last = chain_reverse;
    return s * s;
}

/* Reverses back to the call in the iteration before i, or to the beginning. */
static void chain_reverse_from(char *tape, chain_frame frame) {
    if (frame.i == 0) {
        chain_block block;
        tape = TAKE(tape, block);
        verso__native_sweep_clear(block.y, block.size);
        hand_back(tape);
        return;
    }
    chain_step step;
    tape = TAKE(tape, step);
    *verso__native_cell(step.y) += frame.s * step.x_value;
    *verso__native_cell(step.x) += frame.s * step.y_value;
    frame.i--;
    frame.x = step.x;
    NOW.result[0] = *verso__native_cell(step.y);
    *verso__native_cell(step.y) = 0;
    push_frame(&frame, sizeof frame);
    hand_to(tape, product_reverse);
}

static void chain_reverse(void) {
    char *tape = NOW.tape;
    chain_frame frame = {0};
    if (NOW.entry == 0) {
        chain_exit leaving;
        tape = TAKE(tape, leaving);
        frame.i = leaving.count;
        frame.s = 2 * leaving.s * NOW.result[0];
    } else {
        pop_frame(&frame, sizeof frame);
    }
    if (NOW.entry == 1) {
        *verso__native_cell(frame.x) += NOW.argument[0];
        frame.s += NOW.argument[1];
        if (stops(tape, frame.i, &chain_loop)) {
            push_frame(&frame, sizeof frame);
            stop_here(tape);
            return;
        }
    }
    chain_reverse_from(tape, frame);
}

static double chain_tangent(const double *x, size_t n) {
    double *y = verso__native_malloc(n * sizeof *y), s = 1, s_tangent = 0;
    verso__native_tangent_clear(y, n * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        NOW.argument[0] = *verso__native_cell(&x[i]);
        NOW.argument[1] = s_tangent;
        y[i] = product_tangent(x[i], s);
        *verso__native_cell(&y[i]) = NOW.result[0];
        s_tangent += *verso__native_cell(&y[i]) * x[i] + y[i] * *verso__native_cell(&x[i]);
        s += y[i] * x[i];
    }
    chain_sum += s;
    verso__native_free(y);
    NOW.result[0] = 2 * s * s_tangent;
    return s * s;
}

double chain(const double *x, size_t n) {
    return (NOW.mode & VERSO_NATIVE_RECORD) != 0 ? chain_record(x, n)
           : NOW.mode == VERSO_NATIVE_TANGENT    ? chain_tangent(x, n)
                                                 : chain_primal(x, n);
}

/* ---- walk: state[i] = sin(state[i]) state[(i + 1) % size], in place, over and over; floats[0] *= state[0] ---- */

typedef struct walk_step {
    double *to, *other;
    double value, other_value;
} walk_step;

typedef struct walk_exit {
    uint64_t count;
    float *floats;
    double *state, f, s;
} walk_exit;

typedef struct walk_frame {
    uint64_t i;
} walk_frame;

static void walk_reverse(void);
static const verso__native_site walk_loop = {walk_reverse, 1, "walk"};

static void walk_record(const walk_state *walk) {
    char *tape = NOW.tape;
    size_t count = walk->steps * walk->size;
    for (size_t i = 0; i < count; i++) {
        tape = safepoint(tape, i, &walk_loop);
        double *to = &walk->state[i % walk->size], *other = &walk->state[(i + 1) % walk->size];
        walk_step step = {to, other, *to, *other};
        tape = PUT(tape, step);
        *to = sin(*to) * *other;
    }
    walk_exit leaving = {count, walk->floats, walk->state, walk->floats[0], walk->state[0]};
    walk->floats[0] = (float)(walk->floats[0] * walk->state[0]);
    NOW.tape = PUT(tape, leaving);
    NOW.last = walk_reverse;
}

static char *walk_reverse_end(char *tape, uint64_t *count) {
    walk_exit leaving;
    tape = TAKE(tape, leaving);
    double adjoint = verso__native_sweep_write(leaving.floats, VERSO_NATIVE_FLOAT);
    verso__native_sweep_read(leaving.floats, VERSO_NATIVE_FLOAT, adjoint * leaving.s, "");
    *verso__native_cell(leaving.state) += adjoint * leaving.f;
    *count = leaving.count;
    return tape;
}

static void walk_reverse(void) {
    char *tape = NOW.tape;
    walk_frame frame;
    if (NOW.entry == 0)
        tape = walk_reverse_end(tape, &frame.i);
    else
        pop_frame(&frame, sizeof frame);
    while (frame.i > 0) {
        walk_step step;
        tape = TAKE(tape, step);
        frame.i--;
        double adjoint = *verso__native_cell(step.to);
        *verso__native_cell(step.to) = 0;
        *verso__native_cell(step.to) += adjoint * cos(step.value) * step.other_value;
        *verso__native_cell(step.other) += adjoint * sin(step.value);
        if (stops(tape, frame.i, &walk_loop)) {
            push_frame(&frame, sizeof frame);
            stop_here(tape);
            return;
        }
    }
    hand_back(tape);
}

static void walk_plain(const walk_state *walk, bool tangent) {
    size_t count = walk->steps * walk->size;
    for (size_t i = 0; i < count; i++) {
        double *to = &walk->state[i % walk->size], *other = &walk->state[(i + 1) % walk->size];
        if (tangent)
            *verso__native_cell(to) =
                *verso__native_cell(to) * cos(*to) * *other + sin(*to) * *verso__native_cell(other);
        *to = sin(*to) * *other;
    }
    if (tangent)
        verso__native_tangent_write(walk->floats, VERSO_NATIVE_FLOAT,
                                    verso__native_tangent_read(walk->floats, VERSO_NATIVE_FLOAT) * walk->state[0] +
                                        walk->floats[0] * *verso__native_cell(walk->state),
                                    "");
    walk->floats[0] = (float)(walk->floats[0] * walk->state[0]);
}

void walk(void *context) {
    if ((NOW.mode & VERSO_NATIVE_RECORD) != 0)
        walk_record(context);
    else
        walk_plain(context, NOW.mode == VERSO_NATIVE_TANGENT);
}

/* ---- quiet: iterations multiply by 1, 2, ... 12, which needs no record; then by x ---- */

typedef struct quiet_frame {
    uint64_t outer, inner;
    double s;
    const double *x;
} quiet_frame;

typedef struct quiet_record {
    double s, x_value;
    const double *x;
} quiet_record;

static void quiet_reverse(void);
static const verso__native_site quiet_loop = {quiet_reverse, 1, "quiet"};

static double quiet_factor(uint64_t outer, uint64_t inner) {
    return (double)(outer * 3 + inner + 1);
}

/* The safepoint at which the stretch began: the first that is left while recording. A sweep that stops at another
 * safepoint would compute the same gradient here, so only this variable detects it. */
static uint64_t quiet_began;
uint64_t quiet_misplaced;

static void note_start(void) {
    if (quiet_began == 0 && verso__native_walk_now.recording)
        quiet_began = verso__native_walk_now.step;
}

static double quiet_run(const double *x, bool recording) {
    char *tape = NOW.tape;
    double s = x[0];
    for (uint64_t outer = 0; outer < 4; outer++)
        for (uint64_t inner = 0; inner < 3; inner++) {
            if (recording) {
                tape = safepoint(tape, inner, &quiet_loop);
                note_start();
            }
            s *= quiet_factor(outer, inner);
        }
    if (recording) {
        quiet_record record = {s, x[0], x};
        NOW.tape = PUT(tape, record);
        NOW.last = quiet_reverse;
    }
    return s * x[0];
}

/* Reverses iteration by iteration, beginning with the one in the frame. */
static void quiet_reverse_from(char *tape, quiet_frame frame) {
    for (;;) {
        frame.s *= quiet_factor(frame.outer, frame.inner);
        if (stops(tape, frame.inner, &quiet_loop)) {
            quiet_misplaced += quiet_began != frame.outer * 3 + frame.inner + 1;
            quiet_began = 0;
            push_frame(&frame, sizeof frame);
            stop_here(tape);
            return;
        }
        if (frame.outer == 0 && frame.inner == 0)
            break;
        frame.outer -= frame.inner == 0;
        frame.inner = (frame.inner + 2) % 3;
    }
    quiet_began = 0;
    *verso__native_cell(frame.x) += frame.s;
    hand_back(tape);
}

static void quiet_reverse(void) {
    quiet_frame frame;
    if (NOW.entry == 0) {
        quiet_record record;
        char *tape = TAKE(NOW.tape, record);
        frame = (quiet_frame){3, 2, NOW.result[0] * record.x_value, record.x};
        *verso__native_cell(record.x) += NOW.result[0] * record.s;
        quiet_reverse_from(tape, frame);
        return;
    }
    pop_frame(&frame, sizeof frame);
    if (frame.outer == 0 && frame.inner == 0) {
        *verso__native_cell(frame.x) += frame.s;
        hand_back(NOW.tape);
        return;
    }
    frame.outer -= frame.inner == 0;
    frame.inner = (frame.inner + 2) % 3;
    quiet_reverse_from(NOW.tape, frame);
}

double quiet(const double *x, size_t n) {
    (void)n;
    if (NOW.mode == VERSO_NATIVE_TANGENT)
        NOW.result[0] = 2 * 479001600.0 * x[0] * *verso__native_cell(x);
    return quiet_run(x, (NOW.mode & VERSO_NATIVE_RECORD) != 0);
}
