/* Splits concatenated modules of bitcode. `ld -r` makes such sections when it joins object files. */
#ifndef CC_DRIVER_BITCODE_H
#define CC_DRIVER_BITCODE_H

#include "cc/driver/elf.h"

/* Sets *module to the first module in *rest, and moves *rest past it. Sets module->bytes to NULL if only padding is
 * left. Fails with VERSO_STATUS_CORRUPT if the bytes are not bitcode; `name` is the name of the file for the
 * message. */
verso_status driver_bitcode_next(driver_bytes *rest, const char *name, driver_bytes *module, verso_error *error);

#endif
