/* Memory of the recording (the tape) and of the reverse sweep (frames). See tape.h.
 *
 * Both ranges of addresses are so large that they are never exhausted; memory may be. Generated code does not
 * test for the end at every record: an inaccessible guard follows the bytes that the tape may take, and running
 * into it is a failure (stack.c). Without a limit, the machine's memory is the limit: from time to time a
 * safepoint checks how much is left.
 *
 * Getting pages is expensive, so they are kept for the next run. Beyond a few megabytes they are offered to the
 * system, which takes them only when it needs memory; beyond a part of the machine's memory they are given
 * back. */
#include "native/tape/tape.h"

#include "base/system.h"
#include "drive/signals.h"

#include <errno.h>
#include <string.h>

static struct {
    uint64_t base;    /* bytes at the beginning that hold a recording which is reversed last */
    uint64_t offset;  /* offset at which recordings begin */
    char *end;        /* beginning of the guard; NULL: there is none yet */
    char *next_check; /* tape address of the next check of the machine's memory */
    uint64_t limit;   /* maximum bytes of the tape */
    bool full;        /* the last failure was that the tape was full */
    bool paced;       /* another room sets state.tape_limit */
    bool reversing;   /* the reverse sweep runs */
    bool interrupted; /* SIGINT and SIGTERM end the run: see verso__native_tape_set_interrupted */
} tape_state;

/* Bytes of tape after which a safepoint checks the machine's memory for the first time. */
#define FIRST_CHECK (UINT64_C(256) << 20)
/* The same if signals end the run. */
#define HEED_CHECK (UINT64_C(4) << 20)
#define KEPT_AS_IT_IS (UINT64_C(64) << 20)
#define FRAMES_KEPT (UINT64_C(1) << 20)
/* The part of the machine's memory that is left to other processes (1 / LEFT_ALONE), and pages of one query. */
enum { LEFT_ALONE = 32, PAGES_ASKED = 256 };

char *verso__native_tape(void) {
    return verso__native_address(VERSO_NATIVE_TAPE_AT + tape_state.offset);
}

char *verso__native_tape_start(void) {
    return verso__native_address(VERSO_NATIVE_TAPE_AT + tape_state.base);
}

void verso__native_tape_base(uint64_t bytes) {
    tape_state.base = (bytes + VERSO_NATIVE_PAGE - 1) / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
    verso__native_tape_at(0);
}

void verso__native_tape_at(uint64_t offset) {
    tape_state.offset = tape_state.base + offset;
}

char *verso__native_frames(void) {
    return verso__native_address(VERSO_NATIVE_FRAMES_AT);
}

static char *tape_end(void) {
    return verso__native_address(VERSO_NATIVE_TAPE_AT + VERSO_NATIVE_TAPE_SIZE);
}

static char *advance(char *tape, uint64_t step) {
    uint64_t left = (uint64_t)(tape_end() - tape);
    return tape + (step < left ? step : left);
}

static void set_next_check(char *next) {
    tape_state.next_check = next;
    if (!tape_state.paced)
        verso__native_now.tape_limit = next;
}

/* The next check is when the tape has grown by a quarter of the available memory, so that memory is not
 * exhausted before. */
char *verso__native_tape_check_machine(char *tape) {
    uint64_t available = verso__native_available(), machine = verso__machine_memory();
    if (available == UINT64_MAX)
        return tape_end();
    if (available < machine / LEFT_ALONE)
        verso__native_give_up(
            VERSO_STATUS_NO_MEMORY,
            "the recording has taken %llu MiB, and the machine has %llu MiB left; give a memory budget",
            (unsigned long long)((uint64_t)(tape - verso__native_tape()) >> 20), (unsigned long long)(available >> 20));
    return advance(tape, available / 4);
}

void verso__native_tape_set_interrupted(bool interrupted) {
    tape_state.interrupted = interrupted;
}

bool verso__native_tape_is_interrupted(void) {
    return tape_state.interrupted;
}

void verso__native_tape_heed_signals(void) {
    if (tape_state.interrupted && verso__signals_came() != 0)
        verso__native_give_up(VERSO_STATUS_SUSPENDED, "a signal ended the run, which was not durable");
}

void verso__native_tape_pass(char *tape) {
    verso__native_tape_heed_signals();
    if (verso__native_offload_is_on()) {
        verso__native_offload_pass(tape);
        return;
    }
    char *next = verso__native_tape_check_machine(tape), *soon = advance(tape, HEED_CHECK);
    set_next_check(tape_state.interrupted && soon < next ? soon : next);
}

/* Moves the guard. `limit` is rounded up to whole pages; 0: no limit. Returns false if the system refuses. */
static bool move_guard(uint64_t limit) {
    char *end = tape_end() - VERSO_NATIVE_PAGE;
    if (limit != 0 && limit <= VERSO_NATIVE_TAPE_SIZE - 2 * VERSO_NATIVE_PAGE)
        end = verso__native_tape() + (limit + VERSO_NATIVE_PAGE - 1) / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
    char *before = tape_state.end;
    if (end == before)
        return true;
    if ((before != NULL && !verso__native_protect(before, tape_end(), true)) ||
        !verso__native_protect(end, tape_end(), false))
        return false;
    tape_state.end = end;
    tape_state.limit = (uint64_t)(end - verso__native_tape());
    return true;
}

void verso__native_tape_forget(void) {
    (void)verso__native_protect(verso__native_address(VERSO_NATIVE_TAPE_AT), tape_end(), true);
    tape_state.end = NULL;
}

static bool guard_frames(void) {
    char *end = verso__native_address(VERSO_NATIVE_FRAMES_AT + VERSO_NATIVE_FRAMES_SIZE);
    return tape_state.end != NULL || verso__native_protect(end - VERSO_NATIVE_PAGE, end, false);
}

verso_status verso__native_tape_guard(uint64_t limit, verso_error *error) {
    tape_state.full = false;
    if (!guard_frames() || !move_guard(limit))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "the end of the tape cannot be guarded: %s", strerror(errno));
    return VERSO_STATUS_OK;
}

verso_status verso__native_tape_open(size_t limit, bool divided, verso_error *error) {
    bool guarded = divided && verso__native_tape_end() != NULL;
    verso_status status = guarded ? VERSO_STATUS_OK : verso__native_tape_guard(limit, error);
    if (status != VERSO_STATUS_OK)
        return status;
    set_next_check(advance(verso__native_tape(), tape_state.interrupted ? HEED_CHECK : FIRST_CHECK));
    return VERSO_STATUS_OK;
}

static char *page_after(uint64_t address) {
    return verso__native_address((address + VERSO_NATIVE_PAGE - 1) / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE);
}

/* Frames are used from their start on without gaps, so that the first page that is not in memory was not used. */
static size_t frames_used(void) {
    unsigned char resident[PAGES_ASKED];
    uint64_t used = 0;
    size_t found = PAGES_ASKED;
    while (found == PAGES_ASKED && used < VERSO_NATIVE_FRAMES_SIZE) {
        found = verso__native_resident(verso__native_frames() + used, PAGES_ASKED, resident);
        used += found * VERSO_NATIVE_PAGE;
    }
    return (size_t)used;
}

void verso__native_tape_keep(uint64_t bytes) {
    if (bytes < VERSO_NATIVE_TAPE_SIZE)
        verso__native_drop(page_after(VERSO_NATIVE_TAPE_AT + tape_state.base + bytes), tape_end());
}

uint64_t verso__native_tape_resident(void) {
    unsigned char resident[PAGES_ASKED];
    uint64_t used = 0;
    size_t found = PAGES_ASKED;
    for (; found == PAGES_ASKED && used < VERSO_NATIVE_TAPE_SIZE; used += found * VERSO_NATIVE_PAGE)
        found = verso__native_resident(verso__native_address(VERSO_NATIVE_TAPE_AT + used), PAGES_ASKED, resident);
    return used;
}

size_t verso__native_tape_close(size_t used) {
    uint64_t most = verso__native_kept_most();
    char *offered = page_after(VERSO_NATIVE_TAPE_AT + KEPT_AS_IT_IS);
    char *dropped = page_after(VERSO_NATIVE_TAPE_AT + (most > KEPT_AS_IT_IS ? most : KEPT_AS_IT_IS));
    char *end = page_after(VERSO_NATIVE_TAPE_AT + used);
    verso__native_offer(offered, end < dropped ? end : dropped);
    verso__native_drop(dropped, end);
    size_t frames = frames_used();
    if (frames > FRAMES_KEPT)
        verso__native_drop(verso__native_frames() + FRAMES_KEPT, verso__native_frames() + frames);
    return frames;
}

void verso__native_tape_set_next_check(char *next, bool also) {
    tape_state.next_check = next;
    if (also)
        verso__native_now.tape_limit = next;
}

void verso__native_tape_set_paced(bool paced) {
    tape_state.paced = paced;
}

void verso__native_tape_set_reversing(bool reversing) {
    tape_state.reversing = reversing;
}

char *verso__native_tape_end(void) {
    return tape_state.end;
}

bool verso__native_tape_is_limited(void) {
    return tape_state.end != NULL && tape_state.end < tape_end() - VERSO_NATIVE_PAGE;
}

uint64_t verso__native_tape_limit(void) {
    return tape_state.limit;
}

char *verso__native_tape_next_check(void) {
    return tape_state.next_check;
}

bool verso__native_tape_is_full(void) {
    return tape_state.full;
}

void verso__native_tape_set_full(bool full) {
    tape_state.full = full;
}

/* ---- Faults ---- */

static bool is_between(const char *address, const char *begin, const char *end) {
    return address >= begin && address < end;
}

static char *end_of(uint64_t address, uint64_t size) {
    return verso__native_address(address + size);
}

/* Returns true if the address may be that of a cell of a number which has no shadow memory: far below all
 * program memory, or beyond all addresses. */
static bool is_missing_cell(const char *at) {
    bool accessing_cells = tape_state.reversing || verso__native_now.mode == VERSO_NATIVE_TANGENT;
    uint64_t address = (uintptr_t)at;
    return accessing_cells && ((address >= VERSO_NATIVE_TIB && address < VERSO_NATIVE_ARENA_AT) ||
                               address >= verso__native_covered[VERSO_NATIVE_COVERED - 1][1]);
}

void verso__native_tape_explain(const char *address) {
    bool full = is_between(address, tape_state.end, end_of(VERSO_NATIVE_TAPE_AT, VERSO_NATIVE_TAPE_SIZE));
    tape_state.full = full;
    if (full)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY,
                              "the recording takes more than the %llu bytes that it may; raise tape_limit",
                              (unsigned long long)tape_state.limit);
    if (verso__native_offload_is_file_only(address))
        verso__native_give_up(VERSO_STATUS_CORRUPT,
                              "the reverse sweep reads a part of the recording that is still in a file: internal error "
                              "(please report it)");
    if (is_between(address, end_of(VERSO_NATIVE_FRAMES_AT, VERSO_NATIVE_FRAMES_SIZE - VERSO_NATIVE_PAGE),
                   end_of(VERSO_NATIVE_FRAMES_AT, VERSO_NATIVE_FRAMES_SIZE)))
        verso__native_give_up(VERSO_STATUS_NO_MEMORY, "the reverse sweep's frames take more than %llu bytes",
                              (unsigned long long)VERSO_NATIVE_FRAMES_SIZE);
    if (is_missing_cell(address))
        verso__native_give_up(
            VERSO_STATUS_INVALID,
            "the program has numbers in memory for which Verso has no shadow memory (mapped at a fixed "
            "address, or by a program that is not position-independent); link with -pie, and let the "
            "system choose the addresses");
}
