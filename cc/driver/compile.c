/* See compile.h.
 *
 * An object file gets its bitcode in a section of its own: as it was before loops were vectorised, with the lines of
 * the source, never with a multiplication and an addition fused, and with no function marked as not to be optimised.
 * The machine code beside it is the one that clang would have made with -ffp-contract=off.
 *   -O1 and up   -ffat-lto-objects: simplified as far as before link-time optimisation
 *   -O0          -fembed-bitcode: as the front end left it. A fat object's machine code would have been optimised:
 *                where functions do not forbid it, and what is not in functions always. */
#include "cc/driver/compile.h"

#include "cc/driver/embed.h"
#include "cc/driver/inputs.h"
#include "cc/driver/process.h"

#include <errno.h>
#include <string.h>

static bool embeds(const driver_arguments *arguments) {
    return !arguments->instrumented && (arguments->optimise == 0 || arguments->optimise == '0');
}

static void add_inner(driver_words *command, const char *flag) {
    driver_words_add(command, "-Xclang");
    driver_words_add(command, flag);
}

/* Some for the inner compiler, because the outer one warns when it overrides what -ffp-model said, and does not let
 * embedding go together with all options. Lines are left out with -save-temps: the assembler would warn of them. */
static void add_flags(const driver_arguments *arguments, driver_words *command) {
    if (arguments->instrumented)
        return;
    if (embeds(arguments)) {
        add_inner(command, "-fembed-bitcode=bitcode");
        add_inner(command, "-disable-O0-optnone");
    } else {
        driver_words_add(command, "-flto=thin");
        driver_words_add(command, "-ffat-lto-objects");
    }
    add_inner(command, "-ffp-contract=off");
    if (!arguments->debug && !arguments->save_temps)
        driver_words_add(command, "-gline-tables-only");
}

/* First, so that the user's own -fexceptions counts. */
static void add_compiler(const driver_session *session, driver_words *command) {
    driver_words_add(command, session->clang);
    if (session->cpp)
        driver_words_add(command, "-fno-exceptions");
}

/* Last of all folders, so that nothing of the user's is hidden. */
static void add_headers(const driver_places *places, driver_words *command) {
    if (places->include == NULL)
        return;
    driver_words_add(command, "-idirafter");
    driver_words_add(command, places->include);
}

/* ---- Lines that do not link ---- */

/* The user's line as it is (DRIVER_MODE_PASS), or with our flags (DRIVER_MODE_OBJECT). */
static void add_line(const driver_session *session, const driver_arguments *arguments, const driver_places *places,
                     driver_words *command) {
    const driver_words *words = &arguments->words;
    if (words->count > 0 && strncmp(words->at[0], "-cc1", 4) == 0) { /* must be clang's first word */
        driver_words_add(command, session->clang);
        driver_words_append(command, words);
        return;
    }
    bool object = arguments->mode == DRIVER_MODE_OBJECT;
    add_compiler(session, command);
    for (size_t i = 0; i <= words->count; i++) {
        if (i == arguments->end) { /* behind "--" there are inputs only */
            if (arguments->reads_headers)
                add_headers(places, command);
            if (object && arguments->has_source)
                add_flags(arguments, command);
        }
        if (i < words->count && !(object && i < arguments->end && driver_argument_is_lto(words->at[i])))
            driver_words_add(command, words->at[i]);
    }
    command->failed = command->failed || words->failed;
}

static int rename_section(driver_session *session, const char *object) {
    if (driver_embed_rename(object))
        return DRIVER_OK;
    return driver_error(session, "cannot write '%s': %s", object, strerror(errno));
}

int driver_compile(driver_session *session, const driver_arguments *arguments, const driver_places *places) {
    driver_words command = {0};
    bool embedding = arguments->mode == DRIVER_MODE_OBJECT && arguments->has_source && embeds(arguments);
    add_line(session, arguments, places, &command);
    int status =
        embedding ? driver_process_run(session, &command, NULL, NULL) : driver_process_become(session, &command);
    driver_words_free(&command);
    for (size_t i = 0; embedding && i < arguments->count; i++) {
        const driver_argument *input = &arguments->at[i];
        if (input->kind != DRIVER_ARGUMENT_INPUT || input->input != DRIVER_INPUT_SOURCE)
            continue;
        const char *base = driver_base_name(&session->kept, input->text);
        int renamed = rename_section(
            session, arguments->output != NULL ? arguments->output : driver_words_print(&session->kept, "%s.o", base));
        status = status != DRIVER_OK ? status : renamed;
    }
    return status;
}

/* ---- Compiling what is to be linked ---- */

/* "sub/prog.d" for "sub/prog" and "sub/prog.x". */
static const char *with_ending(driver_words *kept, const char *path, const char *ending) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash == NULL ? path : slash, '.');
    int size = (int)(dot == NULL ? strlen(path) : (size_t)(dot - path));
    return driver_words_print(kept, "%.*s%s", size, path, ending);
}

/* Clang names auxiliary files after what the whole line makes, not after the object file in between. */
static void add_auxiliary(driver_words *kept, const driver_arguments *arguments, const char *base,
                          driver_words *command) {
    const char *output = arguments->output;
    if (arguments->dependencies && !arguments->dependency_file) {
        driver_words_add(command, "-MF");
        driver_words_add(command, output ? with_ending(kept, output, ".d") : driver_words_print(kept, "%s.d", base));
    }
    if (arguments->dependencies && !arguments->dependency_target) {
        driver_words_add(command, "-MQ");
        driver_words_add(command, output ? output : driver_words_print(kept, "%s.o", base));
    }
    if (!arguments->dump_folder) {
        driver_words_add(command, "-dumpdir");
        driver_words_print(command, "%s-", output ? output : "a");
    }
}

/* All options, without what is for the linker. What one step has no use for, the other has. */
static void add_options(const driver_arguments *arguments, driver_words *command) {
    driver_words_add(command, "-Qunused-arguments");
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->at[i].kind == DRIVER_ARGUMENT_OPTION || arguments->at[i].kind == DRIVER_ARGUMENT_VALUE)
            driver_words_add(command, arguments->at[i].text);
}

/* With -save-temps the object file stays, too. */
static const char *object_path(driver_session *session, const driver_arguments *arguments, const char *base,
                               size_t index) {
    if (!arguments->save_temps)
        return driver_scratch(session, driver_words_print(&session->kept, "%s-%zu.o", base, index));
    const char *slash = arguments->output != NULL ? strrchr(arguments->output, '/') : NULL;
    if (!arguments->save_temps_beside_output || slash == NULL)
        return driver_words_print(&session->kept, "%s.o", base);
    return driver_words_print(&session->kept, "%.*s/%s.o", (int)(slash - arguments->output), arguments->output, base);
}

static int compile_input(driver_session *session, driver_arguments *arguments, const driver_places *places,
                         size_t index) {
    driver_argument *input = &arguments->at[index];
    const char *base = driver_base_name(&session->kept, input->text);
    const char *object = object_path(session, arguments, base, index);
    if (object == NULL)
        return DRIVER_FAILED;
    driver_words command = {0};
    add_compiler(session, &command);
    add_options(arguments, &command);
    add_headers(places, &command);
    if (input->input == DRIVER_INPUT_SOURCE)
        add_flags(arguments, &command);
    add_auxiliary(&session->kept, arguments, base, &command);
    driver_words_add(&command, "-c");
    driver_words_add(&command, "-o");
    driver_words_add(&command, object);
    if (input->language != NULL) {
        driver_words_add(&command, "-x");
        driver_words_add(&command, input->language);
    }
    if (input->text[0] == '-' && input->text[1] != '\0')
        driver_words_add(&command, "--");
    driver_words_add(&command, input->text);
    int status = driver_process_run(session, &command, NULL, NULL);
    driver_words_free(&command);
    if (status == DRIVER_OK && input->input == DRIVER_INPUT_SOURCE && embeds(arguments))
        status = rename_section(session, object);
    input->source = input->text;
    input->text = object;
    input->input = DRIVER_INPUT_LINKED;
    return status;
}

int driver_compile_inputs(driver_session *session, driver_arguments *arguments, const driver_places *places) {
    int first = DRIVER_OK;
    for (size_t i = 0; i < arguments->count && session->interrupted == 0; i++) {
        const driver_argument *argument = &arguments->at[i];
        if (argument->kind != DRIVER_ARGUMENT_INPUT || argument->input == DRIVER_INPUT_LINKED)
            continue;
        int status = compile_input(session, arguments, places, i);
        first = first != DRIVER_OK ? first : status;
    }
    return first;
}
