/* The common part of `verso profile` and `verso tune`: both run a program that was compiled by `verso cc`, read its
 * profile, and predict from it what one choice of checkpointed call sites costs. */
#ifndef CLI_PROFILE_H
#define CLI_PROFILE_H

#include "base/json.h"
#include "cli/options.h"
#include "cli/region.h"
#include "cli/scratch.h"
#include "profile/page.h"
#include "profile/profile.h"

#include <stdio.h>

typedef struct profile_task {
    const cli_command *command;
    cli_arguments arguments;
    cli_region region;
    cli_scratch scratch;
    bool json;       /* print JSON; the program's standard output then goes to our standard error */
    int code;        /* exit status of the program if it failed; 0: it did not */
    int interrupted; /* signal that asked the command to end; 0: none */
    double seconds;  /* elapsed time of the program's last run */
    double profiled; /* elapsed time of the profiled run */
    double most;     /* maximum duration of the profile in seconds */
    uint64_t memory; /* maximum bytes of recordings and snapshots in the profile; 0: chosen from the machine */
    verso_profile *profile;
    verso_site *sites;        /* the choice: which sites are on */
    verso__plan plan;         /* budget and length of a step that belong to the choice */
    verso__profile_view view; /* what profile_predict computed for the choice */
} profile_task;

/* The functions that return int return CLI_OK, or another exit status after printing a message. */

/* Reads the command line; the arguments after -- are the program and its arguments. If the user asked for help, prints
 * it and sets *help. The caller calls profile_close, also after a failure. */
int profile_open(profile_task *task, const cli_command *command, int argc, char **argv, int option_help, bool *help);
/* Frees the task. Returns the program's exit status if that is not 0, else `status`. */
int profile_close(profile_task *task, int status);

/* Reads the value of --time-limit; NULL: the option is not given. */
int profile_read_limit(profile_task *task, const char *text);
/* Runs the program and profiles its first gradient: sets task->profile and task->sites, all on. Succeeds also if the
 * profile was cut by a limit or by a signal (task->interrupted). */
int profile_run(profile_task *task);
/* If the profile was cut, prints which part of the run it covers. */
void profile_print_part(const profile_task *task);
/* Predicts costs of the choice in task->sites and what switching each site would change: sets task->view. */
void profile_predict(profile_task *task);
/* Runs the program once more with the choice; sets *measured to the cost of its first gradient. */
int profile_measure(profile_task *task, verso_profile_cost *measured);
/* Like profile_measure, for comparison: the program's output is discarded, the program is killed after `seconds_most`
 * seconds, and a failure of the program is no error. *done: a gradient was measured. */
int profile_try(profile_task *task, double seconds_most, verso_profile_cost *measured, bool *done);
/* Writes the choice to a file in the format of verso.sites. */
int profile_write_sites(profile_task *task, const char *path);

/* Prints tables, one per group of sites: what switching each site would change. */
int profile_print_groups(FILE *out, const profile_task *task);
/* Prints the sites as the member "sites" of a JSON object. */
void profile_put_sites(verso__json *json, const profile_task *task);

/* A verso_sink that writes to a FILE. */
verso_status profile_print(void *stream, const char *text, size_t size);
/* Writes the page of `write` to a sink, with C++ names demangled. */
typedef verso_status profile_page(const void *context, verso_sink sink, void *to);
verso_status profile_write_page(profile_page *write, const void *context, verso_sink sink, void *to);

#endif
