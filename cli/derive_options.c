/* Reads FILES:FUNCTION and the options that `verso grad` and `verso check` share (derive_options), and frees the task
 * (derive_close). */
#include "cli/derive.h"

#include "cli/describe.h"
#include "cli/message.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- The operand ---- */

/* Finds the last single colon; "::" belongs to a C++ name. NULL if there is none. */
static const char *find_colon(const char *operand) {
    const char *found = NULL;
    for (const char *at = operand; *at; at++) {
        if (at[0] == ':' && at[1] == ':')
            at++;
        else if (at[0] == ':')
            found = at;
    }
    return found;
}

typedef struct ending_kind {
    const char *ending;
    derive_kind kind;
    bool cpp, fortran;
} ending_kind;

static const ending_kind endings[] = {
    {".c", DERIVE_SOURCE, false, false},  {".cc", DERIVE_SOURCE, true, false},  {".cpp", DERIVE_SOURCE, true, false},
    {".cxx", DERIVE_SOURCE, true, false}, {".C", DERIVE_SOURCE, true, false},   {".h", DERIVE_HEADER, false, false},
    {".hh", DERIVE_HEADER, true, false},  {".hpp", DERIVE_HEADER, true, false}, {".o", DERIVE_PART, false, false},
    {".f", DERIVE_SOURCE, false, true},   {".for", DERIVE_SOURCE, false, true}, {".f90", DERIVE_SOURCE, false, true},
    {".f95", DERIVE_SOURCE, false, true}, {".f03", DERIVE_SOURCE, false, true}, {".f08", DERIVE_SOURCE, false, true},
    {".F", DERIVE_SOURCE, false, true},   {".FOR", DERIVE_SOURCE, false, true}, {".F90", DERIVE_SOURCE, false, true},
    {".F95", DERIVE_SOURCE, false, true}, {".F03", DERIVE_SOURCE, false, true}, {".F08", DERIVE_SOURCE, false, true},
    {".a", DERIVE_PART, false, false},    {".so", DERIVE_PART, false, false},
};

static const ending_kind *kind_of(const char *name) {
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i].ending) == 0)
            return &endings[i];
    return NULL;
}

static int add_file(derive *task, const char *name) {
    const ending_kind *kind = kind_of(name);
    if (!kind)
        return cli_usage_error(task->command, "'%s' is not a C, C++ or Fortran file, object or archive (by its suffix)",
                               name);
    char path[PATH_MAX];
    if (!realpath(name, path) || access(path, R_OK) != 0)
        return cli_failure(task->command, "cannot read '%s': %s", name, strerror(errno));
    if (strpbrk(path, "\"\n\\"))
        return cli_failure(task->command, "'%s': paths with quotes, backslashes or newlines are not supported", path);
    task->files = cli_region_grow(&task->region, task->files, task->file_count, sizeof *task->files);
    task->files[task->file_count++] = (derive_file){.path = cli_region_copy(&task->region, path, strlen(path)),
                                                    .name = name,
                                                    .kind = kind->kind,
                                                    .cpp = kind->cpp,
                                                    .fortran = kind->fortran};
    return CLI_OK;
}

/* A header with the suffix .h is C++ if there are C++ files and no C sources. */
static void decide_headers(derive *task) {
    bool c = false, cpp = false;
    for (size_t i = 0; i < task->file_count; i++) {
        c |= task->files[i].kind == DERIVE_SOURCE && !task->files[i].cpp && !task->files[i].fortran;
        cpp |= task->files[i].cpp;
    }
    for (size_t i = 0; i < task->file_count; i++)
        if (task->files[i].kind == DERIVE_HEADER)
            task->files[i].cpp |= cpp && !c;
}

int derive_read_files(derive *task, const char *list, const char *end) {
    for (const char *at = list; at < end;) {
        size_t length = strcspn(at, ",");
        if (length > (size_t)(end - at))
            length = (size_t)(end - at);
        int status = add_file(task, cli_region_copy(&task->region, at, length));
        if (status != CLI_OK)
            return status;
        at += length + 1;
    }
    decide_headers(task);
    return CLI_OK;
}

static int read_operand(derive *task, const char *operand) {
    const char *colon = find_colon(operand);
    static const char wanted[] = "which function? Write FILE.c:FUNCTION";
    if (!colon)
        return cli_usage_error(task->command, "'%s': %s", operand, wanted);
    task->signature.name = colon + 1;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$:0123456789";
    for (const char *c = colon + 1; *c; c++)
        if (!strchr(letters, *c) && (unsigned char)*c < 0x80)
            return cli_usage_error(task->command, "'%s' is not the name of a function", colon + 1);
    if (colon[1] == '\0' || colon == operand)
        return cli_usage_error(task->command, "'%s': %s", operand,
                               colon[1] ? "which file? Write FILE.c:FUNCTION" : wanted);
    return derive_read_files(task, operand, colon);
}

/* ---- Signals ---- */

static sigset_t suspending_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

/* Blocks the signals that suspend a durable run. close_durable checks for them, whatever the command did meanwhile. */
static void block_signals(derive *task) {
    sigset_t suspending = suspending_signals();
    sigprocmask(SIG_BLOCK, &suspending, &task->mask);
}

int derive_options(derive *task, const cli_command *command, int argc, char **argv, bool *help) {
    *task = (derive){.command = command};
    *help = false;
    int status = cli_options_read(command, argc, argv, &task->arguments);
    if (status != CLI_OK)
        return status;
    if (task->arguments.values[command->option_count - 1]) {
        cli_describe_help(stdout, command);
        *help = true;
        return CLI_OK;
    }
    if (task->arguments.operand_count == 0)
        return cli_usage_error(
            command, "which function? For example: verso %s examples/native/rosenbrock.c:f --at -1.2,1", command->name);
    if (task->arguments.operand_count > 1)
        return cli_usage_error(command, "unexpected argument '%s'", task->arguments.operands[1]);
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (length <= 0 || (size_t)length == sizeof self)
        return cli_failure(command, "cannot find the path of this command in /proc/self/exe");
    task->compiler = cli_region_copy(&task->region, self, (size_t)length);
    status = read_operand(task, task->arguments.operands[0]);
    if (status == CLI_OK)
        status = derive_schedule(task);
    if (status != CLI_OK)
        return status;
    if (task->directory)
        block_signals(task);
    if (task->directory && !task->arguments.values[DERIVE_KEEP])
        return derive_kept_open(task);
    return cli_scratch_open(command, &task->region, task->arguments.values[DERIVE_KEEP], &task->scratch);
}

/* Returns CLI_SUSPENDED if a signal arrived, also one that arrived while no program was running. */
static int close_durable(derive *task, int status) {
    sigset_t suspending = suspending_signals();
    const struct timespec now = {0};
    if (!task->interrupted) {
        int number = sigtimedwait(&suspending, NULL, &now);
        task->interrupted = number > 0 ? number : 0;
    }
    if (status == CLI_OK || status == CLI_SUSPENDED || (task->interrupted != SIGINT && task->interrupted != SIGTERM))
        return status;
    task->interrupted = 0;
    cli_failure(task->command, "suspended before the run in '%s' was started or continued; give the same command again",
                task->directory);
    return CLI_SUSPENDED;
}

int derive_close(derive *task, int status) {
    if (task->directory)
        status = close_durable(task, status);
    int interrupted = task->interrupted;
    derive_kept_close(task);
    cli_scratch_close(&task->scratch);
    cli_arguments_free(&task->arguments);
    cli_region_free(&task->region);
    cli_end_interrupted(interrupted);
    return status;
}
