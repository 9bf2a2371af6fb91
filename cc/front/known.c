/* Classifies calls. A function with a body in the module is never taken for one of the C library; otherwise rules,
 * intrinsics and the table of known functions decide.
 *
 * Intrinsics that are not listed here are refused like any unknown function, unless a lowering handles them:
 * reductions of vectors of numbers (lower/reductions.c), masked loads and stores (lower/masked.c), the processor's
 * own (front/machine.c). They come only from hand-written vector code, because programs are transformed before
 * LLVM's vectorisers run. */
#include "cc/front/known.h"
#include "cc/rules/rules.h"

#include <string.h>

static bool starts_with(const char *name, const char *start) {
    return strncmp(name, start, strlen(start)) == 0;
}

/* ---- Names ---- */

/* Returns whether `name` is one of the words, or one of them followed by a dot and types: "abs.i32". */
static bool is_overload(const char *name, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (starts_with(name, words[i]) && (name[strlen(words[i])] == '\0' || name[strlen(words[i])] == '.'))
            return true;
    return false;
}

/* No derivative comes out of these: most concern integers, pointers or assumptions of the optimiser. The sign, the
 * class and the nearest integer of a number are piecewise constant. */
static const char *const passing_intrinsics[] = {"abs",
                                                 "allow.runtime.check",
                                                 "allow.ubsan.check",
                                                 "annotation",
                                                 "assume",
                                                 "bitreverse",
                                                 "bswap",
                                                 "clear_cache",
                                                 "ctlz",
                                                 "ctpop",
                                                 "cttz",
                                                 "dbg",
                                                 "debugtrap",
                                                 "donothing",
                                                 "experimental.constrained.fcmp",
                                                 "experimental.constrained.fcmps",
                                                 "experimental.constrained.fptosi",
                                                 "experimental.constrained.fptoui",
                                                 "experimental.constrained.llrint",
                                                 "experimental.constrained.llround",
                                                 "experimental.constrained.lrint",
                                                 "experimental.constrained.lround",
                                                 "experimental.constrained.sitofp",
                                                 "experimental.constrained.uitofp",
                                                 "experimental.noalias.scope.decl",
                                                 "expect",
                                                 "fptosi.sat",
                                                 "fptoui.sat",
                                                 "frameaddress",
                                                 "fshl",
                                                 "fshr",
                                                 "get.fpenv",
                                                 "get.fpmode",
                                                 "get.rounding",
                                                 "instrprof",
                                                 "invariant",
                                                 "is.constant",
                                                 "is.fpclass",
                                                 "launder.invariant.group",
                                                 "lifetime",
                                                 "llrint",
                                                 "llround",
                                                 "load.relative",
                                                 "lrint",
                                                 "lround",
                                                 "objectsize",
                                                 "prefetch",
                                                 "pseudoprobe",
                                                 "ptr.annotation",
                                                 "ptrmask",
                                                 "public.type.test",
                                                 "reset.fpenv",
                                                 "reset.fpmode",
                                                 "returnaddress",
                                                 "sadd.sat",
                                                 "sadd.with.overflow",
                                                 "scmp",
                                                 "sdiv.fix",
                                                 "set.fpenv",
                                                 "set.fpmode",
                                                 "set.rounding",
                                                 "sideeffect",
                                                 "smax",
                                                 "smin",
                                                 "smul.fix",
                                                 "smul.fix.sat",
                                                 "smul.with.overflow",
                                                 "sshl.sat",
                                                 "ssub.sat",
                                                 "ssub.with.overflow",
                                                 "stackprotector",
                                                 "stackrestore",
                                                 "stacksave",
                                                 "strip.invariant.group",
                                                 "thread.pointer",
                                                 "threadlocal.address",
                                                 "trap",
                                                 "type.test",
                                                 "uadd.sat",
                                                 "uadd.with.overflow",
                                                 "ubsantrap",
                                                 "ucmp",
                                                 "udiv.fix",
                                                 "umax",
                                                 "umin",
                                                 "umul.fix",
                                                 "umul.with.overflow",
                                                 "ushl.sat",
                                                 "usub.sat",
                                                 "usub.with.overflow",
                                                 "va_copy",
                                                 "va_end",
                                                 "va_start",
                                                 "var.annotation",
                                                 "vector.reduce.add",
                                                 "vector.reduce.and",
                                                 "vector.reduce.mul",
                                                 "vector.reduce.or",
                                                 "vector.reduce.smax",
                                                 "vector.reduce.smin",
                                                 "vector.reduce.umax",
                                                 "vector.reduce.umin",
                                                 "vector.reduce.xor",
                                                 "vscale",
                                                 "x86.sse.ldmxcsr",
                                                 "x86.sse2.clflush"};
/* Read the processor's clock or its random numbers. */
static const char *const asking_intrinsics[] = {"readcyclecounter", "x86.rdrand", "x86.rdseed", "x86.rdtsc",
                                                "x86.rdtscp"};
static const char *const copying_intrinsics[] = {"memcpy", "memcpy.inline", "memmove"};
static const char *const setting_intrinsics[] = {"memset", "memset.inline"};
static const char *const jumping_intrinsics[] = {"eh.sjlj.setjmp", "eh.sjlj.longjmp"};
static const char *const own_intrinsics[] = {"frexp.f64.i32"};

#define IS(name, words) is_overload(name, words, sizeof(words) / sizeof *(words))

static cc_known find_intrinsic(const char *name) {
    const char *stem = name + strlen("llvm.");
    if (strstr(stem, ".element.unordered.atomic") != NULL)
        return (cc_known){name, CC_KNOWN_NOT, "", CC_WORLD_NOT};
    if (IS(stem, copying_intrinsics))
        return (cc_known){name, CC_KNOWN_MEMORY, "c", CC_WORLD_NOT};
    if (IS(stem, setting_intrinsics))
        return (cc_known){name, CC_KNOWN_MEMORY, "s", CC_WORLD_NOT};
    if (IS(stem, jumping_intrinsics))
        return (cc_known){name, CC_KNOWN_JUMP, "", CC_WORLD_NOT};
    if (IS(stem, own_intrinsics))
        return (cc_known){name, CC_KNOWN_LIBRARY, "", CC_WORLD_NOT};
    if (strcmp(stem, "x86.sse.stmxcsr") == 0)
        return (cc_known){name, CC_KNOWN_WRITES, "0i", CC_WORLD_NOT};
    if (IS(stem, asking_intrinsics))
        return (cc_known){name, CC_KNOWN_READS, "", CC_WORLD_ONCE};
    return (cc_known){name, IS(stem, passing_intrinsics) ? CC_KNOWN_READS : CC_KNOWN_NOT, "", CC_WORLD_NOT};
}

/* Finds families of functions whose names begin alike. Of C++ these are output streams, strings, and the nodes of
 * maps and lists. The __throw_ functions, which containers call when they are misused, end the program, since
 * differentiated code has no exceptions. */
static cc_known find_family(const char *name) {
    static const struct {
        const char *start;
        cc_known_class class;
        cc_world world;
    } families[] = {{"__kmpc_flush", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"__kmpc_", CC_KNOWN_LIBRARY, CC_WORLD_NOT},
                    {"GOMP_", CC_KNOWN_THREAD, CC_WORLD_NOT},
                    {"_ZNSt6thread", CC_KNOWN_THREAD, CC_WORLD_NOT},
                    {"verso.thread.copy", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"verso__native_", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"omp_", CC_KNOWN_READS, CC_WORLD_ONCE},
                    {"_ZNSo", CC_KNOWN_READS, CC_WORLD_ONCE},
                    {"_ZStlsI", CC_KNOWN_READS, CC_WORLD_ONCE},
                    {"_ZSt16__ostream_insert", CC_KNOWN_READS, CC_WORLD_ONCE},
                    {"_ZSt4endlI", CC_KNOWN_READS, CC_WORLD_ONCE},
                    {"_ZSt5flushI", CC_KNOWN_READS, CC_WORLD_ONCE},
                    {"_ZNSt6locale", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZNKSt6locale", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZNSt8ios_base", CC_KNOWN_READS, CC_WORLD_ONCE},
                    {"_ZNSt9basic_ios", CC_KNOWN_READS, CC_WORLD_ONCE},
                    {"_ZNSt7__cxx1112basic_string", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZNKSt7__cxx1112basic_string", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZNKSt5ctypeIcE", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZSt18_Rb_tree_", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZSt29_Rb_tree_insert_and_rebalance", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZSt28_Rb_tree_rebalance_for_erase", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZNSt8__detail", CC_KNOWN_READS, CC_WORLD_NOT},
                    {"_ZNKSt8__detail", CC_KNOWN_READS, CC_WORLD_NOT}};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (starts_with(name, families[i].start))
            return (cc_known){name, families[i].class, "", families[i].world};
    const char *rest = starts_with(name, "_ZSt") ? name + strlen("_ZSt") : "";
    bool throws = starts_with(rest + strspn(rest, "0123456789"), "__throw_");
    return (cc_known){name, throws ? CC_KNOWN_READS : CC_KNOWN_NOT, "", CC_WORLD_NOT};
}

const char *cc_without_version(const char *name) {
    static const char *const dates[] = {"__isoc99_", "__isoc23_"};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        if (starts_with(name, dates[i]))
            return name + strlen(dates[i]);
    return name;
}

cc_known cc_known_find(const char *name) {
    if (cc_rule_named(name) != NULL)
        return (cc_known){name, CC_KNOWN_RULE, "", CC_WORLD_NOT};
    if (starts_with(name, "llvm."))
        return find_intrinsic(name);
    if (starts_with(name, "_FortranA") || starts_with(name, "verso__fortran_"))
        return cc_known_fortran(name);
    cc_known known = cc_known_in_table(cc_without_version(name));
    if (known.class == CC_KNOWN_NOT)
        return find_family(name);
    known.name = name;
    return known;
}

/* ---- Calls ---- */

static cc_call_kind kind_of_memory(const char *how) {
    switch (how[0]) {
    case 'c': return CC_CALL_COPY;
    case 's': return CC_CALL_CLEAR;
    case 'a': return CC_CALL_ALLOCATE;
    default: return CC_CALL_FREE;
    }
}

cc_call_kind cc_call_kind_of(const cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    if (callee == NULL)
        return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) ? CC_CALL_PASS : CC_CALL_FOLLOWED;
    const cc_function *function = cc_function_find(unit, callee);
    if (function != NULL)
        return function->inert ? CC_CALL_PASS : CC_CALL_FOLLOWED;
    if (!LLVMIsDeclaration(callee))
        return CC_CALL_PASS;
    const char *name = LLVMGetValueName(callee);
    if (strcmp(name, "verso.written") == 0)
        return CC_CALL_WRITTEN;
    if (strcmp(name, "verso.changed") == 0)
        return CC_CALL_CHANGED;
    if (starts_with(name, "verso.custom"))
        return CC_CALL_CUSTOM;
    if (cc_rule_of(call) != NULL)
        return CC_CALL_RULE;
    cc_known known = cc_known_find(name);
    return known.class == CC_KNOWN_MEMORY ? kind_of_memory(known.writes) : CC_CALL_PASS;
}

/* Returns the arguments whose product is the size: "01" for calloc. */
static const char *size_of_allocation(LLVMValueRef call) {
    cc_known known = cc_known_find(cc_callee_name(call));
    return known.class == CC_KNOWN_MEMORY && known.writes[0] == 'a' ? known.writes + 1 : "";
}

LLVMValueRef cc_call_allocated(cc_unit *unit, LLVMValueRef call, LLVMValueRef (*operand)(void *, unsigned),
                               void *context) {
    LLVMValueRef size = cc_i64(unit, 1);
    for (const char *argument = size_of_allocation(call); *argument != '\0'; argument++)
        size = LLVMBuildMul(unit->builder, size, operand(context, (unsigned)(*argument - '0')), "");
    return size;
}

unsigned cc_call_allocated_operands(LLVMValueRef call) {
    unsigned operands = 0;
    for (const char *argument = size_of_allocation(call); *argument != '\0'; argument++)
        operands |= 1u << (*argument - '0');
    return operands;
}
