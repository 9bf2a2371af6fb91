/* The passes whose result can be printed, by name: `verso cc --verso-dump=PASS`. cc.h says what they do. Known to the
 * driver, too, which has nothing of LLVM. */
#ifndef CC_PASSES_NAMED_H
#define CC_PASSES_NAMED_H

#define CC_PASSES_NAMED "merge", "reach", "base", "lower", "normal", "record", "tangent", "stub"
#define CC_PASSES_ALL "all"

#endif
