/* The reverse function of one function: native/state.h says how it is entered and left. */
#ifndef CC_REVERSE_H
#define CC_REVERSE_H

#include "cc/body.h"

/* What is being built. */
typedef struct cc_sweep {
    cc_unit *unit;
    cc_body *body;
    LLVMValueRef function;
    LLVMValueRef tape;      /* a variable: behind the last record that is not yet reversed */
    LLVMValueRef entries;   /* the switch */
    cc_segment *segment;    /* the one at hand */
    LLVMValueRef record;    /* its record */
    unsigned *frame_offset; /* by slot */
    unsigned frame_size;
    bool framed;    /* it hands over to others, and has a frame */
    bool in_memory; /* slots live in the frame: there are too many of them to move at every call */
} cc_sweep;

/* Requires a planned body whose function is not yet recorded. */
void cc_reverse_function(cc_body *body);
/* The reverse function of an inert function: never entered. */
void cc_reverse_unreachable(cc_unit *unit, cc_function *function);

/* ---- sweep_values.c: values and adjoints at the builder's place ---- */

/* The value that an item had in the program, in the segment at hand; constants are themselves. It must have been
 * planned. */
LLVMValueRef cc_sweep_value(cc_sweep *sweep, LLVMValueRef value);
/* The same, of a number (lane `lane` of it when it is a vector), as a double. */
LLVMValueRef cc_sweep_number(cc_sweep *sweep, LLVMValueRef value, unsigned lane);
/* Adds to an adjoint; nothing when the value has none. `amount` is NULL for zero. */
void cc_sweep_add(cc_sweep *sweep, LLVMValueRef value, unsigned leaf, LLVMValueRef amount);
/* The adjoint of an item, which is zero from here on; NULL: it is certainly zero. */
LLVMValueRef cc_sweep_take(cc_sweep *sweep, int item, unsigned leaf);
LLVMValueRef cc_sweep_zero(cc_sweep *sweep);
/* Adjoint arithmetic may ignore the sign of zero. */
LLVMValueRef cc_sweep_sum(cc_sweep *sweep, LLVMValueRef a, LLVMValueRef b);
/* A field of the record at hand. */
LLVMValueRef cc_sweep_field(cc_sweep *sweep, const cc_field *field);

LLVMValueRef cc_sweep_load_state(cc_sweep *sweep, LLVMTypeRef type, size_t offset);
void cc_sweep_store_state(cc_sweep *sweep, LLVMValueRef value, size_t offset);

/* ---- sweep_cells.c: shadow memory ---- */

/* Whether an instruction is not done again and again: see small.h. */
bool cc_sweep_apart(const cc_sweep *sweep, LLVMValueRef instruction);
/* Reverses a load or a store: adds the item's adjoint to the cells; takes the cells and adds them to the adjoint of
 * what is stored. */
void cc_sweep_read_cells(cc_sweep *sweep, int item, LLVMValueRef address, unsigned alignment);
void cc_sweep_write_cells(cc_sweep *sweep, LLVMValueRef store);

/* ---- sweep_items.c ---- */

/* Reverses one instruction that is neither a phi nor the end of a segment or block. */
void cc_sweep_item(cc_sweep *sweep, int item);

#endif
