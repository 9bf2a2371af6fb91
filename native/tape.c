/* Memory of the recording (the tape) and of the reverse sweep (frames). See native.h.
 *
 * Both are reserved large enough that addresses never end; memory does. Generated code does not test for the end at
 * every record: a guard that cannot be accessed lies behind the bytes that the tape may take, and running into it is a
 * failure (stack.c). Without a limit the machine's memory is the limit: from time to time a safepoint looks how much is
 * left.
 *
 * Pages are expensive to get and are kept for the next run. Beyond a few megabytes they are offered to the system,
 * which takes them only when it needs them; beyond a part of the machine's memory they are given back. */
#include "native/native.h"

#include "base/system.h"

#include <errno.h>
#include <string.h>

/* Bytes of tape after which a safepoint looks at the machine's memory for the first time. */
#define LOOK_FIRST (UINT64_C(256) << 20)
#define KEPT_AS_IT_IS (UINT64_C(64) << 20)
#define FRAMES_KEPT (UINT64_C(1) << 20)
/* What is left to the rest of the machine: a part of its memory. */
enum { LEFT_ALONE = 32, PAGES_ASKED = 256 };

char *verso_native_tape(void) {
    return verso_native_address(VERSO_NATIVE_TAPE_AT + verso_native_runtime.tape.offset);
}

void verso_native_tape_at(uint64_t offset) {
    verso_native_runtime.tape.offset = offset;
}

char *verso_native_frames(void) {
    return verso_native_address(VERSO_NATIVE_FRAMES_AT);
}

static char *tape_end(void) {
    return verso_native_address(VERSO_NATIVE_TAPE_AT + VERSO_NATIVE_TAPE_SIZE);
}

static char *behind(char *tape, uint64_t step) {
    uint64_t left = (uint64_t)(tape_end() - tape);
    return tape + (step < left ? step : left);
}

static void set_look(char *look) {
    verso_native_runtime.tape.look = look;
    if (!verso_native_runtime.walk.on)
        verso_native_now.tape_limit = look;
}

/* When the tape has grown by a quarter of what is left: so memory does not end in between. */
char *verso_native_tape_ask(char *tape) {
    uint64_t available = verso_native_available(), machine = verso_machine_memory();
    if (available == UINT64_MAX)
        return tape_end();
    if (available < machine / LEFT_ALONE)
        verso_native_give_up(
            VERSO_NO_MEMORY,
            "the recording has taken %llu MiB, and the machine has %llu MiB left; give a memory budget.",
            (unsigned long long)((uint64_t)(tape - verso_native_tape()) >> 20), (unsigned long long)(available >> 20));
    return behind(tape, available / 4);
}

void verso_native_tape_look(char *tape) {
    if (verso_native_runtime.offload != NULL)
        verso_native_offload_pass(tape);
    else
        set_look(verso_native_tape_ask(tape));
}

/* Moves the guard; `limit` is rounded up to whole pages. */
static bool move_guard(uint64_t limit) {
    char *end = tape_end() - VERSO_NATIVE_PAGE;
    if (limit != 0 && limit <= VERSO_NATIVE_TAPE_SIZE - 2 * VERSO_NATIVE_PAGE)
        end = verso_native_tape() + (limit + VERSO_NATIVE_PAGE - 1) / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
    char *before = verso_native_runtime.tape.end;
    if (end == before)
        return true;
    if ((before != NULL && !verso_native_protect(before, tape_end(), true)) ||
        !verso_native_protect(end, tape_end(), false))
        return false;
    verso_native_runtime.tape.end = end;
    verso_native_runtime.tape.limit = (uint64_t)(end - verso_native_tape());
    return true;
}

static bool guard_frames(void) {
    char *end = verso_native_address(VERSO_NATIVE_FRAMES_AT + VERSO_NATIVE_FRAMES_SIZE);
    return verso_native_runtime.tape.end != NULL || verso_native_protect(end - VERSO_NATIVE_PAGE, end, false);
}

verso_status verso_native_tape_guard(uint64_t limit, verso_error *error) {
    verso_native_runtime.tape.full = false;
    if (!guard_frames() || !move_guard(limit))
        return verso_fail(error, VERSO_NO_MEMORY, "the end of the tape cannot be guarded: %s.", strerror(errno));
    return VERSO_OK;
}

verso_status verso_native_tape_open(size_t limit, verso_error *error) {
    verso_status status = verso_native_tape_guard(limit, error);
    if (status != VERSO_OK)
        return status;
    set_look(behind(verso_native_tape(), LOOK_FIRST));
    return VERSO_OK;
}

static char *page_after(uint64_t address) {
    return verso_native_address((address + VERSO_NATIVE_PAGE - 1) / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE);
}

/* Frames are used from their start on without holes: the first page that is not in memory was not used. */
static size_t frames_used(void) {
    unsigned char resident[PAGES_ASKED];
    uint64_t used = 0;
    size_t found = PAGES_ASKED;
    while (found == PAGES_ASKED && used < VERSO_NATIVE_FRAMES_SIZE) {
        found = verso_native_resident(verso_native_frames() + used, PAGES_ASKED, resident);
        used += found * VERSO_NATIVE_PAGE;
    }
    return (size_t)used;
}

void verso_native_tape_keep(uint64_t bytes) {
    if (bytes < VERSO_NATIVE_TAPE_SIZE)
        verso_native_drop(page_after(VERSO_NATIVE_TAPE_AT + bytes), tape_end());
}

uint64_t verso_native_tape_resident(void) {
    unsigned char resident[PAGES_ASKED];
    uint64_t used = 0;
    size_t found = PAGES_ASKED;
    for (; found == PAGES_ASKED && used < VERSO_NATIVE_TAPE_SIZE; used += found * VERSO_NATIVE_PAGE)
        found = verso_native_resident(verso_native_address(VERSO_NATIVE_TAPE_AT + used), PAGES_ASKED, resident);
    return used;
}

size_t verso_native_tape_close(size_t used) {
    uint64_t most = verso_native_kept_most();
    char *offered = page_after(VERSO_NATIVE_TAPE_AT + KEPT_AS_IT_IS);
    char *dropped = page_after(VERSO_NATIVE_TAPE_AT + (most > KEPT_AS_IT_IS ? most : KEPT_AS_IT_IS));
    char *end = page_after(VERSO_NATIVE_TAPE_AT + used);
    verso_native_offer(offered, end < dropped ? end : dropped);
    verso_native_drop(dropped, end);
    size_t frames = frames_used();
    if (frames > FRAMES_KEPT)
        verso_native_drop(verso_native_frames() + FRAMES_KEPT, verso_native_frames() + frames);
    return frames;
}
