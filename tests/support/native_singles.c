/* The programs of native_program.h that have no safepoints, correct and wrong ones. */
#include "tests/support/native_program.h"
#include "tests/support/native_versions.h"

#include <math.h>
#include <verso/native.h>

double wrong_reverse_by, wrong_tangent_by;
uint64_t cubes_modes_wrong;

/* ---- One array in ---- */

typedef struct array_record {
    const double *x;
    uint64_t n;
} array_record;

static void record_array(const double *x, size_t n, void (*reverse)(void)) {
    array_record record = {x, n};
    NOW.tape = PUT(NOW.tape, record);
    NOW.last = reverse;
}

static void wrong_reverse(void) {
    array_record record;
    char *tape = TAKE(NOW.tape, record);
    *verso__native_cell(record.x) += NOW.result[0] * (2 * record.x[0] + wrong_reverse_by);
    hand_back(tape);
}

double wrong(const double *x, size_t n) {
    if ((NOW.mode & VERSO_NATIVE_RECORD) != 0)
        record_array(x, n, wrong_reverse);
    else if (NOW.mode == VERSO_NATIVE_TANGENT)
        NOW.result[0] = (2 * x[0] + wrong_tangent_by) * *verso__native_cell(x);
    return x[0] * x[0];
}

/* The record of a function of one number: its derivative is computed while recording. */
typedef struct scalar_record {
    const double *x;
    double derivative;
} scalar_record;

static void scalar_reverse(void) {
    scalar_record record;
    char *tape = TAKE(NOW.tape, record);
    *verso__native_cell(record.x) += NOW.result[0] * record.derivative;
    hand_back(tape);
}

static double scalar(const double *x, double value, double derivative) {
    if ((NOW.mode & VERSO_NATIVE_RECORD) != 0) {
        scalar_record record = {x, derivative};
        NOW.tape = PUT(NOW.tape, record);
        NOW.last = scalar_reverse;
    } else if (NOW.mode == VERSO_NATIVE_TANGENT) {
        NOW.result[0] = derivative * *verso__native_cell(x);
    }
    return value;
}

double forgetful(const double *x, size_t n) {
    static double runs; /* not in the table of globals */
    (void)n;
    if ((NOW.mode & VERSO_NATIVE_RECORD) != 0)
        runs += 1;
    return scalar(x, x[0] * x[0], 2 * x[0] + runs * 1e-18 * 0x1p30);
}

double absolute(const double *x, size_t n) {
    (void)n;
    return scalar(x, fabs(x[0]), x[0] < 0 ? -1 : 1);
}

double pythagoras(const double *x, size_t n) {
    (void)n;
    double s = sin(x[0]), c = cos(x[0]);
    return scalar(x, s * s + c * c, 2 * s * c - 2 * c * s + 1e-17 * s);
}

double steep(const double *x, size_t n) {
    (void)n;
    return scalar(x, exp(1000 * x[0]), 1000 * exp(1000 * x[0]));
}

double constant(const double *x, size_t n) {
    (void)n;
    return scalar(x, 4, 0);
}

static void linear_reverse(void) {
    array_record record;
    char *tape = TAKE(NOW.tape, record);
    for (size_t i = 0; i < record.n; i++)
        *verso__native_cell(&record.x[i]) += NOW.result[0] * 3;
    hand_back(tape);
}

double linear(const double *x, size_t n) {
    double sum = 0, tangent = 0;
    for (size_t i = 0; i < n; i++)
        sum += 3 * x[i];
    if ((NOW.mode & VERSO_NATIVE_RECORD) != 0) {
        record_array(x, n, linear_reverse);
    } else if (NOW.mode == VERSO_NATIVE_TANGENT) {
        for (size_t i = 0; i < n; i++)
            tangent += 3 * *verso__native_cell(&x[i]);
        NOW.result[0] = tangent;
    }
    return sum;
}

/* The user's three functions for cubes_sum(x, n). */

static double cubes_sum(const double *x, size_t n) {
    double sum = 0;
    cubes_modes_wrong += NOW.mode != VERSO_NATIVE_PRIMAL;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i] * x[i];
    return sum;
}

static double cubes_user_record(verso_call *call, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        verso_keep(call, &x[i], sizeof x[i]);
    verso_keep(call, "odd", 3); /* 3 bytes, so that padding is needed */
    return cubes_sum(x, n);
}

static void cubes_user_sweep(verso_call *call, const double *x, size_t n) {
    double value;
    cubes_modes_wrong += call->kept_bytes != n * sizeof value + 3 || memcmp((char *)call->kept + 8 * n, "odd", 3) != 0;
    cubes_modes_wrong += call->argument[0] != 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(&value, (char *)call->kept + i * sizeof value, sizeof value);
        value = 3 * value * value * call->result[0];
        verso_adjoint_add(&x[i], VERSO_SCALAR_DOUBLE, 1, &value);
    }
}

static double cubes_user_tangent(verso_call *call, const double *x, size_t n) {
    double tangent = 0, dot;
    for (size_t i = 0; i < n; i++) {
        verso_tangent_read(&x[i], VERSO_SCALAR_DOUBLE, 1, &dot);
        tangent += 3 * x[i] * x[i] * dot;
    }
    verso_keep(call, x, sizeof *x); /* ignored, because there is no reverse sweep */
    call->result[0] = tangent;
    return cubes_sum(x, n);
}

static void cubes_reverse(void) {
    array_record record;
    char *tape = TAKE(NOW.tape, record);
    verso_call call;
    NOW.argument[0] = 1; /* what an earlier call may have left */
    tape = verso__native_custom_sweep(&call, tape);
    cubes_user_sweep(&call, record.x, record.n);
    hand_back(tape);
}

double cubes(const double *x, size_t n) {
    verso_call call;
    if (NOW.mode == VERSO_NATIVE_PRIMAL)
        return cubes_sum(x, n);
    bool recording = (NOW.mode & VERSO_NATIVE_RECORD) != 0;
    verso__native_custom_begin(&call, recording ? NOW.tape : NULL);
    double value = recording ? cubes_user_record(&call, x, n) : cubes_user_tangent(&call, x, n);
    char *tape = verso__native_custom_end(&call);
    if (recording) {
        NOW.tape = tape;
        record_array(x, n, cubes_reverse);
    }
    return value;
}

/* ---- troubled ---- */

static double endless(double x) {
    volatile double room[1000];
    room[0] = x;
    return room[0] == 0 ? 0 : room[0] + endless(room[0]) + room[0];
}

static void troubled_reverse(void) {
    array_record record;
    char *tape = TAKE(NOW.tape, record);
    if (record.x[0] < 1)
        verso__native_refuse_lost(NOW.result[0], "troubled.c:2: a derivative is lost");
    if (record.x[0] == 8 || record.x[0] == 9)
        *verso__native_cell((void *)(uintptr_t)(record.x[0] == 8 ? 0x404000 : 0x520000000000)) += 1;
    *verso__native_cell(record.x) += NOW.result[0];
    *verso__native_cell(&chain_sum) += 1;
    hand_back(tape);
}

double troubled(const double *x, size_t n) {
    static char filling[4096];
    if (NOW.mode != VERSO_NATIVE_PRIMAL && x[0] < 0)
        verso__native_refuse("troubled.c:1: refused");
    if (x[0] > 100)
        return endless(x[0]);
    if (x[0] == 7)
        return *(volatile double *)(uintptr_t)(x[0] + 9);
    if ((NOW.mode & VERSO_NATIVE_RECORD) != 0) {
        for (int i = 0; x[0] > 10 && i < 16384; i++)
            memcpy(NOW.tape + i * sizeof filling, filling, sizeof filling);
        record_array(x, n, troubled_reverse);
    } else if (NOW.mode == VERSO_NATIVE_TANGENT) {
        NOW.result[0] = *verso__native_cell(x);
    }
    return x[0];
}

double foreign(const double *x, size_t n) {
    return n > 0 ? x[0] : 0;
}
