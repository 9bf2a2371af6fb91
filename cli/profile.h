/* What `verso profile` and `verso tune` share: running a program that was compiled by `verso cc`, its profile, and one
 * choice of sites seen through it. */
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
    bool json;       /* the program's output goes to our standard error: JSON is alone in ours */
    int code;        /* the program's exit status, when it is not 0 */
    int interrupted; /* by which signal; 0: not */
    verso_profile *profile;
    verso_site *sites; /* the choice that is looked at, */
    verso_plan plan;   /* and the budget that goes with it */
    verso_profile_view view;
} profile_task;

/* Reads the command line: what stands behind -- is the program. To be closed, also after a failure. */
int profile_open(profile_task *task, const cli_command *command, int argc, char **argv, int option_help, bool *help);
/* `status`, or the program's own when it failed. */
int profile_close(profile_task *task, int status);

/* Runs the program: one gradient of it is profiled. */
int profile_run(profile_task *task);
/* What it says about the choice in task->sites. */
void profile_look(profile_task *task);
/* Runs the program once more with that choice; *measured is what its first gradient took. */
int profile_measure(profile_task *task, verso_profile_cost *measured);
/* The choice as verso.sites. */
int profile_write_sites(profile_task *task, const char *path);

/* A table in groups: what switching each site would change. */
int profile_print_groups(FILE *out, const profile_task *task);
/* The sites as a member of an object that has members before. */
void profile_put_sites(verso_json *json, const profile_task *task);

/* A text of the library to the standard output. */
verso_status profile_print(void *stream, const char *text, size_t size);

#endif
