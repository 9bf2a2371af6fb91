/* The run time of compiled programs: a stack, a heap and shadow memory of its own, and a tape. See state.h for what
 * generated code relies on, docs/native.md for pictures.
 *
 *   fixed.c    before main: no random addresses, where that matters
 *   space.c    the address space: what lies where, reserving it, and every call of the system about pages
 *   arena.c    the program's heap at a fixed address, its allocator's state inside it
 *   shadow.c   the planes: finding and clearing what was touched
 *   cells.c    what generated code asks for cells: copies, clears, numbers at odd addresses
 *   parts.c    numbers that are written in parts
 *   odd.c      doubles that copies have brought to odd multiples of 4
 *   look.c     what a foreign function that is declared inactive changes
 *   stack.c    runs a function on the private stack; suspends and resumes it (x86-64, System V)
 *   capsule.c  copies of registers, stack, arena and globals: resumes any number of times, bit for bit
 *   world.c    what the program asks of the outside world is asked once, and logged
 *   log.c      that log in a file, for a durable run
 *   generators.c  the state of its random number generators
 *   outside.c  writes to memory that no capsule holds
 *   tape.c     the tape's and the frames' memory
 *   offload.c  what does not fit into memory, in a file
 *   sweep.c    recording and reversing at one go
 *   callsites.c  checkpointed calls
 *   sites.c    which calls are, as text
 *   profile.c  what that costs, for all choices
 *   walk.c     in steps: run or record from one safepoint to another, reverse a recording
 *   program.c  the walking program as a verso_program
 *   budget.c   how its memory is divided
 *   pieces.c   recorded as a whole, or as much of its end as fits
 *   adjoint.c  its adjoint as bytes
 *   scheduled.c  a sweep within a memory budget, on the general driver
 *   durable.c  what a durable run keeps beside its journal
 *   facts.c    what it depends on
 *   cut.c      a sweep in stretches that are cut at chosen safepoints, by which Verso checks itself
 *   settings.c what the environment says about gradients
 *   told.c     what is told about one
 *   derive.c   verso_gradient, verso_vjp, verso_jvp, and what must hold before and after
 *   execution.c  verso_run_steps, verso_capture, verso_resume: without derivatives
 *   check.c    verso_check: dot-product and cut tests
 *   taylor.c   and the Taylor test
 *   custom.c   custom adjoints
 *   fixpoint.c fixed points and their two-phase adjoints
 *   math.c     derivatives that the C library cannot express
 *   complex.c  its complex functions under other names
 *   lib/       C functions that are differentiated like the program's own: compiled to bitcode and carried by the
 *              `verso` command (qsort, bsearch, modf, complex arithmetic, ...)
 *
 * Two structs hold all mutable state: verso_native_now, which generated code knows, and verso_native_runtime below. All
 * of it but the heap belongs to the one differentiation that may run at a time. */
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

#include "base/status.h"
#include "native/memory.h"
#include "native/settings.h"
#include "native/state.h"
#include "profile/plan.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <verso/native.h>
#include <verso/program.h>

/* Sanitizers have shadow memory of their own, where ours must be. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VERSO_NATIVE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define VERSO_NATIVE_SANITIZED 1
#endif
#endif

/* Weak: a program that uses the library without `verso cc` has none of these, and must link all the same. */
extern const verso_native_global verso_native_globals[] __attribute__((weak));
extern const uint64_t verso_native_global_count __attribute__((weak));
extern const uint64_t verso_native_names_driver __attribute__((weak));
extern const uint64_t verso_native_program_kinds __attribute__((weak));
extern const uint64_t verso_native_program_packs __attribute__((weak));
extern const uint64_t verso_native_program_doubts __attribute__((weak));

/* Whether there are cells of this kind. */
static inline bool verso_native_uses(unsigned kind) {
    return &verso_native_program_kinds == NULL || (verso_native_program_kinds >> kind & 1) != 0;
}

/* Elsewhere everything compiles, the heap is the C library's and a differentiation is refused. */
#if defined(__x86_64__) && defined(__linux__) && defined(__LP64__) && !defined(VERSO_NATIVE_SANITIZED)
#define VERSO_NATIVE_HERE 1
#else
#define VERSO_NATIVE_HERE 0
#endif

/* ---- stack.c ---- */

typedef enum verso_native_outcome {
    VERSO_NATIVE_SUSPENDED,
    VERSO_NATIVE_ENDED,
    VERSO_NATIVE_FAILED, /* runtime.failure says why */
} verso_native_outcome;

/* Where the private stack begins: the first byte beyond it. */
char *verso_native_stack_top(void);
/* Lays out the stack so that the next go calls body(). */
void verso_native_stack_start(void (*body)(void));
/* Leaves for the private stack until that is left again: suspended, ended or failed. */
verso_native_outcome verso_native_stack_go(void);
/* From the private stack: go returns VERSO_NATIVE_SUSPENDED. This returns when the stack is resumed, from here or from
 * a copy, any number of times. */
void verso_native_stack_suspend(void);
/* From the private stack: go returns VERSO_NATIVE_FAILED. */
_Noreturn void verso_native_give_up(verso_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Between these, running into the end of stack, tape or frames is a failure; other faults go where they went before. */
verso_status verso_native_faults_catch(verso_error *error);
void verso_native_faults_release(void);
/* Gives back what a deep recursion took. */
void verso_native_stack_trim(void);
/* Bytes of the private stack that are in memory: what was used since it was trimmed, at least. */
size_t verso_native_stack_used(void);

/* ---- The job ---- */

/* What is differentiated: run(context), or f(x, n) whose result counts with `weight`. */
typedef struct verso_native_job {
    void (*run)(void *context);
    void *context;
    double (*f)(const double *x, size_t n);
    const double *x;
    size_t n;
    const verso_array *wrt, *of;
    size_t wrt_count, of_count;
    double weight;  /* reverse mode: the adjoint of f's result */
    double value;   /* f's result */
    double tangent; /* tangent mode: that of f's result */
} verso_native_job;

/* ---- capsule.c ---- */

/* Where the program stands, as bytes in a buffer of its own. */
typedef struct verso_native_capsule {
    char *bytes;
    size_t room;
} verso_native_capsule;

/* Whether the program was linked by `verso cc`: it has the table of its globals. */
bool verso_native_linked(void);
/* Bytes that a capsule of the state now would take: at a place of a walk, with the suspended stack; at its beginning
 * and end, and between differentiations, without. */
size_t verso_native_capsule_size(void);
/* The part of that which is the stack. */
size_t verso_native_capsule_stack(void);
/* Right after verso_native_capsule_size, into so many bytes. */
void verso_native_capsule_write(char *bytes);
/* What capsules hold outside heap and stack; there is room for all. NULL: only how many there are. */
size_t verso_native_capsule_fixed(verso_native_range *ranges);
/* Whether the log of the outside world is the one with which it was written. */
bool verso_native_capsule_fits(const char *bytes);
void verso_native_capsule_read(const char *bytes);
/* From now on capsules leave out what is as in `base`, a capsule that was taken without one at a run's beginning, and
 * that stays as it is as long as they are used. NULL: nothing. */
void verso_native_capsule_base(const verso_native_capsule *base);
/* From now on capsules leave out what the job's run does not write: f's x and arrays of derivatives. NULL: nothing. */
void verso_native_capsule_leave_out(const verso_native_job *job);
/* Into a capsule that is zero or was used before: its memory is used again. */
verso_status verso_native_capsule_take(verso_native_capsule *capsule, verso_error *error);
void verso_native_capsule_restore(const verso_native_capsule *capsule);
void verso_native_capsule_free(verso_native_capsule *capsule);

/* ---- tape.c ---- */

char *verso_native_tape(void);
char *verso_native_frames(void);
/* Bytes that the tape may take; 0: all. Beyond them is a guard. */
verso_status verso_native_tape_open(size_t limit, verso_error *error);
/* Gives memory back after a run whose tape was `used` bytes long. Returns the bytes of frames that were in use. */
size_t verso_native_tape_close(size_t used);
/* Where recordings begin from now on: so many bytes into the tape's memory. */
void verso_native_tape_at(uint64_t offset);
/* Gives back all but the first bytes of the tape's memory. */
void verso_native_tape_keep(uint64_t bytes);
/* How many bytes of it, from its beginning on, are in memory. */
uint64_t verso_native_tape_resident(void);
/* Another limit, between two goes: running into it sets runtime.tape.full. */
verso_status verso_native_tape_guard(uint64_t limit, verso_error *error);
/* Gives up when the machine's memory is nearly used up. Where to ask again. */
char *verso_native_tape_ask(char *tape);
/* A safepoint has reached state.tape_limit, which is there to look after the machine's memory: moves it on, or gives
 * up. */
void verso_native_tape_look(char *tape);

/* ---- offload.c ---- */

/* Of a sweep at one go: from here on the tape takes so much memory at most. To be closed, also after a failure. */
verso_status verso_native_offload_open(const verso_native_offload *options, verso_error *error);
/* Nothing, when there was none. Returns the bytes of the tape that were in memory at most. */
uint64_t verso_native_offload_close(verso_native_report *report);
/* While recording, on the private stack: the tape has reached state.tape_limit; a checkpointed call was left. */
void verso_native_offload_pass(char *tape);
void verso_native_offload_left(void);
/* While recording, on the host's stack: so many bytes are about to be written; a call is recorded for its reversal. */
verso_status verso_native_offload_snapshot(size_t size, verso_error *error);
void verso_native_offload_again(void);
/* The reverse sweep begins, or goes on behind what was recorded for it. */
verso_status verso_native_offload_turn(verso_error *error);
/* It has come to state.tape_stop. */
void verso_native_offload_stop(void);
/* Whether what belongs there is in the file alone. */
bool verso_native_offload_away(const void *address);

/* ---- world.c ---- */

/* A run that may be repeated begins: from here on what it asks of the outside world is asked once (state.h). Freeing
 * what was not allocated in the arena is left to the end, too. */
void verso_native_world_open(void);
/* Returns the bytes that it took. */
size_t verso_native_world_close(void);
size_t verso_native_world_bytes(void);
/* How far the run has come in the log: belongs to its capsules. */
uint64_t verso_native_world_at(void);
/* The run is about to be put back to where it had come so far. */
void verso_native_world_go(uint64_t at);
/* Whether a block of the C library's heap that is freed stays until the end: the run may come here again. */
bool verso_native_world_keeps(void *block);

/* In front of an entry of the log. */
typedef struct verso_native_entry {
    uint64_t call : 24, changes_errno : 1, changes : 1, handles : 2, size : 36;
} verso_native_entry;
enum { VERSO_NATIVE_HANDLES = 3 };

/* ---- log.c ---- */

/* The log of a durable run, in its directory. */
typedef struct verso_native_log verso_native_log;
struct verso_native_durable;
/* From here on; the log holds what processes before this one have asked. To be closed, also after a failure. */
verso_status verso_native_log_open(const struct verso_native_durable *durable, verso_error *error);
void verso_native_log_close(void);
/* A checksum of all entries before the one at `at`; and whether the log has just these. Without a file: 0, and yes. */
uint64_t verso_native_log_chain(uint64_t at);
bool verso_native_log_has(uint64_t at, uint64_t chain);
/* It has not, as an error. */
verso_status verso_native_log_lacks(verso_error *error);
/* The entry there was made by another process. */
bool verso_native_log_inherited(uint64_t at);
/* Before a call is made: refuses when it would meet another process than it should. */
void verso_native_log_make(void);
/* The checksum of the entry at hand; then it is appended to the file. */
uint64_t verso_native_log_seal(const char *entry, size_t size);
void verso_native_log_append(void);
/* Before a capsule leaves the process. */
verso_status verso_native_log_sync(verso_error *error);

/* ---- outside.c ---- */

/* From here on verso_native_inside (state.h) is asked where something else is written than heap and private stack. */
void verso_native_outside_watch(void);
void verso_native_outside_forget(void);
/* Memory that capsules hold. From the private stack. */
bool verso_native_is_own(const void *data);

/* ---- generators.c ---- */

/* The states of the C library's random number generators. */
typedef struct verso_native_generators {
    uint64_t taken;     /* 0: as they were before they were first used */
    char *array;        /* random: where its state lies, */
    uint32_t words[64]; /* and what it is; */
    uint32_t home[64];  /* what lies where it was when it was first used */
    uint16_t rand48[7]; /* x, a, c */
} verso_native_generators;

/* No generator has been used yet. */
void verso_native_generators_forget(void);
void verso_native_generators_take(verso_native_generators *to);
/* Around putting memory back. */
void verso_native_generators_leave(const verso_native_generators *next);
void verso_native_generators_put(const verso_native_generators *next);

/* ---- derive.c ---- */

/* Everything that must hold before one or more of the runs below: one differentiation at a time, arguments, memory. */
verso_status verso_native_enter(verso_native_job *job, verso_error *error);
void verso_native_leave(void);

/* Between enter and leave. Failures are in report->error, too; derivatives are written to the regions last of all. */
verso_status verso_native_plain(verso_native_job *job, verso_error *error);
verso_status verso_native_tangent(verso_native_job *job, verso_native_report *report);
verso_status verso_native_reverse(verso_native_job *job, const verso_native_options *options,
                                  verso_native_report *report);

size_t verso_native_scalar_size(verso_scalar type);
verso_native_kind verso_native_kind_of(verso_scalar type);

/* ---- sweep.c ---- */

/* The job's function is to run on the private stack, from its beginning, in this mode. */
void verso_native_start(verso_native_mode mode);
/* Lets the private stack run in this mode. */
verso_native_outcome verso_native_go(verso_native_mode mode);
/* runtime.failure, as an error. */
verso_status verso_native_failure(verso_error *error);
/* VERSO_INVALID unless the run that has ended has recorded something. */
verso_status verso_native_recorded(verso_error *error);
/* Adds the derivatives of `of` to its cells and that of the result to state.result: what the sweep begins with. */
void verso_native_seed(const verso_native_job *job);
/* Reverses what is on the tape: from the end of the run (NULL), or from a safepoint at which it was suspended. */
verso_status verso_native_reverse_tape(const verso_native_site *from, verso_error *error);
/* Records and reverses at one go, or in stretches; the cells of `wrt` then hold the derivatives. */
verso_status verso_native_sweep(verso_native_job *job, const verso_native_options *options,
                                verso_native_report *report);

/* ---- callsites.c ---- */

/* Why the private stack was left at a checkpointed call. */
typedef enum verso_native_call_request {
    VERSO_NATIVE_CALL_NONE,
    VERSO_NATIVE_CALL_ENTERED,  /* recording has come to one */
    VERSO_NATIVE_CALL_RECORDED, /* one was recorded for its reversal */
    VERSO_NATIVE_CALL_REVERSED, /* the reverse sweep has come to one */
} verso_native_call_request;

/* All sites of the program, in no order. */
verso_native_callsite *verso_native_callsites(size_t *count);
/* A sweep begins. Whether some calls are checkpointed in it. */
bool verso_native_calls_begin(void);
/* All that can be are off from here on; as they were again. */
void verso_native_calls_hold(void);
void verso_native_calls_release(void);
/* All, as verso_site_get has them; allocated. NULL: no memory. */
verso_site *verso_native_sites_list(size_t *count);
/* Before a gradient: what VERSO_SITES, VERSO_CHECKPOINT and VERSO_NOCHECKPOINT say, once in a process. */
struct verso_native_settings;
verso_status verso_native_sites_told(const struct verso_native_settings *settings, verso_error *error);
/* Its number among them, of the site with an index of verso_site_get. */
uint32_t verso_native_site_number(size_t index);
/* A sweep at one go, in which some are checkpointed. `tree`: made of it; NULL: none. */
verso_status verso_native_calls_sweep(verso_native_job *job, const verso_native_options *options, verso_calltree *tree,
                                      verso_native_report *report);
typedef struct verso_native_calls {
    verso_native_capsule start, end; /* the program's memory when the run begins, and as it leaves it */
} verso_native_calls;
/* The program is at its beginning. To be ended, also after a failure. */
verso_status verso_native_calls_start(verso_native_calls *calls, verso_error *error);
/* All is recorded that will be before the reverse sweep begins. */
verso_status verso_native_calls_turn(verso_native_calls *calls, verso_error *error);
/* Leaves memory as the run left it. */
void verso_native_calls_end(verso_native_calls *calls, verso_native_report *report);
/* The private stack was left with this outcome: goes on over calls that are checkpointed. */
verso_native_outcome verso_native_calls_go(verso_native_outcome outcome);
/* Where the tape goes on from a safepoint, while such calls are run or recorded, unless it is the walk's. */
char *verso_native_call_pass(char *tape);
/* A walk was suspended within such a call, which is thus recorded only in part: the program is put back in front of it,
 * and will record it. False: it was not. */
bool verso_native_calls_straighten(void);
/* The reverse sweep has come to such a call: records it, so that the sweep can go on. */
verso_status verso_native_call_record(verso_error *error);

/* ---- fixpoint.c ---- */

/* What verso_native_safepoint does within the step of a fixed point, where no run is suspended. */
char *verso_native_fixed_pass(char *tape);
/* A run has failed, perhaps there. */
void verso_native_fixed_abandon(void);

/* ---- profile.c ---- */

/* What is measured while calls are watched, in ticks. */
typedef struct verso_native_watch {
    uint32_t *seen;          /* calls by site */
    uint64_t began;          /* when the last call was entered, or come to by the sweep */
    uint64_t weight;         /* calls that the last one stands for; 0: it is not measured */
    uint64_t reversed;       /* calls, and */
    uint64_t reverse_weight; /* those that the last one of these stands for */
    uint64_t events;         /* to find out what watching takes: of some */
    double watched;          /* what it took */
    double snapshots;        /* writing them, while the run was recorded from its beginning to its end */
    double copied, bytes;    /* writing and reading them, and how much */
    uint64_t largest, image; /* bytes: of snapshots, and of the program's memory when it began */
    struct {
        double now, thread; /* seconds of the clock, and of this thread */
        uint64_t ticks;
    } start;
    double stolen;     /* seconds that others had the processor, when it was asked last */
    double forward;    /* seconds of this thread until the reverse sweep began */
    uint64_t resident; /* bytes of the tape that were there before, */
    char *top;         /* up to where it was used so far, */
    double touch;      /* and what using a byte of it for the first time takes */
} verso_native_watch;

/* Of the processor: reading them takes a tenth of asking the system for the time. */
static inline uint64_t verso_native_ticks(void) {
#if VERSO_NATIVE_HERE
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/* What happens in a sweep whose calls are watched (calls.tree is not NULL): a call that is to be checkpointed is
 * entered; its snapshot is written, and it is about to be run without recording; it was; all is recorded that will be
 * for now; the reverse sweep has come to a call; that is recorded now; it is; the sweep goes on. */
void verso_native_profile_begin(const verso_native_callsite *site);
void verso_native_profile_meet(const verso_native_callsite *site, uint64_t snapshot);
void verso_native_profile_left(const verso_native_callsite *site);
void verso_native_profile_end(void);
void verso_native_profile_reverse(void);
void verso_native_profile_again(void);
void verso_native_profile_recorded(void);
void verso_native_profile_onwards(void);
/* When all memory is counted. */
void verso_native_profile_settle(const verso_native_options *options, const verso_native_report *report);
/* verso_native_sweep when options->profile is not NULL. */
verso_status verso_native_profile_sweep(verso_native_job *job, const verso_native_options *options,
                                        verso_native_report *report);

/* ---- walk.c ---- */

#define VERSO_NATIVE_END UINT64_MAX

/* Where a walk stands: the run is suspended at a safepoint after so many steps, or has not begun, or has ended. */
typedef struct verso_native_place {
    uint64_t step;
    uint64_t ended;                /* the step that ended the run counts */
    uint64_t count;                /* iteration of the safepoint's loop */
    const verso_native_site *site; /* NULL at the beginning and at the end */
} verso_native_place;

/* From the beginning of the run, in steps of `leaf` bytes of tape: a step ends at the first safepoint that finds so
 * many since it began (0: at each). The same steps, whether they are recorded or not. */
void verso_native_walk_begin(uint64_t leaf);
void verso_native_walk_end(void);
/* Lets the run go on until so many steps are done, or to the end if that comes first. What is recorded can be reversed
 * before the next go. */
verso_status verso_native_walk_to(uint64_t step, bool recording, verso_error *error);
/* Reverses what the last go has recorded. At the end of the run the sweep is seeded first. */
verso_status verso_native_walk_back(verso_error *error);
/* What the last go has recorded, to be taken up again later: its bytes stay where they are. */
typedef struct verso_native_recording {
    verso_native_place start, at;
    uint64_t repeats;
    char *begin, *end;
} verso_native_recording;
verso_native_recording verso_native_walk_keep(void);
void verso_native_walk_take(const verso_native_recording *kept);
/* The run did not go where it went before: an error. */
verso_status verso_native_another_course(verso_error *error);
/* Its numbers were put back to what they were. */
void verso_native_walk_again(void);
/* The tape has so many bytes more (fewer) than the steps count with: a checkpointed call. */
void verso_native_walk_move(ptrdiff_t bytes);
/* What verso_native_safepoint and verso_native_stop do meanwhile. */
char *verso_native_walk_pass(char *tape, uint64_t count, const verso_native_site *site);
int verso_native_walk_stop(uint64_t count, const verso_native_site *site);

/* ---- cut.c ---- */

/* verso_native_sweep when options->cuts is not 0. Leaves memory as the run left it. */
verso_status verso_native_cut_sweep(verso_native_job *job, const verso_native_options *options,
                                    verso_native_report *report);

/* ---- budget.c ---- */

/* LONGER: by which a recording is longer than its steps say at least, when a budget is divided. */
enum { VERSO_NATIVE_LEAST_LEAF = 4096, VERSO_NATIVE_LONGER = 96 << 10 };

/* How a budget is divided, in bytes. */
typedef struct verso_native_division {
    uint64_t memory;   /* all of it; 0: there is none */
    uint64_t start;    /* the program's memory at its beginning */
    uint64_t cells;    /* shadow memory and frames */
    uint64_t capsule;  /* a state at most; also the program's memory at its end */
    uint64_t longer;   /* by which a recording may be longer than its steps say */
    uint64_t adjoint;  /* the adjoint of a durable run at most */
    uint64_t in_files; /* the largest that goes to files; 0: none does. The driver takes buffers for one to four */
    uint64_t leaf;     /* a step, */
    uint64_t tape;     /* and what recording it takes; 0: as much. Less, when calls in it are checkpointed */
} verso_native_division;

/* What recording a step takes. */
uint64_t verso_native_step_tape(const verso_native_division *division);
/* verso_native_beside for a budget of which only this is known: how large the program's memory is at its beginning, the
 * largest capsule and the inputs. What steps may be longer is LONGER; verso_plan_longer is more. */
uint64_t verso_native_divided(uint64_t start, uint64_t largest, uint64_t inputs);

/* What is neither a capsule of the schedule, nor a step of tape, nor a buffer. */
uint64_t verso_native_beside(const verso_native_division *division);
/* What is left of the budget for capsules and a step; 0: nothing. */
uint64_t verso_native_room(const verso_native_division *division);
/* The least budget for so many capsules, and steps that take `tape` bytes (0: any). */
uint64_t verso_native_least_memory(const verso_native_division *division, uint64_t slots, uint64_t tape);
/* Bytes of tape in a step, for so many capsules, or for as many as fit (0). The budget is at least the least. */
uint64_t verso_native_choose_leaf(const verso_native_division *division, uint64_t slots);
/* What this many forward steps, and copies of capsules, take: only ratios mean something. */
double verso_native_price(double steps, double copies, const verso_native_division *division, uint64_t leaf);
/* Costs of a disk that has none in the spec, from the sizes of capsules and steps. */
void verso_native_price_disk(const verso_native_division *division, verso_schedule_spec *spec);

/* ---- adjoint.c ---- */

/* The adjoint as bytes: cells of all memory that capsules hold, frames, and the program's memory at its end (`end`,
 * which is empty until the run has ended). */
size_t verso_native_adjoint_size(const verso_native_capsule *end);
verso_status verso_native_adjoint_write(const verso_native_capsule *end, char *bytes, size_t size, verso_error *error);
/* As before the sweep began. */
void verso_native_adjoint_clear(void);
/* Replaces cells, frames and `end`. */
verso_status verso_native_adjoint_read(verso_native_capsule *end, const char *bytes, size_t size, verso_error *error);

/* ---- facts.c ---- */

typedef struct verso_native_fact {
    uint64_t kind, key, value;
} verso_native_fact;

typedef struct verso_native_facts {
    verso_native_fact *list;
    size_t count, room;
    bool failed; /* no memory */
} verso_native_facts;

/* What a durable run depends on; the program is at its beginning. To be freed, also after a failure. */
verso_status verso_native_facts_gather(verso_native_facts *facts, verso_error *error);
void verso_native_facts_free(verso_native_facts *facts);
/* Whether there is one that differs; `text` says which, in words that fit behind "the run cannot be continued:". */
bool verso_native_facts_differ(const verso_native_facts *before, const verso_native_facts *now, char *text,
                               size_t size);

/* ---- durable.c ---- */

/* How a durable run is divided: see verso_native_division. */
typedef struct verso_native_kept {
    uint64_t leaf, capsule, longer, cells_share;
    uint64_t steps; /* VERSO_UNKNOWN: it will tell */
} verso_native_kept;

/* What a durable run keeps beside its journal. */
typedef struct verso_native_durable {
    const struct verso_system *system;
    char *directory, *path;
    struct verso_lock *lock;
    verso_native_facts facts;
    verso_native_kept kept;
    bool continued; /* a run in the directory began so */
    verso_identity identity;
} verso_native_durable;

/* VERSO_CORRUPT: a file of a run that is there cannot be used. */
verso_status verso_native_unusable(const char *path, const char *why, verso_error *error);
bool verso_native_is_durable(const verso_run_options *run);
/* Takes the directory, and looks what is kept there. Refuses a run that this process cannot continue. The program is at
 * its beginning. To be closed, also after a failure. */
verso_status verso_native_durable_open(const verso_run_options *run, verso_native_durable *durable, verso_error *error);
/* Keeps `kept`; a run that began otherwise is given up. */
verso_status verso_native_durable_keep(verso_native_durable *durable, verso_error *error);
void verso_native_durable_close(verso_native_durable *durable);

/* ---- program.c ---- */

typedef struct verso_native_program_state {
    verso_native_capsule end; /* memory as the run leaves it; empty until then */
    verso_native_division division;
    /* What was seen so far: */
    uint64_t capsule_largest, longer_largest;
    uint64_t recording;   /* steps of the longest recording */
    uint64_t cells;       /* pages that reversing has touched first */
    uint64_t cells_most;  /* beyond which the resident set is looked at */
    uint64_t resident;    /* of the process, when the sweep began; */
    const char *touched;  /* and how much of the heap it had touched */
    bool guarded;         /* recordings must not be longer than the budget was divided for */
    bool grown;           /* something was larger than that: the sweep has failed */
    bool lost;            /* and the program stands nowhere */
    bool reversed;        /* there are adjoints */
    bool behind;          /* the run goes on behind the last step, and that was reversed before */
    unsigned cells_share; /* of which cells they have theirs: see scheduled.c */
    unsigned cells_grown; /* the least share that may do */
} verso_native_program_state;

/* Lets the program go on, as verso_native_walk_to; sets `grown` and `lost` when the tape ends before it should. */
verso_status verso_native_program_go(verso_native_program_state *state, uint64_t steps, bool recording,
                                     verso_error *error);
/* Reverses what is recorded, as verso_native_walk_back; sets `grown` and `lost` when cells take too much. */
verso_status verso_native_program_back(verso_native_program_state *state, verso_error *error);
/* The size of a capsule here: it and the length of steps so far are noted, and whether they are too large. */
size_t verso_native_program_look(verso_native_program_state *state);
/* A verso_program whose self is a verso_native_program_state; between walk_begin and walk_end. */
extern const verso_program_operations verso_native_operations;

/* ---- pieces.c ---- */

enum { VERSO_NATIVE_PIECES = 16 };

/* The last steps of a run, recorded, in slots of the tape's memory. */
typedef struct verso_native_pieces {
    uint64_t memory;                                        /* bytes that they may take in all */
    uint64_t leaf;                                          /* of a step */
    uint64_t slots, slot;                                   /* how many; bytes from one to the next */
    uint64_t page;                                          /* in which their memory is counted */
    uint64_t begin, end;                                    /* the steps that are there */
    uint64_t used;                                          /* bytes that they took at most */
    verso_native_recording recordings[VERSO_NATIVE_PIECES]; /* step i: number i modulo slots */
} verso_native_pieces;

/* Divides what room there is, and sets the length of a step. Gives back what an earlier run has left elsewhere. */
void verso_native_pieces_open(verso_native_program_state *program, verso_native_pieces *pieces);
/* The recordings are not needed any more: gives back what is beyond about so many bytes. */
void verso_native_pieces_close(const verso_native_pieces *pieces, uint64_t bytes);
/* Steps of a run at most. */
uint64_t verso_native_pieces_most(const verso_native_pieces *pieces);
/* From the beginning of a walk to the end of the run, or until too much would have to be run again: then there are
 * none. */
verso_status verso_native_pieces_record(verso_native_program_state *program, verso_native_pieces *pieces,
                                        verso_error *error);
/* Forgets steps until those that are left fit beside everything else. */
void verso_native_pieces_fit(const verso_native_program_state *program, verso_native_pieces *pieces);
/* Reverses all that are there. */
verso_status verso_native_pieces_back(verso_native_program_state *program, verso_native_pieces *pieces,
                                      verso_error *error);

/* ---- scheduled.c ---- */

/* verso_native_sweep within a budget, or with a schedule. Leaves memory as the run left it; after a failure, and when
 * it was suspended, as it was before. */
verso_status verso_native_scheduled_sweep(const verso_native_options *options, verso_native_report *report);

/* ---- told.c ---- */

/* report->schedule, from what was played in so many steps, of report->steps. */
void verso_native_tell_schedule(const verso_schedule_spec *spec, uint64_t steps, verso_native_report *report);
/* The same, and a run report if one is wanted, of a run that was recorded at one go. */
void verso_native_tell_one_go(const verso_native_options *options, verso_native_report *report);
/* verso_native_reverse as options and settings say, with the file that VERSO_REPORT names. */
verso_status verso_native_reverse_told(verso_native_job *job, verso_native_settings *settings,
                                       const verso_native_options *options, verso_native_report *report);

/* ---- State ---- */

enum { VERSO_NATIVE_KEPT_RANGES = 64, VERSO_NATIVE_LEFT_OUT = 16 };

/* The user's function of a custom adjoint is running. */
typedef struct verso_native_custom {
    uint64_t mode; /* before */
    bool keeping;
    bool whole; /* what is kept is an adjoint in one piece's */
} verso_native_custom;

typedef struct verso_native_machine {
    atomic_bool busy; /* a differentiation runs */
    verso_native_job *job;

    struct {
        pthread_mutex_t lock; /* not in the arena: a copy of that must not hold it */
        atomic_int tried;     /* -1: cannot be had, 1: reserved */
        char *touched;        /* beyond it all bytes are zero */
        char *highest;        /* the end of the highest block ever */
    } arena;

    struct {
        bool reserved;
        verso_native_range program;
        bool fixed;          /* addresses are not random */
        const char *why_not; /* although that was asked for; NULL: it was not */
    } space;

    struct {
        verso_native_range kept[VERSO_NATIVE_KEPT_RANGES]; /* pages that are in memory: all others are not */
        size_t kept_count;
        bool known;  /* that this is so */
        size_t room; /* bytes that may still be kept */
        uint64_t faults;
        double began;
    } shadow;

    struct {
        char *host, *task; /* stack pointers of who is not running */
        char *lowest;      /* of the private stack's pages */
        void (*body)(void);
        uint64_t canary; /* see stack_go; 0: the process's own */
        bool away;       /* the private stack is running */
        verso_native_outcome outcome;
        struct sigaction before;
        stack_t stack_before;
    } stack;

    struct {
        uint64_t offset; /* where recordings begin */
        char *end;       /* where the guard begins */
        char *look;      /* state.tape_limit, but for cuts */
        uint64_t limit;  /* what was asked for */
        bool full;       /* the last failure was to run into it */
    } tape;

    struct verso_native_offloading *offload; /* NULL: the tape stays in memory */

    struct {
        uintptr_t function; /* that was differentiated within a budget last; 0: none */
        uint64_t tape;      /* bytes that recording all of it would have taken, about */
    } before;

    struct {
        bool on;
        verso_native_place at, start; /* where it stands; where the recording began */
        uint64_t leaf;
        uint64_t step, target; /* steps done; where to suspend */
        uint64_t forward;      /* steps in all */
        bool recording;
        bool watching; /* the tape has not moved since the recording began: later safepoints may look like its start */
        uint64_t repeats;   /* those that do */
        char *boundary;     /* the step ends here, */
        uint64_t spent;     /* or so many bytes earlier: loops that record nothing lower state.tape_limit */
        char *limit;        /* what state.tape_limit was set to */
        size_t memory_most; /* stack and heap at a boundary */
        size_t stack_most;  /* the stack alone */
        size_t tape_most;   /* the longest recording */
        size_t step_most;   /* the longest step */
        double seconds_forward, seconds_reverse;
    } walk;

    struct {
        bool on;
        verso_native_call_request request;
        const double *result;              /* adjoints of what the one that is recorded again returned; else NULL */
        bool advancing;                    /* one is run without recording: */
        char *tape;                        /* behind its snapshot, */
        size_t size;                       /* which is so long */
        bool again;                        /* one is recorded for its reversal; */
        uint64_t depth;                    /* how many have been entered and not left since */
        uint64_t snapshots;                /* so far */
        size_t peak;                       /* bytes of the tape */
        const verso_native_callsite *site; /* that was entered last */
        bool entered;                      /* a moment ago, and its callee has an adjoint in one piece */
        int64_t instead;                   /* bytes that its record would take more when its site were off */
        verso_calltree *tree;              /* what is watched; NULL: nothing is. */
        char *last;                        /* the tape at the event before */
        verso_native_watch watch;
        struct {
            verso_native_place at;
            uint64_t step, forward, spent;
            char *boundary;
        } walk; /* in front of the one that is being run */
    } calls;

    struct {
        const verso_native_capsule *base;
        bool comparing; /* it saves something */
        unsigned char *bits;
        size_t bits_size; /* of the capsule whose size was asked for last; 0: all of it is copied */
        verso_native_range left_out[VERSO_NATIVE_LEFT_OUT];
        size_t left_out_count;
    } capsule;

    struct {
        char *bytes; /* the log */
        size_t room;
        uint64_t size;                    /* of all entries; the run has come so far at most */
        uint64_t at;                      /* the run has come so far */
        const verso_native_outside *call; /* the entry at hand: whose it is, */
        bool first;                       /* whether it is being made, */
        uint64_t next, end;               /* its next byte; where it ends when it was made before */
        int errno_before;
        uint64_t handles[VERSO_NATIVE_HANDLES]; /* what it has to do with, */
        unsigned handle_count;
        bool changes;          /* and whether it changes the process; of a durable run */
        verso_native_log *log; /* NULL: in memory only */
        bool met;              /* a call was made since memory was put back last */
        void **blocks;         /* to be freed; some more than once */
        size_t block_count, block_room;
    } world;

    verso_native_callsite **sites; /* in the order of their places; NULL: nobody has asked */
    bool sites_told;               /* what VERSO_SITES and its kin say was done */
    verso_plan plan;               /* what texts of sites have said of budgets */
    bool profiled;                 /* the file that VERSO_PROFILE names is written */

    verso_native_generators generators; /* when one of them was first used */

    struct {
        verso_native_range *held; /* what capsules hold outside heap and stack, in order; NULL: not known yet */
        size_t held_count;
    } outside;

    struct {
        uint64_t changes;       /* of entries and suspects, so far; 0: there are none */
        verso_native_parts now; /* of a store that is being reversed, or differentiated */
        const void *data;       /* where it stores */
        verso_native_unfinished unfinished[VERSO_NATIVE_UNFINISHED];
        const char *suspect; /* where else a derivative became a NaN (look.c) */
        struct {
            bool any;                     /* were met, */
            uintptr_t first, last;        /* from here to there */
            verso_native_culprit culprit; /* what moved the last of them */
            verso_native_hidden hidden[VERSO_NATIVE_HIDDEN];
            unsigned hidden_count;
        } odd;
    } parts; /* part of an adjoint that is kept */

    verso_native_custom custom;
    struct {
        uint64_t depth;    /* fixed points whose step is recorded or reversed, one within the other */
        const char *where; /* the first of them */
    } fixed;

    bool reversing;
    verso_error failure;
} verso_native_machine;

extern verso_native_machine verso_native_runtime;

#endif
