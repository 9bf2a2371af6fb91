/* Gradients of C programs as they are: what a program compiled by `verso cc` can ask of its own functions.
 *
 * Nothing in the program is annotated. `verso cc` (a drop-in for cc) finds the functions whose address reaches one of
 * the calls below, and everything they can call, and makes a recording, a reverse and a tangent version of each when it
 * links. Memory is memory: what a function reads and writes through any pointer, on the heap, on the stack or in
 * globals, carries derivatives.
 *
 * The calls are not reentrant: one differentiation at a time in a process, and no other thread may run code of the
 * program meanwhile that was compiled by `verso cc`. All return a status and leave a message that names file, line and
 * remedy in report->error; nothing is printed. */
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
    VERSO_DOUBLE = 0,
    VERSO_FLOAT = 1,
    VERSO_LONG_DOUBLE = 2,
} verso_scalar;

/* `count` numbers of one type, side by side in the program's memory, and as many derivatives beside them. Derivatives
 * are doubles whatever the type. */
typedef struct verso_array {
    void *data;
    size_t count;
    verso_scalar type;
    double *derivative;
} verso_array;

/* The recording of a run at one go, in memory up to a limit and then in a file: see docs/native.md. */
typedef struct verso_native_offload {
    const char *directory;             /* where the file is; NULL: all of it stays in memory */
    uint64_t memory;                   /* bytes of the recording that stay in memory at most; 0: 256 MiB */
    bool synchronous;                  /* no thread: the run waits while it is written, and while it is read back */
    const struct verso_system *system; /* NULL: the machine's */
} verso_native_offload;

typedef struct verso_native_options {
    /* The budget: bytes for the recording, for capsules and for shadow memory, besides the program's own. What does not
     * fit is computed again, from capsules that were taken anywhere in the run. The gradient has the same bits. 0: what
     * the environment variable VERSO_MEMORY says ("64M"); else everything is recorded. */
    uint64_t memory;
    /* A step of a schedule: so many bytes of recording. 0: what VERSO_SCHEDULE says ("leaf=64k"); else chosen from the
     * budget. */
    uint64_t leaf;
    /* With calls in it checkpointed recording a step may take less: at most so many bytes, which is what the budget
     * spares for it (`verso tune` predicts it). 0: as many as `leaf`. */
    uint64_t leaf_tape;
    /* Capsules are so large, about, so that a budget can be divided before the first is taken. 0: the run tells; when
     * it has, it may have to begin again. */
    uint64_t capsule;
    /* The driver's options, for those who want to say more than a budget: schedule, directory, progress. Its `memory`
     * counts where the one above is 0. NULL: chosen automatically. When it is (NULL, or run->automatic), VERSO_SCHEDULE
     * may name a schedule ("revolve,slots=10"); where there is no directory, VERSO_RUN. With a directory that is not
     * `scratch` the gradient is durable: killed at any instant, the same program run again goes on (docs/durable.md,
     * "Compiled programs"). A disk whose writes and reads cost 0 has its costs estimated from the sizes of capsules and
     * steps; capsules in files without a directory go to one in TMPDIR that is removed at the end. Without `group`. */
    const verso_run_options *run;
    verso_run_report *run_report; /* what the driver did; NULL: not wanted. VERSO_REPORT=FILE has it written, as .json
                                   * or .html */

    /* Instead of a budget: nothing is computed again, and what does not fit is in a file meanwhile. The gradient has
     * the same bits. Without a directory: what the environment variable VERSO_OFFLOAD says ("DIRECTORY,limit=64M"),
     * unless a budget or `run` is given here. */
    verso_native_offload offload;

    /* Reverse in stretches that are cut at safepoints instead of at one go: the gradient has the same bits. This is how
     * Verso checks itself. 0: not. UINT64_MAX: at every safepoint. */
    uint64_t cuts;
    uint64_t seed;     /* chooses which safepoints, when not all */
    size_t tape_limit; /* bytes that one recording may take; 0: as many as there are */

    /* Not NULL: every site is on (verso_site) and nothing else of the above counts but tape_limit and offload; what
     * that has told about other choices is left here (verso/profile.h). */
    verso_profile **profile;
} verso_native_options;

enum { VERSO_SCHEDULE_TEXT = 96 };

/* A run within a budget, or in stretches, is run more than once, each time with its heap, stack, globals and regions as
 * they were (but x of verso_gradient, and arrays of derivatives: it must not write them); what it does to memory of
 * other libraries or to other memory of the caller is done each time. The outside world sees one run: output, input,
 * clocks and random numbers (docs/native-support.md). */
typedef struct verso_native_report {
    double value;           /* verso_gradient, verso_directional: what f returned */
    uint64_t steps;         /* of the schedule; 1: at one go */
    uint64_t forward_steps; /* that were run without being recorded */
    uint64_t recordings;
    uint64_t capsules;      /* at a time, at most */
    uint64_t safepoints;    /* passed by a run that was cut */
    uint64_t leaf_bytes;    /* of recording in a step; 0: at one go */
    uint64_t budget_bytes;  /* 0: none was set */
    size_t tape_bytes;      /* recordings at a time, at most */
    size_t turn_bytes;      /* when the reverse sweep began; 0: not at one go */
    uint64_t offload_bytes; /* of the recording, that were in a file at most */
    size_t peak_bytes;      /* tape, frames, shadow memory and capsules at most */
    double seconds_forward; /* running and recording (or the tangent run) */
    double seconds_reverse;
    double seconds_processor; /* of both, that the processor has worked for them, whatever else the machine did */
    char schedule[VERSO_SCHEDULE_TEXT]; /* "at one go", or what was played: "online: 350 steps, 12 slots"; "end at one
                                         * go; revolve: ..." when that was for the first of the steps only */
    verso_error error;                  /* why the call failed */
} verso_native_report;

/* ---- Derivatives. `options` and `report` may be NULL. ---- */

/* gradient[i] = d f(x, n) / d x[i]. */
VERSO_API verso_status verso_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                      double *gradient, const verso_native_options *options,
                                      verso_native_report *report);
/* *derivative = sum over i of d f(x, n) / d x[i] * direction[i], in tangent mode. */
VERSO_API verso_status verso_directional(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                         const double *direction, double *derivative, verso_native_report *report);

/* Runs run(context) once; then, for every region of `wrt`, sets wrt.derivative to the sum over all numbers y in all
 * regions of `of` of of.derivative(y) * d y / d x, where x is the number in wrt before the run and y that in `of` after
 * it. A region may be in both lists: then its entry there keeps its own derivative array. */
VERSO_API verso_status verso_vjp(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                                 const verso_array *of, size_t of_count, const verso_native_options *options,
                                 verso_native_report *report);
/* The same in tangent mode: of.derivative = sum of d y / d x * wrt.derivative(x). */
VERSO_API verso_status verso_jvp(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                                 const verso_array *of, size_t of_count, verso_native_report *report);

/* ---- Checking derivatives ---- */

/* Zero where there is nothing special to say. */
typedef struct verso_check_options {
    uint64_t seed;     /* of directions and of safepoints to be cut at; 0: 1 */
    uint64_t cuts;     /* how many safepoints one sweep is cut at; 0: 16 */
    uint64_t every;    /* up to so many safepoints another sweep is cut at all of them, if the program's memory is
                          not large; 0: 2000 */
    size_t tape_limit; /* as above */
    /* A budget or a schedule, within which the gradient is computed once more (its run_report is not filled in). NULL:
     * what the environment says, if it says something. */
    const verso_native_options *within;
} verso_check_options;

enum { VERSO_CHECK_STEPS = 14 };

/* Tests of one run at one point, with random directions u of the inputs and weights v of the outputs. */
typedef struct verso_check_report {
    uint64_t seed;
    bool holds; /* all do */

    /* Dot products: v (J u) in tangent mode is (v J) u in reverse mode. The bound is 1e-12 of the sum of the absolute
     * values of their terms, plus 32 times the rounding errors of both, which are seen by doing each again with its
     * directions divided by 3 and by 7: exactly, that changes nothing. */
    bool dot_holds;
    double dot_tangent, dot_reverse, dot_bound;

    /* Taylor: the remainder v (f(x + h u) - f(x)) - h (v J) u falls like h^2. Remainders below 16 times the noise (the
     * largest at some inputs that are 2^-36 of u away, or a unit in the last place) plus h times dot_bound say nothing.
     * To the last three that do, a h + b h^2 + c h^3 is fitted; the order is the mean of 1, 2 and 3 weighted by the
     * sizes of the terms at the last of them: 2 or more when the derivative is right, 1 when it is wrong; it must
     * be 1.6. When less than two say something, the function is linear as far as can be seen, and the smallest
     * remainder must be below a thousandth of the linear term, or all linear terms in the noise. */
    bool taylor_holds, taylor_linear;
    double taylor_step[VERSO_CHECK_STEPS];      /* h */
    double taylor_remainder[VERSO_CHECK_STEPS]; /* NaN: f is not finite there */
    double taylor_orders[VERSO_CHECK_STEPS]; /* from this one to the next: the slope; NaN: one of them says nothing */
    double taylor_noise, taylor_order;

    /* Cuts: the reverse sweep in stretches gives the same bits. */
    bool cuts_hold;
    uint64_t safepoints;
    uint64_t stretches;      /* in all cut sweeps together */
    uint64_t cut_sweeps;     /* 1, or 2 when one was cut at every safepoint */
    uint64_t cut_difference; /* numbers that differ */

    /* Within a budget or by a schedule, where options or environment ask for one: the same bits, too. */
    bool within, within_holds;
    uint64_t within_difference;     /* numbers that differ */
    verso_native_report within_run; /* what it took */

    verso_error error; /* why it could not be checked */
} verso_check_report;

/* VERSO_OK when it could be checked: report->holds is the verdict. Arguments as for verso_vjp; derivative arrays are
 * neither read nor written and may be NULL. The run is run many times; the program's heap, globals and the regions are
 * restored before each time and at the end. What a run does to files or to memory of other libraries is done each time.
 */
VERSO_API verso_status verso_check(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                                   const verso_array *of, size_t of_count, const verso_check_options *options,
                                   verso_check_report *report);
/* The same for the function of verso_gradient, of which x is not touched. */
VERSO_API verso_status verso_check_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                            const verso_check_options *options, verso_check_report *report);

/* ---- Interrupting and resuming, without derivatives ---- */

/* run(context) in small steps: from one safepoint (a function's entry, an iteration of a loop) to another. Wherever it
 * stands it can be copied, and a copy can be resumed any number of times: each time the run goes on from there with the
 * same bits. A copy holds the run's stack, all of the program's heap and globals, and those `regions` that lie
 * elsewhere (they must stay where they are; their derivatives are not used). Resuming puts all of that back, also what
 * the caller has changed meanwhile. It does not hold memory of other libraries or of the caller's stack, where what the
 * caller wants to remember belongs. The outside world sees one run: what is printed is printed once, what is read,
 * drawn or asked of a clock is the same each time. One execution or differentiation at a time in a process. */
typedef struct verso_execution verso_execution;
typedef struct verso_execution_copy verso_execution_copy;

VERSO_API verso_status verso_execution_open(void (*run)(void *context), void *context, const verso_array *regions,
                                            size_t count, verso_execution **execution, verso_error *error);
VERSO_API void verso_execution_close(verso_execution *execution); /* NULL is nothing */
/* Lets it go on for so many steps, or to its end. *done (may be NULL): how many it took, where the one that ended the
 * run counts. A run that has ended takes none. UINT64_MAX steps that are not counted (done is NULL) take about as long
 * as the program itself. */
VERSO_API verso_status verso_run_steps(verso_execution *execution, uint64_t steps, uint64_t *done, bool *ended,
                                       verso_error *error);
VERSO_API verso_status verso_capture(verso_execution *execution, verso_execution_copy **copy, verso_error *error);
VERSO_API void verso_resume(verso_execution *execution, const verso_execution_copy *copy);
VERSO_API size_t verso_execution_copy_size(const verso_execution_copy *copy);
VERSO_API void verso_execution_copy_free(verso_execution_copy *copy); /* NULL is nothing */

/* ---- Checkpointed calls ---- */

/* Which calls are checkpointed (verso_site, verso/profile.h). All are off until somebody switches them on. Which are on
 * changes no bit of a gradient. Not to be changed while one is being computed. */

/* They are in the order of their places. */
VERSO_API size_t verso_site_count(void);
VERSO_API verso_site verso_site_get(size_t index);
VERSO_API void verso_site_set(size_t index, bool on);
/* Lines `on CALLER CALLEE PLACE` or `off ...`, where * stands for anything and # begins a comment: "off * norm *" is
 * about all calls of norm, and a place `file.c:12#3` about the one call with that number alone. `memory BYTES` and
 * `step BYTES BYTES BYTES` are options.memory, and options.leaf, leaf_tape and capsule, of gradients of which neither
 * options nor environment say anything about budgets, schedules, directories and offload. `name` begins messages.
 * VERSO_INVALID when a line is about no call; lines before it count. */
VERSO_API verso_status verso_sites_switch(const char *name, const char *text, verso_error *error);
/* The same, of a file: verso.sites, which `verso profile` and `verso tune` write. The environment variable VERSO_SITES
 * names one that is read before the first gradient of a process. */
VERSO_API verso_status verso_sites_read(const char *path, verso_error *error);

/* A stretch of a function that counts as a call: what lies between the two is a site whose callee is `name`, a string
 * literal of one word, and whose place is the line of the begin. There is one way into it, through its begin, and one
 * way out, through its end, which is in the same function; a fragment may have others in it. No variable-length array
 * is declared in it. In a plain run, and in code that is not differentiated, they do nothing. */
#if defined(__clang__)
#define VERSO_FRAGMENT_MARK __attribute__((weak, visibility("hidden"), noinline, noduplicate, nomerge, nothrow))
VERSO_FRAGMENT_MARK void verso_fragment_begin(const char *name);
VERSO_FRAGMENT_MARK void verso_fragment_end(void);
VERSO_FRAGMENT_MARK void verso_fragment_begin(const char *name) {
    (void)name;
}
VERSO_FRAGMENT_MARK void verso_fragment_end(void) {}
#else /* a plain compiler does not differentiate */
static inline void verso_fragment_begin(const char *name) {
    (void)name;
}
static inline void verso_fragment_end(void) {}
#endif

/* ---- Fixed points ---- */

/* Zero where there is nothing special to say. */
typedef struct verso_fixed_point_options {
    double tolerance;            /* of the state: the largest change of a number by a step, relative to the largest
                                    number; 0: 1e-12 */
    double derivative_tolerance; /* the same of its adjoints or tangents; 0: as of the state */
    uint64_t most;               /* steps, and as many for derivatives; 0: 1000 */
} verso_fixed_point_options;

/* uint64_t verso_fixed_point(void (*step)(void *context), void *context, double *state, size_t count,
 *                            const verso_fixed_point_options *options);
 * calls step(context) until it does not change state[0] to state[count - 1] any more, and once again. Returns the
 * number of steps; 0: so many do not do, or there is no memory.
 *
 * The derivatives are those of the solution u of u = G(u, p), by Christianson's two phases, where step puts G(u, p) in
 * the place of the state u, and p is everything else it reads. Only the last step is recorded, and it is reversed until
 * the adjoint of the state has converged, too, in so many sweeps as the contraction takes. Where the state came from
 * does not count. Not to converge is then an error.
 *
 * A step writes every number of the state, at the same place each time, and carries nothing else on to the next one. It
 * may be called any number of times. It may contain other fixed points. It is recorded in one piece: it is not divided
 * among the steps of a schedule, and calls within it are not checkpointed.
 *
 * Also in a plain run, in any compiler's code. */
#define verso_fixed_point(...) verso_fixed_point_at(VERSO_PLACE(__LINE__), __VA_ARGS__)
#define VERSO_PLACE(line) VERSO_PLACE_TEXT(line)
#define VERSO_PLACE_TEXT(line) __FILE__ ":" #line
/* `where` begins messages; options: NULL is nothing special. */
VERSO_API uint64_t verso_fixed_point_at(const char *where, void (*step)(void *context), void *context, double *state,
                                        size_t count, const verso_fixed_point_options *options);

/* ---- What Verso cannot see: functions of libraries that were not compiled by `verso cc` ---- */

/* On a declaration or a definition: its result and what it writes do not depend on anything that is differentiated. Of
 * a function that was not compiled by `verso cc` Verso sees what it changes within 240 bytes behind each pointer; one
 * that overwrites numbers with derivatives elsewhere needs an adjoint of its own. */
#if defined(__clang__)
#define VERSO_INACTIVE __attribute__((annotate("verso.inactive"), noinline))
#else
#define VERSO_INACTIVE /* a plain compiler does not differentiate */
#endif

/* What a custom adjoint is handed. `argument` and `result` have an entry for each floating-point argument or result in
 * order (not for pointers and integers). */
typedef struct verso_call {
    void *kept; /* sweep: what `record` left with verso_keep, in one piece */
    size_t kept_bytes;
    double *result;   /* sweep: the adjoint of what f returned. tangent: to be filled in */
    double *argument; /* sweep: to be filled in, zero on entry. tangent: the tangents of the arguments */
} verso_call;

/* At file scope: f's own adjoint, for a function of any signature R f(A...), compiled by `verso cc` or not.
 *     R    record(verso_call *, A...)   runs instead of f while recording; leaves with verso_keep what the sweep needs
 *     void sweep(verso_call *, A...)    gets the same arguments; adds to argument[] and to verso_adjoint(pointer)[]
 *     R    tangent(verso_call *, A...)  runs instead of f in tangent mode; NULL when there is none
 * None of them is differentiated; they may call f itself. */
#define VERSO_CUSTOM_ADJOINT(f, record, sweep, tangent) \
    __attribute__((used)) static const struct verso_custom_adjoint verso_custom_adjoint_##f = { \
        (void (*)(void))(f), (void (*)(void))(record), (void (*)(void))(sweep), (void (*)(void))(tangent)}
struct verso_custom_adjoint {
    void (*f)(void), (*record)(void), (*sweep)(void), (*tangent)(void);
};

/* At file scope: f's own adjoint in one piece. A call of f is always checkpointed (verso_site.always): f itself runs
 * while recording, and when the reverse sweep comes to the call the program is put back to where it was in front of it.
 *     void adjoint(verso_call *, A...)  runs then, instead of f: the arguments and all that they lead to are as they
 *                                       were for f; it may call f. Adds to argument[] and to verso_adjoint(pointer)[],
 *                                       takes result[] and what f writes, as a sweep does
 *     R    tangent(verso_call *, A...)  as above
 * What it changes in the program's memory is undone. Nothing is kept by hand: this is for functions whose inputs are
 * large, or many, or overwritten.
 *
 * f may have a VERSO_CUSTOM_ADJOINT, too: then its site can be switched like others. On: as above, but that `record`
 * runs instead of f, and what it keeps is not kept. Off: the two pieces are used. Both may name the tangent. */
#define VERSO_ADJOINT(f, adjoint, tangent) \
    __attribute__((used)) static const struct verso_custom_adjoint verso_whole_adjoint_##f = { \
        (void (*)(void))(f), (void (*)(void))0, (void (*)(void))(adjoint), (void (*)(void))(tangent)}

/* In `record`: appends bytes to what `sweep` will find. */
VERSO_API void verso_keep(verso_call *call, const void *bytes, size_t size);
/* The adjoints of the doubles at `data`, one after the other like the doubles themselves. A sweep that stands for
 * writing a number takes its adjoint and sets it to zero; one that stands for reading it adds to it. In tangent mode:
 * the tangents. */
VERSO_API double *verso_adjoint(const void *data);
/* That of the number of that type at `data`. Adjoints of floats and long doubles do not lie in an array. */
VERSO_API double *verso_adjoint_cell(const void *data, verso_scalar type);

#ifdef __cplusplus
}
#endif
#endif
