/* See vlad_compile.h. The C file and the program are made in a scratch folder. */
#include "cli/vlad_compile.h"

#include "cc/driver/places.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/scratch.h"
#include "vlad/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ; /* POSIX lets no header declare it */

/* ---- Where it goes ---- */

static bool is_source(const vlad_sources *sources, const struct stat *output) {
    struct stat about;
    for (uint32_t i = 0; i < vlad_sources_opened(sources); i++)
        if (stat(vlad_sources_opening(sources, i).path, &about) == 0 && about.st_dev == output->st_dev &&
            about.st_ino == output->st_ino)
            return true;
    return false;
}

/* Before the work, and in our words; the linker would write over the program's own text. */
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
        return cli_failure(task->command, "'%s' is the program itself: choose another file for the output", path);
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

enum { WORDS = 32 };

/* *done: it could. What it says is in `errors`. */
static int run_clang(vlad_compilation *task, const char *const *words, const char *errors, bool *done) {
    cli_process process = {.path = words[0], .arguments = words, .errors = errors};
    cli_ending ending;
    int status = cli_process_run(task->command, &process, &ending);
    if (status != CLI_OK)
        advise();
    *done = status == CLI_OK && ending.exited && ending.code == 0;
    return status == CLI_OK && ending.interrupted ? CLI_FAILED : status;
}

/* It is our text that clang has read. When the disk is full it cannot even say so. */
static int explain(vlad_compilation *task, const char *errors) {
    size_t size = 0;
    char *text = cli_file_read(task->region, errors, &size);
    if (text)
        fwrite(text, 1, size, stderr);
    int status = cli_failure(task->command, "%s cannot compile the program%s", find_clang(),
                             size > 0 ? "" : ", and does not say why: is there room where TMPDIR is?");
    advise();
    return status;
}

static void add_links(const driver_places *places, const char **words, size_t count) {
    words[count++] = places->library;
    for (size_t i = 0; driver_library_links[i] && count < WORDS - 1; i++)
        words[count++] = driver_library_links[i];
}

static bool is_sanitized(void) {
    for (size_t i = 0; driver_library_links[i]; i++)
        if (strncmp(driver_library_links[i], "-fsanitize", strlen("-fsanitize")) == 0)
            return true;
    return false;
}

/* From so many bytes on clang would take minutes to optimise a program, which is then as it is. */
enum { LONG_TEXT = 1 << 20 };

/* -O2 takes longer than -O1, and programs are not faster. */
static const char *optimisation(const char *source) {
    struct stat about;
    return stat(source, &about) == 0 && about.st_size > LONG_TEXT ? "-O0" : "-O1";
}

static int compile(vlad_compilation *task, const char *source, const char *object, const char *errors) {
    const char *words[] = {find_clang(),
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
    int status = run_clang(task, words, errors, &done);
    return status == CLI_OK && !done ? explain(task, errors) : status;
}

/* Linked statically a program takes half the memory, and starts sooner; but not all systems have what that needs. */
static int join(vlad_compilation *task, const driver_places *places, const char *object, const char *output,
                const char *errors) {
    enum { MANNER = 4 };
    const char *words[WORDS] = {find_clang(), "-o", output, object, [MANNER] = "-static"};
    add_links(places, words, MANNER + 1);
    bool done = false;
    int status = is_sanitized() ? CLI_OK : run_clang(task, words, errors, &done);
    if (status == CLI_OK && !done) {
        words[MANNER] = "-Wl,--as-needed";
        status = run_clang(task, words, errors, &done);
    }
    return status == CLI_OK && !done ? explain(task, errors) : status;
}

/* In two steps: what clang makes between them it would leave in TMPDIR when a signal ends it. */
static int build(vlad_compilation *task, const cli_scratch *scratch, const char *source, const char *output) {
    driver_words kept = {0};
    driver_places places = driver_places_find(&kept);
    const char *errors = cli_scratch_file(scratch, task->region, "errors.txt");
    const char *object = cli_scratch_file(scratch, task->region, "program.o");
    int status = places.library ? compile(task, source, object, errors)
                                : cli_failure(task->command,
                                              "libverso.a, which programs are linked with, is not where it belongs");
    if (status == CLI_OK)
        status = join(task, &places, object, output, errors);
    driver_words_free(&kept);
    return status;
}

/* ---- Running ---- */

/* In our place, so that signals, input and exit status are its own; its file is gone by then. Returns when that does
 * not work. */
static int become(vlad_compilation *task, cli_scratch *scratch, const char *program) {
    const char *words[2 + sizeof task->options / sizeof *task->options] = {task->name};
    for (size_t i = 0; i < sizeof task->options / sizeof *task->options && task->options[i]; i++)
        words[1 + i] = task->options[i];
    int file = open(program, O_RDONLY | O_CLOEXEC);
    cli_scratch_close(scratch);
    if (file >= 0)
        (void)fexecve(file, (char *const *)words, environ);
    return cli_failure(task->command,
                       "cannot run the compiled program: %s; set TMPDIR to a folder where programs may be run, or use "
                       "--interpret",
                       strerror(errno));
}

static int build_and_run(vlad_compilation *task, const vlad_writer *text) {
    cli_scratch scratch = {0};
    int status = cli_scratch_open(task->command, task->region, NULL, &scratch);
    if (status != CLI_OK)
        return status;
    const char *source = cli_scratch_file(&scratch, task->region, "program.c");
    const char *output = task->output ? task->output : cli_scratch_file(&scratch, task->region, "program");
    status = cli_file_write(task->command, source, text->text, text->size);
    if (status == CLI_OK)
        status = build(task, &scratch, source, output);
    if (status == CLI_OK && !task->output)
        return become(task, &scratch, output);
    cli_scratch_close(&scratch);
    return status;
}

/* All is thought out before there is a scratch folder, which a signal would leave behind. */
int cli_vlad_compile(vlad_compilation *task, const vlad_sources *sources, const vlad_program *program) {
    const char *path = task->emit_c ? task->emit_c : task->output;
    int ended = path ? check_output(task, sources, path) : CLI_OK;
    vlad_writer text = {0};
    verso_error error = {0};
    verso_status status = ended == CLI_OK ? vlad_compile(sources, program, &text, &error) : VERSO_OK;
    if (status != VERSO_OK)
        ended = cli_library_error(task->command, status, &error);
    if (ended == CLI_OK)
        ended = task->emit_c ? cli_file_write(task->command, path, text.text, text.size) : build_and_run(task, &text);
    vlad_writer_free(&text);
    return ended;
}
