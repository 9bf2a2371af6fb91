/* Compiles Fortran in two steps: flang translates a source to LLVM IR as it is before loops are vectorised, and clang
 * makes the object file of that (compile.c). So machine code and bitcode of Fortran come about like those of C. */
#ifndef CC_DRIVER_FORTRAN_H
#define CC_DRIVER_FORTRAN_H

#include "cc/driver/arguments.h"
#include "cc/driver/places.h"
#include "cc/driver/session.h"

/* Translates the Fortran source at[index] to LLVM IR in a scratch file, and sets *path to it. Directives of the source
 * and Verso's own options become annotations. Returns the exit status. */
int driver_fortran_translate(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                             size_t index, const char **path);

/* Prints flang's list of the symbols of the first Fortran source: its procedures with their arguments. Writes its
 * module files, too. Returns the exit status. */
int driver_fortran_symbols(driver_session *session, const driver_arguments *arguments, const driver_places *places);

/* Replaces this process by flang with the user's command line, which makes no object file. Returns only on failure. */
int driver_fortran_pass(driver_session *session, const driver_arguments *arguments);

/* Appends flang's run-time library to the arguments of a link, if the link is one of `verso fc`, has a Fortran source,
 * or has an object file that calls the library. Returns false after printing a message. */
bool driver_fortran_library(driver_session *session, driver_arguments *arguments);

/* Appends the source of the module `verso` to the arguments of a link whose object files call it. Returns whether it
 * did. */
bool driver_fortran_add_module(driver_session *session, driver_arguments *arguments, const driver_places *places);

/* Appends the options that apply to clang when it compiles flang's IR. */
void driver_fortran_code_options(const driver_arguments *arguments, driver_words *command);

#endif
