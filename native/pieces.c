/* A run recorded as a whole, or as much of its end as fits. See native.h.
 *
 * The tape's part of the budget is a ring of equal slots, and the run is recorded in steps of a slot each. When all
 * slots are taken the oldest recording makes room. If the run ends soon after that, its end is reversed from the slots,
 * and only what was overwritten must be run again: a budget that is a little too small costs a little. Slots are used
 * again by the next gradient, too, since fresh pages are expensive. */
#include "native/native.h"

#include "base/wide.h"

/* A recording is worth it when it is several times longer than what it is usually too long by. */
enum { LEAST_TIMES = 5, WANTED = VERSO_NATIVE_PIECES / 2 };
/* Where large pages begin: cheap to guard. */
#define LARGE_PAGE (UINT64_C(2) << 20)

static uint64_t whole_pages(const verso_native_pieces *pieces, uint64_t bytes) {
    return (bytes + pieces->page - 1) / pieces->page * pieces->page;
}

/* Recordings fill whole pages, and the slot behind one has room for the longest. */
static void choose_slots(const verso_native_program_state *program, verso_native_pieces *pieces) {
    const verso_native_division *division = &program->division;
    uint64_t room = verso_native_room(division), all = room + division->longer;
    *pieces = (verso_native_pieces){.slots = 1, .slot = all, .memory = all, .leaf = room, .page = VERSO_NATIVE_PAGE};
    uint64_t wanted = verso_max_u64(all / WANTED, LEAST_TIMES * VERSO_NATIVE_LONGER);
    uint64_t page = wanted >= LARGE_PAGE ? LARGE_PAGE : VERSO_NATIVE_PAGE;
    wanted -= wanted % page;
    bool can_be_run_again = room >= wanted + division->capsule;
    if (!program->guarded || wanted > all / 2 || !can_be_run_again)
        return;
    pieces->slots = verso_min_u64(all / wanted, VERSO_NATIVE_PIECES);
    pieces->page = page;
    pieces->leaf = wanted - VERSO_NATIVE_LONGER;
    pieces->slot = whole_pages(pieces, pieces->leaf + division->longer);
}

static verso_native_recording *piece_of(verso_native_pieces *pieces, uint64_t step) {
    return &pieces->recordings[step % pieces->slots];
}

static uint64_t length_of(verso_native_pieces *pieces, uint64_t step) {
    const verso_native_recording *piece = piece_of(pieces, step);
    return whole_pages(pieces, (uint64_t)(piece->end - piece->begin));
}

static uint64_t taken(verso_native_pieces *pieces) {
    uint64_t bytes = 0;
    for (uint64_t step = pieces->begin; step < pieces->end; step++)
        bytes += length_of(pieces, step);
    return bytes;
}

/* Gives back what a slot has in memory beyond so many bytes. */
static void trim_slot(const verso_native_pieces *pieces, uint64_t number, uint64_t bytes) {
    char *begin = verso_native_address(VERSO_NATIVE_TAPE_AT + number * pieces->slot);
    verso_native_drop(begin + bytes, begin + pieces->slot);
}

/* Makes room for `more` bytes. */
static void forget(verso_native_pieces *pieces, uint64_t more, uint64_t memory) {
    for (; pieces->begin < pieces->end && verso_add_u64(taken(pieces), more) > memory; pieces->begin++)
        trim_slot(pieces, pieces->begin % pieces->slots, 0);
}

void verso_native_pieces_open(verso_native_program_state *program, verso_native_pieces *pieces) {
    choose_slots(program, pieces);
    program->division.leaf = pieces->leaf;
    verso_native_tape_keep(pieces->slots * pieces->slot);
    for (uint64_t number = 0; number < pieces->slots; number++)
        trim_slot(pieces, number, whole_pages(pieces, pieces->leaf));
}

void verso_native_pieces_close(const verso_native_pieces *pieces, uint64_t bytes) {
    uint64_t slots = bytes / whole_pages(pieces, pieces->leaf);
    verso_native_tape_keep(slots * pieces->slot);
}

uint64_t verso_native_pieces_most(const verso_native_pieces *pieces) {
    return pieces->slots == 1 ? 1 : (pieces->memory + pieces->memory / 2) / pieces->leaf;
}

verso_status verso_native_pieces_record(verso_native_program_state *program, verso_native_pieces *pieces,
                                        verso_error *error) {
    verso_status status = VERSO_OK;
    uint64_t most = verso_native_pieces_most(pieces);
    while (status == VERSO_OK && !verso_native_runtime.walk.at.ended && pieces->end < most) {
        forget(pieces, pieces->slot, pieces->memory);
        if (pieces->end - pieces->begin == pieces->slots)
            pieces->begin++;
        uint64_t number = pieces->end % pieces->slots;
        verso_native_tape_at(number * pieces->slot);
        status = verso_native_program_go(program, pieces->end + 1, true, error);
        if (status != VERSO_OK)
            break;
        (void)verso_native_program_look(program);
        *piece_of(pieces, pieces->end++) = verso_native_walk_keep();
        trim_slot(pieces, number, length_of(pieces, pieces->end - 1));
        pieces->used = verso_max_u64(pieces->used, taken(pieces));
    }
    if (!verso_native_runtime.walk.at.ended)
        pieces->begin = pieces->end;
    return status;
}

void verso_native_pieces_fit(const verso_native_program_state *program, verso_native_pieces *pieces) {
    const verso_native_division *division = &program->division;
    uint64_t beside = verso_native_beside(division) - division->longer + verso_native_stack_used();
    forget(pieces, 0, division->memory > beside ? division->memory - beside : 0);
}

verso_status verso_native_pieces_back(verso_native_program_state *program, verso_native_pieces *pieces,
                                      verso_error *error) {
    verso_native_tape_at(0);
    verso_status status = verso_native_tape_guard(pieces->slots * pieces->slot, error);
    for (uint64_t step = pieces->end; status == VERSO_OK && step > pieces->begin; step--) {
        verso_native_walk_take(piece_of(pieces, step - 1));
        status = verso_native_program_back(program, error);
    }
    verso_native_tape_at(0);
    return status;
}
