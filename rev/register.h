/* `verso rev --register`: functions that supply their own adjoint to `verso cc`. See register.c. */
#ifndef REV_REGISTER_H
#define REV_REGISTER_H

#include "rev/print.h"

/* Refuses a function whose lengths are not known, unless other rev functions are all that need call it. */
bool rev_registers(rev_program *program, const rev_function *function);
/* In front of its definition, and behind it. */
void rev_print_before_registered(rev_printer *printer, const rev_function *function);
void rev_print_registered(rev_printer *printer, const rev_function *function);

#endif
