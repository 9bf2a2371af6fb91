/* Settings of gradients from environment variables and from options of `verso grad`.
 *
 *   VERSO_MEMORY=64M              the budget (K, M, G, T are powers of 1000; Ki, Mi, Gi, Ti of 1024)
 *   VERSO_SCHEDULE=KIND[,WORD=VALUE]...
 *                                 auto, or a kind and options of `verso plan`: revolve,slots=10. leaf=BYTES is the
 *                                 length of a step; the number of steps follows from the program
 *   VERSO_RUN=DIRECTORY           makes the run durable; SIGTERM and SIGINT suspend it
 *   VERSO_INTERVAL=SECONDS        maximum time between restart points of the durable run
 *   VERSO_TIME_LIMIT=SECONDS      suspends the durable run after this time
 *   VERSO_REPORT=FILE             writes a report, .json or .html
 *   VERSO_OFFLOAD=DIRECTORY[,limit=BYTES][,synchronous]
 *                                 instead of a budget: keeps the recording beyond the limit in a file there
 *   VERSO_SITES=FILE              verso.sites: which calls are checkpointed; read once, before the first gradient. Its
 *                                 budget applies if no other setting gives a budget, a schedule, a run directory or
 *                                 an offload
 *   VERSO_CHECKPOINT=F,G          checkpoints all calls of these functions (* is every function), ...
 *   VERSO_NOCHECKPOINT=F,G        ... and no calls of these, whatever the file says
 *   VERSO_PROFILE=FILE[,seconds=SECONDS][,memory=BYTES][,progress]
 *                                 writes a profile of all choices of checkpointed calls after the first gradient. At a
 *                                 limit of time or of recordings and snapshots, and by SIGINT and SIGTERM, the profile
 *                                 is cut: the incomplete profile is written, and the process ends with status 75,
 *                                 because there is no gradient. `progress` shows progress
 *   VERSO_RANKS=shared|sum        what a program of several processes differentiates (verso_ranks)
 *   VERSO_MEASURE=FILE            adds a line of JSON with the cost of each gradient
 *
 * Empty variables are ignored. The call that reads a variable fails if its text is not valid; the message names
 * the variable and the word. Only gradients read these variables, not tangent runs and not sweeps that are cut. */
#ifndef NATIVE_SETTINGS_H
#define NATIVE_SETTINGS_H

#include "drive/limits.h"
#include "profile/plan.h"
#include "schedule/spec_text.h"

#include <verso/native.h>

enum { VERSO_OFFLOAD_TEXT = 1024 };

/* VERSO_OFFLOAD or --offload. */
typedef struct verso__native_offload_text {
    char directory[VERSO_OFFLOAD_TEXT]; /* empty: not set */
    uint64_t memory;
    bool synchronous;
} verso__native_offload_text;

/* VERSO_PROFILE. */
typedef struct verso__native_profile_text {
    char path[VERSO_OFFLOAD_TEXT]; /* empty: not set */
    double seconds;                /* maximum duration; 0: no limit */
    uint64_t memory;               /* maximum bytes of recordings and snapshots; 0: no limit */
    bool progress;
} verso__native_profile_text;

typedef struct verso__native_settings {
    uint64_t memory; /* budget in bytes; 0: not set */
    verso_ranks ranks;
    verso__spec_text schedule;
    const char *directory; /* NULL: not set */
    verso__limits limits;
    const char *report;
    verso__native_offload_text offload;
    verso__native_profile_text profile;
    const char *sites, *measure;
    const char *checkpoint, *nocheckpoint; /* names of functions, separated by commas; NULL: not set */
    verso__plan plan;                      /* the plan in the file of VERSO_SITES; zero until it is read */
} verso__native_settings;

/* Reads the name of a report, which must end in .json or .html. `name` begins the error message:
 * "VERSO_REPORT". */
verso_status verso__native_report_read(const char *name, const char *text, const char **path, verso_error *error);
/* Reads an offload. `name` begins the error message: "VERSO_OFFLOAD", "--offload". */
verso_status verso__native_offload_read(const char *name, const char *text, verso__native_offload_text *read,
                                        verso_error *error);
/* Reads a profile. `name` begins the error message: "VERSO_PROFILE". */
verso_status verso__native_profile_text_read(const char *name, const char *text, verso__native_profile_text *read,
                                             verso_error *error);
/* Reads all environment variables. Strings of *settings point into the environment. */
verso_status verso__native_settings_read(verso__native_settings *settings, verso_error *error);
/* Combines the caller's options with the settings; the options take precedence. Sets *chosen, whose `run`
 * points to *run, or is NULL if everything is to be recorded in a single pass, and whose offload points into
 * *settings. Returns VERSO_STATUS_INVALID if the schedule needs a number of slots and neither that nor a budget
 * is given; or if both an offload and a budget, schedule or directory are given, unless only the options give
 * one of them. If only the environment gives the run directory, SIGTERM and SIGINT suspend the run, and losses
 * are reported on the standard error. */
verso_status verso__native_settings_apply(const verso__native_settings *settings, const verso_native_options *options,
                                          verso_native_options *chosen, verso_run_options *run, verso_error *error);

/* Returns true if the caller's own options can suspend the run, so that the caller expects
 * VERSO_STATUS_SUSPENDED. If not, a run that is suspended because of the environment ends the process. */
bool verso__native_has_own_suspension(const verso_native_options *options);

/* Copies a caller's options, and the driver's options that they point to, into structs of this library's size: see
 * base/sized.h. `given` may be NULL. *own points to *run, not to the caller's. */
verso_status verso__native_options_read(const verso_native_options *given, verso_native_options *own,
                                        verso_run_options *run, verso_error *error);

#endif
