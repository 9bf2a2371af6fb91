/* The state that generated code knows: see native/state.h. */
#include "native/state.h"

verso__native_state verso__native_now = {.inside = UINT64_MAX};
