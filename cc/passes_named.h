/* The names of the passes whose result `verso cc --verso-dump=PASS` prints. cc/ir/unit.h describes the passes. A
 * header of its own because the driver needs the names too, and the driver does not include LLVM. */
#ifndef CC_PASSES_NAMED_H
#define CC_PASSES_NAMED_H

#define CC_PASSES_NAMED "merge", "reach", "base", "lower", "normal", "second", "record", "tangent", "stub"
#define CC_PASSES_ALL "all"

#endif
