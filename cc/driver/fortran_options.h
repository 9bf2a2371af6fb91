/* Which options of a command line concern Fortran, clang's code generator, or both compilers. */
#ifndef CC_DRIVER_FORTRAN_OPTIONS_H
#define CC_DRIVER_FORTRAN_OPTIONS_H

#include <stdbool.h>

/* Returns true for options that flang has and clang has not: "-J", "-fdefault-real-8". */
bool driver_is_fortran_option(const char *word);
/* Returns true if it is such an option, and its value is the next argument. */
bool driver_fortran_option_takes_value(const char *word);
/* Returns true for options of clang that flang has, too, so that they hold for the Fortran sources of a `verso cc`
 * command line. */
bool driver_is_shared_option(const char *word);
/* Returns true for options that concern how clang makes machine code of flang's bitcode: "-O2", "-march=native". */
bool driver_is_code_option(const char *word);

#endif
