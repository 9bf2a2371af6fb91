/* Makes the command of a link without transformation, see link.h. Arguments for the linker are passed one by one with
 * -Xlinker, which is equivalent to -Wl, but allows commas. */
#include "cc/driver/link.h"

void driver_link_begin(const driver_session *session, const driver_arguments *arguments, driver_words *command) {
    driver_words_add(command, session->clang);
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->at[i].kind == DRIVER_ARGUMENT_INPUT && arguments->at[i].source != NULL) {
            driver_words_add(command, "-Qunused-arguments"); /* some options are used for compiling only */
            return;
        }
}

static void add_argument(const driver_argument *argument, const char *output, driver_words *command) {
    switch (argument->kind) {
    case DRIVER_ARGUMENT_FORTRAN:
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

void driver_link_shared(driver_words *command) {
    static const char *const assisting[] = {"verso_run_options_init", "verso_status_text", "verso_version",
                                            "verso_site_count",       "verso_site_get",    "verso_site_set",
                                            "verso_sites_switch",     "verso_sparse_free", NULL};
    driver_words_add(command, "-Wl,-Bsymbolic");
    for (const char *const *name = driver_unit_differentiating; *name != NULL; name++)
        driver_words_print(command, "-Wl,-u,%s", *name);
    for (const char *const *name = assisting; *name != NULL; name++)
        driver_words_print(command, "-Wl,-u,%s", *name);
}

void driver_link_command(const driver_session *session, const driver_arguments *arguments, const driver_places *places,
                         const driver_link_line *line, driver_words *command) {
    driver_link_begin(session, arguments, command);
    for (size_t i = 0; i < arguments->count; i++)
        add_argument(&arguments->at[i], line->output, command);
    if (line->output != NULL) {
        driver_words_add(command, "-o");
        driver_words_add(command, line->output);
        driver_words_add(command, "-Wl,--strip-debug"); /* faster; the program is not kept, only the trace matters */
    }
    if (line->trace)
        driver_words_add(command,
                         "-Wl,--trace,--trace"); /* GNU ld lists members of archives only if it is given twice */
    if (line->library)
        driver_link_library(places, command);
}
