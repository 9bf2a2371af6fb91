/* Removes from the copies what holds for the program but not for code that records it.
 *
 * A function that only reads memory writes the tape when it records; a function that always returns may be refused;
 * arguments that do not overlap may have shadow cells that do.
 *
 * Fast-math is removed, too: flags of instructions and attributes of functions. It permits LLVM to choose an order
 * of operations in each version that it optimises, but recording, advancing, reverse and tangent code must compute
 * the same bits. Reordering that clang has done before is the same in all versions. The program itself keeps
 * fast-math, so its last digits may differ; verso__native_program_fast tells the run time. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <string.h>

static const char *const of_function[] = {"memory",     "nofree",       "norecurse", "nosync",
                                          "willreturn", "speculatable", "noreturn",  "nocallback",
                                          "allocsize",  "allockind",    "optnone",   "mustprogress"};
static const char *const of_value[] = {"readonly", "readnone", "writeonly", "nocapture", "noalias",
                                       "returned", "nofree",   "allocptr",  "allocalign"};
static const char *const fast_strings[] = {"unsafe-fp-math", "no-infs-fp-math", "no-nans-fp-math",
                                           "approx-func-fp-math", "no-signed-zeros-fp-math"};
static const char family[] = "alloc-family";
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const LLVMAttributeIndex FUNCTION = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

void cc_strip_attributes(LLVMValueRef function) {
    for (size_t i = 0; i < LENGTH(of_function); i++)
        LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, cc_attribute(of_function[i]));
    LLVMRemoveStringAttributeAtIndex(function, FUNCTION, family, (unsigned)strlen(family));
    for (unsigned index = 0; index <= LLVMCountParams(function); index++)
        for (size_t i = 0; i < LENGTH(of_value); i++)
            LLVMRemoveEnumAttributeAtIndex(function, index, cc_attribute(of_value[i]));
}

void cc_strip_call(LLVMValueRef call) {
    LLVMSetTailCallKind(call, LLVMTailCallKindNone);
    LLVMValueRef callee = cc_callee(call);
    /* Functions that are not differentiated stay as they are. */
    if (callee != NULL && LLVMIsDeclaration(callee))
        return;
    for (size_t i = 0; i < LENGTH(of_function); i++)
        LLVMRemoveCallSiteEnumAttribute(call, FUNCTION, cc_attribute(of_function[i]));
    for (unsigned index = 0; index <= LLVMGetNumArgOperands(call); index++)
        for (size_t i = 0; i < LENGTH(of_value); i++)
            LLVMRemoveCallSiteEnumAttribute(call, index, cc_attribute(of_value[i]));
}

/* ---- Fast-math ---- */

static bool is_true(LLVMAttributeRef attribute) {
    unsigned length;
    return attribute != NULL && strcmp(LLVMGetStringAttributeValue(attribute, &length), "true") == 0;
}

/* Removes what fast-math asserts about NaNs and infinities in arguments and results. */
static void strip_classes(LLVMValueRef function) {
    unsigned kind = cc_attribute("nofpclass");
    for (unsigned index = 0; index <= LLVMCountParams(function); index++)
        LLVMRemoveEnumAttributeAtIndex(function, index, kind);
}

static void strip_classes_of_call(LLVMValueRef call) {
    unsigned kind = cc_attribute("nofpclass");
    for (unsigned index = 0; index <= LLVMGetNumArgOperands(call); index++)
        LLVMRemoveCallSiteEnumAttribute(call, index, kind);
}

/* Returns the flags that stay. Reductions of vectors have the flag reassoc even without fast-math: it means that
 * lanes are added in a tree. */
static LLVMFastMathFlags flags_kept(LLVMValueRef instruction) {
    static const char reduction[] = "llvm.vector.reduce.f";
    bool reduces = cc_is_call(instruction) && strncmp(cc_callee_name(instruction), reduction, strlen(reduction)) == 0;
    return reduces ? LLVMGetFastMathFlags(instruction) & LLVMFastMathAllowReassoc : LLVMFastMathNone;
}

/* Returns whether the result of the instruction is rounded to a float. */
static bool is_single(cc_unit *unit, LLVMValueRef instruction) {
    LLVMTypeRef type = LLVMTypeOf(instruction);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return type == unit->f32;
}

static bool computes_in_floats(cc_unit *unit, LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at))
        if (is_single(unit, at))
            return true;
    return false;
}

static bool strip_flags(cc_unit *unit, LLVMValueRef function) {
    bool any = false;
    for (LLVMValueRef next, at = cc_first(function); at != NULL; at = next) {
        next = cc_next(at);
        if (cc_is_call(at))
            strip_classes_of_call(at);
        if (!LLVMCanValueUseFastMathFlags(at) || LLVMGetFastMathFlags(at) == flags_kept(at))
            continue;
        cc_clear_fast_math(unit, at, flags_kept(at));
        any = true;
    }
    return any;
}

static bool strip_fast_math(cc_unit *unit, LLVMValueRef function) {
    bool any = strip_flags(unit, function);
    for (size_t i = 0; i < LENGTH(fast_strings); i++) {
        unsigned length = (unsigned)strlen(fast_strings[i]);
        any = is_true(LLVMGetStringAttributeAtIndex(function, FUNCTION, fast_strings[i], length)) || any;
        LLVMRemoveStringAttributeAtIndex(function, FUNCTION, fast_strings[i], length);
    }
    return any;
}

/* Removes fast-math from functions of the program that clang compiled at -O0 or -O1 (the driver marks them,
 * compile.c). The transformer optimises the whole program at the level of the linking command. With fast-math it
 * could choose another order of operations than clang has at the lower level, and vectorise, which the user has not
 * asked for. What clang has already done there is enough. */
static void keep_order(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->program->module); f != NULL; f = LLVMGetNextFunction(f))
        if (LLVMGetStringAttributeAtIndex(f, FUNCTION, CC_LEVEL, (unsigned)strlen(CC_LEVEL)) != NULL)
            (void)strip_fast_math(unit, f);
}

/* ---- Allocations ---- */

/* An optimiser that recognises allocations removes those whose address is not used. It would do so in the code that
 * advances, but not in the code that records, which uses the addresses. Blocks would then be at other addresses
 * when a run is repeated, and their adjoints would be lost. So the attributes that mark allocations are removed. */
static void keep_allocations(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
        LLVMRemoveEnumAttributeAtIndex(f, FUNCTION, cc_attribute("allockind"));
        LLVMRemoveStringAttributeAtIndex(f, FUNCTION, family, (unsigned)strlen(family));
    }
}

void cc_strip_base(cc_unit *unit) {
    keep_allocations(unit);
    keep_order(unit);
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
        strip_classes(f);
    for (size_t i = 0; i < unit->program->member_count; i++) {
        const cc_member *member = unit->program->members[i];
        cc_strip_attributes(member->base);
        unit->program->fast |= strip_fast_math(unit, member->base) ? VERSO_NATIVE_FAST_MATH : 0;
        unit->program->single = computes_in_floats(unit, member->base) || unit->program->single;
        if (member->inactive) /* its callers may be active */
            cc_forbid_inlining(unit, member->base);
        for (LLVMValueRef at = cc_first(member->base); at != NULL; at = cc_next(at))
            if (LLVMIsACallInst(at) != NULL)
                cc_strip_call(at);
    }
}
