/* Runs the transformer on a program, see link.h:
 *     verso-transform -o OBJECT [-O N] [-g] [--externals] [--exports] [--shared] [--check-reload] [--dump PASS]
 *                     [--inactive NAME]... [--pure NAME]... BITCODE:LABEL...
 * It exits with 0, or with 1 after printing to standard error, line by line, what cannot be differentiated. */
#include "cc/driver/link.h"

#include "cc/driver/bitcode.h"
#include "cc/driver/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool driver_write_file(const driver_session *session, const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    bool written = file != NULL && fwrite(bytes, 1, size, file) == size;
    int code = errno;
    if (file != NULL && fclose(file) != 0 && written) {
        written = false;
        code = errno;
    }
    if (!written)
        driver_error(session, "cannot write '%s': %s", path, strerror(code));
    return written;
}

static bool add_module(driver_session *session, const driver_unit *unit, driver_bytes module, size_t number,
                       driver_words *command) {
    const char *path = driver_scratch(session, driver_words_print(&session->kept, "%zu.bc", number));
    if (path == NULL || !driver_write_file(session, path, module.bytes, module.size))
        return false;
    driver_words_print(command, "%s:%s", path, unit->label);
    return true;
}

/* Adds all modules of a section: `ld -r` joins sections, so one may contain several. */
static bool add_section(driver_session *session, const driver_unit *unit, driver_bytes section, size_t *number,
                        driver_words *command) {
    for (;;) {
        verso_error error;
        driver_bytes module;
        if (driver_bitcode_next(&section, unit->label, &module, &error) != VERSO_STATUS_OK)
            return driver_error(session, "%s", error.message), false;
        if (module.bytes == NULL)
            return true;
        if (!add_module(session, unit, module, (*number)++, command))
            return false;
    }
}

static bool add_sections(driver_session *session, const driver_unit *unit, const driver_elf *elf, const char *name,
                         size_t *number, driver_words *command) {
    for (size_t index = 0;;) {
        verso_error error;
        driver_bytes section;
        if (driver_elf_section(elf, name, unit->label, &index, &section, &error) != VERSO_STATUS_OK)
            return driver_error(session, "%s", error.message), false;
        if (section.bytes == NULL)
            return true;
        if (!add_section(session, unit, section, number, command))
            return false;
    }
}

static bool add_unit(driver_session *session, const driver_unit *unit, size_t *number, driver_words *command) {
    verso_error error;
    driver_elf elf;
    if (driver_elf_open(unit->content.bytes, unit->content.size, unit->label, &elf, &error) != VERSO_STATUS_OK)
        return driver_error(session, "%s", error.message), false;
    for (const char *const *name = driver_bitcode_sections; *name != NULL; name++)
        if (!add_sections(session, unit, &elf, *name, number, command))
            return false;
    return true;
}

/* True if dlsym can find functions of the program. */
static bool exports(const driver_arguments *arguments) {
    static const char *const words[] = {"-rdynamic", "-Wl,-E", "-Wl,--export-dynamic", "-Wl,-export-dynamic"};
    for (size_t i = 0; i < arguments->words.count; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strcmp(arguments->words.at[i], words[k]) == 0)
                return true;
    return false;
}

static void add_options(const driver_arguments *arguments, const char *object, driver_words *command) {
    driver_words_add(command, "-o");
    driver_words_add(command, object);
    if (arguments->optimise != 0) {
        driver_words_add(command, "-O");
        driver_words_print(command, "%c", arguments->optimise);
    }
    if (arguments->debug)
        driver_words_add(command, "-g");
    if (arguments->externals)
        driver_words_add(command, "--externals");
    if (arguments->check_reload)
        driver_words_add(command, "--check-reload");
    if (arguments->shared)
        driver_words_add(command, "--shared");
    if (arguments->shared || exports(arguments))
        driver_words_add(command, "--exports");
    if (arguments->dump != NULL) {
        driver_words_add(command, "--dump");
        driver_words_add(command, arguments->dump);
    }
    for (size_t i = 0; i < arguments->inactive.count; i++) {
        driver_words_add(command, "--inactive");
        driver_words_add(command, arguments->inactive.at[i]);
    }
    for (size_t i = 0; i < arguments->pure.count; i++) {
        driver_words_add(command, "--pure");
        driver_words_add(command, arguments->pure.at[i]);
    }
}

/* Prints a note for each shared library, except those of the system, whose sources the user usually does not have. */
static void explain_shared_libraries(const driver_session *session, const driver_trace *trace) {
    for (size_t i = 0; i < trace->shared.count; i++) {
        const char *path = trace->shared.at[i];
        if (strncmp(path, "/lib", 4) != 0 && strncmp(path, "/usr/lib", 8) != 0)
            driver_note(session,
                        "%s is a shared library; its functions cannot be differentiated. If that is needed, build it "
                        "as a static library with 'verso cc' and link that",
                        path);
    }
}

int driver_transform(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                     const driver_trace *trace, const char *object) {
    if (places->transform == NULL)
        return driver_error(session, "verso-transform, which differentiates programs, is missing; install Verso again");
    driver_words command = {0};
    driver_words_add(&command, places->transform);
    add_options(arguments, object, &command);
    bool ready = true;
    size_t number = 0;
    for (size_t i = 0; i < trace->count && ready; i++)
        ready = !trace->units[i].bitcode || add_unit(session, &trace->units[i], &number, &command);
    int status = ready ? driver_process_run(session, &command, NULL, NULL) : DRIVER_FAILED;
    driver_words_free(&command);
    if (ready && status > 128 && session->interrupted == 0)
        return driver_error(session,
                            "verso-transform was ended by signal %d; '--verso-keep --verso-show' shows how to "
                            "run it again",
                            status - 128);
    if (ready && status != DRIVER_OK && session->interrupted == 0)
        explain_shared_libraries(session, trace);
    return status;
}
