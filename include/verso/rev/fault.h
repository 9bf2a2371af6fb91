/* What happens when a check of a reversible function fails: a fault is made where the fact is known and handed to the
 * user's handler. The default prints it and aborts. A handler that returns lets the function go on, so that a test can
 * count faults.
 *
 * One set of settings serves all translation units of a program: a weak definition, for a header has no other place in
 * C17. Set them before threads start. In a kernel there is no handler: the first fault stays in a device variable of
 * the translation unit, which rev_device_fault_take fetches and rev_fault_raise_on_host hands to the handler. */
#ifndef VERSO_REV_FAULT_H
#define VERSO_REV_FAULT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __CUDACC__
#define REV_FUNCTION static inline __host__ __device__
#else
#define REV_FUNCTION static inline
/* So that functions for a GPU can be compiled for none. */
#ifndef __host__
#define __host__
#define __device__
#define __global__
#endif
#endif

typedef enum rev_fault_kind {
    REV_FAULT_NONE,
    REV_FAULT_ANCILLA,   /* an ancilla or a dropped variable has not the value it must have */
    REV_FAULT_CONDITION, /* `fi` or `from` does not hold where it must, or holds where it must not */
    REV_FAULT_LOOP,      /* bounds or step of a `for` were changed by its body */
    REV_FAULT_OVERLAP,   /* two arguments of one call share memory */
    REV_FAULT_OVERFLOW,  /* an exact number has left its range */
    REV_FAULT_STACK,     /* pop of an empty stack, of another size, or into a variable that is not zero */
    REV_FAULT_MEMORY,    /* a stack cannot grow */
} rev_fault_kind;

typedef struct rev_fault {
    rev_fault_kind kind;
    const char *file; /* the user's: generated code has #line */
    int line;
    const char *check; /* the text of what should hold */
    double found;
    double expected;
} rev_fault;

typedef void (*rev_handler)(const rev_fault *fault, void *context);

/* How far a floating-point ancilla may be from its value when it is given back: |found - expected| at most `tolerance`
 * times the greater of 1 and |expected|. Computing and uncomputing the same sum in another order leaves round-off,
 * which is then forgotten with the ancilla. Integers, `fixed` and `ulog` have no tolerance. */
typedef struct rev_settings {
    rev_handler handler; /* NULL: print and abort */
    void *context;
    double tolerance_float;
    double tolerance_double;
} rev_settings;

#define REV_TOLERANCE_FLOAT 1e-3
#define REV_TOLERANCE_DOUBLE 1e-8

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) rev_settings rev_run_time = {NULL, NULL, REV_TOLERANCE_FLOAT, REV_TOLERANCE_DOUBLE};
#ifdef __cplusplus
}
#endif

static inline void rev_handler_set(rev_handler handler, void *context) {
    rev_run_time.handler = handler;
    rev_run_time.context = context;
}

/* Of `float`, and of everything with doubles in it. A kernel uses REV_TOLERANCE_FLOAT and REV_TOLERANCE_DOUBLE. */
static inline void rev_tolerance_set(double of_float, double of_double) {
    rev_run_time.tolerance_float = of_float;
    rev_run_time.tolerance_double = of_double;
}

static inline const char *rev_fault_text(rev_fault_kind kind) {
    switch (kind) {
    case REV_FAULT_ANCILLA: return "an ancilla has not the value it must have";
    case REV_FAULT_CONDITION: return "a condition is not what it must be";
    case REV_FAULT_LOOP: return "a loop has changed its own bounds";
    case REV_FAULT_OVERLAP: return "two arguments share memory";
    case REV_FAULT_OVERFLOW: return "an exact number has left its range";
    case REV_FAULT_STACK: return "push and pop do not match";
    case REV_FAULT_MEMORY: return "a stack cannot grow";
    case REV_FAULT_NONE: break;
    }
    return "no fault";
}

static inline void rev_fault_raise_on_host(const rev_fault *fault) {
    if (rev_run_time.handler) {
        rev_run_time.handler(fault, rev_run_time.context);
        return;
    }
    fprintf(stderr, "%s:%d: %s: %s: found %.17g, expected %.17g\n", fault->file, fault->line,
            rev_fault_text(fault->kind), fault->check, fault->found, fault->expected);
    abort();
}

#ifdef __CUDACC__
enum { REV_DEVICE_WORDS = 256 };

/* Texts of a kernel lie where the host cannot read them: they are copied, and cut where they are longer. */
typedef struct rev_device_report {
    rev_fault fault;
    char file[REV_DEVICE_WORDS];
    char check[REV_DEVICE_WORDS];
} rev_device_report;

static __device__ int rev_device_faulted = 0;
static __device__ rev_device_report rev_device_first;

static inline __device__ void rev_device_words(char *to, const char *from) {
    for (int i = 0; i < REV_DEVICE_WORDS - 1 && (i == 0 || from[i - 1]); i++)
        to[i] = from[i];
}

static inline __device__ void rev_fault_raise_on_device(const rev_fault *fault) {
    if (atomicExch(&rev_device_faulted, 1) != 0)
        return;
    rev_device_first.fault = *fault;
    rev_device_words(rev_device_first.file, fault->file);
    rev_device_words(rev_device_first.check, fault->check);
}

/* The first fault of kernels of this translation unit since the last call; kind REV_FAULT_NONE: there was none. Its
 * texts are valid until the next call. Waits for kernels. Returns 0, or CUDA's error. */
static inline int rev_device_fault_take(rev_fault *fault) {
    static rev_device_report report;
    int faulted = 0, none = 0;
    memset(fault, 0, sizeof *fault);
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        error = cudaMemcpyFromSymbol(&faulted, rev_device_faulted, sizeof faulted);
    if (error != cudaSuccess || !faulted)
        return (int)error;
    error = cudaMemcpyFromSymbol(&report, rev_device_first, sizeof report);
    if (error == cudaSuccess)
        error = cudaMemcpyToSymbol(rev_device_faulted, &none, sizeof none);
    *fault = report.fault;
    fault->file = report.file;
    fault->check = report.check;
    return (int)error;
}
#endif

REV_FUNCTION void rev_fault_raise(rev_fault_kind kind, const char *check, double found, double expected,
                                  const char *file, int line) {
    rev_fault fault;
    fault.kind = kind;
    fault.file = file;
    fault.line = line;
    fault.check = check;
    fault.found = found;
    fault.expected = expected;
#ifdef __CUDA_ARCH__
    rev_fault_raise_on_device(&fault);
#else
    rev_fault_raise_on_host(&fault);
#endif
}

#endif
