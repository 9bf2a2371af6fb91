/* What code made by cc/ and the run time in native/ agree on: one struct of mutable state, the layout of shadow memory,
 * and the functions that generated code calls. cc/ reads the offsets from here, so there is one description.
 *
 * Shadow memory
 *   Every number in memory owns a cell: a double at an address computed from the number's own. The cell of the double
 *   that starts at address q (a multiple of 4) is
 *       q + VERSO_SHADOW                         when q is a multiple of 8    (the even plane)
 *       q + VERSO_SHADOW - VERSO_SHADOW_ODD      when it is not               (the odd plane)
 *   so an array of doubles has an array of doubles as its shadow. Floats have two planes of their own,
 * VERSO_SHADOW_KIND further on, and long doubles two more. So a cell that is not zero tells what its number is: that is
 * how a number that is written in part is known from another one beside it (parts.c). Kinds that a program has not are
 * left out. A copy of 4 bytes moves one cell of each kind, of 8 bytes two, whatever type the bytes are: nobody needs to
 * know it. The planes cover all addresses a position-independent program uses: itself (0x55.., 0x56..), the arena
 * (0x60..) and 0x7e.. to 0x7f... A number at an address that is no multiple of 4 has no cell: using its derivative is
 * refused at run time.
 *
 * Recording
 *   Generated code appends records to the tape at state.tape. A call leaves (reverse function of the caller, resume
 *   number) as the last 16 bytes before the callee's records. A function sets state.last to its reverse function before
 *   it returns.
 *
 * Reversing
 *   `while (state.next) state.next();` A reverse function runs from where state.entry says (0: from its return, with
 *   the adjoint of the result in state.result) until it must hand over: to the reverse function of a callee, to that
 *   of its caller (with the adjoints of its arguments in state.argument), or to nobody (next = NULL), when it has come
 *   to the safepoint at which the stretch began. What it must remember meanwhile lies in frames at state.frame. */
#ifndef NATIVE_STATE_H
#define NATIVE_STATE_H

#include <stddef.h>
#include <stdint.h>

#define VERSO_SHADOW (-0x200000000000)
#define VERSO_SHADOW_ODD 0x200000000000
/* No multiple of 2^35: LLVM's vectoriser counts the distance of two accesses in elements of 8 bytes, in 32 bits, and
 * would take cells of two kinds for neighbours. Less than 7 TiB: the planes lie close to each other. */
#define VERSO_SHADOW_KIND 0x06ff00000000

/* The cell of an aligned double beside one at an odd multiple of 4 that has a derivative: a NaN (odd.c). The second one
 * stands where another derivative was. */
#define VERSO_NATIVE_GUARD (UINT64_C(0x7ff0) << 48 | 0x0dd0)
#define VERSO_NATIVE_GUARD_TAINTED (VERSO_NATIVE_GUARD | 1)

/* Kinds of cells. */
typedef enum verso_native_kind {
    VERSO_NATIVE_DOUBLE,
    VERSO_NATIVE_FLOAT,
    VERSO_NATIVE_LONG,
    VERSO_NATIVE_KINDS,
} verso_native_kind;

/* Where the arena begins; the private stack follows. */
#define VERSO_INSIDE_AT 0x600000000000

/* Numbers in one argument list or result. A function with more is refused when it is compiled. */
enum { VERSO_NATIVE_LEAVES = 512 };

/* What is looked at when a foreign function is called: bytes behind a pointer, and pointers of a call. */
enum { VERSO_NATIVE_LOOK = 240, VERSO_NATIVE_LOOKS = 8 };

typedef enum verso_native_mode {
    VERSO_NATIVE_PRIMAL = 0, /* the program as it was */
    VERSO_NATIVE_RECORD = 1,
    VERSO_NATIVE_TANGENT = 2,
    VERSO_NATIVE_ADVANCE =
        3, /* f.record, too: the tape's end moves as if recording, what is written there is not used */
} verso_native_mode;

/* One safepoint of the program. `resume` is what state.entry must be for `reverse` to go on from there. */
typedef struct verso_native_site {
    void (*reverse)(void);
    uint64_t resume;
    const char *where; /* "file.c:12" or "function" */
} verso_native_site;

typedef struct verso_native_state {
    char *tape;       /* recording: the next free byte. reversing: behind the last record */
    char *tape_limit; /* recording: a safepoint at or beyond it calls verso_native_safepoint. A safepoint that can be
                         passed again with nothing recorded in between lowers it by one, down to NULL at most */
    char *tape_stop;  /* reversing: every safepoint that is passed exactly here asks verso_native_stop */
    char *frame;      /* reversing: behind the topmost frame */
    void (*next)(void);
    uint64_t entry;
    void (*last)(void); /* the reverse function of what returned last; NULL after code that records nothing */
    uint64_t mode;      /* a verso_native_mode */
    double argument[VERSO_NATIVE_LEAVES]; /* adjoints (tangents) of arguments, leaf by leaf in order */
    double result[VERSO_NATIVE_LEAVES];
    /* A long jump between differentiated functions (cc/lower_jumps.c): each function returns at once until the one that
     * called setjmp is reached. */
    uint64_t jump;       /* the number of the setjmp that is looked for; 0: none */
    uint64_t jump_value; /* what that setjmp returns */
    uint64_t jump_count; /* numbers given so far; never goes back */
    uint64_t world;      /* not 0: calls that meet the outside world go through the functions below */
    uint64_t inside;     /* where the run may write without asking: from VERSO_INSIDE_AT, so many bytes and one */
    uint64_t changed[VERSO_NATIVE_LOOKS]; /* by the foreign function that was called last, behind each pointer */
} verso_native_state;

extern verso_native_state verso_native_now;

/* A call of the program that can be checkpointed (callsites.c). cc/ puts them into this section. */
#define VERSO_NATIVE_CALLSITES "verso_callsites"
/* Of a callee that has an adjoint in one piece: always on; or, when it has one in two pieces, too, either is used. */
enum { VERSO_NATIVE_SITE_CALL, VERSO_NATIVE_SITE_ALWAYS, VERSO_NATIVE_SITE_EITHER };
typedef struct verso_native_callsite {
    uint64_t on;
    const char *caller, *callee; /* "*": through a pointer */
    const char *where;           /* "file.c:12" */
    uint64_t number;             /* of calls of the caller: tells those in one line apart */
    uint64_t kind;               /* VERSO_NATIVE_SITE_CALL... */
    uint64_t held;               /* it is off only for now: what `on` will be */
} verso_native_callsite;

/* One piece of mutable global memory of the program. cc/ defines the table, native/ reads it. */
typedef struct verso_native_global {
    void *data;
    uint64_t size;
    const char *name;
} verso_native_global;
extern const verso_native_global verso_native_globals[];
extern const uint64_t verso_native_global_count;

/* Not 0: the program calls verso_run_options_init, so that its runs may be durable. cc/ defines it. */
extern const uint64_t verso_native_names_driver;
/* Called before everything else of the program; cc/ sees to it. May start it a second time. */
void verso_native_before_main(int count, char **arguments, char **environment);

static inline double *verso_native_cell_of(const void *data, verso_native_kind kind) {
    uintptr_t q = (uintptr_t)data, plane = (uintptr_t)VERSO_SHADOW + kind * (uintptr_t)VERSO_SHADOW_KIND;
    return (double *)(q + plane - ((q & 4) ? (uintptr_t)VERSO_SHADOW_ODD : 0));
}

static inline double *verso_native_cell(const void *data) {
    return verso_native_cell_of(data, VERSO_NATIVE_DOUBLE);
}

/* A doubt (cc/doubts.h): an adjoint that says that a derivative has come to the integer in this word by arithmetic that
 * is not understood. The bits below are the address of a message. Arithmetic leaves them as they are; they are none of
 * a mark's (parts.c). */
#define VERSO_NATIVE_DOUBT (UINT64_C(0x7ffa) << 48)
#define VERSO_NATIVE_DOUBT_BITS 47

/* ---- Called by recording code ---- */

/* A safepoint whose tape has reached the limit. `count` is the iteration of its loop (0 at a function's entry). Returns
 * where the tape goes on. May be resumed any number of times, or never. */
char *verso_native_safepoint(char *tape, uint64_t count, const verso_native_site *site);
/* Ends the differentiation: verso_vjp returns VERSO_INVALID with this message. Does not return. */
_Noreturn void verso_native_refuse(const char *message);

/* Around a call whose site is on. */
void verso_native_call_enter(verso_native_callsite *site);
void verso_native_call_leave(verso_native_callsite *site);

/* ---- Called by reverse code ---- */

/* The reverse function of a call whose site is on. */
void verso_native_sweep_call(void);

/* Whether the stretch began at this safepoint. */
int verso_native_stop(uint64_t count, const verso_native_site *site);
/* dst was copied from src (memcpy, memmove, realloc): moves the cells of dst back to src and clears them. Refuses when
 * a number of dst that was written in part, or moved by no multiple of 4, has a derivative. */
void verso_native_sweep_copy(void *destination, void *source, uint64_t size);
/* Memory that came from nowhere (malloc, alloca, memset, fread): clears its cells. */
void verso_native_sweep_clear(void *data, uint64_t size);
/* A number of no known type (fewer than 4 bytes, or not from a copy) was written there: its cells must be zero, else
 * the derivative is lost and `message` says so. */
void verso_native_sweep_opaque(void *data, uint64_t size, const char *message);
/* A number was read from (written to) an address that may be no multiple of 4: adds to (takes from) its cell of that
 * kind; refuses when there is none and the derivative is not zero. */
void verso_native_sweep_read(void *data, uint64_t kind, double adjoint, const char *message);
double verso_native_sweep_write(void *data, uint64_t kind);
/* A derivative has come to something that has none. */
void verso_native_lost(double derivative, const char *message);

/* ---- Numbers that are written in parts (parts.c) ---- */

/* A bit for each kind of numbers that differentiated functions read or write; doubles always. cc/ defines it, native/
 * reads it. */
extern const uint64_t verso_native_program_kinds;
/* Not 0: some doubles or long doubles may lie at multiples of 4 that are none of 8 or 16. */
extern const uint64_t verso_native_program_packs;
/* Not 0: reverse functions leave doubts. */
extern const uint64_t verso_native_program_doubts;
/* Something was stored over a part of a number whose cell is not zero. Reverse code calls these before it takes the
 * store's own cells and after, tangent code before it sets them and after; `origin`, where it was loaded, when nothing
 * was done to its bits since, or NULL. In tangent mode the second is also called when cells got tangents, without the
 * first; `how`: VERSO_NATIVE_PART_BEGAN if the first was called, VERSO_NATIVE_PART_REST if what was stored begins with
 * the rest of a number that has a tangent. */
enum { VERSO_NATIVE_PART_BEGAN = 1, VERSO_NATIVE_PART_REST = 2 };
void verso_native_sweep_part(void *data, uint64_t size);
/* The first, where bits were computed that may be those of a number: they get the doubt, in words behind the first. */
void verso_native_sweep_part_computed(void *data, uint64_t size, double doubt);
void verso_native_sweep_part_end(const char *message, const void *origin);
/* An integer of which the double that begins there, at an odd multiple of 4, is a part was loaded, and has an adjoint.
 * `before`: the bits of the double's own. */
void verso_native_sweep_odd(void *data, uint64_t before);
void verso_native_tangent_part(void *data, uint64_t size);
void verso_native_tangent_part_end(void *data, uint64_t size, const void *origin, uint64_t how);
/* Numbers of that kind were stored. Whether others, whose bytes are among theirs (of other kinds; in programs that
 * pack, of the same), have derivatives; if so, reverse code has them refused, with the message, or cleared when it is
 * NULL: what was stored has no derivative. In tangent mode they have no tangent that could be told, if there is one. */
uint64_t verso_native_over_there(void *data, uint64_t size, uint64_t kind);
void verso_native_sweep_over(void *data, uint64_t size, uint64_t kind, const char *message);
void verso_native_tangent_over(void *data, uint64_t size, uint64_t kind, double tangent);

/* ---- Called by tangent code ---- */

/* Numbers that are written in part, or moved by no multiple of 4, get a NaN where a tangent may be lost. */
void verso_native_tangent_copy(void *destination, void *source, uint64_t size); /* before the copy itself */
void verso_native_tangent_clear(void *data, uint64_t size);
double verso_native_tangent_read(void *data, uint64_t kind);
void verso_native_tangent_write(void *data, uint64_t kind, double tangent, const char *message);

/* ---- Foreign functions that are declared inactive (look.c) ---- */

typedef struct verso_native_glance {
    uint64_t bytes; /* that could be copied */
    char copy[VERSO_NATIVE_LOOK];
} verso_native_glance;
/* Before and after the call; the latter gives a bit for each 4 bytes that have changed, and one if there may be more.
 */
void verso_native_look(void *data, verso_native_glance *glance);
uint64_t verso_native_changed(void *data, const verso_native_glance *glance);
/* Clears the cells of what has changed. Derivatives that may have been overwritten become NaNs; one that comes to the
 * gradient is refused with the message. */
void verso_native_sweep_changed(void *data, uint64_t changed, const char *message);
void verso_native_tangent_changed(void *data, uint64_t changed);

/* ---- Custom adjoints ---- */

/* Before `record`: a call whose kept bytes go to the tape. After it: how many bytes the tape has grown by. */
struct verso_call;
struct verso_fixed_point_options;
/* Recording: calls begin, the user's record, end. end appends (bytes kept, padded to 8; their number) and returns the
 * new tape. Tangent mode: begin (tape NULL), the user's tangent, end; argument/result point into state. The mode is
 * primal between begin and end, so that nothing in between is differentiated.
 * Reversing: custom_sweep reads what was kept and returns the tape before it; argument/result point into state, all
 * arguments zero. */
void verso_native_custom_begin(struct verso_call *call, char *tape);
char *verso_native_custom_end(struct verso_call *call);
/* In what stands for f with an adjoint in one piece, when it is recorded: NULL, and f is to run; or the adjoints of the
 * result, leaf by leaf, and the adjoint is. Then, in both cases, the adjoints of the arguments are kept. Where f has
 * one in two pieces, too (either is not 0), that's `record` runs instead of f, and keeps what it keeps. */
const double *verso_native_whole_begin(uint64_t either);
void verso_native_whole_keep(struct verso_call *call, const void *adjoints, uint64_t bytes);
/* After such a `record`; `bytes`: of the adjoints that would be kept for the other form. */
void verso_native_whole_instead(const struct verso_call *call, uint64_t bytes);
/* Reversing: whether what was kept is those adjoints. */
int verso_native_whole_kept(const struct verso_call *call);
char *verso_native_custom_sweep(struct verso_call *call, char *tape);

/* The adjoint in two pieces, and the tangent, that verso_fixed_point_at has (cc/declared.c). */
uint64_t verso_native_fixed_record(struct verso_call *call, const char *where, void (*step)(void *), void *context,
                                   double *state, size_t count, const struct verso_fixed_point_options *options);
void verso_native_fixed_sweep(struct verso_call *call, const char *where, void (*step)(void *), void *context,
                              double *state, size_t count, const struct verso_fixed_point_options *options);
uint64_t verso_native_fixed_tangent(struct verso_call *call, const char *where, void (*step)(void *), void *context,
                                    double *state, size_t count, const struct verso_fixed_point_options *options);

/* Something is written through a pointer that is beyond state.inside. */
typedef struct verso_native_write {
    int64_t offset;    /* from the pointer */
    const char *where; /* NULL behind the last */
} verso_native_write;
/* Refuses when the memory is not part of capsules: the run may be put back. */
void verso_native_inside(const void *pointer, const verso_native_write *writes);

/* ---- The outside world: called around calls of the C library (cc/lower_world.c) while state.world is not 0 ---- */

/* One such call in the program. */
typedef struct verso_native_outside {
    uint64_t number;   /* of 24 bits, from `where`: tells it from most others */
    const char *where; /* "file.c:12: fgets" */
} verso_native_outside;

/* Not 0: the run is here for the first time, and the call is to be made. 0: it was made before. In both cases the
 * result and all memory that the call writes are named next, in an order that follows from the call and the result:
 * they go to a log, or come from there. */
int verso_native_world_begin(const verso_native_outside *call);
void verso_native_world_data(void *data, uint64_t size); /* nothing at NULL */
void verso_native_world_string(char *string);
void verso_native_world_end(void);
/* Around a call that is made: it uses, or has opened, an object of the C library (its address), a descriptor or a key
 * (the number, and a bit that says so); what it has returned points there; it changes the process itself. A durable run
 * may go on in another process, where all that is not so. */
#define VERSO_NATIVE_DESCRIPTOR (UINT64_C(1) << 63)
#define VERSO_NATIVE_KEY (UINT64_C(1) << 62)
void verso_native_world_uses(uint64_t handle);
void verso_native_world_opens(uint64_t handle);
void verso_native_world_points(const void *result);
void verso_native_world_changes(void);
/* Before a call of a random number generator whose state capsules hold. */
void verso_native_world_random(void);
/* Before a call that can neither be repeated nor logged: refuses. */
_Noreturn void verso_native_world_refuse(const verso_native_outside *call);
/* Refuses when the format of a printf writes to memory. */
void verso_native_world_format(const verso_native_outside *call, const char *format);

/* ---- The program's heap: called instead of malloc and its kin by all code that was compiled by `verso cc` ---- */

void *verso_native_malloc(size_t size);
void *verso_native_calloc(size_t count, size_t size);
void *verso_native_realloc(void *old, size_t size);
void *verso_native_aligned_alloc(size_t alignment, size_t size);
int verso_native_posix_memalign(void **block, size_t alignment, size_t size);
void verso_native_free(void *block);
/* Bytes that a block has, ours or the C library's. */
size_t verso_native_block_size(void *block);

#endif
