/* What the files that build reverse functions share. native/state.h says how a reverse function is entered and left.
 */
#ifndef CC_REVERSE_H
#define CC_REVERSE_H

#include "cc/ir/memory_scopes.h"
#include "cc/plan/body.h"
#include "native/state.h"

/* A reverse function that is being built. */
typedef struct cc_sweep {
    cc_unit *unit;
    cc_body *body;
    LLVMValueRef function;
    LLVMValueRef tape;      /* variable with the end of the last record that is not reversed yet */
    LLVMValueRef entries;   /* the switch over state.entry */
    cc_segment *segment;    /* the current segment */
    LLVMValueRef record;    /* address of its record */
    unsigned *frame_offset; /* for each slot, its offset in the frame in bytes */
    unsigned frame_size;    /* in bytes; a multiple of 16 */
    unsigned frame_zero;    /* the bytes at its beginning where adjoints are permanently; they are zero at first */
    unsigned frame_stays;   /* ... where any slots are permanently */
    LLVMValueRef frame;     /* its end; NULL: there are no such slots */
    bool framed;            /* it has a frame, because other reverse functions run before it is done */
    bool *stays;            /* for each slot, whether it is in the frame permanently */
    cc_memories memories;   /* of the function */
} cc_sweep;

/* Builds the reverse function of a function. Requires cc_plan(body) and that the function has no recording code yet.
 */
void cc_reverse_function(cc_body *body);
/* Builds the reverse function of an inert function, which is never entered. */
void cc_reverse_unreachable(cc_unit *unit, cc_function *function);

/* ---- slots.c: variables that outlive a segment ---- */

/* Sets `framed`, `stays` and the layout of the frame. */
void cc_sweep_lay_out_frame(cc_sweep *sweep);
/* Builds the frame, in the code for entering from the function's return. */
void cc_sweep_open_frame(cc_sweep *sweep);
/* Builds the variables, at the entry; `entry` is the value of state.entry. */
void cc_sweep_place_slots(cc_sweep *sweep, LLVMValueRef entry);
void cc_sweep_store_slot(cc_sweep *sweep, int slot, LLVMValueRef value);
LLVMValueRef cc_sweep_load_slot(cc_sweep *sweep, int slot);
/* Builds the address of a slot. */
LLVMValueRef cc_sweep_slot_address(cc_sweep *sweep, int slot);
LLVMValueRef cc_sweep_frame_end(cc_sweep *sweep);
/* Copy the slots in `live` to the frame, and back, except those that are in the frame permanently. */
void cc_sweep_save_slots(cc_sweep *sweep, const bool *live);
void cc_sweep_restore_slots(cc_sweep *sweep, const bool *live);
/* Set slots to zero: cc_born_in_segment, cc_born_on_edge; except those that are in the frame permanently. */
void cc_sweep_begin_in_segment(cc_sweep *sweep, int segment);
void cc_sweep_begin_on_edge(cc_sweep *sweep, int from, int to);
void cc_sweep_begin_on_shortcut(cc_sweep *sweep, int from, int to);

/* ---- sweep_values.c: values and adjoints, built at the builder ---- */

/* Builds the value that an item had in the recorded run, in the current segment; constants are returned unchanged.
 * The value must have been planned. */
LLVMValueRef cc_sweep_value(cc_sweep *sweep, LLVMValueRef value);
/* As cc_sweep_value, but converts a number (of a vector, lane `lane`) to unit->rule_type. */
LLVMValueRef cc_sweep_number(cc_sweep *sweep, LLVMValueRef value, unsigned lane);
/* Builds the addition of `amount`, a float or a double, to the adjoint of a leaf. No-op if the value has no adjoint, or
 * if `amount` is NULL, which means zero. */
void cc_sweep_add(cc_sweep *sweep, LLVMValueRef value, unsigned leaf, LLVMValueRef amount);
/* Returns the adjoint of a leaf of an item and sets it to zero; NULL if it is certainly zero. */
LLVMValueRef cc_sweep_take(cc_sweep *sweep, int item, unsigned leaf);
LLVMValueRef cc_sweep_zero(cc_sweep *sweep); /* returns zero as a double */
/* Builds a + b, which have one type, in arithmetic that may ignore the sign of zero. */
LLVMValueRef cc_sweep_sum(cc_sweep *sweep, LLVMValueRef a, LLVMValueRef b);
/* Builds a load of a field of the current record. */
LLVMValueRef cc_sweep_field(cc_sweep *sweep, const cc_field *field);

/* Build accesses to the member of verso__native_now at `offset`. */
LLVMValueRef cc_sweep_load_state(cc_sweep *sweep, LLVMTypeRef type, size_t offset);
void cc_sweep_store_state(cc_sweep *sweep, LLVMValueRef value, size_t offset);
/* Stores an adjoint, NULL for zero, as a double. */
void cc_sweep_store_adjoint(cc_sweep *sweep, LLVMValueRef adjoint, size_t offset);

/* ---- sweep_cells.c: shadow memory ---- */

/* Returns whether the small functions for this instruction should not be inlined (ir/small.h), because it is not in
 * a loop or a recursive function. */
bool cc_sweep_apart(const cc_sweep *sweep, LLVMValueRef instruction);
/* Reverses a load: adds the adjoint of the item to the cells at `address`. */
void cc_sweep_read_cells(cc_sweep *sweep, int item, LLVMValueRef address, unsigned alignment);
/* Reverses a store: adds the cells to the adjoint of the stored value, and clears them. */
void cc_sweep_write_cells(cc_sweep *sweep, LLVMValueRef store);

/* Build accesses to the cell at `cell`; the program's load or store `of` accesses its number. */
LLVMValueRef cc_sweep_load_cell(cc_sweep *sweep, LLVMValueRef of, LLVMValueRef cell, verso__native_kind kind);
void cc_sweep_store_cell(cc_sweep *sweep, LLVMValueRef of, LLVMValueRef value, LLVMValueRef cell,
                         verso__native_kind kind);
/* Builds the address of the cell of the float or double at `address`. */
LLVMValueRef cc_sweep_cell(cc_sweep *sweep, LLVMValueRef address, unsigned alignment, verso__native_kind kind);

/* ---- rolling.c: rolling sums (plan/rolling.h) ---- */

/* Builds the variables, in the entry of the reverse function. */
void cc_sweep_make_rolls(cc_sweep *sweep);
/* Sets the sums of a loop that was left to zero. */
void cc_sweep_begin_rolls(cc_sweep *sweep, int loop);
/* Reverses a load of a group. */
void cc_sweep_roll(cc_sweep *sweep, int item);
/* Adds to their cells what is left of the sums of loops that are entered at the end of a segment. */
void cc_sweep_end_rolls(cc_sweep *sweep, int segment);

/* ---- sweep_chosen.c: selections ---- */

/* Finds the operations of the segment that cc_sweep_if_chosen is about. Call it before its items are reversed. */
void cc_sweep_find_choices(cc_sweep *sweep);
/* Reverses a selection. */
void cc_sweep_select(cc_sweep *sweep, int item);
/* Returns what an operation adds to the adjoint of its operand `to`: if the operation only serves one operand of
 * selections, and `to` other things, too, builds `adjoint` where that operand was selected, and zero elsewhere. */
LLVMValueRef cc_sweep_if_chosen(cc_sweep *sweep, int item, LLVMValueRef to, LLVMValueRef adjoint);

/* ---- sweep_items.c ---- */

/* Reverses one instruction, other than a phi, a return, a terminator, or a call that ends a segment. */
void cc_sweep_item(cc_sweep *sweep, int item);

#endif
