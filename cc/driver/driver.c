/* Implements driver.h. */
#include "cc/driver/driver.h"

#include "cc/driver/arguments.h"
#include "cc/driver/compile.h"
#include "cc/driver/compiler.h"
#include "cc/driver/fortran.h"
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

static int run_line(driver_session *session, driver_arguments *arguments) {
    driver_places places = driver_places_find(&session->kept);
    bool fortran = session->language == DRIVER_FORTRAN || arguments->has_fortran;
    if (!fortran)
        driver_arguments_without_fortran(arguments);
    if (fortran && arguments->symbols)
        return driver_fortran_symbols(session, arguments, &places);
    if (fortran && arguments->mode == DRIVER_MODE_PASS && (arguments->has_fortran || !arguments->has_source))
        return driver_fortran_pass(session, arguments);
    if (arguments->mode != DRIVER_MODE_PASS && arguments->has_source && !driver_is_compiler_usable(session))
        return DRIVER_FAILED;
    if (arguments->mode == DRIVER_MODE_LINK && !inputs_exist(arguments)) {
        arguments->mode = DRIVER_MODE_PASS;
        if (fortran)
            return driver_fortran_pass(session, arguments);
    }
    if (arguments->mode == DRIVER_MODE_LINK)
        return driver_link(session, arguments, &places);
    return driver_compile(session, arguments, &places);
}

int driver_run(driver_language language, int argc, char **argv) {
    driver_session session;
    driver_arguments arguments;
    driver_words complaint = {0};
    driver_session_open(&session, language);
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
