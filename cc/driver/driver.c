/* See driver.h. */
#include "cc/driver/driver.h"

#include "cc/driver/arguments.h"
#include "cc/driver/compile.h"
#include "cc/driver/link.h"
#include "cc/driver/places.h"
#include "cc/driver/process.h"

static int run_line(driver_session *session, driver_arguments *arguments) {
    driver_places places = driver_places_find(&session->kept);
    if (arguments->mode == DRIVER_MODE_LINK)
        return driver_link(session, arguments, &places);
    driver_words command = {0};
    driver_compile_line(session, arguments, &places, &command);
    int status = driver_process_become(session, &command);
    driver_words_free(&command);
    return status;
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
