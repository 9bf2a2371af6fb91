/* Derivatives of C functions in programs compiled and linked by `verso cc`, a drop-in replacement for cc.
 *
 *     static double f(const double *x, size_t n) { ... }            // any C function
 *
 *     verso_error error;
 *     if (verso_gradient(f, x, n, gradient, NULL, NULL, &error) != VERSO_STATUS_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *
 * The program needs no annotations. When it links, `verso cc` finds the functions whose address reaches one of the
 * calls below, and every function that they can call, and generates a recording, a reverse and a tangent version of
 * each. Numbers carry derivatives wherever a function reads or writes them: on the heap, on the stack or in globals,
 * through any pointer.
 *
 * Threads: a process can run one differentiation, check or execution (verso_execution) at a time. A call from another
 * thread waits; a call within a differentiation, or while an execution is open, fails with VERSO_STATUS_STATE.
 * Meanwhile no other thread may run code of the program that `verso cc` compiled. Functions on call sites
 * (verso_site_..., verso_sites_...) may be used by one thread at a time. In plain runs verso_fixed_point, verso_frozen
 * and fragments may be used by any number of threads.
 *
 * Errors: functions that can fail return a status and write the message, which names file, line and remedy, to *error
 * (verso/status.h). They print nothing and do not end the process, unless an environment variable such as VERSO_RUN or
 * VERSO_PROFILE asks for it (docs/native.md, docs/durable.md).
 *
 * docs/glossary.md defines the terms. */
#ifndef VERSO_NATIVE_H
#define VERSO_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/export.h>
#include <verso/profile.h>
#include <verso/run.h>
#include <verso/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum verso_scalar {
    VERSO_SCALAR_DOUBLE = 0,
    VERSO_SCALAR_FLOAT = 1,
    VERSO_SCALAR_LONG_DOUBLE = 2,
} verso_scalar;

/* A region: `count` contiguous numbers of one type at `data` in the program's memory, and `count` derivatives, which
 * are doubles whatever the type. The caller owns both arrays. `data` must be a multiple of 4; a region outside the
 * memory that Verso can shadow (heap, globals, stacks, usual mappings) is refused with VERSO_STATUS_INVALID. */
typedef struct verso_array {
    void *data;
    size_t count;
    verso_scalar type;
    double *derivative;
} verso_array;

/* In a program of several processes (MPI), all ranks of MPI_COMM_WORLD call verso_gradient together, and each gets the
 * derivatives of its own x. What is differentiated (docs/parallel.md has a picture): */
typedef enum verso_ranks {
    VERSO_RANKS_SHARED = 0, /* the value that all ranks return, which must be the same. A rank whose function does not
                               communicate is alone: it differentiates what it returns itself */
    VERSO_RANKS_SUM = 1,    /* the sum, over all ranks, of what they return */
} verso_ranks;

/* Fields that are set take precedence over environment variables, except over VERSO_PROFILE (docs/native.md). */
typedef struct verso_native_options {
    size_t size VERSO_SIZE_OF(verso_native_options); /* set by VERSO_NATIVE_OPTIONS_INIT */
    /* The budget: the most bytes for the recording, capsules and shadow memory together, besides the program's own
     * memory. Verso runs again what it cannot keep within the budget, from capsules taken anywhere in the run; the
     * gradient has the same bits. 0: the environment variable VERSO_MEMORY ("64M") if set; otherwise no budget, and the
     * whole run is recorded. */
    uint64_t memory;
    /* Length of a step of a schedule, in bytes of recording. 0: VERSO_SCHEDULE ("leaf=64k") if set; otherwise chosen
     * from the budget. */
    uint64_t leaf;
    /* The most bytes of recording that a step of length `leaf` takes when calls in it are checkpointed, which may be
     * fewer than `leaf` (`verso tune` predicts them). The budget reserves this many. Used only if `leaf` is given and
     * some call site is on. 0: same as `leaf`. */
    uint64_t leaf_tape;
    /* Approximate size of a capsule in bytes, by which the budget is divided before the first capsule is taken. 0:
     * measured during the run, which may have to begin again once the size is known. */
    uint64_t capsule;
    /* Options of the driver (verso/run.h), to set more than a budget: schedule, directory, progress. NULL: chosen
     * automatically.
     * - run->memory is the budget if `memory` above is 0. run->group must be NULL.
     * - If the choice is automatic (NULL, or run->automatic), VERSO_SCHEDULE may name a schedule ("revolve,slots=10").
     * - If there is no run->directory, VERSO_RUN may name one. With a directory that is not `scratch` the gradient is
     *   durable: after the process was killed at any instant, the same program continues it when it is run again
     *   (docs/durable.md, "Compiled programs").
     * - If the write and read costs of a disk are 0, they are estimated from the sizes of capsules and steps.
     * - A schedule that keeps capsules in files without a directory creates one in TMPDIR and removes it at the end. */
    const verso_run_options *run;
    verso_run_report *run_report; /* receives what the driver did; may be NULL. VERSO_REPORT=FILE writes it to a
                                   * file, as .json or .html */

    /* Offload, instead of a budget: Verso runs nothing again, and keeps in a file what does not fit into offload_memory
     * (docs/native.md, "offload"). The gradient has the same bits. If offload_directory is NULL: VERSO_OFFLOAD
     * ("DIRECTORY,limit=64M") if set, unless `memory` or `run` asks for a budget, a schedule or a directory.
     * VERSO_STATUS_INVALID if both are asked for. */
    const char *offload_directory; /* an existing directory for the file; NULL: the recording stays in memory */
    uint64_t offload_memory;       /* most bytes of the recording in memory, at least 4 MiB; 0: 256 MiB */
    bool offload_synchronous;      /* use no thread: the run waits for each write and each read */

    size_t tape_limit; /* most bytes of one recording; 0: as many as the machine has */

    /* If not NULL, the gradient is computed in a single pass with every call site on (verso_site), and *profile
     * receives a profile that predicts the cost of other choices (verso/profile.h). tape_limit and offload apply;
     * fields about budgets and schedules are ignored. Initialise *profile to NULL; the caller frees it with
     * verso_profile_free, also if the call fails. */
    verso_profile **profile;
    verso_ranks ranks; /* used by verso_gradient. VERSO_RANKS_SHARED: VERSO_RANKS ("sum") if set, else this */
} verso_native_options;
#define VERSO_NATIVE_OPTIONS_INIT VERSO_INIT_OF(verso_native_options)

enum { VERSO_SCHEDULE_TEXT = 96 };

/* The value and the costs of a differentiation. Filled in on success and on failure, unless the arguments are
 * refused at once. */
typedef struct verso_native_report {
    size_t size VERSO_SIZE_OF(verso_native_report); /* set by VERSO_NATIVE_REPORT_INIT */
    double value;                                   /* verso_gradient, verso_directional: the value that f returned */
    uint64_t steps;                                 /* steps of the schedule; 1: a single pass */
    uint64_t forward_steps;                         /* steps that were run without recording, repetitions included */
    uint64_t recordings;                            /* steps or stretches that were recorded */
    uint64_t capsules;                              /* most capsules kept at a time */
    uint64_t safepoints;    /* safepoints that the run passed, if they were counted (verso_check) */
    uint64_t leaf_bytes;    /* bytes of recording in a step; 0: a single pass */
    uint64_t budget_bytes;  /* the budget; 0: none was set */
    size_t tape_bytes;      /* peak of recordings, with the snapshots of checkpointed calls */
    size_t turn_bytes;      /* the same when the reverse sweep began; 0: not a single pass */
    uint64_t offload_bytes; /* most bytes of the recording that were in a file */
    size_t peak_bytes;      /* peak of tape, frames of the reverse sweep, shadow memory and capsules together */
    double seconds_forward; /* wall-clock time of running and recording, or of the tangent run */
    double seconds_reverse;
    double seconds_processor; /* reverse mode: processor time of the calling thread for both */
    uint64_t begun_anew;      /* how often a durable run began anew: see verso_run_report */
    int signal;               /* the signal that arrived during a run that catches signals; 0: none */
    /* "single pass", or the schedule: "online: 350 steps, 12 slots". "end in a single pass; revolve: ..." if the end of
     * the run was recorded in a single pass and the schedule covers the steps before it. */
    char schedule[VERSO_SCHEDULE_TEXT];
    /* copies of memory that stands while several parts of the run read it, which are kept beside the recordings, once
     * for all of them; counted in peak_bytes */
    size_t lasting_bytes;
} verso_native_report;
#define VERSO_NATIVE_REPORT_INIT VERSO_INIT_OF(verso_native_report)

/* ---- Derivatives ---- */

/* `options`, `report` and `error` may be NULL. Derivatives are valid only if the call returns VERSO_STATUS_OK.
 *
 * Within a budget, or with checkpointed calls, Verso runs parts of the function more than once. Before each run it
 * restores heap, stack, globals and regions. It does not restore x of verso_gradient and arrays of derivatives, which
 * the function must not write, nor memory of other libraries and other memory of the caller, where the effects of each
 * run remain. To the outside world it is one run: output, input, clocks and random numbers (docs/native-support.md).
 *
 * VERSO_STATUS_INVALID: a bad argument, a program that `verso cc` did not link, or code that cannot be differentiated;
 * VERSO_STATUS_IMPOSSIBLE: the budget is too small, and the message names the least; VERSO_STATUS_NO_MEMORY: the
 * recording exceeds tape_limit or the machine's memory; VERSO_STATUS_STATE: see "Threads";
 * VERSO_STATUS_SUSPENDED: a durable run stopped as run->on_signal, time_limit or step_limit asked, and the program's
 * memory is as it was before the call; VERSO_STATUS_IO, VERSO_STATUS_CORRUPT, VERSO_STATUS_BUSY: files or the directory
 * of the run. */

/* Sets gradient[i] = d f(x, n) / d x[i] for i < n. */
VERSO_API verso_status verso_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                      double *gradient, const verso_native_options *options,
                                      verso_native_report *report, verso_error *error);
/* Sets *derivative = sum over i of d f(x, n) / d x[i] * direction[i], by tangent mode. */
VERSO_API verso_status verso_directional(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                         const double *direction, double *derivative, verso_native_report *report,
                                         verso_error *error);

/* Vector-Jacobian product, in reverse mode. Runs run(context), with the effect of one run; then sets the derivative of
 * every number x in the regions `wrt` to the sum, over all numbers y in the regions `of`, of derivative(y) * d y / d x,
 * where x is the value before the run and y the value after it. The caller sets the derivatives in `of` before the
 * call. A region may be in both lists, with a derivative array of its own in each. */
VERSO_API verso_status verso_vjp(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                                 const verso_array *of, size_t of_count, const verso_native_options *options,
                                 verso_native_report *report, verso_error *error);
/* Jacobian-vector product, in tangent mode: sets the derivative of every y in `of` to the sum, over all x in `wrt`, of
 * d y / d x * derivative(x). The caller sets the derivatives in `wrt`. */
VERSO_API verso_status verso_jvp(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                                 const verso_array *of, size_t of_count, verso_native_report *report,
                                 verso_error *error);

/* ---- Checking derivatives ---- */

typedef struct verso_check_options {
    size_t size VERSO_SIZE_OF(verso_check_options); /* set by VERSO_CHECK_OPTIONS_INIT */
    uint64_t seed;                                  /* of the random directions and of the choice of safepoints; 0: 1 */
    uint64_t cuts;                                  /* number of safepoints at which one sweep is cut; 0: 16 */
    /* If the run has at most this many safepoints, a second sweep is cut at all of them, unless that many copies of the
     * program's memory exceed 16 GiB. 0: 2000. */
    uint64_t every;
    size_t tape_limit; /* as in verso_native_options */
    /* A budget, a schedule or an offload with which the gradient is computed once more; its run_report is not filled
     * in. NULL: those of the environment variables, if any. */
    const verso_native_options *within;
    verso_native_report *within_report; /* receives the costs of that gradient; may be NULL */
} verso_check_options;
#define VERSO_CHECK_OPTIONS_INIT VERSO_INIT_OF(verso_check_options)

enum { VERSO_CHECK_STEPS = 14 };

/* What verso_check and verso_check_gradient found. They test the derivatives at one point x, the inputs of the call,
 * along one random direction u of the inputs and with random weights v of the outputs; J is the Jacobian at x. If the
 * program computes in floats, each element of u gets the sign of the same element of the gradient v J, so that the
 * terms of the sum (v J) u do not cancel. */
typedef struct verso_check_report {
    size_t size VERSO_SIZE_OF(verso_check_report); /* set by VERSO_CHECK_REPORT_INIT */
    uint64_t seed;                                 /* the one used */
    bool holds;                                    /* all tests passed */

    /* Values: recorded, cut and tangent runs return the same bits as a plain call. If some function was compiled with
     * fast-math (value_fast), the compiler may reorder the plain call: it may then differ by value_bound, which is 4096
     * units in the last place (of a float, if the program computes in floats) plus 64 times the noise of the Taylor
     * test. The fields report the first output beyond its bound or, if there is none, the output that differs most. */
    bool value_holds, value_fast;
    double value_plain, value_recorded, value_bound;
    uint64_t value_other; /* output numbers with other bits than in the first recorded run, in all later runs */

    /* Dot products: v (J u) by tangent mode equals (v J) u by reverse mode. The bound is 1e-12 of the sum of the
     * absolute values of the terms, plus 32 times the rounding error of both modes. That is measured by repeating each
     * mode with its directions divided by 3 and by 7, which would change nothing in exact arithmetic. */
    bool dot_holds;
    double dot_tangent, dot_reverse, dot_bound;

    /* Taylor: the remainder v (f(x + h u) - f(x)) - h (v J) u falls like h^2 if the derivative is right, like h if it
     * is wrong.
     * - The noise is the largest remainder at inputs about 2^-36 of u away from x, and at least a unit in the last
     *   place of the outputs. A remainder is significant if it exceeds 16 times the noise plus h times dot_bound.
     * - The test fits a h + b h^2 + c h^3 to the last three significant remainders (without c, if there are two).
     *   taylor_order is the mean of 1, 2 and 3, weighted by the sizes of the three terms at the last of these: 2 or
     *   more if the derivative is right, 1 if it is wrong. It must be at least 1.6.
     * - With fewer than two significant remainders the function looks linear (taylor_linear): the smallest remainder
     *   must be at most a thousandth of its linear term, or all linear terms must be below 16 times the noise.
     * - If the program computes in floats, the noise is also measured at inputs 2^-22 of u away (or further, up to
     *   2^-12, while f does not change), and the unit in the last place is that of a float where the output is one. */
    bool taylor_holds, taylor_linear;
    double taylor_step[VERSO_CHECK_STEPS];      /* h */
    double taylor_remainder[VERSO_CHECK_STEPS]; /* absolute value; NaN: f is not finite at x + h u */
    double taylor_orders[VERSO_CHECK_STEPS];    /* order between this step and the next; NaN: one is not significant */
    double taylor_noise, taylor_order;
    /* Differences: central differences around x, extrapolated from two steps, estimate (v J) u. The doubt of an
     * estimate is the change by the extrapolation plus twice the noise divided by the step; the fields report the
     * estimate with the least doubt. taylor_holds is false if it differs from the gradient by more than twice the sum
     * of the doubt and dot_bound, and no smaller step contradicts it. If a program computes in floats and taylor_linear
     * is true, taylor_holds is also true if they do not differ and the doubt is at most a fiftieth of the sum of the
     * absolute values of the derivative's terms. NaN: f is not finite at these points. */
    double difference, difference_doubt;
    /* If differences contradict the gradient and the function has no corner at x, tangent mode computes the derivative
     * at four points next to x, up to about 2^-24 of u away. The results, and that at x, range from nearby_least to
     * nearby_most (otherwise both are NaN). If this range exceeds a tenth of the error, the derivative is
     * ill-conditioned: differences agree on a slope that the derivatives do not have. Solvers that choose their steps
     * by error estimates behave so if the choice is differentiated: docs/adaptive-solvers.md. */
    bool ill_conditioned;
    double nearby_least, nearby_most;

    /* Cuts: a reverse sweep that is cut into stretches gives the same bits. */
    bool cuts_hold;
    uint64_t safepoints;     /* in the run */
    uint64_t stretches;      /* in all cut sweeps together */
    uint64_t cut_sweeps;     /* 1; 2 if a second one was cut at every safepoint */
    uint64_t cut_difference; /* numbers of the gradient that differ */

    /* The gradient with the budget, schedule or offload of the options or the environment: the same bits. `within` is
     * true if there was one. */
    bool within, within_holds;
    uint64_t within_difference; /* numbers of the gradient that differ */
} verso_check_report;
#define VERSO_CHECK_REPORT_INIT VERSO_INIT_OF(verso_check_report)

/* Tests the derivatives of run(context). Returns VERSO_STATUS_OK if all tests could be made; report->holds is their
 * verdict. `report` must not be NULL (VERSO_STATUS_INVALID), `options` may be. The other arguments are those of
 * verso_vjp; the derivative arrays are neither read nor written and may be NULL. Verso runs `run` many times. It
 * restores the program's heap, globals and the regions before each run and at the end; effects of each run on files and
 * on memory of other libraries remain. */
VERSO_API verso_status verso_check(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                                   const verso_array *of, size_t of_count, const verso_check_options *options,
                                   verso_check_report *report, verso_error *error);
/* The same for a function as in verso_gradient. It gets a copy of x; x is not modified. */
VERSO_API verso_status verso_check_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                            const verso_check_options *options, verso_check_report *report,
                                            verso_error *error);

/* ---- Interrupting and resuming, without derivatives ---- */

/* An execution runs run(context) in small steps, each from one safepoint (a function's entry, an iteration of a loop)
 * to the next. Between steps the caller can copy it, and resume a copy any number of times: each time the run continues
 * from there with the same bits.
 *
 * A copy holds the run's stack, all of the program's heap and globals, and those `regions` that lie elsewhere. Resuming
 * restores all of these, also what the caller has changed meanwhile. A copy does not hold memory of other libraries or
 * the caller's stack: variables that the caller wants to keep belong there. To the outside world it is one run: output
 * is written once; input, random numbers and clocks give the same each time. */
typedef struct verso_execution verso_execution;
typedef struct verso_execution_copy verso_execution_copy;

/* Starts an execution, at its beginning. `regions`, and the memory that they describe, must stay in place until it is
 * closed; their derivatives must not be NULL but are not used. VERSO_STATUS_STATE: another execution or differentiation
 * is active. On failure *execution is NULL. */
VERSO_API verso_status verso_execution_open(void (*run)(void *context), void *context, const verso_array *regions,
                                            size_t count, verso_execution **execution, verso_error *error);
/* Ends and frees it. No-op on NULL. */
VERSO_API void verso_execution_close(verso_execution *execution);
/* Runs `steps` more steps, or to the end of the run if that comes first; *ended tells which. *done (may be NULL) is the
 * number of steps taken, including the one that ended the run; 0 if it had ended before. With steps == UINT64_MAX and
 * done == NULL, which counts no steps, the run takes about as long as the program itself. */
VERSO_API verso_status verso_execution_run(verso_execution *execution, uint64_t steps, uint64_t *done, bool *ended,
                                           verso_error *error);
/* Copies the execution as it stands. The caller frees *copy with verso_execution_copy_free; on failure it is NULL. */
VERSO_API verso_status verso_execution_capture(verso_execution *execution, verso_execution_copy **copy,
                                               verso_error *error);
/* Puts the execution back to where `copy` was taken. */
VERSO_API void verso_execution_resume(verso_execution *execution, const verso_execution_copy *copy);
/* Returns the number of bytes that the copy takes. */
VERSO_API size_t verso_execution_copy_size(const verso_execution_copy *copy);
/* Frees a copy. No-op on NULL. */
VERSO_API void verso_execution_copy_free(verso_execution_copy *copy);

/* ---- Checkpointed calls ---- */

/* Which calls are checkpointed (verso_site, verso/profile.h). Sites are off until they are switched on, except those
 * with `always`. The choice changes no bit of a gradient. It must not be changed while a gradient is computed. */

/* Call sites are numbered from 0 to verso_site_count() - 1 in the order of their places in the source. The count is
 * also 0 if there is no memory for the list. The texts of a verso_site live as long as the program. verso_site_set does
 * nothing if the site has `always` or `never`. */
VERSO_API size_t verso_site_count(void);
VERSO_API verso_site verso_site_get(size_t index);
VERSO_API void verso_site_set(size_t index, bool on);
/* Switches sites by the lines of `text`, first to last:
 *     on CALLER CALLEE PLACE      or `off`. * matches anything: "off * norm *" switches all calls of norm. A place
 *                                 `file.c:12#3` matches only the call with that number (verso_site.number)
 *     memory BYTES                sets options.memory
 *     step BYTES BYTES BYTES      sets options.leaf, leaf_tape and capsule
 * # begins a comment. `memory` and `step` apply to gradients for which neither options nor environment specify a
 * budget, schedule, directory or offload. `name` begins messages. VERSO_STATUS_INVALID: a line is malformed, matches no
 * call, or names a callee none of whose matching calls can be switched so; the lines before it have taken effect. */
VERSO_API verso_status verso_sites_switch(const char *name, const char *text, verso_error *error);
/* The same for the text of a file, such as the verso.sites that `verso profile` and `verso tune` write. The environment
 * variable VERSO_SITES names a file that is read before the first gradient of a process. */
VERSO_API verso_status verso_sites_read(const char *path, verso_error *error);

/* A fragment: code between verso_fragment_begin(name) and verso_fragment_end() that counts as a call. It is a call site
 * with callee `name`, a string literal of one word, and the line of the begin as its place. Control must enter through
 * the begin and leave through the end, which must be in the same function. Fragments may be nested. No variable-length
 * array may be declared in a fragment. In plain runs, and in code that is not differentiated, the two
 * functions do nothing. */
#if defined(__clang__)
#define VERSO__FRAGMENT_MARK __attribute__((weak, visibility("hidden"), noinline, noduplicate, nomerge, nothrow))
VERSO__FRAGMENT_MARK void verso_fragment_begin(const char *name);
VERSO__FRAGMENT_MARK void verso_fragment_end(void);
VERSO__FRAGMENT_MARK void verso_fragment_begin(const char *name) {
    (void)name;
}
VERSO__FRAGMENT_MARK void verso_fragment_end(void) {}
#else /* other compilers do not differentiate */
static inline void verso_fragment_begin(const char *name) {
    (void)name;
}
static inline void verso_fragment_end(void) {}
#endif

/* ---- Fixed points ---- */

typedef struct verso_fixed_point_options {
    size_t size VERSO_SIZE_OF(verso_fixed_point_options); /* set by VERSO_FIXED_POINT_OPTIONS_INIT */
    /* The state has converged when no number changes in a step by more than this (0: 1e-12), relative to the largest
     * number. */
    double tolerance;
    double derivative_tolerance; /* the same for the adjoints or tangents of the state; 0: same as `tolerance` */
    uint64_t most;               /* most steps for the state, and most sweeps or steps for its derivatives; 0: 1000 */
} verso_fixed_point_options;
#define VERSO_FIXED_POINT_OPTIONS_INIT VERSO_INIT_OF(verso_fixed_point_options)

/* uint64_t verso_fixed_point(void (*step)(void *context), void *context, double *state, size_t count,
 *                            const verso_fixed_point_options *options);
 * calls step(context) until state[0] to state[count - 1] have converged, and once more. Returns the number of steps; 0
 * if the state did not converge in `most` steps or became infinite or NaN, if options->size is 0, or if there is no
 * memory. `options` may be NULL. It works in plain runs too, and in code of any compiler.
 *
 * The derivatives are those of the solution u of u = G(u, p), by Christianson's two-phase method. `step` replaces the
 * state u by G(u, p); p is everything else that it reads. Verso records only the last step, and reverses it until the
 * adjoint of the state has converged too, which takes as many sweeps as the contraction requires. The derivatives do
 * not depend on the initial state. In a differentiation, failure to converge is an error (VERSO_STATUS_INVALID).
 *
 * `step` must write every number of the state, at the same address each time, and carry nothing else over to the next
 * step. Verso may call it any number of times. It may contain other fixed points. It is recorded in one piece, which
 * schedules do not divide; checkpointed calls within it are recorded again for each sweep. */
#define verso_fixed_point(...) verso_fixed_point_at(VERSO__PLACE(__LINE__), __VA_ARGS__)
#define VERSO__PLACE(line) VERSO__PLACE_TEXT(line)
#define VERSO__PLACE_TEXT(line) __FILE__ ":" #line
/* The function behind the macro. `where` begins messages. */
VERSO_API uint64_t verso_fixed_point_at(const char *where, void (*step)(void *context), void *context, double *state,
                                        size_t count, const verso_fixed_point_options *options);

/* ---- Annotations of functions: without derivatives, checkpointed or not ---- */

/* VERSO_INACTIVE, on a declaration or definition: neither the function's result nor anything that it writes depends on
 * numbers that are differentiated. A foreign function, one that `verso cc` did not compile, is then called once, even
 * where a run is repeated (a memory budget, checkpointed calls, `verso check`): Verso logs its result and what it
 * changed in the program's memory. To find the changes Verso compares the memory that the function's pointers lead to;
 * numbers that it changed there lose their derivatives. */
/* VERSO_PURE: as VERSO_INACTIVE; besides, the function keeps nothing from one call to the next, and calling it again
 * has no visible effect: it prints nothing, reads no file, draws no random numbers. Where a run is repeated, Verso
 * calls it again and logs nothing: use it for functions that are called often. If the function writes nothing, add
 * __attribute__((pure)): then Verso does not compare memory either. */
/* VERSO_CHECKPOINT, on a function that `verso cc` compiles: its calls are always checkpointed (verso/profile.h).
 * VERSO_NOCHECKPOINT: never, like Tapenade's directive. They cannot be switched: `verso tune` respects the mark, and a
 * line of VERSO_SITES that names the function and contradicts it is an error. The marks do not apply to calls through a
 * pointer, nor within the step of a fixed point, where no call is checkpointed.
 *
 * VERSO_CHECKPOINT_CALL(f)(x, y), VERSO_NOCHECKPOINT_CALL(f)(x, y): the same for this one call, which is not inlined.
 * It overrides the mark of the function. `f` must be the name of a function. */
#if defined(__clang__)
#define VERSO_INACTIVE __attribute__((annotate("verso.inactive"), noinline))
#define VERSO_PURE __attribute__((annotate("verso.pure"), noinline))
#define VERSO_CHECKPOINT __attribute__((annotate("verso.checkpoint"), noinline))
#define VERSO_NOCHECKPOINT __attribute__((annotate("verso.nocheckpoint"), noinline))
#define VERSO_CHECKPOINT_CALL(function) VERSO__MARKED_CALL(verso__checkpoint_this, function)
#define VERSO_NOCHECKPOINT_CALL(function) VERSO__MARKED_CALL(verso__nocheckpoint_this, function)
/* Weak, so that the optimiser does not look into them; `verso cc` calls the function itself. */
#define VERSO__MARKED_CALL(mark, function) ((__typeof__(&*(function)))mark((verso__any_function *)(function)))
typedef void verso__any_function(void);
#define VERSO__MARK(name) \
    __attribute__((weak, visibility("hidden"), noinline, nothrow, const)) verso__any_function *name( \
        verso__any_function *function); \
    __attribute__((weak, visibility("hidden"), noinline, nothrow, const)) verso__any_function *name( \
        verso__any_function *function) { \
        return function; \
    }
VERSO__MARK(verso__checkpoint_this)
VERSO__MARK(verso__nocheckpoint_this)
#undef VERSO__MARK
#else
#define VERSO_INACTIVE /* other compilers do not differentiate */
#define VERSO_PURE
#define VERSO_CHECKPOINT
#define VERSO_NOCHECKPOINT
#define VERSO_CHECKPOINT_CALL(function) (function)
#define VERSO_NOCHECKPOINT_CALL(function) (function)
#endif

/* verso_frozen(value) returns `value`, a double, float or long double, without its derivative: numbers computed from it
 * do not depend, through it, on anything that is differentiated. Use it for numbers that steer a computation and are
 * not part of its result: the error norm of a step controller, a tolerance, a preconditioner
 * (docs/adaptive-solvers.md). In plain runs, and in code that is not differentiated, it only returns the value. */
#if defined(__clang__) /* weak, so that the optimiser does not look into it and remove it */
#define VERSO__FROZEN(type, name) \
    __attribute__((weak, visibility("hidden"), noinline, nothrow, annotate("verso.inactive"))) type name(type value); \
    __attribute__((weak, visibility("hidden"), noinline, nothrow, annotate("verso.inactive"))) type name(type value) { \
        return value; \
    }
#else
#define VERSO__FROZEN(type, name) \
    static inline type name(type value) { \
        return value; \
    }
#endif
VERSO__FROZEN(double, verso__frozen_double)
VERSO__FROZEN(float, verso__frozen_float)
VERSO__FROZEN(long double, verso__frozen_long_double)
#undef VERSO__FROZEN
#ifndef __cplusplus
#define verso_frozen(value) \
    _Generic((value), \
        float: verso__frozen_float, \
        long double: verso__frozen_long_double, \
        default: verso__frozen_double)(value)
#endif

/* ---- Custom adjoints ---- */

/* Passed by Verso to the functions of a custom adjoint; valid during the call. `argument` and `result` have one entry
 * for each floating-point argument or result, in order; pointers and integers have none. */
typedef struct verso_call {
    void *kept; /* sweep: the bytes that `record` kept by verso_keep, contiguous */
    size_t kept_bytes;
    double *result;   /* sweep: adjoints of the value that f returned. tangent: the function fills in its tangents */
    double *argument; /* sweep: the function fills in the adjoints; zero on entry. tangent: tangents of the arguments */
    uint64_t constant; /* record, sweep: bit i is set if argument[i] is a constant, so that its adjoint is not used */
} verso_call;

/* At file scope: supplies the adjoint of f, a function of any signature R f(A...), compiled by `verso cc` or not.
 *     R    record(verso_call *, A...)   runs instead of f during recording, and passes to verso_keep what the sweep
 *                                       needs
 *     void sweep(verso_call *, A...)    runs in the reverse sweep with the same arguments, and adds to argument[] and,
 *                                       by verso_adjoint_add, to the adjoints of numbers in memory
 *     R    tangent(verso_call *, A...)  runs instead of f in tangent mode. NULL: none; tangent mode then refuses f
 * Verso does not differentiate these functions. They may call f. */
#define VERSO_CUSTOM_ADJOINT(f, record, sweep, tangent) \
    VERSO__ADJOINT_OBJECT(verso__custom_adjoint_##f) = {(void (*)(void))(f), (void (*)(void))(record), \
                                                        (void (*)(void))(sweep), (void (*)(void))(tangent)}
struct verso__custom_adjoint {
    void (*f)(void), (*record)(void), (*sweep)(void), (*tangent)(void);
};
/* An assembler label sets the symbol name, because C++ would mangle it. */
#define VERSO__ADJOINT_OBJECT(name) __attribute__((used)) static const struct verso__custom_adjoint name __asm__(#name)

/* At file scope: supplies the adjoint of f in one piece, for functions whose inputs are large, many or overwritten.
 * Calls of f are always checkpointed (verso_site.always): f itself runs during recording, and when the reverse sweep
 * comes to the call, Verso restores the program to the state before it.
 *     void adjoint(verso_call *, A...)  then runs instead of f. The arguments, and all memory that they lead to, are as
 *                                       they were for f. It may call f. Like a sweep it takes result[] and the adjoints
 *                                       of what f writes, and adds to argument[] and to those of numbers
 *                                       in memory
 *     R    tangent(verso_call *, A...)  as above
 * Verso undoes what `adjoint` changes in the program's memory. Nothing has to be kept by verso_keep.
 *
 * f may have a VERSO_CUSTOM_ADJOINT too; its sites can then be switched like others. On: as above, except that `record`
 * runs instead of f, and the bytes that it keeps are dropped. Off: `record` and `sweep` are used. Both macros may name
 * the tangent. */
#define VERSO_ADJOINT(f, adjoint, tangent) \
    VERSO__ADJOINT_OBJECT(verso__whole_adjoint_##f) = {(void (*)(void))(f), (void (*)(void))0, \
                                                       (void (*)(void))(adjoint), (void (*)(void))(tangent)}

/* At file scope: supplies the adjoint of f, a function that reaches something outside the program: it sends,
 * receives, reads a device. As VERSO_CUSTOM_ADJOINT, but `record` runs once for each call that the program makes.
 * Where Verso repeats a part of the run (a memory budget, checkpointed calls, `verso check`), what `record` kept,
 * wrote and returned comes from the log of the outside world. So
 *     R    record(verso_call *, A...)   must pass all memory of the program that it changed to verso_wrote
 *     void sweep(verso_call *, A...)    runs once for each call too, in the opposite order. It may communicate
 * f must not write to the program's memory between its calls. Verso's own adjoints of MPI's functions are made of this
 * (docs/parallel.md). */
#define VERSO_WORLD_ADJOINT(f, record, sweep, tangent) \
    VERSO__ADJOINT_OBJECT(verso__world_adjoint_##f) = {(void (*)(void))(f), (void (*)(void))(record), \
                                                       (void (*)(void))(sweep), (void (*)(void))(tangent)}

/* Called by the `record` of a VERSO_WORLD_ADJOINT, after it has changed `size` bytes of the program's memory at `data`.
 * No-op elsewhere. */
VERSO_API void verso_wrote(verso_call *call, void *data, size_t size);
/* Called by `record`: appends `size` bytes to call->kept of the sweep. If the recording has no room for them, the
 * differentiation fails with VERSO_STATUS_NO_MEMORY. No-op in tangent mode; elsewhere in a differentiated run it is an
 * error. */
VERSO_API void verso_keep(verso_call *call, const void *bytes, size_t size);
/* Read and change the derivatives of `count` numbers of the given type, contiguous at `data`. The derivatives pass as
 * doubles whatever the type. The functions may be called by `sweep`, `adjoint` and `tangent`. If `data` is not a
 * multiple of 4, or Verso has no shadow memory for it, the differentiation fails with VERSO_STATUS_INVALID. */

/* In a sweep, for numbers that f reads: adds terms[i] to the adjoint of number i. */
VERSO_API void verso_adjoint_add(const void *data, verso_scalar type, size_t count, const double *terms);
/* In a sweep, for numbers that f writes: sets adjoints[i] to the adjoint of number i, and the adjoint to zero. */
VERSO_API void verso_adjoint_take(const void *data, verso_scalar type, size_t count, double *adjoints);
/* In a sweep: sets adjoints[i] to the adjoint of number i, which stays as it is. */
VERSO_API void verso_adjoint_read(const void *data, verso_scalar type, size_t count, double *adjoints);
/* In tangent mode: sets tangents[i] to the tangent of number i. */
VERSO_API void verso_tangent_read(const void *data, verso_scalar type, size_t count, double *tangents);
/* In tangent mode: sets the tangent of number i to tangents[i]. */
VERSO_API void verso_tangent_write(const void *data, verso_scalar type, size_t count, const double *tangents);

#ifdef __cplusplus
}
static inline double verso_frozen(double value) {
    return verso__frozen_double(value);
}
static inline float verso_frozen(float value) {
    return verso__frozen_float(value);
}
static inline long double verso_frozen(long double value) {
    return verso__frozen_long_double(value);
}
#endif
#endif
