/* native/lib: replacements of C library functions, written in C, compiled to bitcode when Verso is built and
 * embedded in this program. Those that the program may need are linked into its module and differentiated like its
 * own functions.
 *
 * All of them get a linkage that LLVM's linker takes only on demand, so that a program contains only what it uses. */
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/front/threads.h"
#include "cc/ir/program.h"

#include <llvm-c/BitReader.h>
#include <string.h>

/* clang-format off */
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".globl cc_native_library\n"
        ".hidden cc_native_library\n"
        "cc_native_library:\n"
        ".incbin \"" VERSO_NATIVE_LIBRARY "\"\n"
        ".globl cc_native_library_end\n"
        ".hidden cc_native_library_end\n"
        "cc_native_library_end:\n"
        ".previous\n");
/* clang-format on */

extern const char cc_native_library[], cc_native_library_end[];

static LLVMModuleRef read_library(cc_unit *unit) {
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        cc_native_library, (size_t)(cc_native_library_end - cc_native_library), "native library");
    LLVMModuleRef module = NULL;
    bool failed = LLVMParseBitcodeInContext2(unit->context, buffer, &module);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed)
        cc_give_up(unit, VERSO_STATUS_CORRUPT,
                   "Verso's own library of C functions cannot be read: install Verso again");
    LLVMSetTarget(module, LLVMGetTarget(unit->program->module));
    return module;
}

/* Returns the name of the replacement in native/lib. LLVM's frexp names the type where C's has a suffix. */
static const char *library_name(cc_unit *unit, const char *name) {
    static const char *const endings[][2] = {{"f32", "f"}, {"f64", ""}, {"f80", "l"}};
    static const char intrinsic[] = "llvm.frexp.";
    if (strncmp(name, intrinsic, strlen(intrinsic)) == 0)
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            if (strncmp(name + strlen(intrinsic), endings[i][0], strlen(endings[i][0])) == 0)
                return cc_print(unit, "verso__lib_frexp%s", endings[i][1]);
    return cc_print(unit, "verso__lib_%s", name);
}

LLVMValueRef cc_library_version(cc_unit *unit, const char *name) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->program->module, library_name(unit, name));
    return function == NULL || LLVMIsDeclaration(function) ? NULL : function;
}

static void link_on_demand(LLVMValueRef value) {
    if (LLVMIsDeclaration(value) || LLVMGetLinkage(value) != LLVMExternalLinkage)
        return;
    LLVMSetLinkage(value, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(value, LLVMHiddenVisibility);
}

/* Declares, in the program, the functions of `library` that replace external functions of the program. Returns
 * false if nothing was missing. */
static bool declare_needed(cc_unit *unit, LLVMModuleRef library) {
    LLVMModuleRef module = unit->program->module;
    bool declared = false;
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at)) {
        const char *name = LLVMGetValueName(at);
        if (!LLVMIsDeclaration(at) || cc_known_find(name).class != CC_KNOWN_LIBRARY)
            continue;
        const char *own = library_name(unit, name);
        LLVMValueRef version = LLVMGetNamedFunction(library, own);
        if (version == NULL || LLVMGetNamedFunction(module, own) != NULL)
            continue;
        LLVMAddFunction(module, own, LLVMGlobalGetValueType(version));
        declared = true;
    }
    return declared;
}

/* Functions with state between calls must have one state only: makes the whole program call the replacements. */
static void use_one_state(cc_unit *unit) {
    static const char *const names[] = {"hcreate", "hdestroy", "hsearch", "l64a", "strtok"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef old = LLVMGetNamedFunction(unit->program->module, names[i]);
        LLVMValueRef version = cc_library_version(unit, names[i]);
        if (old != NULL && version != NULL && LLVMIsDeclaration(old) &&
            LLVMGlobalGetValueType(old) == LLVMGlobalGetValueType(version))
            LLVMReplaceAllUsesWith(old, version);
    }
}

/* A function of the library may call another one by its name in the C library, so the loop runs until nothing is
 * missing. */
void cc_link_library(cc_unit *unit) {
    cc_declare_teams(unit);
    for (;;) {
        LLVMModuleRef library = read_library(unit);
        if (!declare_needed(unit, library)) {
            LLVMDisposeModule(library);
            use_one_state(unit);
            return;
        }
        for (LLVMValueRef at = LLVMGetFirstFunction(library); at != NULL; at = LLVMGetNextFunction(at))
            link_on_demand(at);
        for (LLVMValueRef at = LLVMGetFirstGlobal(library); at != NULL; at = LLVMGetNextGlobal(at))
            link_on_demand(at);
        cc_link(unit, unit->program->module, library, "Verso's library of C functions");
    }
}
