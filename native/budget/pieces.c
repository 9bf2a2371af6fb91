/* Recordings of a whole run, or of as much of its end as fits. See budget.h.
 *
 * The tape's part of the budget is a ring of equal slots, and the run is recorded in steps of a slot each. When
 * all slots are used, the oldest recording is overwritten. If the run ends soon after that, its end is reversed
 * from the slots, and only the overwritten steps must be run again: a budget that is a little too small costs a
 * little time. The next gradient uses the same slots, because fresh pages are expensive. */
#include "native/budget/budget.h"

#include "base/wide.h"

/* Slots are at least LEAST_TIMES as long as what a recording usually exceeds its length by; WANTED slots are
 * tried first. */
enum { LEAST_TIMES = 5, WANTED = VERSO_NATIVE_PIECES / 2 };
enum { LOG_LITTLE = 64 << 10 };
/* The size of a huge page: guards at its multiples are cheap. */
#define LARGE_PAGE (UINT64_C(2) << 20)

static uint64_t whole_pages(const verso__native_pieces *pieces, uint64_t bytes) {
    return (bytes + pieces->page - 1) / pieces->page * pieces->page;
}

/* Chooses number and size of the slots. A recording takes whole pages, and each slot has room for the longest
 * one. */
static void choose_slots(const verso__native_program_state *program, verso__native_pieces *pieces) {
    const verso__native_division *division = &program->division;
    uint64_t room = verso__native_room(division), all = room + division->end + division->longer;
    *pieces = (verso__native_pieces){
        .slots = 1, .slot = all, .memory = all, .leaf = room + division->end, .page = VERSO_NATIVE_PAGE};
    uint64_t wanted = verso__max_u64(all / WANTED, LEAST_TIMES * VERSO_NATIVE_LONGER);
    uint64_t page = wanted >= LARGE_PAGE ? LARGE_PAGE : VERSO_NATIVE_PAGE;
    wanted -= wanted % page;
    bool can_be_run_again = room >= wanted + division->capsule;
    if (!program->guarded || wanted > all / 2 || !can_be_run_again)
        return;
    pieces->slots = verso__min_u64(all / wanted, VERSO_NATIVE_PIECES);
    pieces->page = page;
    pieces->leaf = wanted - VERSO_NATIVE_LONGER;
    pieces->slot = whole_pages(pieces, pieces->leaf + division->longer);
}

static verso__native_recording *piece_of(verso__native_pieces *pieces, uint64_t step) {
    return &pieces->recordings[step % pieces->slots];
}

static uint64_t length_of(verso__native_pieces *pieces, uint64_t step) {
    const verso__native_recording *piece = piece_of(pieces, step);
    return whole_pages(pieces, (uint64_t)(piece->end - piece->begin));
}

static uint64_t taken(verso__native_pieces *pieces) {
    uint64_t bytes = 0;
    for (uint64_t step = pieces->begin; step < pieces->end; step++)
        bytes += length_of(pieces, step);
    return bytes;
}

/* Gives back the memory of a slot except for its first `bytes` bytes. */
static void trim_slot(const verso__native_pieces *pieces, uint64_t number, uint64_t bytes) {
    char *begin = verso__native_tape_start() + number * pieces->slot;
    verso__native_tape_drop(begin + bytes, begin + pieces->slot);
}

/* The log of the outside world shares the tape's memory: gives back the memory of slots that an earlier
 * gradient left. Returns the bytes of the log. */
static uint64_t leave_to_log(verso__native_pieces *pieces) {
    uint64_t log = verso__native_world_bytes() + verso__native_lasting_bytes();
    if (log > LOG_LITTLE && !pieces->bare) {
        for (uint64_t number = pieces->end; number < pieces->slots; number++)
            trim_slot(pieces, number, 0);
        pieces->bare = true;
    }
    return verso__min_u64(log, pieces->memory);
}

/* Drops the oldest recordings until the others and `more` bytes fit into `memory` bytes. */
static void forget(verso__native_pieces *pieces, uint64_t more, uint64_t memory) {
    for (; pieces->begin < pieces->end && verso__add_u64(taken(pieces), more) > memory; pieces->begin++)
        trim_slot(pieces, pieces->begin % pieces->slots, 0);
}

void verso__native_pieces_open(verso__native_program_state *program, verso__native_pieces *pieces) {
    choose_slots(program, pieces);
    program->division.leaf = pieces->leaf;
    verso__native_tape_keep(pieces->slots * pieces->slot);
    for (uint64_t number = 0; number < pieces->slots; number++)
        trim_slot(pieces, number, whole_pages(pieces, pieces->leaf));
}

void verso__native_pieces_close(const verso__native_pieces *pieces, uint64_t bytes) {
    uint64_t slots = bytes / whole_pages(pieces, pieces->leaf);
    verso__native_tape_keep(slots * pieces->slot);
}

uint64_t verso__native_pieces_most(const verso__native_pieces *pieces) {
    return pieces->slots == 1 ? 1 : (pieces->memory + pieces->memory / 2) / pieces->leaf;
}

verso_status verso__native_pieces_record(verso__native_program_state *program, verso__native_pieces *pieces,
                                         verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    uint64_t most = verso__native_pieces_most(pieces);
    while (status == VERSO_STATUS_OK && !verso__native_place_now()->ended && pieces->end < most) {
        forget(pieces, pieces->slot, pieces->memory - leave_to_log(pieces));
        if (pieces->end - pieces->begin == pieces->slots)
            pieces->begin++;
        uint64_t number = pieces->end % pieces->slots;
        verso__native_tape_at(number * pieces->slot);
        status = verso__native_program_go(program, program->before + pieces->end + 1, true, error);
        if (status != VERSO_STATUS_OK)
            break;
        if (pieces->begin > 0) /* these steps will be run again */
            (void)verso__native_program_measure_capsule(program);
        *piece_of(pieces, pieces->end++) = verso__native_walk_keep();
        trim_slot(pieces, number, length_of(pieces, pieces->end - 1));
        pieces->used = verso__max_u64(pieces->used, taken(pieces));
    }
    if (!verso__native_place_now()->ended)
        pieces->begin = pieces->end;
    return status;
}

static uint64_t beside(const verso__native_division *division) {
    return verso__native_count_other_bytes(division) - division->longer;
}

/* If nothing is run again, no copy of the memory at the end of the run is needed. */
bool verso__native_pieces_fit(const verso__native_program_state *program, verso__native_pieces *pieces) {
    const verso__native_division *division = &program->division;
    return pieces->begin == 0 && verso__add_u64(beside(division) - division->end, taken(pieces)) <= division->memory;
}

void verso__native_pieces_forget(const verso__native_program_state *program, verso__native_pieces *pieces) {
    const verso__native_division *division = &program->division;
    forget(pieces, 0, division->memory > beside(division) ? division->memory - beside(division) : 0);
    pieces->used = taken(pieces); /* there were no cells while they took more */
}

verso_status verso__native_pieces_reverse(verso__native_program_state *program, verso__native_pieces *pieces,
                                          verso_error *error) {
    verso__native_tape_at(0);
    verso_status status = verso__native_tape_guard(pieces->slots * pieces->slot, error);
    for (uint64_t step = pieces->end; status == VERSO_STATUS_OK && step > pieces->begin; step--) {
        verso__native_walk_take(piece_of(pieces, step - 1));
        status = verso__native_program_reverse(program, error);
    }
    verso__native_tape_at(0);
    return status;
}
