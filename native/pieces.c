/* A run recorded as a whole, or as much of its end as fits. See native.h.
 *
 * The tape's part of the budget is a ring of equal slots, and the run is recorded in steps of a slot each. When all
 * slots are taken the oldest recording makes room. If the run ends soon after that, its end is reversed from the slots,
 * and only what was overwritten must be run again: a budget that is a little too small costs a little. Slots are used
 * again by the next gradient, too, since fresh pages are expensive. */
#include "native/native.h"

#include "base/wide.h"

/* A slot is worth it when it is several times longer than the spare room at its end. */
enum { SLOT_LEAST = 5, SLOTS_WANTED = VERSO_NATIVE_PIECES / 2 };
/* Where large pages begin: cheap to guard. */
#define LARGE_PAGE (UINT64_C(2) << 20)

/* Of the memory beside everything else and the spare room, which is among that. */
static void choose_slots(const verso_native_program_state *program, verso_native_pieces *pieces) {
    const verso_native_division *division = &program->division;
    uint64_t room = verso_native_room(division), all = room + division->longer;
    *pieces = (verso_native_pieces){.slots = 1, .slot = all};
    uint64_t slot = verso_max_u64(all / SLOTS_WANTED, SLOT_LEAST * division->longer);
    slot -= slot % (slot >= LARGE_PAGE ? LARGE_PAGE : VERSO_NATIVE_PAGE);
    bool can_be_run_again = room >= slot - division->longer + division->capsule;
    if (program->guarded && slot <= all / 2 && can_be_run_again)
        *pieces = (verso_native_pieces){.slots = all / slot, .slot = slot};
}

static verso_native_recording *piece_of(verso_native_pieces *pieces, uint64_t step) {
    return &pieces->recordings[step % pieces->slots];
}

void verso_native_pieces_open(verso_native_program_state *program, verso_native_pieces *pieces) {
    choose_slots(program, pieces);
    program->division.leaf = pieces->slot - program->division.longer;
    verso_native_tape_keep(pieces->slots * pieces->slot);
}

uint64_t verso_native_pieces_most(const verso_native_pieces *pieces) {
    return pieces->slots + pieces->slots / 2;
}

verso_status verso_native_pieces_record(verso_native_program_state *program, verso_native_pieces *pieces,
                                        verso_error *error) {
    verso_status status = VERSO_OK;
    uint64_t most = verso_native_pieces_most(pieces);
    while (status == VERSO_OK && !verso_native_runtime.walk.at.ended && pieces->end < most) {
        if (pieces->end - pieces->begin == pieces->slots)
            pieces->begin++;
        verso_native_tape_at(pieces->end % pieces->slots * pieces->slot);
        status = verso_native_program_go(program, pieces->end + 1, true, error);
        if (status != VERSO_OK)
            break;
        (void)verso_native_program_look(program);
        verso_native_recording *piece = piece_of(pieces, pieces->end++);
        *piece = verso_native_walk_keep();
        uint64_t used = (uint64_t)(piece->end - piece->begin) + (pieces->end - 1) % pieces->slots * pieces->slot;
        pieces->used = verso_max_u64(pieces->used, used);
    }
    if (!verso_native_runtime.walk.at.ended)
        pieces->begin = pieces->end;
    return status;
}

void verso_native_pieces_fit(const verso_native_program_state *program, verso_native_pieces *pieces) {
    const verso_native_division *division = &program->division;
    uint64_t beside = verso_native_beside(division) - division->longer + verso_native_stack_used();
    for (; pieces->begin < pieces->end; pieces->begin++) {
        const verso_native_recording *oldest = piece_of(pieces, pieces->begin);
        uint64_t last = (uint64_t)(piece_of(pieces, pieces->end - 1)->end - piece_of(pieces, pieces->end - 1)->begin);
        uint64_t needed = (pieces->end - pieces->begin - 1) * pieces->slot + last;
        if (verso_add_u64(beside, needed) <= division->memory)
            return;
        verso_native_drop(oldest->begin, oldest->begin + pieces->slot);
    }
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
