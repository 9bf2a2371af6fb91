/* Implements rev_check.h. The C compiler is that of the environment variable CC, else cc. */
#include "cli/rev_check.h"

#include "cc/driver/places.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Settings ---- */

/* True if the text is a decimal number, which is copied into the initialisers of the test program. */
static bool is_number(const char *text, size_t length) {
    char copy[64], *end;
    if (length == 0 || length >= sizeof copy || strspn(text, "0123456789+-.eE") < length)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    (void)strtod(copy, &end);
    return *end == '\0';
}

static bool are_numbers(const char *text) {
    for (;; text++) {
        size_t length = strcspn(text, ",");
        if (!is_number(text, length))
            return false;
        text += length;
        if (*text == '\0')
            return true;
    }
}

int cli_rev_setting(const cli_command *command, cli_region *region, const char *text, bool length,
                    rev_setting *setting) {
    const char *option = length ? "length" : "set", *equal = strchr(text, '=');
    const char *dot = equal ? memchr(text, '.', (size_t)(equal - text)) : NULL, *name = dot ? dot + 1 : text;
    if (!equal || equal == name)
        return cli_usage_error(command, "--%s: expected NAME=VALUE or FUNCTION.NAME=VALUE, not '%s'", option, text);
    char *numbers = cli_region_copy(region, equal + 1, strlen(equal + 1)), *colon = strchr(numbers, ':');
    *setting = (rev_setting){.function = dot ? cli_region_copy(region, text, (size_t)(dot - text)) : NULL,
                             .parameter = cli_region_copy(region, name, (size_t)(equal - name)),
                             .numbers = numbers,
                             .range = colon && !length,
                             .length = length};
    if (setting->range)
        *colon = ',';
    bool several = strchr(numbers, ',') != NULL;
    if (!are_numbers(numbers) || (length && (several || strspn(numbers, "0123456789") < strlen(numbers))))
        return cli_usage_error(command,
                               length ? "--%s: expected a whole number after '=', not '%s'"
                                      : "--%s: expected a number, several separated by commas, or LOW:HIGH after '=', "
                                        "not '%s'",
                               option, equal + 1);
    return CLI_OK;
}

/* ---- The program ---- */

/* A growing list of compiler arguments; NULL follows the last. */
typedef struct argument_list {
    const char **at;
    size_t count, room;
} argument_list;

static void add(argument_list *w, cli_region *region, const char *word) {
    if (w->count + 1 >= w->room) {
        const char **grown = cli_region_alloc(region, 2 * w->room + 32, sizeof *grown);
        for (size_t i = 0; i < w->count; i++)
            grown[i] = w->at[i];
        w->at = grown;
        w->room = 2 * w->room + 32;
    }
    w->at[w->count++] = word;
    w->at[w->count] = NULL;
}

/* CC may contain arguments, separated by blanks. */
static void add_compiler(argument_list *w, cli_region *region) {
    const char *chosen = getenv("CC");
    char *text =
        cli_region_copy(region, chosen && chosen[0] ? chosen : "cc", strlen(chosen && chosen[0] ? chosen : "cc"));
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        add(w, region, word);
}

static const char *folder_of(cli_region *region, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? cli_region_copy(region, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
}

static int compile(const cli_command *command, cli_region *region, const cli_rev_program *program, const char *source,
                   const char *output) {
    driver_words kept = {0};
    driver_places places = driver_places_find(&kept);
    argument_list w = {0};
    add_compiler(&w, region);
    const char *before[] = {"-std=gnu17",
                            "-O1",
                            "-w",
                            "-ffunction-sections",
                            "-Wl,--gc-sections",
                            "-iquote",
                            folder_of(region, program->path),
                            "-o",
                            output,
                            source};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        add(&w, region, before[i]);
    for (size_t i = 0; program->folders[i]; i++)
        add(&w, region, cli_region_print(region, "-I%s", program->folders[i]));
    for (int i = 0; i < program->argument_count; i++)
        add(&w, region, program->arguments[i]);
    if (places.include)
        add(&w, region, cli_region_print(region, "-I%s", places.include));
    add(&w, region, "-lm");
    cli_process process = {.path = w.at[0], .arguments = w.at};
    cli_ending ending;
    int status = cli_process_run(command, &process, &ending);
    if (status == CLI_OK && (!ending.exited || ending.code != 0 || ending.interrupted))
        status =
            cli_failure(command,
                        "%s cannot compile the tests of '%s'; give further arguments (-IFOLDER, other files) after "
                        "--",
                        w.at[0], program->path);
    driver_words_free(&kept);
    return status;
}

static int run_program(const cli_command *command, cli_region *region, const char *path, const char *output) {
    const char *arguments[] = {path, NULL};
    cli_process process = {.path = path, .arguments = arguments, .output = output};
    cli_ending ending;
    size_t size = 0;
    int status = cli_process_run(command, &process, &ending);
    char *text = status == CLI_OK ? cli_file_read(region, output, &size) : NULL;
    if (text)
        fwrite(text, 1, size, stdout);
    return status == CLI_OK && ending.exited && ending.code == 0 && !ending.interrupted ? CLI_OK : CLI_FAILED;
}

int cli_rev_check(const cli_command *command, cli_region *region, const cli_rev_program *program) {
    /* _DEFAULT_SOURCE: the tests need more than strict POSIX, whatever options the user gives. */
    static const char renamed[] = "#define _DEFAULT_SOURCE 1\n#define main rev__users_main\n";
    cli_scratch scratch;
    int status = cli_scratch_open(command, region, NULL, &scratch);
    if (status != CLI_OK)
        return status;
    const char *source = cli_scratch_file(&scratch, region, "checks.c"),
               *path = cli_scratch_file(&scratch, region, "checks");
    char *text = cli_region_print(region, "%s%.*s", renamed, (int)program->text->size, program->text->bytes);
    status = cli_file_write(command, source, text, strlen(text));
    if (status == CLI_OK)
        status = compile(command, region, program, source, path);
    if (status == CLI_OK)
        status = run_program(command, region, path, cli_scratch_file(&scratch, region, "output.txt"));
    cli_scratch_close(&scratch);
    return status;
}
