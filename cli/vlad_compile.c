/* Implements vlad_compile.h. The C file and the program are made in a scratch folder. */
#include "cli/vlad_compile.h"

#include "cc/driver/places.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/scratch.h"
#include "cli/vlad_kept.h"
#include "drive/signals.h"
#include "vlad/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ; /* in POSIX, no header declares it */

/* ---- The output file ---- */

static bool is_source(const vlad_sources *sources, const struct stat *output) {
    struct stat about;
    for (uint32_t i = 0; i < vlad_sources_opened(sources); i++)
        if (stat(vlad_sources_opening(sources, i).path, &about) == 0 && about.st_dev == output->st_dev &&
            about.st_ino == output->st_ino)
            return true;
    return false;
}

/* Checks before compiling that the output can be written and is not one of the program's own sources, which the linker
 * would overwrite. */
static int check_output(const vlad_compilation *task, const vlad_sources *sources, const char *path) {
    struct stat about;
    if (stat(path, &about) != 0) {
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0)
            return cli_failure(task->command, "cannot write '%s': %s", path, strerror(errno));
        close(file);
        unlink(path);
        return CLI_OK;
    }
    if (S_ISDIR(about.st_mode))
        return cli_failure(task->command, "cannot write '%s': %s", path, strerror(EISDIR));
    if (is_source(sources, &about))
        return cli_failure(task->command, "'%s' is a source file of the program; choose another output file", path);
    return CLI_OK;
}

/* ---- Building ---- */

static const char *find_clang(void) {
    const char *chosen = getenv("VERSO_CLANG");
    return chosen && chosen[0] ? chosen : "clang-19";
}

static void advise(void) {
    fputs("Programs are compiled with clang 19: install it, name it in VERSO_CLANG, or use --interpret.\n", stderr);
}

enum { ARGUMENTS_MAX = 32 };

/* Runs clang; its messages go to the file `errors`. *done: it succeeded. */
static int run_clang(vlad_compilation *task, const char *const *arguments, const char *errors, bool *done) {
    cli_process process = {.path = arguments[0], .arguments = arguments, .errors = errors, .mask = &task->mask};
    cli_ending ending;
    int status = cli_process_run(task->command, &process, &ending);
    if (status != CLI_OK)
        advise();
    *done = status == CLI_OK && ending.exited && ending.code == 0;
    return status == CLI_OK && ending.interrupted ? CLI_FAILED : status;
}

/* Prints clang's messages and advice. If the disk is full, clang cannot write its messages. */
static int explain(vlad_compilation *task, const char *errors) {
    size_t size = 0;
    char *text = cli_file_read(task->region, errors, &size);
    if (text)
        fwrite(text, 1, size, stderr);
    int status = cli_failure(task->command, "%s cannot compile the program%s", find_clang(),
                             size > 0 ? "" : " and printed no reason; is the disk of TMPDIR full?");
    advise();
    return status;
}

static void add_libraries(const driver_places *places, const char **arguments, size_t count) {
    arguments[count++] = places->library;
    for (size_t i = 0; driver_library_links[i] && count < ARGUMENTS_MAX - 1; i++)
        arguments[count++] = driver_library_links[i];
}

static bool is_sanitized(void) {
    for (size_t i = 0; driver_library_links[i]; i++)
        if (strncmp(driver_library_links[i], "-fsanitize", strlen("-fsanitize")) == 0)
            return true;
    return false;
}

/* Bytes of C text above which clang would take minutes to optimise; longer programs are compiled with -O0. */
enum { LONG_TEXT = 1 << 20 };

/* -O1 rather than -O2, which takes longer and does not make these programs faster. */
static const char *optimisation(const char *source) {
    struct stat about;
    return stat(source, &about) == 0 && about.st_size > LONG_TEXT ? "-O0" : "-O1";
}

static int compile(vlad_compilation *task, const char *source, const char *object, const char *errors) {
    const char *arguments[] = {find_clang(),
                               "-std=gnu17",
                               optimisation(source),
                               "-w",
                               "-ffp-contract=off",
                               "-fno-math-errno",
                               "-c",
                               "-o",
                               object,
                               source,
                               NULL};
    bool done;
    int status = run_clang(task, arguments, errors, &done);
    return status == CLI_OK && !done ? explain(task, errors) : status;
}

/* Links statically if possible, because the program then takes half the memory and starts sooner; dynamically if the
 * system lacks static libraries. */
static int link_program(vlad_compilation *task, const driver_places *places, const char *object, const char *output,
                        const char *errors) {
    enum { LINKAGE = 4 };
    const char *arguments[ARGUMENTS_MAX] = {find_clang(), "-o", output, object, [LINKAGE] = "-static"};
    add_libraries(places, arguments, LINKAGE + 1);
    bool done = false;
    int status = is_sanitized() ? CLI_OK : run_clang(task, arguments, errors, &done);
    if (status == CLI_OK && !done) {
        arguments[LINKAGE] = "-Wl,--as-needed";
        status = run_clang(task, arguments, errors, &done);
    }
    return status == CLI_OK && !done ? explain(task, errors) : status;
}

/* Compiles and links in two steps, because clang, if a signal ends it, would leave its own temporary object in
 * TMPDIR. */
static int build(vlad_compilation *task, const cli_scratch *scratch, const char *source, const char *output) {
    driver_words kept = {0};
    driver_places places = driver_places_find(&kept);
    const char *errors = cli_scratch_file(scratch, task->region, "errors.txt");
    const char *object = cli_scratch_file(scratch, task->region, "program.o");
    int status =
        places.library
            ? compile(task, source, object, errors)
            : cli_failure(task->command, "libverso.a, with which programs are linked, is missing; install Verso again");
    if (status == CLI_OK)
        status = link_program(task, &places, object, output, errors);
    driver_words_free(&kept);
    return status;
}

/* ---- Running ---- */

/* Replaces this process by the program (exec), so that the program receives signals and input, and its exit status is
 * that of the command. Returns only on failure. */
static int execute(vlad_compilation *task, int file) {
    const char *arguments[2 + sizeof task->options / sizeof *task->options] = {task->name};
    for (size_t i = 0; i < sizeof task->options / sizeof *task->options && task->options[i]; i++)
        arguments[1 + i] = task->options[i];
    if (file >= 0)
        (void)fexecve(file, (char *const *)arguments, environ);
    return cli_failure(task->command,
                       "cannot run the compiled program: %s; set TMPDIR to a folder where programs may be run, or use "
                       "--interpret",
                       strerror(errno));
}

/* Builds the program at `output`, in a scratch folder. If `output` is NULL, sets *file to a descriptor of the program,
 * whose file is removed. */
static int make_in_scratch(vlad_compilation *task, const vlad_writer *text, const char *output, int *file) {
    cli_scratch scratch = {0};
    int status = cli_scratch_open(task->command, task->region, NULL, &scratch);
    if (status != CLI_OK)
        return status;
    const char *source = cli_scratch_file(&scratch, task->region, "program.c");
    const char *program = output ? output : cli_scratch_file(&scratch, task->region, "program");
    status = cli_file_write(task->command, source, text->text, text->size);
    if (status == CLI_OK)
        status = build(task, &scratch, source, program);
    if (status == CLI_OK && !output)
        *file = open(program, O_RDONLY | O_CLOEXEC);
    cli_scratch_close(&scratch);
    return status;
}

/* A signal that ends the process meanwhile takes effect when the scratch folder has been removed. */
static int make_program(vlad_compilation *task, const vlad_writer *text, const char *output, int *file) {
    cli_block_endings(&task->mask);
    int status = make_in_scratch(task, text, output, file);
    sigprocmask(SIG_SETMASK, &task->mask, NULL);
    return status;
}

static int make_named(vlad_compilation *task, const vlad_writer *text, const char *output) {
    return make_program(task, text, output, NULL);
}

/* Like `execute`, for a durable run. Signals are blocked until the program catches them. */
static int execute_durable(vlad_compilation *task, int file) {
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    if (verso__signals_leave() != 0) {
        fprintf(stderr, "suspended in '%s'; run the same command again to continue\n", task->run);
        return CLI_SUSPENDED;
    }
    return execute(task, file);
}

static int build_and_run(vlad_compilation *task, const vlad_writer *text) {
    int file = -1, status = CLI_OK;
    if (task->output)
        return make_program(task, text, task->output, NULL);
    if (task->run) {
        verso__signals_catch();
        status = cli_vlad_kept(task, text, make_named, &file);
    }
    if (status == CLI_OK && file < 0)
        status = make_program(task, text, NULL, &file);
    return status != CLI_OK ? status : task->run ? execute_durable(task, file) : execute(task, file);
}

int cli_vlad_compile(vlad_compilation *task, const vlad_sources *sources, const vlad_program *program) {
    const char *path = task->emit_c ? task->emit_c : task->output;
    int ended = path ? check_output(task, sources, path) : CLI_OK;
    vlad_writer text = {0};
    verso_error error = {0};
    verso_status status = ended == CLI_OK ? vlad_compile(sources, program, &text, &error) : VERSO_STATUS_OK;
    if (status != VERSO_STATUS_OK)
        ended = cli_library_error(task->command, status, &error);
    if (ended == CLI_OK)
        ended = task->emit_c ? cli_file_write(task->command, path, text.text, text.size) : build_and_run(task, &text);
    vlad_writer_free(&text);
    return ended;
}
