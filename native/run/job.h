/* The job, and how far its run has come. */
#ifndef NATIVE_RUN_JOB_H
#define NATIVE_RUN_JOB_H

#include "native/memory/memory.h"

/* What is differentiated: run(context), or f(x, n) if `run` is NULL. */
typedef struct verso__native_job {
    void (*run)(void *context);
    void *context;
    double (*f)(const double *x, size_t n);
    const double *x;
    size_t n;
    const verso_array *wrt; /* the inputs */
    const verso_array *of;  /* the outputs */
    size_t wrt_count, of_count;
    char *caller;   /* beginning of the caller's stack (caller.h); NULL: not known */
    double weight;  /* reverse mode: the adjoint of f's result */
    double value;   /* f's result */
    double tangent; /* tangent mode: the tangent of f's result */
    /* The number of safepoints at which the reverse sweep is cut into stretches, and the seed of their random choice.
     * UINT64_MAX: every safepoint. 0: the sweep is not cut. */
    uint64_t cuts, seed;
} verso__native_job;

/* Returns the job of a function that works on regions. */
static inline verso__native_job verso__native_job_of(void (*run)(void *context), void *context, const verso_array *wrt,
                                                     size_t wrt_count, const verso_array *of, size_t of_count,
                                                     char *caller) {
    return (verso__native_job){.run = run,
                               .context = context,
                               .wrt = wrt,
                               .of = of,
                               .wrt_count = wrt_count,
                               .of_count = of_count,
                               .caller = caller};
}

/* Returns the job of the current differentiation; NULL: none runs. */
verso__native_job *verso__native_job_now(void);
void verso__native_job_set(verso__native_job *job);

/* How far a run has come. It is suspended at a safepoint, has not begun (step == 0), or has ended. */
typedef struct verso__native_place {
    uint64_t step;                  /* number of steps that are done */
    uint64_t ended;                 /* not 0: the run has ended; its last step is counted in `step` */
    uint64_t count;                 /* iteration of the safepoint's loop */
    const verso__native_site *site; /* the safepoint; NULL at the beginning and at the end */
} verso__native_place;

/* Returns the current place, never NULL. Capsules contain it; the room that lets the run continue writes it. */
verso__native_place *verso__native_place_now(void);

/* Does what verso__native_stack_go does, and observes which words of the caller's stack the run changes. */
verso__native_outcome verso__native_run_go(void);
/* Returns VERSO_STATUS_INVALID with the message for a run that behaved differently when it was repeated. */
verso_status verso__native_report_divergence(verso_error *error);

#endif
