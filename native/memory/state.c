/* The state that generated code knows: see native/state.h. */
#include "native/state.h"

_Alignas(VERSO_NATIVE_RECORD_CYCLE) char verso__native_unused[VERSO_NATIVE_RECORD_CYCLE + VERSO_NATIVE_RECORD_MOST];

_Thread_local verso__native_state verso__native_now = {.inside = UINT64_MAX};
void *verso__native_first_thread;
