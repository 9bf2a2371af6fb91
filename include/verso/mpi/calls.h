/* How a function of MPI gets its adjoint: do_NAME makes the call, adds entries, and reports what it wrote. */
#ifndef VERSO_MPI_CALLS_H
#define VERSO_MPI_CALLS_H

static void begin_call(const char *name, bool tangent) {
    w->call = name;
    w->tangent = tangent;
    open_world();
    if (is_durable())
        verso__native_ranks_settle();
    begin_entries();
}

#define LIST(...) __VA_ARGS__
/* Gives NAME an adjoint. PARAMETERS and ARGUMENTS are in parentheses, after `verso_call *call`. */
#define ADJOIN(R, NAME, PARAMETERS, ARGUMENTS) \
    static R record_##NAME(verso_call *call, LIST PARAMETERS) { \
        begin_call(#NAME, false); \
        R result = do_##NAME(call, LIST ARGUMENTS); \
        keep_entries(call); \
        note_open(); \
        return result; \
    } \
    static void sweep_##NAME(verso_call *call, LIST PARAMETERS) { \
        (void)(LIST ARGUMENTS); \
        reverse(call, #NAME); \
    } \
    static R tangent_##NAME(verso_call *call, LIST PARAMETERS) { \
        begin_call(#NAME, true); \
        R result = do_##NAME(call, LIST ARGUMENTS); \
        carry(); \
        return result; \
    } \
    VERSO_WORLD_ADJOINT(NAME, record_##NAME, sweep_##NAME, tangent_##NAME)

/* The same for a call that communicates no numbers, and whose outputs are given as verso_wrote(...). */
#define ONCE(NAME, PARAMETERS, ARGUMENTS, ...) \
    static int do_##NAME(verso_call *call, LIST PARAMETERS) { \
        int result = NAME ARGUMENTS; \
        (void)call; \
        __VA_ARGS__; \
        return result; \
    } \
    ADJOIN(int, NAME, PARAMETERS, ARGUMENTS)
#define OUT(POINTER) verso_wrote(call, POINTER, sizeof *(POINTER))
#define OUT_MANY(POINTER, COUNT) verso_wrote(call, POINTER, (size_t)(COUNT) * sizeof *(POINTER))

static void wrote_status(verso_call *call, MPI_Status *to, const MPI_Status *from) {
    if (to == MPI_STATUS_IGNORE)
        return;
    *to = *from;
    OUT(to);
}

static uint64_t bytes_of(const MPI_Status *status) {
    int bytes;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    return bytes < 0 ? 0 : (uint64_t)bytes;
}

#endif
