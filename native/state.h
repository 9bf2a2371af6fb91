/* The interface between generated code (made by cc/) and the run time (native/): one struct of mutable state,
 * the layout of shadow memory, and the functions that generated code calls. cc/ reads the offsets of struct
 * members from this header, so that there is one description.
 *
 * Shadow memory
 *   Every number in memory has a cell at an address that is computed from the number's own. The cell of a float at
 *   address q is a float at
 *       q + VERSO_SHADOW_FLOAT
 *   and that of a double, for q a multiple of 4, is a double at
 *       q + VERSO_SHADOW                         if q is a multiple of 8      (the even plane)
 *       q + VERSO_SHADOW - VERSO_SHADOW_ODD      otherwise                    (the odd plane)
 *   so that the shadow of an array is an array of the same type. Long doubles have two planes of their own, with
 *   doubles as cells, and doubts (cc/plan/doubts.h) two more. So the plane of a cell that is not zero shows the type of
 *   its number; cells/parts.c uses that to find numbers that are written in part. Planes of kinds that a program does
 *   not use are not touched. A copy of 4 bytes moves one cell of each kind, a copy of 8 bytes two, whatever type the
 *   bytes have. The planes cover all addresses that a position-independent program uses: the program (0x55.., 0x56..),
 *   the arena (0x60..), and 0x7e.. to 0x7f... A number at an address that is not a multiple of 4 has no cell; the run
 *   time refuses to use its derivative.
 *
 *   The distances of planes from each other and from memory are multiples of 2^32 plus or minus tens to hundreds of
 *   pages: processors predict cache ways by hashes of addresses, and accesses to addresses with equal hashes take two
 *   to ten times as long. Hashes are equal at a distance of 2^45, and often at a distance of a few pages.
 *
 * Recording
 *   Generated code appends records to the tape at state.tape. A call leaves the caller's reverse function and a resume
 *   number as the last 16 bytes before the callee's records. A function sets state.last to its reverse function before
 *   it returns.
 *
 * Reversing
 *   The sweep runs `while (state.next) state.next();`. A reverse function starts at the place that state.entry names
 *   (0: at its return, with the adjoint of the result in state.result) and runs until it hands over: to the reverse
 *   function of a callee; to that of its caller, with the adjoints of its arguments in state.argument; or, by
 *   state.next = NULL, to the run time, when it reaches the safepoint at which the stretch began. Values that it needs
 *   later are in frames at state.frame. */
#ifndef NATIVE_STATE_H
#define NATIVE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERSO_SHADOW (-0x200000085000)
#define VERSO_SHADOW_ODD 0x200000000000
/* Distance from the planes of doubles to those of doubts, and from there to those of long doubles. It is not a multiple
 * of 2^35, because LLVM's vectoriser counts distances between accesses in elements of 8 bytes, in 32 bits, and would
 * take cells of two kinds for neighbours. It is less than 7 TiB, so that the planes fit beside each other. */
#define VERSO_SHADOW_KIND 0x06ff00043000
/* At least as many pages from a multiple of 2^32 as VERSO_SHADOW, because planes of both kinds are neighbours. */
#define VERSO_SHADOW_FLOAT (-0x040000103000)

/* Guards (cells/odd.c): NaNs in the cells of the two aligned doubles that share bytes with a double at an odd
 * multiple of 4, while that double has a derivative. The second value replaces another derivative. */
#define VERSO_NATIVE_GUARD (UINT64_C(0x7ff0) << 48 | 0x0dd0)
#define VERSO_NATIVE_GUARD_TAINTED (VERSO_NATIVE_GUARD | 1)

/* Kinds of cells. */
typedef enum verso__native_kind {
    VERSO_NATIVE_DOUBLE,
    VERSO_NATIVE_FLOAT,
    VERSO_NATIVE_LONG,
    VERSO_NATIVE_DOUBTED, /* no numbers: words of 4 bytes that may have doubts */
    VERSO_NATIVE_KINDS,
} verso__native_kind;

/* Address of the arena. The private stack follows it. */
#define VERSO_INSIDE_AT 0x600000000000

/* Maximum count of numbers in one argument list or result. cc/ refuses functions with more. */
enum { VERSO_NATIVE_LEAVES = 512 };

typedef enum verso__native_mode {
    VERSO_NATIVE_PRIMAL = 0, /* the program without derivatives */
    VERSO_NATIVE_RECORD = 1,
    VERSO_NATIVE_TANGENT = 2,
    VERSO_NATIVE_ADVANCE = 3, /* the recording code; the tape pointer moves, but what is written there is not used */
} verso__native_mode;

/* A safepoint of the program. */
typedef struct verso__native_site {
    void (*reverse)(void); /* reverse function of its function */
    uint64_t resume;       /* the value of state.entry with which `reverse` starts at this safepoint */
    const char *where;     /* "file.c:12", or the name of a function */
} verso__native_site;

typedef struct verso__native_state {
    char *tape; /* recording: the next free byte; reversing: the end of the last record */
    /* Recording: a safepoint at or beyond this address calls verso__native_safepoint. A safepoint that may be
     * passed repeatedly without recording anything lowers it by one each time, at most to NULL. */
    char *tape_limit;
    char *tape_stop;    /* reversing: a safepoint at exactly this address calls verso__native_stop */
    char *frame;        /* reversing: the end of the topmost frame */
    void (*next)(void); /* reversing: the reverse function to run next; NULL: none */
    uint64_t entry;     /* reversing: the place in it at which to start; 0: at its return */
    void (*last)(void); /* reverse function of the function that returned last; NULL after code that records nothing */
    uint64_t mode;      /* a verso__native_mode; see verso__native_set_mode */
    /* Code that both records and advances (cc/reverse/single.h) stores a record that belongs at `tape` to
     * (tape & record_mask) + record_base: the tape if the run records, a buffer if it only advances. */
    uint64_t record_mask, record_base;
    double argument[VERSO_NATIVE_LEAVES]; /* adjoints (tangents) of the numbers in the arguments, in order */
    double result[VERSO_NATIVE_LEAVES];   /* the same for the result */
    /* A long jump between differentiated functions (cc/lower/jumps.c): each function returns at once until the
     * one that called setjmp is reached. */
    uint64_t jump;       /* number of the setjmp that is jumped to; 0: no jump */
    uint64_t jump_value; /* the value that this setjmp returns */
    uint64_t jump_count; /* number of setjmp calls so far; never decreases */
    uint64_t world;      /* not 0: calls to the outside world go through the functions below */
    /* Size minus 1 of the memory from VERSO_INSIDE_AT on that the run may write without calling
     * verso__native_check_write */
    uint64_t inside;
    /* Address and size of the memory that holds the program's variables and constants; all of it may be read */
    uint64_t variables, variables_size;
    uint64_t noted; /* where the notes about the last call's effect on numbers are, plus 1; 0: there are none */
    /* Recording: the variables of the innermost frame that has any which other functions may access. */
    struct verso__native_locals *locals;
    int64_t worker; /* number of this thread, plus 1, in a team that runs in parallel; 0: it does not */
} verso__native_state;

/* Each thread has a state of its own: those of a team (native/sweep/team.h) record at the same time. The state is in
 * the executable's own block of thread-local variables, so an access takes one instruction, as for an ordinary
 * variable. In a shared library it cannot be there, and is found by a call; the linker makes what a program needs of
 * such a call. */
extern _Thread_local verso__native_state verso__native_now
    __attribute__((visibility("hidden"), tls_model("local-dynamic")));

/* The most bytes of a record of such code, and the buffer, whose addresses repeat after VERSO_NATIVE_RECORD_CYCLE. */
enum { VERSO_NATIVE_RECORD_MOST = 1 << 16, VERSO_NATIVE_RECORD_CYCLE = 1 << 12 };
extern char verso__native_unused[VERSO_NATIVE_RECORD_CYCLE + VERSO_NATIVE_RECORD_MOST];

static inline void verso__native_set_mode(verso__native_mode mode) {
    bool advances = mode == VERSO_NATIVE_ADVANCE;
    verso__native_now.mode = mode;
    verso__native_now.record_mask = advances ? VERSO_NATIVE_RECORD_CYCLE - 1 : UINT64_MAX;
    verso__native_now.record_base = advances ? (uintptr_t)verso__native_unused : 0;
}

/* The section that holds the program's call sites: calls that can be checkpointed (callsites.c). cc/ fills it. */
#define VERSO_NATIVE_CALLSITES "verso_callsites"
/* Kinds of sites: an ordinary call; a callee with an adjoint in one piece, whose site is always on; a callee
 * that has both an adjoint in one piece and one in two pieces, either of which can be used. */
enum { VERSO_NATIVE_SITE_CALL, VERSO_NATIVE_SITE_ALWAYS, VERSO_NATIVE_SITE_EITHER };
/* How the source marks the callee: not at all, VERSO_NOCHECKPOINT, VERSO_CHECKPOINT. */
enum { VERSO_NATIVE_MARK_NONE, VERSO_NATIVE_MARK_NEVER, VERSO_NATIVE_MARK_ALWAYS };
/* What a call may access besides its own frame (cc/plan/effects.h). `follows` is not 0 if it may also access all
 * objects that can be reached through pointers in this one. */
typedef struct verso__native_root {
    uint64_t where; /* of an argument: VERSO_NATIVE_ROOT_STACK + offset on the stack, or the number of its register */
    uint64_t follows;
    uint64_t whole;    /* not 0: it accesses any part of the object; 0: the bytes from `low` to `high` */
    int64_t low, high; /* counted from the pointer */
} verso__native_root;
enum { VERSO_NATIVE_ROOT_STACK = 8 };
typedef struct verso__native_variable {
    char *data;
    uint64_t size, follows;
} verso__native_variable;
typedef struct verso__native_effects {
    uint64_t stack_size; /* bytes of arguments on the stack, at least */
    uint64_t root_count, variable_count;
    const verso__native_root *roots; /* pointers among its arguments */
    const verso__native_variable *variables;
} verso__native_effects;

/* Variables of a frame that other functions may access: a list from the innermost frame outwards. */
typedef struct verso__native_local {
    char *data;
    uint64_t size;
} verso__native_local;
typedef struct verso__native_locals {
    struct verso__native_locals *outer;
    uint64_t count;
    verso__native_local list[];
} verso__native_locals;

typedef struct verso__native_callsite {
    uint64_t on;                          /* not 0: the call is checkpointed */
    const char *caller, *callee;          /* "*": a call through a pointer */
    const char *where;                    /* "file.c:12" */
    uint64_t number;                      /* ordinal of the call in the caller; distinguishes calls in one line */
    uint64_t kind;                        /* VERSO_NATIVE_SITE_CALL... */
    uint64_t held;                        /* not 0: the site is off temporarily, and will be on again */
    uint64_t mark;                        /* VERSO_NATIVE_MARK_NONE... */
    const verso__native_effects *effects; /* NULL: the call may access anything */
} verso__native_callsite;

/* ---- Teams of OpenMP (native/sweep/team.h) ---- */

/* The most threads of a team that is differentiated. */
enum { VERSO_NATIVE_THREADS = 64 };
/* The team at hand. It is a variable of the program, so capsules hold it; native/lib/openmp.c defines it. */
typedef struct verso__native_team {
    int32_t most;    /* number of threads of a team; 0: not asked for yet */
    int32_t wanted;  /* number that the program has asked for the next team; 0: none */
    int32_t threads; /* number of threads of the team; 0 or 1: there is none */
    int32_t thread;  /* number of the thread whose share one thread computes now */
} verso__native_team;
/* Returns the number of threads that OpenMP would give a team. Asked once in a differentiation. */
int32_t verso__team_most(void);
/* Returns the number of the calling thread, plus 1, in a team that runs in parallel; 0: it does not. */
int32_t verso__native_team_worker(void);
/* To be called before what the threads of a team do one after the other: returns when those with lower numbers have
 * computed their shares. */
void verso__native_team_turn(void);

/* A version of a region's function, with its arguments as an array of words of 8 bytes. */
typedef void verso__native_share(int32_t *thread, int32_t *threads, const void *arguments);
/* Called instead of the recording and the tangent version of a region's function. `entrance` is its reverse function
 * for callers, which calls verso__native_team_reverse; in tangent mode it is NULL. */
void verso__native_team_record(int32_t *thread, int32_t *threads, const void *arguments, verso__native_share *share,
                               void (*entrance)(void));
void verso__native_team_tangent(int32_t *thread, int32_t *threads, const void *arguments, verso__native_share *share,
                                void (*entrance)(void));
/* Makes the reverse function of the region's function run next. */
void verso__native_team_reverse(void (*reverse)(void));

/* A mutable global variable of the program. cc/ defines the table, native/ reads it. */
typedef struct verso__native_global {
    void *data;
    uint64_t size;
    const char *name;
} verso__native_global;
extern const verso__native_global verso__native_globals[];
extern const uint64_t verso__native_global_count;

/* Not 0 if the program calls verso_run_options_init, so that its runs may be durable. cc/ defines it. */
extern const uint64_t verso__native_names_driver;
/* Called before all other code of the program; cc/ adds the call. It may start the program a second time. */
void verso__native_before_main(int count, char **arguments, char **environment);
/* In a shared library: called when it is loaded. */
void verso__native_loaded(int count, char **arguments, char **environment);
/* The thread pointer of the thread that runs main, or has loaded the shared library. */
extern void *verso__native_first_thread;

/* Returns the distance from a number to its cell; of kinds with two planes, to the even one. */
static inline int64_t verso__native_plane_of(verso__native_kind kind) {
    switch (kind) {
    case VERSO_NATIVE_FLOAT: return VERSO_SHADOW_FLOAT;
    case VERSO_NATIVE_LONG: return VERSO_SHADOW + 2 * VERSO_SHADOW_KIND;
    case VERSO_NATIVE_DOUBTED: return VERSO_SHADOW + VERSO_SHADOW_KIND;
    default: return VERSO_SHADOW;
    }
}

/* Returns the cell of a number of any kind except float. */
static inline double *verso__native_cell_of(const void *data, verso__native_kind kind) {
    uintptr_t q = (uintptr_t)data, plane = (uintptr_t)verso__native_plane_of(kind);
    return (double *)(q + plane - ((q & 4) ? (uintptr_t)VERSO_SHADOW_ODD : 0));
}

static inline float *verso__native_float_cell(const void *data) {
    return (float *)((uintptr_t)data + (uintptr_t)VERSO_SHADOW_FLOAT);
}

static inline double *verso__native_cell(const void *data) {
    return verso__native_cell_of(data, VERSO_NATIVE_DOUBLE);
}

/* A doubt (cc/plan/doubts.h): an adjoint which says that a derivative has reached the integer in this word by
 * arithmetic that Verso does not follow. The low VERSO_NATIVE_DOUBT_BITS bits are the address of a message, a
 * multiple of 16, plus a mask of the bytes of the word that the doubt does not apply to
 * (native/cells/doubts.c). Arithmetic preserves these bits. They differ from those of a mark (parts.c). */
#define VERSO_NATIVE_DOUBT (UINT64_C(0x7ffa) << 48)
#define VERSO_NATIVE_DOUBT_BITS 47
#define VERSO_NATIVE_DOUBT_SPARED UINT64_C(15)
/* The same in tangent mode: the tangent of a number that was computed from such an integer. It is refused if it
 * reaches a result, and harmless otherwise. */
#define VERSO_NATIVE_BLAME (UINT64_C(0x7ffb) << 48)

/* ---- Called by recording code ---- */

/* Called by a safepoint when the tape has reached state.tape_limit. `count` is the iteration of its loop (0 at
 * a function's entry). Returns where the tape continues. It may suspend the run, and then returns once for each
 * time that the run is resumed. */
char *verso__native_safepoint(char *tape, uint64_t count, const verso__native_site *site);
/* Called, by code that records and by code that only advances, where a copy of these bytes is needed: returns a copy
 * that lasts until the differentiation ends (native/sweep/lasting.h); NULL: the tape gets one. `object`: the object
 * that is read, of `size` bytes; if that is 0, a pointer that leads to it. */
const char *verso__native_lasting(const char *begin, uint64_t bytes, char *object, uint64_t size);
/* Copies of fewer bytes do not last: comparing them is not worth it. */
enum { VERSO_NATIVE_LASTING_LEAST = 2048 };
/* Ends the differentiation: verso_vjp returns VERSO_STATUS_INVALID with this message. */
_Noreturn void verso__native_refuse(const char *message);

/* Called before and after a call whose site is on. The first returns the function that is to be called, with the same
 * arguments, instead of `callee`. */
void *verso__native_call_enter(verso__native_callsite *site, void *callee);
void verso__native_call_leave(verso__native_callsite *site);

/* ---- Called by reverse code ---- */

/* The reverse function of a call whose site is on. */
void verso__native_sweep_call(void);

/* Returns 1 if the stretch that is reversed began at this safepoint, else 0. */
int verso__native_stop(uint64_t count, const verso__native_site *site);
/* Reverses a copy (memcpy, memmove, realloc): moves the cells of `destination` back to `source` and clears
 * them. Refuses if a number of `destination` has a derivative and was written in part, or moved by a distance
 * that is not a multiple of 4. */
void verso__native_sweep_copy(void *destination, void *source, uint64_t size);
/* Reverses a write that depends on no input (malloc, alloca, memset, fread): clears the cells. */
void verso__native_sweep_clear(void *data, uint64_t size);
/* Reverses a store of a value that is not known to be a number (fewer than 4 bytes, or not from a copy). The
 * cells must be zero; otherwise a derivative is lost, and it refuses with `message`. Removes a doubt about
 * these bytes and returns it; 0: there was none. */
double verso__native_sweep_opaque(void *data, uint64_t size, const char *message);
/* Reverse a load (a store) of a number at an address that may not be a multiple of 4: the first adds `adjoint`
 * to the cell of this kind, the second returns the cell and clears it. The first refuses if there is no cell
 * and `adjoint` is not zero. */
void verso__native_sweep_read(void *data, uint64_t kind, double adjoint, const char *message);
double verso__native_sweep_write(void *data, uint64_t kind);
/* Reverse a load (a store) of an integer of 1 or 2 bytes in a program with doubts. As the two functions above, but
 * on the cell of kind VERSO_NATIVE_DOUBTED of the word that contains the bytes. */
void verso__native_sweep_read_bytes(void *data, uint64_t size, double adjoint, const char *message);
double verso__native_sweep_write_bytes(void *data, uint64_t size);
/* Refuses with `message` if `derivative`, which has reached a value without a derivative, is not zero. */
void verso__native_refuse_lost(double derivative, const char *message);

/* ---- Numbers that are written in parts (parts.c) ---- */

/* A bit for each kind of numbers that differentiated functions read or write; the bit of doubles is always set.
 * cc/ defines these constants, native/ reads them. */
extern const uint64_t verso__native_program_kinds;
/* Not 0: some doubles or long doubles may be at multiples of 4 that are not multiples of 8 or 16. */
extern const uint64_t verso__native_program_packs;
/* Not 0: reverse functions leave doubts. */
extern const uint64_t verso__native_program_doubts;
/* Not 0: the program's results may differ from those of its recording and tangent versions by rounding. Some
 * differentiated function was compiled with fast-math, which only the program itself is optimised with, or has a
 * parallel region of OpenMP, where the program itself adds up in any order. */
extern const uint64_t verso__native_program_fast; /* VERSO_NATIVE_FAST_... */
enum { VERSO_NATIVE_FAST_MATH = 1, VERSO_NATIVE_FAST_TEAMS = 2 };
/* Not 0: some differentiated function computes in floats. */
extern const uint64_t verso__native_program_single;
/* A store over a part of a number whose cell is not zero. Reverse code calls the first function before it takes
 * the cells of the store, and the `_end` function after; tangent code does so around setting the cells.
 * `origin` is the address that the stored value was loaded from, if its bits were not changed since; otherwise
 * NULL. In tangent mode, the `_end` function is also called alone when cells got tangents. `how`:
 * VERSO_NATIVE_PART_BEGAN if the first function was called, VERSO_NATIVE_PART_REST if the stored value begins
 * with the rest of a number that has a tangent. */
enum { VERSO_NATIVE_PART_BEGAN = 1, VERSO_NATIVE_PART_REST = 2 };
void verso__native_sweep_part(void *data, uint64_t size);
/* The same as verso__native_sweep_part for bits that were computed and may be those of a number: the words of
 * the number after the first get the doubt. */
void verso__native_sweep_part_computed(void *data, uint64_t size, double doubt);
void verso__native_sweep_part_end(const char *message, const void *origin);
/* Called when an integer was loaded that contains the double at `data`, an odd multiple of 4, and the integer
 * has an adjoint. `before`: the bits of the double's cell before it got this adjoint. */
void verso__native_sweep_odd(void *data, uint64_t before);
void verso__native_tangent_part(void *data, uint64_t size);
void verso__native_tangent_part_end(void *data, uint64_t size, const void *origin, uint64_t how);
/* Called when `size` bytes of numbers of this kind were stored. Overlapped numbers are those that share bytes
 * with them: numbers of other kinds and, in programs that pack, misaligned ones of the same kind. The first
 * function returns 1 if an overlapped number has a derivative. If so, reverse code calls the second one, which
 * refuses with the message, or clears these derivatives if `message` is NULL because the stored numbers have no
 * derivative. In tangent mode, the third one sets the tangents of overlapped numbers to NaN if there are any. */
uint64_t verso__native_has_overlapped(void *data, uint64_t size, uint64_t kind);
void verso__native_sweep_over(void *data, uint64_t size, uint64_t kind, const char *message);
void verso__native_tangent_over(void *data, uint64_t size, uint64_t kind, double tangent);

/* ---- Called by tangent code ---- */

/* Copy and clear the cells of memory. Numbers that are written in part, or moved by a distance that is not a
 * multiple of 4, get a NaN if a tangent may be lost. */
/* to be called before the copy itself */
void verso__native_tangent_copy(void *destination, void *source, uint64_t size);
void verso__native_tangent_clear(void *data, uint64_t size);
double verso__native_tangent_read(void *data, uint64_t kind);
void verso__native_tangent_write(void *data, uint64_t kind, double tangent, const char *message);

/* ---- Effects of opaque calls on numbers (notes.c) ---- */

/* Apply the notes at `noted`, in reverse mode from the last to the first: clear the cells of changed memory,
 * and move the cells of copied memory. Derivatives that may have been overwritten become NaNs; if one reaches
 * the gradient, it is refused with the message. */
void verso__native_sweep_changed(uint64_t noted, const char *message);
void verso__native_tangent_changed(uint64_t noted);

/* ---- Custom adjoints ---- */

struct verso_call;
struct verso_fixed_point_options;
/* Recording: generated code calls `begin`, the user's `record`, and `end`. `end` appends the bytes that were
 * kept, padded to 8, and their number, and returns the new tape. Tangent mode: `begin` with a NULL tape, the
 * user's `tangent`, `end`; the call's arguments and results point into the state. The mode is primal between
 * `begin` and `end`, so that nothing in between is differentiated. Reversing: custom_sweep reads what was kept
 * and returns the tape before it; the call's arguments and results point into the state, and the adjoints of
 * all arguments are zero. */
void verso__native_custom_begin(struct verso_call *call, char *tape);
char *verso__native_custom_end(struct verso_call *call);
/* Called when a function with an adjoint in one piece is recorded. Returns NULL if the function itself must
 * run; otherwise the adjoints of the result, number by number, and the user's adjoint must run. In both cases
 * the adjoints of the arguments are kept afterwards. `either` is not 0 if the function has an adjoint in two
 * pieces, too; then the `record` of that one runs instead of the function, and keeps what it keeps. */
const double *verso__native_whole_begin(uint64_t either);
void verso__native_whole_keep(struct verso_call *call, const void *adjoints, uint64_t bytes);
/* To be called after such a `record`. Notes for a profile by how much what it kept exceeds `bytes`, the size of the
 * adjoints that the other form keeps. */
void verso__native_whole_measure(const struct verso_call *call, uint64_t bytes);
/* Reversing: returns 1 if the kept bytes are those adjoints, else 0. */
int verso__native_whole_kept(const struct verso_call *call);
char *verso__native_custom_sweep(struct verso_call *call, char *tape);

/* The adjoint in two pieces and the tangent of verso_fixed_point_at (cc/front/declared.c). */
uint64_t verso__native_fixed_record(struct verso_call *call, const char *where, void (*step)(void *), void *context,
                                    double *state, size_t count, const struct verso_fixed_point_options *options);
void verso__native_fixed_sweep(struct verso_call *call, const char *where, void (*step)(void *), void *context,
                               double *state, size_t count, const struct verso_fixed_point_options *options);
uint64_t verso__native_fixed_tangent(struct verso_call *call, const char *where, void (*step)(void *), void *context,
                                     double *state, size_t count, const struct verso_fixed_point_options *options);

/* Called by native/lib/linear.c; they have custom adjoints (native/sweep/linear.h). */
struct verso_linear_problem;
void verso__native_linear_begin(const char *where, const struct verso_linear_problem *problem, const double *b,
                                double *x, double *note);
void verso__native_linear_end(const char *where, const struct verso_linear_problem *problem, const double *b,
                              const double *rest, double *x, double *note);

/* Around the `record` of a VERSO_WORLD_ADJOINT, between `begin` and `end`. `begin` returns not 0 if `record` must be
 * called; otherwise `end` puts in place what it returned, kept and wrote then. `result`: NULL if it returns nothing. */
struct verso__native_outside;
int verso__native_once_begin(struct verso_call *call, const struct verso__native_outside *outside);
void verso__native_once_end(void *result, uint64_t size);

/* A write through a pointer to memory beyond state.inside. */
typedef struct verso__native_write {
    int64_t offset;    /* of the written memory from the pointer, in bytes */
    const char *where; /* source location; NULL ends the list */
} verso__native_write;
/* Refuses if capsules do not hold the memory: the run may be put back, and the write would not be undone. */
void verso__native_check_write(const void *pointer, const verso__native_write *writes);

/* ---- The outside world: called around calls of the C library (cc/lower/world.c) while state.world is not 0 ---- */

/* A call of the program to the outside world. */
typedef struct verso__native_outside {
    uint64_t number;   /* a hash of `where` of 24 bits */
    const char *where; /* "file.c:12: fgets" */
} verso__native_outside;

/* Begins such a call. Returns not 0 if the run is here for the first time, so that the call must be made; 0 if
 * it was made before. In both cases generated code then names the result and all memory that the call writes,
 * in an order that follows from the call and its result: they are appended to a log, or read from there. */
int verso__native_world_begin(const verso__native_outside *call);
void verso__native_world_data(void *data, uint64_t size); /* No-op on NULL */
void verso__native_world_string(char *string);
/* Return the address, and the size in bytes, of the elements of flang's descriptor of contiguous elements; NULL and 0
 * if it is NULL or not allocated. */
void *verso__native_fortran_data(const void *array);
uint64_t verso__native_fortran_bytes(const void *array);
void verso__native_world_end(void);
/* Describe the call that is made, for durable runs, which may continue in another process: the call uses, or
 * has opened, an object of the C library (`handle` is its address), a descriptor or a key (`handle` is its
 * number and a bit that says so); its result points to memory of the C library; it changes the process itself. */
#define VERSO_NATIVE_DESCRIPTOR (UINT64_C(1) << 63)
#define VERSO_NATIVE_KEY (UINT64_C(1) << 62)
void verso__native_world_uses(uint64_t handle);
void verso__native_world_opens(uint64_t handle);
void verso__native_world_points(const void *result);
void verso__native_world_changes(void);
/* To be called before a call of a random number generator whose state capsules hold. */
void verso__native_world_random(void);
/* Refuses a call that can neither be repeated nor logged. */
_Noreturn void verso__native_world_refuse(const verso__native_outside *call);
/* Refuses if the format of a printf contains %n, which writes to memory. */
void verso__native_world_format(const verso__native_outside *call, const char *format);

/* ---- Numbers in files: called after calls of the C library that were made (files.c) ---- */

/* Record calls that write numbers to files and read them from there. `begin` begins the notes of a call.
 * `wrote` and `read`: `bytes` bytes were written from `data`, or read to `data`, at this offset of the file
 * (-1: the bytes end at the file's current position). `handle` is as for verso__native_world_uses. `inactive`
 * is not 0 if the calling function is declared inactive. */
void verso__native_file_begin(const verso__native_outside *call);
void verso__native_file_wrote(uint64_t handle, char *data, uint64_t bytes, int64_t offset, uint64_t inactive);
void verso__native_file_read(uint64_t handle, char *data, uint64_t bytes, int64_t offset, uint64_t inactive);
/* The file was opened or truncated. */
void verso__native_file_cut(uint64_t handle);
/* Ends the notes: they are appended to the log, or read from there, and state.noted is set. */
void verso__native_file_end(void);

/* ---- Foreign functions: called around calls of them (cc/lower/passing.c) ---- */

/* Flags of a call of a foreign function. */
enum {
    VERSO_NATIVE_PURE = 1,    /* the function may be called again, and is */
    VERSO_NATIVE_ANSWERS = 2, /* the program uses its result */
    VERSO_NATIVE_READ = 4,    /* the program reads what the result points to */
};
typedef struct verso__native_foreign {
    verso__native_outside outside;
    uint64_t flags;
    uint64_t count; /* number of pointers among the arguments */
    struct verso__native_extent {
        int64_t before, after; /* bytes of the object before and after the pointer; both 0: not known */
    } extents[];
} verso__native_foreign;

/* Called before and after a call. `begin` returns not 0 if the call must be made. `end` logs the result, or
 * writes the logged result to `result`, and sets state.noted to the notes of what the call has done to numbers. */
int verso__native_foreign_begin(const verso__native_foreign *call, char *const *pointers);
void verso__native_foreign_end(void *result, uint64_t size);

/* ---- The program's heap: called instead of malloc and its relatives by all code that `verso cc` compiled ---- */

void *verso__native_malloc(size_t size);
void *verso__native_calloc(size_t count, size_t size);
void *verso__native_realloc(void *old, size_t size);
void *verso__native_aligned_alloc(size_t alignment, size_t size);
int verso__native_posix_memalign(void **block, size_t alignment, size_t size);
void verso__native_free(void *block);
/* Anonymous mappings are blocks of the heap, too (mapped.c). */
void *verso__native_mmap(void *where, size_t size, int access, int flags, int file, long offset);
int verso__native_munmap(void *data, size_t size);
void *verso__native_mremap(void *data, size_t had, size_t size, int flags, ...);
/* Resizes a mapping in place. Returns NULL if it must move: then the caller maps a new one, copies and unmaps. */
void *verso__native_remap(void *data, size_t had, size_t size, int flags);
int verso__native_mprotect(void *data, size_t size, int access);

/* ---- dlsym (symbols.c) ---- */

typedef struct verso__native_named {
    const char *name;
    void *function;
} verso__native_named;
/* Returns `found`, which dlsym returned for `name`, or the program's own version of that function, if it is
 * among the `count` known ones. */
void *verso__native_symbol(void *found, const char *name, const verso__native_named *known, uint64_t count);
/* Return the least and the greatest of the pointers at `table`, table + stride, ... below table + bytes. Without any,
 * or if there are too many, INT64_MIN and INT64_MAX. */
int64_t verso__native_least_row(int64_t table, int64_t bytes, int64_t stride);
int64_t verso__native_greatest_row(int64_t table, int64_t bytes, int64_t stride);
/* Returns 1 if certainly none of these pointers p has bytes in common with another memory: [p + lo, p + hi) with
 * [from, to). */
int64_t verso__native_rows_apart(int64_t table, int64_t bytes, int64_t stride, int64_t lo, int64_t hi, int64_t from,
                                 int64_t to);
/* Returns the usable bytes of a block of the program's heap or of the C library's. */
size_t verso__native_block_size(void *block);

#endif
