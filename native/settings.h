/* What is said about a gradient beside the program: by environment variables, and by options of `verso grad`.
 *
 *   VERSO_MEMORY=64M              the budget (K, M, G, T are powers of 1000; Ki, Mi, Gi, Ti of 1024)
 *   VERSO_SCHEDULE=KIND[,WORD=VALUE]...
 *                                 auto, or a kind and words of `verso plan`'s options: revolve,slots=10. leaf=BYTES is
 *                                 the length of a step; the number of steps is the program's own
 *   VERSO_RUN=DIRECTORY           a durable run
 *   VERSO_REPORT=FILE             .json or .html: what happened
 *   VERSO_OFFLOAD=DIRECTORY[,limit=BYTES][,synchronous]
 *                                 instead of a budget: what is beyond the limit of the recording is in a file there
 *   VERSO_SITES=FILE              verso.sites: which calls are checkpointed; read once, before the first gradient. Its
 *                                 budget counts where nothing else is said of budgets, schedules, runs and offload
 *   VERSO_CHECKPOINT=F,G          all calls of these functions are checkpointed (* is every function), and of these
 *   VERSO_NOCHECKPOINT=F,G        none, whatever the file says
 *   VERSO_PROFILE=FILE            what that would cost for all choices, written after the first gradient
 *   VERSO_MEASURE=FILE            what each gradient has taken: a line of JSON is added
 *
 * An empty variable says nothing. Bad text is an error of the call that looks at it, which names the variable and the
 * word. Only gradients look: not tangent runs, and not sweeps that are cut. */
#ifndef NATIVE_SETTINGS_H
#define NATIVE_SETTINGS_H

#include "profile/plan.h"
#include "schedule/spec_text.h"

#include <verso/native.h>

enum { VERSO_OFFLOAD_TEXT = 1024 };

/* A verso_native_offload as one text. */
typedef struct verso_native_offload_text {
    char directory[VERSO_OFFLOAD_TEXT]; /* empty: nothing is said */
    uint64_t memory;
    bool synchronous;
} verso_native_offload_text;

typedef struct verso_native_settings {
    uint64_t memory; /* 0: nothing is said */
    verso_spec_text schedule;
    const char *directory; /* NULL: nothing is said */
    const char *report;
    verso_native_offload_text offload;
    const char *sites, *profile, *measure;
    const char *checkpoint, *nocheckpoint; /* names of functions, with commas between; NULL */
    verso_plan plan;                       /* what the text of sites says; nothing, until it is read */
} verso_native_settings;

/* A file's name, which must end as one of the two kinds; `name` begins the message: "VERSO_REPORT". */
verso_status verso_native_report_read(const char *name, const char *text, const char **path, verso_error *error);
/* `name` begins the message: "VERSO_OFFLOAD", "--offload". */
verso_status verso_native_offload_read(const char *name, const char *text, verso_native_offload_text *read,
                                       verso_error *error);
/* All of them, from the environment. */
verso_status verso_native_settings_read(verso_native_settings *settings, verso_error *error);
/* *options where they say something, else what `settings` say; *run is what chosen->run points to, and settings what
 * chosen->offload does. chosen->run is NULL when everything is to be recorded at one go. VERSO_INVALID when the
 * schedule needs a number of slots, and neither that nor a budget is there; when both a budget, schedule or directory
 * and an offload are asked for, unless one is asked for by *options alone. */
verso_status verso_native_settings_apply(const verso_native_settings *settings, const verso_native_options *options,
                                         verso_native_options *chosen, verso_run_options *run, verso_error *error);

#endif
