/* The entry point of the transformer. */
#ifndef CC_TRANSFORM_H
#define CC_TRANSFORM_H

#include "cc/ir/request.h"

#include <verso/status.h>

/* Transforms the program in request->inputs and writes the object file request->object. Sets *diagnostics, also on
 * failure, to the messages about the program, one per line ("" if there are none); the caller frees it with free().
 * It is NULL only if memory ran out. Returns VERSO_STATUS_INVALID if the program cannot be differentiated, and
 * another status with a message in `error` (may be NULL) if the transformation fails. */
verso_status cc_transform(const cc_request *request, char **diagnostics, verso_error *error);

#endif
