/* See vlad_compile.h. The C file and the program are made in a scratch folder. */
#include "cli/vlad_compile.h"

#include "cc/driver/places.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/scratch.h"
#include "vlad/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_c(vlad_compilation *task, const vlad_sources *sources, const vlad_program *program, const char *path) {
    vlad_writer text = {0};
    verso_error error = {0};
    verso_status status = vlad_compile(sources, program, &text, &error);
    int ended = status == VERSO_OK ? cli_file_write(task->command, path, text.text, text.size)
                                   : cli_library_error(task->command, status, &error);
    vlad_writer_free(&text);
    return ended;
}

static const char *find_clang(void) {
    const char *chosen = getenv("VERSO_CLANG");
    return chosen && chosen[0] ? chosen : "clang-19";
}

/* What clang says is shown when it fails: it is our text that it read. */
static int run_clang(vlad_compilation *task, const char *const *words, const char *errors) {
    cli_process process = {.path = words[0], .arguments = words, .errors = errors};
    cli_ending ending;
    int status = cli_process_run(task->command, &process, &ending);
    if (status != CLI_OK) {
        fputs("Programs are compiled with clang 19: install it, name it in VERSO_CLANG, or use --interpret.\n", stderr);
        return status;
    }
    if (ending.exited && ending.code == 0)
        return CLI_OK;
    if (ending.interrupted)
        return CLI_FAILED;
    size_t size;
    char *text = cli_file_read(task->region, errors, &size);
    if (text)
        fwrite(text, 1, size, stderr);
    return cli_failure(task->command, "%s cannot compile the program", words[0]);
}

static int build(vlad_compilation *task, const cli_scratch *scratch, const char *source, const char *output) {
    static const char *const flags[] = {"-std=gnu17", "-O2",        "-w", "-ffp-contract=off", "-fno-math-errno",
                                        "-x",         "c"};
    enum { FLAGS = sizeof flags / sizeof *flags, WORDS = 32 };
    driver_words kept = {0};
    driver_places places = driver_places_find(&kept);
    if (!places.library) {
        driver_words_free(&kept);
        return cli_failure(task->command, "libverso.a, which programs are linked with, is not where it belongs");
    }
    const char *words[WORDS] = {find_clang()};
    size_t count = 1;
    for (size_t i = 0; i < FLAGS; i++)
        words[count++] = flags[i];
    words[count++] = source;
    words[count++] = "-x";
    words[count++] = "none";
    words[count++] = places.library;
    for (size_t i = 0; driver_library_links[i] && count < WORDS - 3; i++)
        words[count++] = driver_library_links[i];
    words[count++] = "-o";
    words[count++] = output;
    int status = run_clang(task, words, cli_scratch_file(scratch, task->region, "errors.txt"));
    driver_words_free(&kept);
    return status;
}

static int run_program(vlad_compilation *task, const char *program) {
    const char *words[1 + sizeof task->options / sizeof *task->options] = {program};
    for (size_t i = 0; task->options[i]; i++)
        words[1 + i] = task->options[i];
    cli_process process = {.path = program, .arguments = words, .own_output = true};
    cli_ending ending;
    int status = cli_process_run(task->command, &process, &ending);
    if (status != CLI_OK)
        return status;
    return ending.exited ? ending.code : 128 + ending.signal;
}

int cli_vlad_compile(vlad_compilation *task, const vlad_sources *sources, const vlad_program *program) {
    if (task->emit_c)
        return write_c(task, sources, program, task->emit_c);
    cli_scratch scratch = {0};
    int status = cli_scratch_open(task->command, task->region, NULL, &scratch);
    if (status != CLI_OK)
        return status;
    const char *source = cli_scratch_file(&scratch, task->region, "program.c");
    const char *output = task->output ? task->output : cli_scratch_file(&scratch, task->region, "program");
    status = write_c(task, sources, program, source);
    if (status == CLI_OK)
        status = build(task, &scratch, source, output);
    if (status == CLI_OK && !task->output)
        status = run_program(task, output);
    cli_scratch_close(&scratch);
    return status;
}
