/* Finds the rule of an instruction: arithmetic by its opcode, calls by the name of the function.
 *
 * Names of the C library come with a suffix for the type (sinf, sinl, sinf128, sinf32x), names of intrinsics with the
 * types they are overloaded by (llvm.sin.v4f32), those under a floating-point environment also with a prefix
 * (llvm.experimental.constrained.sin.f64). One rule serves them all. A function that the program defines is never
 * mistaken for the library's, whatever its name. */
#include "cc/leaves.h"
#include "cc/rules_math.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 32 }; /* more than the longest name has */

static int compare_name(const void *name, const void *rule) {
    return strcmp(name, ((const cc_rule *)rule)->name);
}

static const cc_rule *find(const char *name) {
    return bsearch(name, cc_rules_math, cc_rules_math_count, sizeof(cc_rule), compare_name);
}

static const cc_rule *find_without_suffix(const char *name) {
    static const char *const suffixes[] = {"f", "l", "f32", "f64", "f128", "f32x", "f64x"};
    char stem[NAME_BYTES];
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t tail = strlen(suffixes[i]);
        if (length <= tail || length - tail >= sizeof stem || strcmp(name + length - tail, suffixes[i]) != 0)
            continue;
        memcpy(stem, name, length - tail);
        stem[length - tail] = '\0';
        const cc_rule *rule = find(stem);
        if (rule != NULL)
            return rule;
    }
    return NULL;
}

/* `name` is what follows "llvm.": "sqrt.f64". */
static const cc_rule *find_intrinsic(const char *name, bool constrained) {
    static const char prefix[] = "llvm.";
    char stem[NAME_BYTES];
    size_t length = strcspn(name, ".");
    if (length + sizeof prefix > sizeof stem)
        return NULL;
    memcpy(stem, prefix, sizeof prefix - 1);
    memcpy(stem + sizeof prefix - 1, name, length);
    stem[sizeof prefix - 1 + length] = '\0';
    const char *plain = stem + sizeof prefix - 1;
    const cc_rule *rule = find(stem); /* what only LLVM has */
    if (rule == NULL)
        rule = find(plain);
    return rule == NULL && constrained ? cc_rules_arithmetic(plain) : rule;
}

const cc_rule *cc_rule_named(const char *name) {
    static const char constrained[] = "llvm.experimental.constrained.";
    if (strncmp(name, constrained, sizeof constrained - 1) == 0)
        return find_intrinsic(name + sizeof constrained - 1, true);
    if (strncmp(name, "llvm.", 5) == 0)
        return find_intrinsic(name + 5, false);
    const cc_rule *rule = find(name);
    return rule != NULL ? rule : find_without_suffix(name);
}

static bool gives_numbers(LLVMValueRef instruction) {
    LLVMTypeRef type = LLVMTypeOf(instruction);
    return cc_leaf_is_number(LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type);
}

static const cc_rule *rule_of_call(LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    if (callee == NULL || !LLVMIsDeclaration(callee) || !gives_numbers(call))
        return NULL;
    const cc_rule *rule = cc_rule_named(LLVMGetValueName(callee));
    return rule != NULL && LLVMGetNumArgOperands(call) >= rule->operands ? rule : NULL;
}

const cc_rule *cc_rule_of(LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMFAdd: return cc_rules_arithmetic("fadd");
    case LLVMFSub: return cc_rules_arithmetic("fsub");
    case LLVMFMul: return cc_rules_arithmetic("fmul");
    case LLVMFDiv: return cc_rules_arithmetic("fdiv");
    case LLVMFRem: return cc_rules_arithmetic("frem");
    case LLVMFNeg: return cc_rules_arithmetic("fneg");
    case LLVMFPExt: return cc_rules_arithmetic("fpext");
    case LLVMFPTrunc: return cc_rules_arithmetic("fptrunc");
    case LLVMCall: return rule_of_call(instruction);
    default: return NULL;
    }
}

/* Without the instruction, fma is a function that computes for a long time. */
static bool has_fma(LLVMValueRef instruction) {
    static const char features[] = "target-features";
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    LLVMAttributeRef attribute =
        LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, features, sizeof features - 1);
    unsigned length = 0;
    const char *value = attribute == NULL ? NULL : LLVMGetStringAttributeValue(attribute, &length);
    for (unsigned i = 0; value != NULL && i + 4 <= length; i++)
        if (memcmp(value + i, "+fma", 4) == 0 && (i + 4 == length || value[i + 4] == ','))
            return true;
    return false;
}

bool cc_rule_cheap(LLVMValueRef instruction) {
    static const char *const cheap[] = {"llvm.fabs.",         "llvm.copysign.", "llvm.fmuladd.",
                                        "llvm.canonicalize.", "llvm.maxnum.",   "llvm.minnum."};
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFNeg:
    case LLVMFPExt:
    case LLVMFPTrunc: return true;
    case LLVMCall: break;
    default: return false;
    }
    const char *name = cc_callee_name(instruction);
    for (size_t i = 0; i < sizeof cheap / sizeof *cheap; i++)
        if (strncmp(name, cheap[i], strlen(cheap[i])) == 0)
            return true;
    return strncmp(name, "llvm.fma.", strlen("llvm.fma.")) == 0 && has_fma(instruction);
}
