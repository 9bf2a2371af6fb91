/* Recognises names that later rooms lower. */
#include "cc/front/marks.h"

#include <string.h>

bool cc_is_fragment_mark(LLVMValueRef callee) {
    const char *name = LLVMGetValueName(callee);
    return strcmp(name, CC_FRAGMENT_BEGIN) == 0 || strcmp(name, CC_FRAGMENT_END) == 0;
}

/* Returns the index in `names`, from 1, of the name that follows `prefix` in `name`; 0 if there is none. */
static unsigned find(const char *name, const char *prefix, const char *const *names, unsigned count) {
    if (strncmp(name, prefix, strlen(prefix)) == 0)
        for (unsigned i = 1; i < count; i++)
            if (strncmp(name + strlen(prefix), names[i], strlen(names[i])) == 0)
                return i;
    return 0;
}

cc_reduction cc_reduction_of(const char *name) {
    static const char *const names[] = {
        [CC_REDUCTION_SUM] = "fadd.",   [CC_REDUCTION_PRODUCT] = "fmul.",     [CC_REDUCTION_MOST] = "fmax.",
        [CC_REDUCTION_LEAST] = "fmin.", [CC_REDUCTION_MAXIMUM] = "fmaximum.", [CC_REDUCTION_MINIMUM] = "fminimum."};
    return (cc_reduction)find(name, "llvm.vector.reduce.", names, sizeof names / sizeof *names);
}

cc_masked cc_masked_of(const char *name) {
    static const char *const names[] = {
        [CC_MASKED_LOAD] = "load.",       [CC_MASKED_STORE] = "store.",       [CC_MASKED_GATHER] = "gather.",
        [CC_MASKED_SCATTER] = "scatter.", [CC_MASKED_EXPAND] = "expandload.", [CC_MASKED_COMPRESS] = "compressstore."};
    return (cc_masked)find(name, "llvm.masked.", names, sizeof names / sizeof *names);
}
