/* Decides which instructions cannot be differentiated, and explains why and what to do.
 *
 * cc_refusal is used twice. reach.c calls it for every instruction that direct calls lead to, and reports an error
 * if the instruction certainly runs, a warning otherwise. lower/refused.c calls it in the base copy, and replaces
 * the instruction by a refusal at run time. */
#include "cc/front/refuse.h"
#include "cc/front/assembly.h"
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/front/machine.h"
#include "cc/front/marks.h"
#include "cc/front/rules.h"
#include "cc/front/threads.h"
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "native/state.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- Types ---- */

/* Returns the name of the first type that cannot be differentiated; NULL if there is none. */
static const char *refused_type(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return "half-precision numbers (_Float16, __bf16)";
    case LLVMFP128TypeKind:
    case LLVMPPC_FP128TypeKind: return "numbers of type __float128 (_Float128)";
    case LLVMScalableVectorTypeKind: return "vectors whose length is not known when compiling";
    case LLVMX86_MMXTypeKind:
    case LLVMX86_AMXTypeKind: return "MMX or AMX registers";
    case LLVMTargetExtTypeKind: return "a type of this processor alone";
    case LLVMPointerTypeKind:
        return LLVMGetPointerAddressSpace(type) == 0 ? NULL : "pointers into another address space";
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind: return refused_type(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
            const char *why = refused_type(LLVMStructGetTypeAtIndex(type, i));
            if (why != NULL)
                return why;
        }
        return NULL;
    default: return NULL;
    }
}

static const char *say_type(cc_unit *unit, const char *what) {
    return cc_print(unit,
                    "%s cannot be differentiated; use float, double or long double, or declare the function "
                    "VERSO_INACTIVE",
                    what);
}

static const char *refused_types(cc_unit *unit, LLVMValueRef instruction) {
    const char *what = refused_type(LLVMTypeOf(instruction));
    for (int i = 0; what == NULL && i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        if (operand != NULL && LLVMIsAFunction(operand) == NULL && !LLVMValueIsBasicBlock(operand))
            what = refused_type(LLVMTypeOf(operand));
    }
    return what == NULL ? NULL : say_type(unit, what);
}

/* ---- Calls ---- */

static bool has_number_or_pointer(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind:
    case LLVMIntegerTypeKind:
    case LLVMLabelTypeKind:
    case LLVMMetadataTypeKind:
    case LLVMTokenTypeKind: return false;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind: return has_number_or_pointer(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (has_number_or_pointer(LLVMStructGetTypeAtIndex(type, i)))
                return true;
        return false;
    default: return true;
    }
}

bool cc_has_number_or_pointer(cc_unit *unit, LLVMTypeRef type) {
    LLVMTypeRef *parameters = cc_alloc(unit, LLVMCountParamTypes(type), sizeof *parameters);
    LLVMGetParamTypes(type, parameters);
    bool found = has_number_or_pointer(LLVMGetReturnType(type)) || LLVMIsFunctionVarArg(type);
    for (unsigned i = 0; i < LLVMCountParamTypes(type); i++)
        found = found || has_number_or_pointer(parameters[i]);
    return found;
}

static bool call_has_number_or_pointer(LLVMValueRef call) {
    if (has_number_or_pointer(LLVMTypeOf(call)))
        return true;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (has_number_or_pointer(LLVMTypeOf(LLVMGetOperand(call, i))))
            return true;
    return false;
}

const char *cc_say_unknown(cc_unit *unit, const char *name, const char *how) {
    const char *neighbours = cc_rule_neighbours(unit, name);
    if (neighbours != NULL)
        return cc_print(unit,
                        "%s %s, a routine of BLAS or LAPACK without a rule in Verso. There are rules for %s; write it "
                        "with these, give it a derivative with VERSO_CUSTOM_ADJOINT(%s, ...), or declare it "
                        "VERSO_INACTIVE if no derivative goes through it",
                        how, name, neighbours, name);
    return cc_print(
        unit,
        "%s %s, which was not compiled by `verso cc` and whose derivative Verso does not know. Remedies: "
        "compile it with `verso cc` if it is C or C++; give it a derivative with VERSO_CUSTOM_ADJOINT(%s, ...) or "
        "VERSO_ADJOINT(%s, ...); declare it VERSO_INACTIVE if no derivative goes through it; or ask for a "
        "rule in Verso",
        how, name, name, name);
}

static const char *refused_assembly(cc_unit *unit, LLVMValueRef call) {
    if (cc_assembly_of(call) != CC_ASSEMBLY_NOT)
        return NULL;
    return cc_print(unit,
                    "inline assembly cannot be differentiated; write it in C, put it in a function of its own and "
                    "give that one a VERSO_CUSTOM_ADJOINT, or declare it VERSO_INACTIVE");
}

static const char *refused_pointer_call(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef called = LLVMGetCalledValue(call);
    if (LLVMIsAInlineAsm(called) != NULL)
        return refused_assembly(unit, call);
    if (LLVMIsAGlobalIFunc(called) != NULL)
        return cc_print(
            unit,
            "%s is chosen when the program is loaded (ifunc), so Verso cannot tell which function it is; call "
            "the one that is meant, or give it a VERSO_CUSTOM_ADJOINT",
            LLVMGetValueName(called));
    if (LLVMIsAFunction(called) == NULL)
        return NULL;
    LLVMTypeRef *types = cc_alloc(unit, LLVMGetNumArgOperands(call), sizeof *types);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        types[i] = LLVMTypeOf(LLVMGetOperand(call, i));
    if (cc_fits(unit, LLVMGetCalledFunctionType(call), types, LLVMGetNumArgOperands(call),
                LLVMGlobalGetValueType(called)))
        return NULL;
    return cc_print(
        unit,
        "%s is called with arguments that do not match its definition; declare it before the call as it is defined",
        LLVMGetValueName(called));
}

static bool is_harmless_intrinsic(const char *name) {
    static const char *const prefixes[] = {"llvm.dbg.",
                                           "llvm.lifetime.",
                                           "llvm.va_",
                                           "llvm.stacksave",
                                           "llvm.stackrestore",
                                           "llvm.assume",
                                           "llvm.experimental.noalias.scope.decl",
                                           "llvm.expect",
                                           "llvm.donothing"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static const char *refused_intrinsic(cc_unit *unit, const cc_member *member, LLVMValueRef call, const char *name) {
    return cc_masked_of(name) != CC_MASKED_NOT || cc_reduction_of(name) != CC_REDUCTION_NOT ||
                   cc_machine_of(call).operation != CC_MACHINE_NOT
               ? NULL
               : cc_say_intrinsic(unit, member->name, name);
}

/* Explains a call of MPI without an adjoint: the functions that have one are in include/verso/mpi. */
static const char *say_mpi(cc_unit *unit, const cc_member *member, const char *name) {
    static const char *const one_sided[] = {"MPI_Win_",        "MPI_Put",   "MPI_Get",
                                            "MPI_Rput",        "MPI_Rget",  "MPI_Accumulate",
                                            "MPI_Raccumulate", "MPI_Fetch", "MPI_Compare_and"};
    for (size_t i = 0; i < sizeof one_sided / sizeof *one_sided; i++)
        if (strncmp(name, one_sided[i], strlen(one_sided[i])) == 0)
            return cc_print(unit,
                            "%s calls %s: one-sided communication has no adjoint; use messages or collective calls, or "
                            "put it in a function with a VERSO_WORLD_ADJOINT",
                            member->name, name);
    if (strncmp(name, "MPI_File_", strlen("MPI_File_")) == 0)
        return cc_print(unit,
                        "%s calls %s: files of MPI have no adjoint; read before the function that is differentiated "
                        "and write after it, or declare %s VERSO_INACTIVE if no derivative goes through it",
                        member->name, name, member->name);
    return cc_print(unit,
                    "%s calls %s, for which there is no adjoint. If it is one of the functions listed in "
                    "docs/parallel.md, compile with mpicc, or name the folder of mpi.h by -I; otherwise use one of "
                    "those, or put it in a function with a VERSO_WORLD_ADJOINT",
                    member->name, name);
}

static const char *refused_known(cc_unit *unit, const cc_member *member, LLVMValueRef call, const char *name) {
    switch (cc_known_find(name).class) {
    case CC_KNOWN_NOT:
        if (!call_has_number_or_pointer(call) || member->inactive)
            return NULL;
        if (strncmp(name, "MPI_", strlen("MPI_")) == 0)
            return say_mpi(unit, member, name);
        return strncmp(name, "llvm.", strlen("llvm.")) == 0
                   ? refused_intrinsic(unit, member, call, name)
                   : cc_say_unknown(unit, name, cc_print(unit, "%s calls", member->name));
    case CC_KNOWN_THREAD:
        return cc_print(
            unit,
            "%s calls %s: threads that a program starts itself cannot be differentiated; use OpenMP or MPI, call the "
            "function directly, or declare %s VERSO_INACTIVE if no derivative goes through it",
            member->name, name, member->name);
    case CC_KNOWN_LIBRARY:
        if (strncmp(name, "__kmpc_", strlen("__kmpc_")) == 0)
            return cc_print(unit,
                            "%s uses a construct of OpenMP that Verso does not know (%s); see docs/parallel.md for "
                            "those that it knows",
                            member->name, name);
        return cc_library_version(unit, name) != NULL
                   ? cc_print(unit, "%s is declared with another type than in the C library; include its header", name)
                   : cc_print(unit, "%s is known to Verso, but its own library of C functions lacks it", name);
    default: return NULL;
    }
}

static const char no_exceptions[] = "C++ exceptions cannot be differentiated; do without throw and catch here";

static bool is_throw(const char *name) {
    static const char *const names[] = {"__cxa_throw", "__cxa_rethrow", "__cxa_allocate_exception",
                                        "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Returns whether the program catches exceptions from this call. Destructors that run during unwinding, and calls
 * of std::terminate for noexcept functions, do not count as catching. */
static bool catches(LLVMValueRef invoke) {
    LLVMBasicBlockRef block = LLVMGetUnwindDest(invoke);
    LLVMValueRef pad = LLVMGetFirstInstruction(block);
    while (pad != NULL && LLVMIsALandingPadInst(pad) == NULL)
        pad = LLVMGetNextInstruction(pad);
    if (pad == NULL)
        return true;
    for (LLVMValueRef at = pad; at != NULL; at = LLVMGetNextInstruction(at))
        if (LLVMIsACallInst(at) != NULL && strcmp(cc_callee_name(at), "__clang_call_terminate") == 0)
            return false;
    return LLVMGetNumClauses(pad) > 0;
}

static const char *refused_call(cc_unit *unit, const cc_member *member, LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    if (callee == NULL)
        return refused_pointer_call(unit, call);
    const char *name = LLVMGetValueName(callee);
    if (cc_forked(call) != NULL)
        return NULL;
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee)) && LLVMIsACallInst(call) != NULL &&
        LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
        return cc_print(unit, "passing all variable arguments on (to %s) cannot be differentiated; use a va_list",
                        name);
    if (strncmp(name, "llvm.threadlocal.address", strlen("llvm.threadlocal.address")) == 0)
        return cc_print(unit,
                        "%s is thread-local, and cannot be kept and restored while differentiating; drop "
                        "_Thread_local (thread_local)",
                        LLVMGetValueName(LLVMGetOperand(call, 0)));
    if (cc_is_root_call(call))
        return cc_print(
            unit, "%s is called within a function that is differentiated itself; one differentiation at a time", name);
    if (is_throw(name))
        return no_exceptions;
    if (strncmp(name, "llvm.eh.sjlj.", strlen("llvm.eh.sjlj.")) == 0)
        return "__builtin_setjmp and __builtin_longjmp cannot be differentiated; use setjmp and longjmp";
    if (is_harmless_intrinsic(name) || cc_is_fragment_mark(callee) || cc_is_inactive(unit, callee) ||
        cc_member_of(unit, callee) != NULL)
        return NULL;
    LLVMValueRef own = LLVMGetNamedFunction(unit->program->module, name);
    return own != NULL && !LLVMIsDeclaration(own) ? NULL : refused_known(unit, member, call, name);
}

/* ---- Other instructions ---- */

static bool is_thread_local(LLVMValueRef value) {
    if (LLVMIsAGlobalVariable(value) != NULL)
        return LLVMIsThreadLocal(value);
    for (int i = 0; LLVMIsAConstantExpr(value) != NULL && i < LLVMGetNumOperands(value); i++)
        if (is_thread_local(LLVMGetOperand(value, (unsigned)i)))
            return true;
    return false;
}

static const char *refused_operands(cc_unit *unit, LLVMValueRef instruction) {
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        if (operand != NULL && is_thread_local(operand))
            return cc_print(unit, "a thread-local variable cannot be kept and restored while differentiating; drop "
                                  "_Thread_local (thread_local)");
    }
    return NULL;
}

const char *cc_refusal(cc_unit *unit, const cc_member *member, LLVMValueRef instruction) {
    const char *why = NULL;
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCall: why = refused_call(unit, member, instruction); break;
    case LLVMInvoke:
        if (catches(instruction))
            return no_exceptions;
        why = refused_call(unit, member, instruction);
        break;
    case LLVMCallBr: return "inline assembly that jumps cannot be differentiated; write it in C";
    case LLVMVAArg: return "va_arg of this type cannot be differentiated; pass a pointer";
    default: break;
    }
    if (why == NULL)
        why = refused_operands(unit, instruction);
    return why != NULL || member->inactive ? why : refused_types(unit, instruction);
}

const char *cc_refusal_of_function(cc_unit *unit, const cc_member *member) {
    LLVMTypeRef type = LLVMGlobalGetValueType(member->program);
    unsigned count = LLVMCountParamTypes(type), leaves = 0;
    LLVMTypeRef *parameters = cc_alloc(unit, count, sizeof *parameters);
    LLVMGetParamTypes(type, parameters);
    const char *what = refused_type(LLVMGetReturnType(type));
    for (unsigned i = 0; i < count; i++) {
        what = what != NULL ? what : refused_type(parameters[i]);
        leaves += cc_leaf_count(unit, parameters[i]);
    }
    if (what != NULL)
        return say_type(unit, what);
    if (leaves > VERSO_NATIVE_LEAVES || cc_leaf_count(unit, LLVMGetReturnType(type)) > VERSO_NATIVE_LEAVES)
        return cc_print(unit, "%s takes or returns more than %d numbers by value; pass a pointer to them", member->name,
                        VERSO_NATIVE_LEAVES);
    if (LLVMGetEnumAttributeAtIndex(member->program, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    cc_attribute("naked")) != NULL)
        return cc_print(unit, "%s is written in assembly (naked); give it a VERSO_CUSTOM_ADJOINT", member->name);
    return member->refused;
}

/* ---- Refusing at run time ---- */

void cc_refuse_here(cc_unit *unit, LLVMValueRef instruction, const char *message) {
    LLVMValueRef text =
        cc_string(unit, cc_print(unit, "%s: %s", cc_where(unit, instruction), cc_demangled(unit, message)));
    LLVMMetadataRef line = LLVMInstructionGetDebugLoc(instruction);
    LLVMBasicBlockRef head = cc_split_before(unit, instruction);
    cc_build_at_end(unit, head);
    LLVMSetCurrentDebugLocation2(unit->builder, line);
    cc_call_runtime(unit, "verso__native_refuse", unit->none, &text, 1);
    LLVMBuildUnreachable(unit->builder);
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
}

void cc_reject(cc_unit *unit, const cc_member *member, LLVMValueRef instruction, const char *message) {
    cc_map certain = {0};
    if (member->certain)
        certain = cc_certain_blocks(unit, LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
    if (cc_map_get(&certain, LLVMGetInstructionParent(instruction)) != CC_NOT_FOUND) {
        cc_diagnose(unit, instruction, "%s", message);
        return;
    }
    if (member->direct)
        cc_warn(unit, instruction, message);
    cc_refuse_here(unit, instruction, message);
}
