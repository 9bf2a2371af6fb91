/* Room `reverse`: makes f.record, which records a run, and f.reverse, which reverses it.
 *
 *   record.c         adds the code that writes the records to f.record
 *   dual.c           adds the advancing copy of the code, and safepoints
 *   reverse.c        builds f.reverse, segment by segment
 *   sweep_*.c        reverse single instructions; build values and adjoints; access cells
 *   words.c          adjoints of integers and pointers of quick functions
 *   slots.c          keeps values and adjoints that outlive a segment
 *   kept.c           finds stores that write the number that is there already
 *   rolling.c        sums what neighbouring iterations add to a cell
 *   callsite.c       handles calls that can be checkpointed
 *   effects_table.c  tells the run time what a checkpointed call may access; locals.c: which variables of the frame
 *   custom.c         handles calls with a custom adjoint
 *   guard.c          adds checks before writes to memory that capsules may not contain
 *   copies.c         copies what loop nests read repeatedly, and reads the copies
 *   shares.c         hands the calls of divided regions to the run time
 *   prefetch.c       prefetches the tape
 *
 * Requires: native/state.h, and what cc_record_all requires. Leaves: recording and reverse functions in the current
 * module. Owns: nothing that outlives the transformation of one function. */
#ifndef CC_REVERSE_REVERSE_H
#define CC_REVERSE_REVERSE_H

#include "cc/ir/program.h"

/* Plans and records all functions of unit->functions and builds their reverse functions. Requires lowered and
 * normalised functions, with all reverse functions declared; sets `inert` in unit->functions. */
void cc_record_all(cc_unit *unit);
/* Part of the names of all variables that are safepoint sites or call sites. */
#define CC_SITE_INFIX ".site."
/* Adds prefetches of the tape to the reverse functions of the current module. Call it after LLVM's optimiser. */
void cc_prefetch_tape(cc_unit *unit);

#endif
