/* Several modules of bitcode in one piece, as `ld -r` leaves them when it joins sections: where each ends. */
#ifndef CC_DRIVER_BITCODE_H
#define CC_DRIVER_BITCODE_H

#include "cc/driver/elf.h"

/* The module at the start of *rest, which is moved past it. `module->bytes` is NULL when nothing but padding is left.
 * VERSO_CORRUPT when it is no bitcode; `name` is for the message. */
verso_status driver_bitcode_next(driver_bytes *rest, const char *name, driver_bytes *module, verso_error *error);

#endif
