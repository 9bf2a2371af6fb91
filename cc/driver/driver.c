/* Implements driver.h. */
#include "cc/driver/driver.h"

#include "cc/driver/arguments.h"
#include "cc/driver/compile.h"
#include "cc/driver/compiler.h"
#include "cc/driver/link.h"
#include "cc/driver/places.h"

#include <string.h>
#include <unistd.h>

/* True if all input files exist. If not, the command line is passed to clang, which reports the missing file before
 * anything is compiled. */
static bool inputs_exist(const driver_arguments *arguments) {
    for (size_t i = 0; i < arguments->count; i++) {
        const driver_argument *argument = &arguments->at[i];
        if (argument->kind == DRIVER_ARGUMENT_INPUT && strcmp(argument->text, "-") != 0 &&
            access(argument->text, F_OK) != 0)
            return false;
    }
    return true;
}

/* Returns the first Fortran input; NULL if there is none. */
static const char *fortran_input(const driver_arguments *arguments) {
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->at[i].kind == DRIVER_ARGUMENT_INPUT && arguments->at[i].input == DRIVER_INPUT_FORTRAN)
            return arguments->at[i].text;
    return NULL;
}

static int run_line(driver_session *session, driver_arguments *arguments) {
    driver_places places = driver_places_find(&session->kept);
    const char *fortran = fortran_input(arguments);
    if (fortran != NULL && arguments->mode != DRIVER_MODE_PASS)
        return driver_error(
            session,
            "'%s' is Fortran, which 'verso %s' does not compile. Compile it with a Fortran compiler and "
            "link the object file: it runs, but no derivative goes through it",
            fortran, session->cpp ? "c++" : "cc");
    if (arguments->mode != DRIVER_MODE_PASS && arguments->has_source && !driver_is_compiler_usable(session))
        return DRIVER_FAILED;
    if (arguments->mode == DRIVER_MODE_LINK && !inputs_exist(arguments))
        arguments->mode = DRIVER_MODE_PASS;
    if (arguments->mode == DRIVER_MODE_LINK)
        return driver_link(session, arguments, &places);
    return driver_compile(session, arguments, &places);
}

int driver_run(bool cpp, int argc, char **argv) {
    driver_session session;
    driver_arguments arguments;
    driver_words complaint = {0};
    driver_session_open(&session, cpp);
    int status = DRIVER_USAGE;
    if (!driver_arguments_read(&arguments, argc, argv, &complaint)) {
        driver_error(&session, "%s", complaint.failed ? "out of memory" : complaint.at[0]);
    } else if (arguments.words.failed || arguments.pieces.failed || arguments.inactive.failed ||
               arguments.pure.failed || arguments.noinline.failed) {
        status = driver_error(&session, "out of memory");
    } else {
        session.show = arguments.show;
        session.keep = arguments.keep;
        status = run_line(&session, &arguments);
    }
    driver_arguments_free(&arguments);
    driver_words_free(&complaint);
    driver_session_close(&session);
    return status;
}
