/* Faults: how reversible functions report a failed check. The check fills in a rev_fault and passes it to the handler.
 * The default handler prints the fault to stderr and calls abort(). If a handler returns, the function continues, so
 * that a test can count faults:
 *
 *     static void count(const rev_fault *fault, void *context) { ++*(int *)context; }
 *     ...
 *     rev_handler_set(count, &faults);
 *
 * Thread safety: all translation units of a program share one set of settings, rev_run_time (a weak definition, since a
 * header has no other way to define a variable once in C17). Set the handler and the tolerances before threads start;
 * the handler is called in the thread whose check failed, possibly in several at the same time.
 *
 * In a CUDA kernel no handler is called: the first fault is kept in a device variable of the translation unit. Fetch it
 * with rev_device_fault_take and pass it to the handler with rev_fault_raise_on_host. */
#ifndef VERSO_REV_FAULT_H
#define VERSO_REV_FAULT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Begins the functions of these headers; under nvcc they exist on the host and on the device. */
#ifdef __CUDACC__
#define REV_FUNCTION static inline __host__ __device__
#else
#define REV_FUNCTION static inline
/* Without CUDA the qualifiers are empty, so that GPU functions compile for the host. */
#ifndef __host__
#define __host__
#define __device__
#define __global__
#endif
#endif

typedef enum rev_fault_kind {
    REV_FAULT_NONE,
    REV_FAULT_ANCILLA,   /* an ancilla at the end of its block, or a dropped variable, does not have the required value;
                          * or the variable that `pop` fills is not zero */
    REV_FAULT_CONDITION, /* the condition of `fi` or `from` is not what it must be for the path that was taken */
    REV_FAULT_LOOP,      /* the body of a `for` changed its bounds or its step */
    REV_FAULT_OVERLAP,   /* two arguments of one call share memory */
    REV_FAULT_OVERFLOW,  /* a `fixed` or `ulog` left its range; also a division by zero, and the logarithm of a number
                          * that is not positive */
    REV_FAULT_STACK,     /* pop from an empty stack, or push or pop of another size than that of its items */
    REV_FAULT_MEMORY,    /* no memory for a stack or a large ancilla; in verso/rev/launch.h, any error of CUDA */
} rev_fault_kind;

typedef struct rev_fault {
    rev_fault_kind kind;
    const char *file; /* the FILE.rev.c: generated code has #line directives */
    int line;
    const char *check; /* the condition that failed, as text */
    double found;
    double expected;
} rev_fault;

/* `fault` is only valid during the call; `context` is that of rev_handler_set. */
typedef void (*rev_handler)(const rev_fault *fault, void *context);

/* Settings of the checks. A floating-point ancilla passes its check if |found - expected| is at most the tolerance
 * times the greater of 1 and |expected|: computing and uncomputing a sum in different orders leaves round-off, which is
 * dropped with the ancilla. Integers, `fixed` and `ulog` have no tolerance. */
typedef struct rev_settings {
    rev_handler handler; /* NULL (default): print and abort */
    void *context;       /* passed to the handler */
    double tolerance_float;
    double tolerance_double;
} rev_settings;

/* Default tolerances. */
#define REV_TOLERANCE_FLOAT 1e-3
#define REV_TOLERANCE_DOUBLE 1e-8

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) rev_settings rev_run_time = {NULL, NULL, REV_TOLERANCE_FLOAT, REV_TOLERANCE_DOUBLE};
#ifdef __cplusplus
}
#endif

/* Sets the handler and the `context` that it is called with. NULL restores the default: print and abort. */
static inline void rev_handler_set(rev_handler handler, void *context) {
    rev_run_time.handler = handler;
    rev_run_time.context = context;
}

/* Sets the tolerances for `float` and for all types made of doubles. Kernels always use the default tolerances. */
static inline void rev_tolerance_set(double of_float, double of_double) {
    rev_run_time.tolerance_float = of_float;
    rev_run_time.tolerance_double = of_double;
}

/* A short static text, such as "two arguments share memory". */
static inline const char *rev_fault_text(rev_fault_kind kind) {
    switch (kind) {
    case REV_FAULT_ANCILLA: return "an ancilla does not have the required value";
    case REV_FAULT_CONDITION: return "a condition contradicts the path that was taken";
    case REV_FAULT_LOOP: return "a loop changed its own bounds";
    case REV_FAULT_OVERLAP: return "two arguments share memory";
    case REV_FAULT_OVERFLOW: return "an exact number has left its range";
    case REV_FAULT_STACK: return "push and pop do not match";
    case REV_FAULT_MEMORY: return "out of memory";
    case REV_FAULT_NONE: break;
    }
    return "no fault";
}

/* Passes a fault to the handler, or prints it and aborts if there is none. */
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

/* The host cannot read the strings of a kernel, so they are copied; longer ones are cut. */
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

/* Waits for all kernels, then sets *fault to the first fault of kernels of this translation unit since the last call,
 * or its kind to REV_FAULT_NONE if there was none. Its strings are valid until the next call in this translation unit,
 * so only one thread at a time may use it. Returns 0, or CUDA's error code. */
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

/* Raises a fault: on the host calls the handler; in a kernel keeps the fault if it is the first. */
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
