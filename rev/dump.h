/* See dump.c. */
#ifndef REV_DUMP_H
#define REV_DUMP_H

#include "rev/print.h"

/* `marks`: with what the analyses have found. */
void rev_dump(rev_printer *printer, const rev_function *function, const rev_block *body, unsigned variant, bool marks);

#endif
