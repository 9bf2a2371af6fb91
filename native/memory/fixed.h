/* Fixed addresses: a durable run needs program, libraries and stack at the same addresses in every process. fixed.c
 * also defines verso__native_before_main (native/state.h), which switches random addresses off before main. */
#ifndef NATIVE_MEMORY_FIXED_H
#define NATIVE_MEMORY_FIXED_H

#include "base/status.h"

/* Returns true if this run time belongs to a shared library. */
bool verso__native_is_library(void);
/* Returns VERSO_STATUS_INVALID, with the reason and the remedy, if this process has random addresses. */
verso_status verso__native_require_fixed(verso_error *error);

#endif
