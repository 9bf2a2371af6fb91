/* What a subcommand of `verso` is: one record that holds its options, its texts and the function that runs it.
 *
 * Everything a user can read about a subcommand - `--help`, the man page, the completion of three shells - is printed
 * from this record, and getopt_long is driven by it, so none of them can promise an option that does not exist. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* The exit status of `verso`. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* what was asked is impossible, a check did not hold, or input or output failed */
    CLI_USAGE = 2,  /* the command line is wrong */
};

enum { CLI_OPTIONS_MAX = 48 };

typedef struct cli_option {
    const char *name;     /* without the dashes */
    const char *argument; /* NULL: takes none. "FILE" is completed with files, "a|b" with the words a and b */
    const char *meaning;
    const char *heading; /* what the options from here on have in common; NULL: as the one before */
    char letter;         /* short form; 0: none */
    bool repeats;        /* may be given several times, and every value counts */
    bool hidden;         /* for the build of Verso itself: in no help text */
} cli_option;

typedef struct cli_example {
    const char *line;
    const char *meaning;
} cli_example;

/* One entry of a list that explains terms. */
typedef struct cli_item {
    const char *term;
    char text[400];
} cli_item;

typedef struct cli_command cli_command;
struct cli_command {
    const char *name;               /* "" for `verso` itself */
    const char *summary;            /* one line, no full stop */
    const char *const *synopses;    /* what follows the name; NULL ends the list */
    const char *const *description; /* paragraphs; NULL ends the list */
    const cli_option *options;
    size_t option_count;
    const char *terms_heading; /* NULL: there are no terms */
    /* Fills in the index-th term; false after the last. The terms of a subcommand are the words its operand can be. */
    bool (*term)(size_t index, cli_item *item);
    bool takes_directory;        /* its operand is a directory, and is completed as one */
    bool takes_file;             /* its operand is a file, likewise */
    bool passes_on;              /* what stands behind "--" is for another program, not an operand */
    const char *exit_status;     /* what it is when it is not the usual; NULL: the usual */
    const cli_example *examples; /* one with a NULL line ends the list */
    int (*run)(const cli_command *command, int argc, char **argv);
};

extern const cli_command cli_verso, cli_cc, cli_cpp, cli_grad, cli_check, cli_profile, cli_tune, cli_plan, cli_rev,
    cli_vlad, cli_status, cli_help, cli_version;

/* All subcommands in the order of the help text; NULL ends the list. */
extern const cli_command *const cli_commands[];
/* NULL when there is none of that name. "verso" is the command itself. */
const cli_command *cli_command_find(const char *name);

#endif
