/* Inline assembly that can be differentiated: text without effect, code that computes integers, and single
 * instructions of vector arithmetic. assembly.c parses it, lower/assembly.c replaces it. */
#ifndef CC_ASSEMBLY_H
#define CC_ASSEMBLY_H

#include "cc/ir/unit.h"

typedef enum cc_assembly_kind {
    CC_ASSEMBLY_NOT,        /* anything else */
    CC_ASSEMBLY_IDLE,       /* only comments, barriers and fences, and every result is one of the operands */
    CC_ASSEMBLY_INTEGERS,   /* computes integers from integers without memory: cpuid, rdtsc. Executed once and logged
                               where a run is repeated */
    CC_ASSEMBLY_ARITHMETIC, /* one instruction: addpd, vmaxps, vfmadd231pd ... */
} cc_assembly_kind;

/* Classifies a call of inline assembly. */
cc_assembly_kind cc_assembly_of(LLVMValueRef call);

enum { CC_ASSEMBLY_OUTPUTS = 30 }; /* maximum number of outputs */
/* An output, and the input that shares its register or memory. */
typedef struct cc_assembly_output {
    LLVMValueRef address; /* address of an output in memory; NULL: it is a result of the call */
    LLVMValueRef input;   /* value that is there before the first instruction; NULL: unknown */
} cc_assembly_output;
typedef struct cc_assembly_outputs {
    cc_assembly_output outputs[CC_ASSEMBLY_OUTPUTS];
    unsigned count;   /* number of outputs */
    unsigned results; /* number of outputs that are results of the call */
} cc_assembly_outputs;
/* Reads the outputs of a call of inline assembly. Returns false if there are too many, or if it may jump. */
bool cc_assembly_outputs_of(LLVMValueRef call, cc_assembly_outputs *outputs);

/* The instruction of CC_ASSEMBLY_ARITHMETIC: a op b; for FMA, a b + c, where product and c may be negated. */
typedef enum cc_assembly_operation {
    CC_ASSEMBLY_ADD,
    CC_ASSEMBLY_SUB,
    CC_ASSEMBLY_MUL,
    CC_ASSEMBLY_DIV,
    CC_ASSEMBLY_MIN,
    CC_ASSEMBLY_MAX,
    CC_ASSEMBLY_SQRT, /* of `a` alone */
    CC_ASSEMBLY_FMA,
} cc_assembly_operation;
typedef struct cc_assembly_arithmetic {
    cc_assembly_operation operation;
    LLVMValueRef a, b, c;
    bool negate_product, negate_c;
} cc_assembly_arithmetic;
/* Parses a call of inline assembly as one arithmetic instruction. Returns false if it is something else. */
bool cc_assembly_arithmetic_of(LLVMValueRef call, cc_assembly_arithmetic *arithmetic);

#endif
