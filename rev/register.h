/* `verso rev --register`: prints the code with which functions supply their own adjoints to `verso cc`. See
 * register.c. */
#ifndef REV_REGISTER_H
#define REV_REGISTER_H

#include "rev/print.h"

/* True if this function is to be registered. Refuses a function with unknown array lengths, unless only other
 * reversible functions can call it. */
bool rev_registers(rev_program *program, const rev_function *function);
/* Print what goes before the function's definition and what goes after it. */
void rev_print_before_registered(rev_printer *printer, const rev_function *function);
void rev_print_registered(rev_printer *printer, const rev_function *function);

#endif
