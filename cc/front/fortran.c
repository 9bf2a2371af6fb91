/* native/lib/fortran: functions of flang's run-time library, written in C, compiled to bitcode when Verso is built
 * and embedded in this program. A program that calls them gets those that it needs as static functions, in place of
 * those of the run-time library: in all of its code, so that memory is allocated and freed by the same heap, and so
 * that a function computes the same bits whether it is differentiated or not.
 *
 * Requires: all modules are linked. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <llvm-c/BitReader.h>
#include <string.h>

/* clang-format off */
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".globl cc_fortran_library\n"
        ".hidden cc_fortran_library\n"
        "cc_fortran_library:\n"
        ".incbin \"" VERSO_FORTRAN_LIBRARY "\"\n"
        ".globl cc_fortran_library_end\n"
        ".hidden cc_fortran_library_end\n"
        "cc_fortran_library_end:\n"
        ".previous\n");
/* clang-format on */

extern const char cc_fortran_library[], cc_fortran_library_end[];

static bool begins(const char *name, const char *start) {
    return strncmp(name, start, strlen(start)) == 0;
}

static bool calls_fortran(LLVMModuleRef module) {
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        if (LLVMIsDeclaration(at) && begins(LLVMGetValueName(at), "_FortranA"))
            return true;
    return false;
}

static bool is_of_library(LLVMValueRef function) {
    const char *name = LLVMGetValueName(function);
    return !LLVMIsDeclaration(function) && (begins(name, "_FortranA") || begins(name, "verso__fortran_"));
}

/* flang does not extend small integers that it passes, as C requires. */
static void strip_extensions(LLVMValueRef function) {
    for (unsigned index = 0; index <= LLVMCountParams(function); index++) {
        LLVMRemoveEnumAttributeAtIndex(function, index, cc_attribute("zeroext"));
        LLVMRemoveEnumAttributeAtIndex(function, index, cc_attribute("signext"));
    }
}

static void strip_calls(LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at)) {
        if (!cc_is_call(at) || cc_callee(at) == NULL || !begins(LLVMGetValueName(cc_callee(at)), "_FortranA"))
            continue;
        for (unsigned index = 0; index <= LLVMGetNumArgOperands(at); index++) {
            LLVMRemoveCallSiteEnumAttribute(at, index, cc_attribute("zeroext"));
            LLVMRemoveCallSiteEnumAttribute(at, index, cc_attribute("signext"));
        }
    }
}

static void set_name(LLVMValueRef function, const char *name) {
    LLVMSetValueName2(function, name, strlen(name));
}

/* Makes a function of the library a static one of the program. It gets another name than flang's function, which it may
 * call. */
static void take(cc_unit *unit, LLVMValueRef function) {
    strip_extensions(function);
    strip_calls(function);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    if (begins(LLVMGetValueName(function), "_FortranA"))
        set_name(function, cc_print(unit, "fortran.%s", LLVMGetValueName(function) + strlen("_FortranA")));
}

/* Constants that are written as text need not be followed: lets such a call have flang's function. */
static void pass_constants(cc_unit *unit, LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at)) {
        const char *name = cc_is_call(at) && cc_callee(at) != NULL ? LLVMGetValueName(cc_callee(at)) : "";
        if (!begins(name, "fortran.ioOutputReal") && !begins(name, "fortran.ioOutputComplex"))
            continue;
        bool constant = true;
        for (unsigned i = 1; i < LLVMGetNumArgOperands(at); i++)
            constant = constant && LLVMIsConstant(LLVMGetOperand(at, i));
        LLVMValueRef flang =
            LLVMGetNamedFunction(unit->module, cc_print(unit, "_FortranA%s", name + strlen("fortran.")));
        if (constant && flang != NULL)
            cc_set_callee(at, flang);
    }
}

void cc_link_fortran(cc_unit *unit) {
    LLVMModuleRef module = unit->module, library = NULL;
    if (!calls_fortran(module))
        return;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        cc_fortran_library, (size_t)(cc_fortran_library_end - cc_fortran_library), "Fortran library");
    bool failed = LLVMGetBitcodeModuleInContext2(unit->context, buffer, &library); /* reads functions on demand */
    if (failed)
        cc_give_up(unit, VERSO_STATUS_CORRUPT,
                   "Verso's own library of Fortran functions cannot be read: install Verso again");
    LLVMSetTarget(library, LLVMGetTarget(module));
    for (LLVMValueRef at = LLVMGetFirstFunction(library); at != NULL; at = LLVMGetNextFunction(at))
        if (!LLVMIsDeclaration(at) && LLVMGetLinkage(at) == LLVMExternalLinkage) {
            LLVMSetLinkage(at, LLVMLinkOnceODRLinkage);
            LLVMSetVisibility(at, LLVMHiddenVisibility);
        }
    cc_link(unit, module, library, "Verso's library of Fortran functions");
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        if (is_of_library(at))
            take(unit, at);
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at != NULL; at = LLVMGetNextGlobal(at))
        if (begins(LLVMGetValueName(at), "verso__fortran_"))
            LLVMSetLinkage(at, LLVMInternalLinkage);
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        if (begins(LLVMGetValueName(at), "verso__real_"))
            set_name(at, cc_print(unit, "_FortranA%s", LLVMGetValueName(at) + strlen("verso__real_")));
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        pass_constants(unit, at);
}

void cc_mark_inactive_statements(cc_unit *unit) {
    LLVMValueRef next = LLVMGetNamedGlobal(unit->module, "verso__fortran_next_inactive");
    if (next == NULL)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!cc_is_inactive(unit, f))
            continue;
        for (LLVMValueRef at = cc_first(f); at != NULL; at = cc_next(at)) {
            if (!cc_is_call(at) || cc_callee(at) == NULL || !begins(LLVMGetValueName(cc_callee(at)), "fortran.ioBegin"))
                continue;
            cc_build_before(unit, at);
            LLVMBuildStore(unit->builder, LLVMConstInt(LLVMInt8TypeInContext(unit->context), 1, false), next);
        }
    }
}
