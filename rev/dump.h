/* Prints the trees between passes, in the user's language; for `verso rev --dump`. */
#ifndef REV_DUMP_H
#define REV_DUMP_H

#include "rev/print.h"

/* Prints a function with this body. `variant` is one of the derived functions (REV_INVERSE, ...); `marks` adds the
 * results of the analyses as comments. */
void rev_dump(rev_printer *printer, const rev_function *function, const rev_block *body, unsigned variant, bool marks);

#endif
