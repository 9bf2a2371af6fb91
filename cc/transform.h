/* The entry point of the transformer.
 *
 * transform.c runs the passes in this order; `--dump PASS` prints the module after a pass:
 *
 *   merge     front/module.c    links the bitcode of all files into one module, the program as the user wrote it
 *             front/tidy.c      makes calls uniform that front ends write in different ways
 *   reach     front/reach.c     finds the functions to differentiate: from the arguments of verso_gradient and similar
 *                               functions, through calls and functions whose address is taken; refuses what cannot be
 *                               differentiated, with file:line
 *   base      lower/copy.c      copies these functions to a module of their own, under the names f.base
 *   lower     lower/            replaces what later passes do not handle: marked fragments, variadic functions, byval,
 *                               computed goto, switch, long jumps, C library functions that lib/ replaces, that write
 *                               memory or use the outside world (front/known.c)
 *   normal    lower/normal.c    runs LLVM's passes for one return, simplified loops and closed SSA; then
 *                               lower/apart.c joins numbers that they took apart, and, in programs with numbers of
 *                               several kinds, types/ turns numbers that are only moved into integers;
 *                               lower/conditions.c computes numbers that decide a branch where they are used after it;
 *                               types/classes.c finds which memory holds numbers, and which integers only
 *   tangent   tangent/          makes f.tangent in a copy, function by function
 *   record    reverse/record.c  makes f.record and f.reverse in another copy, function by function:
 *             plan/inert.c        finds functions that do not concern derivatives
 *             plan/graph.c        finds blocks, predecessors, dominators, loops; divides blocks into segments
 *             plan/ranges.c       makes versions of loop nests that copy what they read to the tape once
 *             plan/strips.c       divides innermost loops into strips, with safepoints between them
 *             plan/active.c       finds values that carry derivatives that are used (with types/bits_*.c and
 *                                 plan/doubts.c for numbers treated as bits)
 *             plan/effects.c      finds what calls may access, for snapshots of checkpointed calls
 *             plan/plan.c         decides what is recorded, what is computed again, and which values need slots
 *                                 (plan/live.c)
 *             plan/records.c      lays out the records
 *             reverse/reverse.c   builds the reverse function (with sweep_*.c)
 *             reverse/locals.c    lists variables of the frame that other functions may access
 *             reverse/guard.c     adds checks before writes to memory that capsules may not contain
 *             reverse/record.c    adds the code that writes the records
 *   second    second/           if the program asks for second derivatives: recording and reverse functions are made
 * once
 *                               more, and compute tangents, too
 *   stub      lower/stub.c      in the program, makes each function whose address is taken test the mode on entry and
 *                               continue in the version for that mode
 *   emit      emit/emit.c       runs LLVM's optimiser and writes object files, part by part (emit/divide.c), several at
 *                               a time (emit/parallel.c), or takes them from the cache (emit/keys.c).
 *                               reverse/prefetch.c makes reverse functions prefetch the tape. A version that the
 *                               program never runs is not made */
#ifndef CC_TRANSFORM_H
#define CC_TRANSFORM_H

#include "cc/ir/request.h"

#include <verso/status.h>

/* Transforms the program in request->inputs and writes the object file request->object. Sets *diagnostics, also on
 * failure, to the messages about the program, one per line ("" if there are none); the caller frees it with free().
 * It is NULL only if memory ran out. Returns VERSO_STATUS_INVALID if the program cannot be differentiated, and
 * another status with a message in `error` (may be NULL) if the transformation fails. */
verso_status cc_transform(const cc_request *request, char **diagnostics, verso_error *error);

#endif
