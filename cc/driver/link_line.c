/* The commands of plain links: see link.h. Words for the linker go one by one (-Xlinker), which is the same to clang as
 * -Wl, and does not mind commas. */
#include "cc/driver/link.h"

void driver_link_begin(const driver_session *session, const driver_arguments *arguments, driver_words *command) {
    driver_words_add(command, session->clang);
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->at[i].kind == DRIVER_ARGUMENT_INPUT && arguments->at[i].source != NULL) {
            driver_words_add(command, "-Qunused-arguments"); /* compiling has used the others */
            return;
        }
}

static void add_argument(const driver_argument *argument, const char *output, driver_words *command) {
    switch (argument->kind) {
    case DRIVER_ARGUMENT_LANGUAGE: break;
    case DRIVER_ARGUMENT_OUTPUT:
        if (output == NULL) {
            driver_words_add(command, "-o");
            driver_words_add(command, argument->text);
        }
        break;
    case DRIVER_ARGUMENT_LIBRARY: driver_words_print(command, "-l%s", argument->text); break;
    case DRIVER_ARGUMENT_LINKER:
        driver_words_add(command, "-Xlinker");
        driver_words_add(command, argument->text);
        break;
    case DRIVER_ARGUMENT_OPTION:
    case DRIVER_ARGUMENT_VALUE:
    case DRIVER_ARGUMENT_INPUT: driver_words_add(command, argument->text); break;
    }
}

void driver_link_library(const driver_places *places, driver_words *command) {
    driver_words_add(command, "-Wl,--push-state,--as-needed,--no-whole-archive");
    driver_words_add(command, places->library);
    for (const char *const *link = driver_library_links; *link != NULL; link++)
        driver_words_add(command, *link);
    driver_words_add(command, "-Wl,--pop-state");
}

void driver_link_command(const driver_session *session, const driver_arguments *arguments, const driver_places *places,
                         const driver_link_line *line, driver_words *command) {
    driver_link_begin(session, arguments, command);
    for (size_t i = 0; i < arguments->count; i++)
        add_argument(&arguments->at[i], line->output, command);
    if (line->output != NULL) {
        driver_words_add(command, "-o");
        driver_words_add(command, line->output);
        driver_words_add(command, "-Wl,--strip-debug"); /* nobody keeps it: only what is linked is asked for */
    }
    if (line->trace)
        driver_words_add(command, "-Wl,--trace,--trace"); /* GNU ld tells members only when asked twice */
    if (line->library)
        driver_link_library(places, command);
}
