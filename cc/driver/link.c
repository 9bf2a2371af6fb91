/* Links in up to three steps, see link.h:
 *  1. Run the user's link with the system's linker and read from its trace which objects it took. So errors,
 *     configure's probes and the choice of archive members are those of the linker. If no object calls verso_gradient
 *     or a related function, the result is final.
 *  2. Otherwise transform the bitcode of all linked objects into one object.
 *  3. Link again, with that object in place of those that it was made from. */
#include "cc/driver/link.h"

#include "cc/driver/compile.h"
#include "cc/driver/fortran.h"
#include "cc/driver/mpi.h"
#include "cc/driver/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct linking {
    driver_session *session;
    driver_arguments *arguments;
    const driver_places *places;
    driver_trace trace;
    unsigned links;         /* number of traced links so far */
    const char *printed;    /* file with the standard output of the last one */
    const char *complained; /* file with its error messages */
} linking;

/* ---- Traced links ---- */

/* True if an object file on the command line needs libverso.a. (Whether a member of an archive needs it is known only
 * after a link without it.) */
static bool objects_use_library(linking *linking) {
    const driver_arguments *arguments = linking->arguments;
    for (size_t i = 0; i < arguments->count; i++) {
        const driver_argument *argument = &arguments->at[i];
        if (argument->kind != DRIVER_ARGUMENT_INPUT)
            continue;
        const driver_mapping *file = driver_mapping_open(&linking->session->files, argument->text);
        driver_unit unit = {.label = argument->text};
        if (file == NULL)
            continue; /* the linker reports it */
        unit.content = file->content;
        if (driver_unit_read(&unit, NULL) == VERSO_STATUS_OK && unit.uses_library)
            return true;
    }
    return false;
}

static int run_link(linking *linking, const driver_link_line *line, const char *output, const char *errors) {
    driver_words command = {0};
    driver_link_command(linking->session, linking->arguments, linking->places, line, &command);
    int status = driver_process_run(linking->session, &command, output, errors);
    driver_words_free(&command);
    return status;
}

/* Links, and reads the trace. Sets *status to the linker's exit status. Returns false after printing a message. If
 * `library` is true, the program is written to the scratch folder, because it is not the final result. */
static bool link_traced(linking *linking, bool library, int *status) {
    driver_session *session = linking->session;
    driver_link_line line = {.trace = true, .library = library};
    unsigned number = linking->links++;
    linking->printed = driver_scratch(session, driver_words_print(&session->kept, "trace-%u", number));
    linking->complained = driver_scratch(session, driver_words_print(&session->kept, "errors-%u", number));
    if (library)
        line.output = driver_scratch(session, driver_words_print(&session->kept, "program-%u", number));
    if (linking->printed == NULL || linking->complained == NULL || (library && line.output == NULL))
        return false;
    *status = run_link(linking, &line, linking->printed, linking->complained);
    const driver_mapping *text = driver_mapping_open(&session->files, linking->printed);
    driver_trace_free(&linking->trace);
    verso_error error;
    if (text == NULL || driver_trace_read(session, linking->arguments, linking->places->library, text->content,
                                          &linking->trace, &error) == VERSO_STATUS_OK)
        return true;
    if (*status != DRIVER_OK)
        return true; /* the linker has printed the reason */
    driver_error(session, "%s", error.message);
    return false;
}

/* Prints the linker's output, without the trace unless the user asked for it. */
static void show_messages(linking *linking) {
    driver_mappings *files = &linking->session->files;
    const driver_mapping *printed = driver_mapping_open(files, linking->printed);
    const driver_mapping *complained = driver_mapping_open(files, linking->complained);
    if (linking->arguments->traced && printed != NULL)
        fwrite(printed->content.bytes, 1, printed->content.size, stdout);
    for (size_t i = 0; !linking->arguments->traced && i < linking->trace.other.count; i++)
        puts(linking->trace.other.at[i]);
    fflush(stdout);
    if (complained != NULL)
        fwrite(complained->content.bytes, 1, complained->content.size, stderr);
}

/* ---- Programs that cannot be differentiated ---- */

static int refuse_foreign(const linking *linking, const driver_unit *unit) {
    return driver_error(linking->session,
                        "%s calls %s, but was not compiled by 'verso %s' (or was compiled with a sanitizer, such as "
                        "-fsanitize=address), so it is unknown what it differentiates. Compile it again",
                        unit->label, unit->calls, driver_session_name(linking->session));
}

static int check_program(const linking *linking) {
    int status = DRIVER_OK;
    for (size_t i = 0; i < linking->trace.count; i++) {
        const driver_unit *unit = &linking->trace.units[i];
        if (!unit->differentiates)
            continue;
        if (!unit->bitcode)
            status = refuse_foreign(linking, unit);
    }
    return status;
}

/* Removes the program of the first link, which cannot differentiate, if the second one fails. */
static void remove_output(const driver_arguments *arguments) {
    const char *path = arguments->output != NULL ? arguments->output : "a.out";
    struct stat about;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
        unlink(path);
}

/* ---- The steps of a link ---- */

static int link_transformed(linking *linking) {
    driver_session *session = linking->session;
    int status = check_program(linking);
    if (status != DRIVER_OK)
        return status;
    const char *object = driver_scratch(session, "transformed.o");
    if (object == NULL)
        return DRIVER_FAILED;
    status = driver_transform(session, linking->arguments, linking->places, &linking->trace, object);
    if (status != DRIVER_OK)
        return status;
    driver_words command = {0};
    status = driver_relink_command(session, linking->arguments, linking->places, &linking->trace, object, &command)
                 ? driver_process_run(session, &command, NULL, NULL)
                 : DRIVER_FAILED;
    driver_words_free(&command);
    return status;
}

/* Runs the user's link without a trace. */
static int link_plainly(linking *linking, bool library) {
    return run_link(linking, &(driver_link_line){.library = library}, NULL, NULL);
}

/* Links again as long as archives contain further adjoints of functions of the program. */
static bool take_adjoints(linking *linking, bool library, int *status) {
    bool mpi = false;
    if (*status == DRIVER_OK && !linking->arguments->plain && driver_trace_differentiates(&linking->trace) &&
        !driver_add_mpi(linking->session, linking->arguments, linking->places, &linking->trace, &mpi))
        return false;
    if (mpi && !link_traced(linking, library, status))
        return false;
    for (bool taken = true;
         taken && *status == DRIVER_OK && !linking->arguments->plain && driver_trace_differentiates(&linking->trace);) {
        if (!driver_take_adjoints(linking->session, linking->arguments, &linking->trace, &taken))
            return false;
        if (taken && !link_traced(linking, library, status))
            return false;
    }
    return true;
}

/* Links with a trace until all units are known. *library: the program was linked with libverso.a. (A shared library may
 * leave symbols undefined, and is linked with it only if the user forbids that.) Returns false after printing a
 * message. */
static bool trace_program(linking *linking, bool *library, int *status) {
    const driver_arguments *arguments = linking->arguments;
    *library = !arguments->shared && linking->places->library != NULL && objects_use_library(linking);
    if (!link_traced(linking, *library, status))
        return false;
    if (*status != DRIVER_OK && !*library && linking->places->library != NULL &&
        driver_trace_uses_library(&linking->trace)) {
        *library = true;
        if (!link_traced(linking, true, status))
            return false;
    }
    while (*status == DRIVER_OK && linking->trace.ambiguous != NULL && !arguments->plain &&
           driver_trace_differentiates(&linking->trace))
        if (!driver_rename_members(linking->session, linking->arguments, linking->trace.ambiguous) ||
            !link_traced(linking, *library, status))
            return false;
    return take_adjoints(linking, *library, status);
}

static int link_program(linking *linking) {
    const driver_arguments *arguments = linking->arguments;
    if (arguments->relocatable)
        return link_plainly(linking, false);
    bool library;
    int status;
    if (!trace_program(linking, &library, &status))
        return DRIVER_FAILED;
    if (status == DRIVER_OK && driver_trace_differentiates(&linking->trace) && !arguments->plain) {
        status = link_transformed(linking);
        if (status != DRIVER_OK)
            remove_output(arguments);
        return status;
    }
    if (status == DRIVER_OK && library)
        return link_plainly(linking, driver_trace_uses_library(&linking->trace));
    show_messages(linking);
    return status;
}

int driver_link(driver_session *session, driver_arguments *arguments, const driver_places *places) {
    int status = driver_compile_inputs(session, arguments, places);
    if (status == DRIVER_OK && driver_fortran_add_module(session, arguments, places))
        status = driver_compile_inputs(session, arguments, places);
    if (status == DRIVER_OK && !driver_fortran_library(session, arguments))
        status = DRIVER_FAILED;
    if (status != DRIVER_OK)
        return status;
    linking linking = {.session = session, .arguments = arguments, .places = places};
    status = link_program(&linking);
    driver_trace_free(&linking.trace);
    return status;
}
