/* Rolling sums: cells to which neighbouring iterations of a loop add.
 *
 * The adjoint of a[j - 1] + a[j] + a[j + 1] adds to three cells, and so does that of the next iteration, to two of
 * these three. Cells that one iteration writes and the next one reads keep LLVM from vectorising, and the processor
 * waits for them. Where the nest certainly does nothing else with these cells (ranges.h), the reverse function keeps a
 * sum for each of them in a variable. Each reversed iteration adds to all sums, adds to its cell only the sum that no
 * further iteration adds to, and hands the others on to the next iteration. Where the loop is entered, what is left
 * goes to its cells. LLVM vectorises such loops as recurrences. */
#ifndef CC_ROLLING_H
#define CC_ROLLING_H

#include "cc/plan/body.h"

/* Loads of an innermost loop that run in every iteration, at addresses that differ by numbers of steps of the loop. */
typedef struct cc_roll {
    int loop;
    int64_t step;            /* bytes by which an iteration moves the addresses */
    int last;                /* the first of the loads, which is reversed last */
    int64_t last_at;         /* its place */
    int64_t lowest, highest; /* places: numbers of steps from the address of some load */
    LLVMTypeRef type;        /* of the cells */
    LLVMValueRef *sums;      /* in the reverse function: variables for the places from the lowest to the highest */
    LLVMValueRef cell;       /* variable with the address of the highest cell in the last iteration that was reversed */
} cc_roll;

/* Finds the groups of a function. Requires `range` and `deferred` of its items; sets `roll` and `steps`. */
void cc_find_rolls(cc_body *body);
/* Returns whether a load of the first list and one of the second could be in one group. */
bool cc_could_roll(const cc_body *body, int nest, LLVMValueRef *loads, size_t count, LLVMValueRef *others,
                   size_t other_count);

#endif
