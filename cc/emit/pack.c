/* Combines scalar operations of adjoint code into vector operations (LLVM's SLP vectoriser), where that pays.
 *
 * Adjoint code adds to cells. Where one iteration of a loop adds to some neighbouring cells, and the next iteration to
 * most of them again, a vector is loaded that parts of several stores are in; processors cannot forward those, and wait
 * until they have reached the cache. So functions with such a loop are left out: reverse/reverse.c marks them. */
#include "cc/emit/emit.h"

#include <llvm-c/Support.h>

void cc_pack_scalars(cc_unit *unit) {
    static const char *const words[] = {"verso-transform", "-vectorize-slp=true"};
    LLVMParseCommandLineOptions(2, words, NULL);
    cc_run_passes_where(unit, CC_UNPACKED, false,
                        "function(slp-vectorizer,vector-combine,instcombine<no-verify-fixpoint>)");
}
