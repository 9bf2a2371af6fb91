/* See driver.h. */
#include "cc/driver/driver.h"

#include "cc/driver/arguments.h"
#include "cc/driver/compile.h"
#include "cc/driver/link.h"
#include "cc/driver/places.h"

#include <string.h>
#include <unistd.h>

/* Of a file that is missing clang shall speak, once, before anything is compiled. */
static bool inputs_are_there(const driver_arguments *arguments) {
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
    if (arguments->mode == DRIVER_MODE_LINK && !inputs_are_there(arguments))
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
    } else if (arguments.words.failed || arguments.pieces.failed || arguments.inactive.failed) {
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
