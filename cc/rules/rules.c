/* Finds the rule of an instruction: of arithmetic by its opcode, of calls by the name of the function.
 *
 * Names of the C library have a suffix for the type (sinf, sinl, sinf128, sinf32x), names of intrinsics end with
 * the types of the overload (llvm.sin.v4f32), and those of strict floating-point code have a prefix as well
 * (llvm.experimental.constrained.sin.f64). One rule serves them all. A function that the program defines itself has
 * no rule, even if its name is that of a library function. */
#include "cc/ir/leaves.h"
#include "cc/rules/rules_math.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 32 }; /* more than the length of any name in the table */

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

/* `name` is the part of the name after "llvm.", or after the prefix of constrained intrinsics: "sqrt.f64". */
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
    const cc_rule *rule = find(stem); /* a function that only LLVM has */
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

/* Returns whether adding this constant to an ordinary number rounds that number to an integer, or to a few binary
 * places: the constant is 1.5 times a power of two, or the smallest number above which all numbers are integers.
 * Programs round by adding and then subtracting it. */
static bool is_rounding_constant(LLVMValueRef constant) {
    LLVMTypeRef type = LLVMTypeOf(constant);
    if (LLVMIsConstant(constant) && LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, 0);
        for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
            if (LLVMGetAggregateElement(constant, i) != element)
                return false;
        return element != NULL && is_rounding_constant(element);
    }
    if (LLVMIsAConstantFP(constant) == NULL)
        return false;
    LLVMBool inexact;
    int exponent;
    double fraction = frexp(fabs(LLVMConstRealGetDouble(constant, &inexact)), &exponent);
    int digits = LLVMGetTypeKind(type) == LLVMFloatTypeKind      ? FLT_MANT_DIG
                 : LLVMGetTypeKind(type) == LLVMX86_FP80TypeKind ? LDBL_MANT_DIG
                                                                 : DBL_MANT_DIG;
    /* Smaller constants may be ordinary numbers. */
    int places = LLVMGetTypeKind(type) == LLVMFloatTypeKind ? 0 : 8;
    return (fraction == 0.75 && exponent <= digits && exponent >= digits - places) ||
           (fraction == 0.5 && exponent == digits);
}

static const cc_rule *rule_of_sum(LLVMValueRef sum, const char *name) {
    bool rounding = is_rounding_constant(LLVMGetOperand(sum, 0)) || is_rounding_constant(LLVMGetOperand(sum, 1));
    return cc_rules_arithmetic(rounding ? "rounding" : name);
}

const cc_rule *cc_rule_of(LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMFAdd: return rule_of_sum(instruction, "fadd");
    case LLVMFSub: return rule_of_sum(instruction, "fsub");
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

static bool is_single(cc_unit *unit, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return (LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type) == unit->f32;
}

LLVMTypeRef cc_rule_type(cc_unit *unit, LLVMValueRef instruction) {
    const cc_rule *rule = cc_rule_of(instruction);
    bool single = rule != NULL && is_single(unit, instruction);
    for (unsigned i = 0; single && i < rule->operands; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, i));
        single = is_single(unit, LLVMGetOperand(instruction, i)) || LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
    }
    return single ? unit->f32 : unit->f64;
}

/* Where the processor has no such instruction, fma is a slow library function. */
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
