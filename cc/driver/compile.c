/* Implements compile.h.
 *
 * An object file contains its bitcode in a separate section: as it was before loops were vectorised, with line numbers,
 * without fused multiply-add, and without functions that are marked optnone. The machine code is what clang makes with
 * -ffp-contract=off. How the bitcode gets into the object depends on the level:
 *   -O1 and up   -ffat-lto-objects: simplified as for link-time optimisation
 *   -O0          -fembed-bitcode: as the front end made it. (With -ffat-lto-objects the machine code would be
 *                optimised: all global data, and all functions that are not marked optnone.)
 *
 * With -O3, clang would unroll short loops completely before it writes the bitcode, and these would no longer show that
 * they read neighbouring numbers, or be too large to be inlined. So it unrolls as with -O2, in the machine code, too.
 * At the link, loops are unrolled as with -O3. */
#include "cc/driver/compile.h"

#include "cc/driver/embed.h"
#include "cc/driver/fortran.h"
#include "cc/driver/inputs.h"
#include "cc/driver/mpi.h"
#include "cc/driver/named.h"
#include "cc/driver/process.h"

#include <errno.h>
#include <string.h>

/* True if bitcode is put into objects by -fembed-bitcode. */
static bool uses_embedding(const driver_arguments *arguments) {
    return !arguments->instrumented && (arguments->optimise == 0 || arguments->optimise == '0');
}

/* Adds a flag for clang's front end (-cc1). */
static void add_front_end_flag(driver_words *command, const char *flag) {
    driver_words_add(command, "-Xclang");
    driver_words_add(command, flag);
}

/* Marks functions as noinline, even if the source declares them always_inline, so that the bitcode contains their
 * calls. */
static void keep_calls(const driver_words *names, driver_words *command) {
    for (size_t i = 0; i < names->count; i++) {
        driver_words_add(command, "-mllvm");
        driver_words_print(command, "-force-attribute=%s:noinline", names->at[i]);
        driver_words_add(command, "-mllvm");
        driver_words_print(command, "-force-remove-attribute=%s:alwaysinline", names->at[i]);
    }
}

/* Records inactive functions in an attribute of every function of the file, for the link: see cc/front/declared.c. */
static void note_inactive(const driver_words *names, driver_words *command) {
    for (size_t i = 0; i < names->count; i++) {
        add_front_end_flag(command, "-default-function-attr");
        driver_words_add(command, "-Xclang");
        driver_words_print(command, "verso-inactive.%s=1", names->at[i]);
    }
}

/* Marks functions that a source names in VERSO_CUSTOM_ADJOINT or VERSO_ADJOINT as noinline. Not in C++, where their
 * symbols are mangled. */
static void keep_named_calls(driver_session *session, const driver_arguments *arguments, driver_words *command) {
    driver_words names = {0};
    for (size_t i = 0; session->language != DRIVER_CPP && i < arguments->count; i++) {
        const driver_argument *input = &arguments->at[i];
        if (input->kind != DRIVER_ARGUMENT_INPUT || input->input != DRIVER_INPUT_SOURCE)
            continue;
        const driver_mapping *file = driver_mapping_open(&session->files, input->text);
        if (file != NULL)
            driver_named_adjoints(file->content, &names);
    }
    keep_calls(&names, command);
    command->failed = command->failed || names.failed;
    driver_words_free(&names);
}

/* Adds the flags that put bitcode into objects. Some are for the front end, because clang's driver would warn that they
 * override -ffp-model, and rejects -fembed-bitcode in combination with some options. With -save-temps no line numbers
 * are added, because the assembler would warn about them. */
static void add_flags(driver_session *session, const driver_arguments *arguments, driver_words *command) {
    if (arguments->instrumented)
        return;
    if (uses_embedding(arguments)) {
        add_front_end_flag(command, "-fembed-bitcode=bitcode");
        add_front_end_flag(command, "-disable-O0-optnone");
    } else {
        driver_words_add(command, "-flto=thin");
        driver_words_add(command, "-ffat-lto-objects");
    }
    keep_calls(&arguments->noinline, command);
    keep_calls(&arguments->inactive, command);
    note_inactive(&arguments->inactive, command);
    keep_named_calls(session, arguments, command);
    add_front_end_flag(command, "-ffp-contract=off");
    if (arguments->optimise == 0 || arguments->optimise == '0' || arguments->optimise == '1') {
        add_front_end_flag(command, "-default-function-attr"); /* see cc/lower/strip.c */
        add_front_end_flag(command, "verso-level=1");
    }
    if (arguments->optimise == '3') { /* see above; 150 is LLVM's limit with -O2 */
        driver_words_add(command, "-mllvm");
        driver_words_add(command, "-unroll-threshold-aggressive=150");
    }
    if (!arguments->debug && !arguments->save_temps)
        driver_words_add(command, "-gline-tables-only");
}

/* -fno-exceptions comes first, so that the user's -fexceptions overrides it. */
static void add_compiler(const driver_session *session, driver_words *command) {
    driver_words_add(command, session->clang);
    if (session->language == DRIVER_CPP)
        driver_words_add(command, "-fno-exceptions");
}

/* Returns whether a C++ source uses exceptions that are not turned on, so that clang fails. */
static bool lacks_exceptions(driver_session *session, const driver_arguments *arguments) {
    bool named = false;
    if (session->language != DRIVER_CPP || driver_words_contain(&arguments->words, "-fexceptions"))
        return false;
    for (size_t i = 0; i < arguments->count && !named; i++) {
        const driver_argument *input = &arguments->at[i];
        if (input->kind != DRIVER_ARGUMENT_INPUT || input->input != DRIVER_INPUT_SOURCE)
            continue;
        const driver_mapping *file = driver_mapping_open(&session->files, input->text);
        named = file != NULL && driver_names_exceptions(file->content);
    }
    return named;
}

static void advise_exceptions(const driver_session *session) {
    driver_note(session,
                "'verso c++' compiles with -fno-exceptions; -fexceptions turns exceptions on. Code that throws or "
                "catches exceptions cannot be differentiated; other code can");
}

/* Adds Verso's headers as the last folder that is searched, so that they hide none of the user's. */
static void add_headers(const driver_places *places, driver_words *command) {
    if (places->include == NULL)
        return;
    driver_words_add(command, "-idirafter");
    driver_words_add(command, places->include);
}

/* ---- Command lines that do not link ---- */

/* Adds the user's command line, with the additional flags if the mode is DRIVER_MODE_OBJECT. */
static void add_line(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                     driver_words *command) {
    const driver_words *words = &arguments->words;
    if (words->count > 0 && strncmp(words->at[0], "-cc1", 4) == 0) { /* must be clang's first argument */
        driver_words_add(command, session->clang);
        driver_words_append(command, words);
        return;
    }
    bool object = arguments->mode == DRIVER_MODE_OBJECT;
    add_compiler(session, command);
    for (size_t i = 0; i <= words->count; i++) {
        if (i == arguments->end) { /* after "--" there are only inputs */
            if (arguments->reads_headers)
                add_headers(places, command);
            if (object && arguments->reads_headers && !arguments->instrumented)
                driver_note_mpi(session, arguments, places, command);
            if (object && arguments->has_source)
                add_flags(session, arguments, command);
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

/* ---- Compiling before linking ---- */

/* Returns the path with its suffix replaced: "sub/prog.d" for "sub/prog" and for "sub/prog.x". */
static const char *with_ending(driver_words *kept, const char *path, const char *ending) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash == NULL ? path : slash, '.');
    int size = (int)(dot == NULL ? strlen(path) : (size_t)(dot - path));
    return driver_words_print(kept, "%.*s%s", size, path, ending);
}

/* Adds options so that auxiliary files are named after the final output, as clang would name them, and not after the
 * intermediate object file. */
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

/* Adds all options except those for the linker. -Qunused-arguments: some are only used when linking. */
static void add_options(const driver_arguments *arguments, driver_words *command) {
    driver_words_add(command, "-Qunused-arguments");
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->at[i].kind == DRIVER_ARGUMENT_OPTION || arguments->at[i].kind == DRIVER_ARGUMENT_VALUE)
            driver_words_add(command, arguments->at[i].text);
}

/* Returns the path of the object file: in the scratch folder, or where -save-temps keeps it. */
static const char *object_path(driver_session *session, const driver_arguments *arguments, const char *base,
                               size_t index) {
    if (!arguments->save_temps)
        return driver_scratch(session, driver_words_print(&session->kept, "%s-%zu.o", base, index));
    const char *slash = arguments->output != NULL ? strrchr(arguments->output, '/') : NULL;
    if (!arguments->save_temps_beside_output || slash == NULL)
        return driver_words_print(&session->kept, "%s.o", base);
    return driver_words_print(&session->kept, "%.*s/%s.o", (int)(slash - arguments->output), arguments->output, base);
}

/* Compiles the LLVM IR that flang made of a Fortran source. */
static void add_translated(driver_session *session, const driver_arguments *arguments, const char *path,
                           const char *object, driver_words *command) {
    driver_words_add(command, session->clang);
    driver_fortran_code_options(arguments, command);
    add_flags(session, arguments, command);
    driver_words_add(command, "-c");
    driver_words_add(command, "-o");
    driver_words_add(command, object);
    driver_words_add(command, "-x");
    driver_words_add(command, "ir");
    driver_words_add(command, path);
}

static void add_input(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                      const driver_argument *input, const char *object, driver_words *command) {
    add_compiler(session, command);
    add_options(arguments, command);
    add_headers(places, command);
    if (input->input == DRIVER_INPUT_SOURCE)
        add_flags(session, arguments, command);
    if (driver_input_reads_headers(input->text, input->language) && !arguments->instrumented)
        driver_note_mpi(session, arguments, places, command);
    add_auxiliary(&session->kept, arguments, driver_base_name(&session->kept, input->text), command);
    driver_words_add(command, "-c");
    driver_words_add(command, "-o");
    driver_words_add(command, object);
    if (input->language != NULL) {
        driver_words_add(command, "-x");
        driver_words_add(command, input->language);
    }
    if (input->text[0] == '-' && input->text[1] != '\0')
        driver_words_add(command, "--");
    driver_words_add(command, input->text);
}

/* Compiles the input at[index] to the file `object`. */
static int compile_to(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                      size_t index, const char *object) {
    const driver_argument *input = &arguments->at[index];
    bool fortran = input->input == DRIVER_INPUT_FORTRAN;
    const char *translated = NULL;
    int status = fortran ? driver_fortran_translate(session, arguments, places, index, &translated) : DRIVER_OK;
    if (status != DRIVER_OK)
        return status;
    driver_words command = {0};
    if (fortran)
        add_translated(session, arguments, translated, object, &command);
    else
        add_input(session, arguments, places, input, object, &command);
    status = driver_process_run(session, &command, NULL, NULL);
    driver_words_free(&command);
    if (status == DRIVER_OK && (fortran || input->input == DRIVER_INPUT_SOURCE) && uses_embedding(arguments))
        status = rename_section(session, object);
    return status;
}

static int compile_input(driver_session *session, driver_arguments *arguments, const driver_places *places,
                         size_t index) {
    driver_argument *input = &arguments->at[index];
    const char *object = object_path(session, arguments, driver_base_name(&session->kept, input->text), index);
    if (object == NULL)
        return DRIVER_FAILED;
    int status = compile_to(session, arguments, places, index, object);
    input->source = input->text;
    input->text = object;
    input->input = DRIVER_INPUT_LINKED;
    return status;
}

/* Compiles to object files a command line that has Fortran sources, one source after the other. */
static int compile_with_fortran(driver_session *session, const driver_arguments *arguments,
                                const driver_places *places) {
    int first = DRIVER_OK;
    size_t sources = 0;
    for (size_t i = 0; i < arguments->count; i++)
        sources += arguments->at[i].kind == DRIVER_ARGUMENT_INPUT && arguments->at[i].input != DRIVER_INPUT_LINKED;
    if (arguments->output != NULL && sources > 1)
        return driver_error(session, "cannot specify -o when generating multiple output files");
    for (size_t i = 0; i < arguments->count && session->interrupted == 0; i++) {
        const driver_argument *input = &arguments->at[i];
        if (input->kind != DRIVER_ARGUMENT_INPUT || input->input == DRIVER_INPUT_LINKED)
            continue;
        const char *base = driver_base_name(&session->kept, input->text);
        const char *object =
            arguments->output != NULL ? arguments->output : driver_words_print(&session->kept, "%s.o", base);
        int status = compile_to(session, arguments, places, i, object);
        first = first != DRIVER_OK ? first : status;
    }
    return first;
}

int driver_compile_inputs(driver_session *session, driver_arguments *arguments, const driver_places *places) {
    int first = DRIVER_OK;
    bool throws = lacks_exceptions(session, arguments);
    for (size_t i = 0; i < arguments->count && session->interrupted == 0; i++) {
        const driver_argument *argument = &arguments->at[i];
        if (argument->kind != DRIVER_ARGUMENT_INPUT || argument->input == DRIVER_INPUT_LINKED)
            continue;
        int status = compile_input(session, arguments, places, i);
        first = first != DRIVER_OK ? first : status;
    }
    if (throws && first != DRIVER_OK)
        advise_exceptions(session);
    return first;
}

int driver_compile(driver_session *session, const driver_arguments *arguments, const driver_places *places) {
    if (arguments->mode == DRIVER_MODE_OBJECT && arguments->has_fortran)
        return compile_with_fortran(session, arguments, places);
    driver_words command = {0};
    bool embedding = arguments->mode == DRIVER_MODE_OBJECT && arguments->has_source && uses_embedding(arguments);
    bool throws = lacks_exceptions(session, arguments);
    add_line(session, arguments, places, &command);
    int status = embedding || throws ? driver_process_run(session, &command, NULL, NULL)
                                     : driver_process_exec(session, &command);
    driver_words_free(&command);
    if (throws && status != DRIVER_OK)
        advise_exceptions(session);
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
