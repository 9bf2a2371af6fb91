/* The record of a subcommand of `verso`: its options, its texts and the function that runs it.
 *
 * `--help`, the man page and the completion scripts of three shells are printed from this record, and getopt_long reads
 * the command line by it. So help and completion cannot mention an option that does not exist. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "drive/limits.h"

#include <stdbool.h>
#include <stddef.h>

/* The exit status of `verso`. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the request is impossible, a check failed, or an input or output error occurred */
    CLI_USAGE = 2,  /* the command line is wrong */
    CLI_SUSPENDED = VERSO_EXIT_SUSPENDED, /* a durable run was suspended; the same command continues it */
};

enum { CLI_OPTIONS_MAX = 48 };

typedef struct cli_option {
    const char *name; /* long name without the dashes */
    const char
        *argument; /* name of its argument; NULL: takes none. Shells complete "FILE" with files, "a|b" with a, b */
    const char *meaning; /* help text: whole sentences. Completion shows the first one */
    const char *heading; /* heading above this option in the help text; NULL: none */
    char letter;         /* short form; 0: none */
    bool repeats;        /* may be given several times, and every value counts */
    bool hidden;         /* absent from help texts: for tests and for the build of Verso */
} cli_option;

typedef struct cli_example {
    const char *line;    /* a command line */
    const char *meaning; /* a sentence that explains it */
} cli_example;

/* A word that the operand of a subcommand may be, with its explanation. */
typedef struct cli_item {
    const char *term;
    char text[400];
} cli_item;

typedef struct cli_command cli_command;
struct cli_command {
    const char *name;               /* "" for `verso` itself */
    const char *summary;            /* one line without a full stop */
    const char *const *synopses;    /* usage lines without the command's name; NULL ends the list */
    const char *const *description; /* paragraphs; NULL ends the list */
    const cli_option *options;      /* the option table */
    size_t option_count;            /* at most CLI_OPTIONS_MAX */
    const char *terms_heading;      /* heading of the list of terms; NULL: there are none */
    /* Fills in the index-th term (a word that the operand may be). Returns false after the last. NULL: no terms. */
    bool (*term)(size_t index, cli_item *item);
    bool takes_directory;        /* shells complete the operand with directories */
    bool takes_file;             /* shells complete the operand with files */
    bool passes_on;              /* arguments after "--" are passed to another program and are no operands */
    const char *exit_status;     /* text on the exit status; NULL: cli_exit_statuses */
    const cli_example *examples; /* an entry whose line is NULL ends the list */
    int (*run)(const cli_command *command, int argc, char **argv); /* returns the exit status */
};

extern const cli_command cli_verso, cli_cc, cli_cpp, cli_fc, cli_grad, cli_check, cli_library, cli_profile, cli_tune,
    cli_plan, cli_rev, cli_vlad, cli_status, cli_help, cli_version;

/* All subcommands in the order of the help text; NULL ends the list. */
extern const cli_command *const cli_commands[];
/* Returns the subcommand of this name, cli_verso for "verso", or NULL if there is none. */
const cli_command *cli_command_find(const char *name);
/* Prints an error message of `command`: there is no command `name`, and which one was probably meant. Returns
 * CLI_USAGE. */
int cli_unknown_command(const cli_command *command, const char *name);

#endif
