/* Calls of foreign functions. native/state.h declares what generated code calls. */
#ifndef NATIVE_RUN_FOREIGN_H
#define NATIVE_RUN_FOREIGN_H

#include "native/memory/memory.h"

/* Frees what was recorded about foreign calls. To be called after a run. */
void verso__native_foreign_forget(void);

#endif
