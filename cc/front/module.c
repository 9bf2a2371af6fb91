/* Modules as a whole: reading bitcode, linking, running LLVM's passes, verifying.
 *
 * A diagnostic handler of LLVM's context stores LLVM's errors, so that LLVM prints nothing itself; an error ends
 * the transformation. Which definition of a symbol wins, common symbols, COMDAT groups and equal local names are
 * left to LLVM's linker. */
#include "cc/front/front.h"
#include "cc/front/threads.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

/* LLVM's diagnostic handler: keeps the text of the last error in *context. */
static void keep_error(LLVMDiagnosticInfoRef info, void *context) {
    char **last = context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    LLVMDisposeMessage(*last);
    *last = LLVMGetDiagInfoDescription(info);
}

/* Returns the kept error on one line, in memory of the region, and disposes of *last; a fixed text if LLVM reported
 * none. */
static const char *take_error(cc_unit *unit, char **last) {
    char *text = cc_print(unit, "%s", *last == NULL ? "LLVM does not say why" : *last);
    LLVMDisposeMessage(*last);
    *last = NULL;
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    return text;
}

/* The handler must be removed before *last goes out of scope. */
static void install_handler(cc_unit *unit, char **last) {
    *last = NULL;
    LLVMContextSetDiagnosticHandler(unit->context, keep_error, last);
}

static void remove_handler(cc_unit *unit) {
    LLVMContextSetDiagnosticHandler(unit->context, NULL, NULL);
}

static LLVMModuleRef read_bitcode(cc_unit *unit, const cc_input *input) {
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(input->bitcode, input->size, input->name);
    LLVMModuleRef module = NULL;
    char *last;
    install_handler(unit, &last);
    bool failed = LLVMParseBitcodeInContext2(unit->context, buffer, &module);
    remove_handler(unit);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed)
        cc_give_up(unit, VERSO_STATUS_CORRUPT,
                   "%s: the bitcode cannot be read: %s; compile the file again with `verso cc`", input->name,
                   take_error(unit, &last));
    LLVMDisposeMessage(last);
    return module;
}

void cc_link(cc_unit *unit, LLVMModuleRef destination, LLVMModuleRef source, const char *what) {
    char *last;
    install_handler(unit, &last);
    bool failed = LLVMLinkModules2(destination, source);
    remove_handler(unit);
    if (failed)
        cc_give_up(unit, VERSO_STATUS_INVALID, "%s: cannot be linked with the rest of the program: %s", what,
                   take_error(unit, &last));
    LLVMDisposeMessage(last);
}

static void check_target(cc_unit *unit, const cc_input *input, LLVMModuleRef module) {
    const char *triple = LLVMGetTarget(module);
    if (strncmp(triple, "x86_64-", 7) != 0 || strstr(triple, "linux") == NULL || strstr(triple, "gnux32") != NULL)
        cc_give_up(unit, VERSO_STATUS_INVALID,
                   "%s: compiled for %s; programs can be differentiated on x86-64 Linux (64 bits) only", input->name,
                   triple);
    LLVMModuleRef first = unit->program->module;
    if (first == NULL)
        return;
    if (strcmp(LLVMGetDataLayoutStr(first), LLVMGetDataLayoutStr(module)) != 0)
        cc_give_up(unit, VERSO_STATUS_INVALID,
                   "%s: its data layout differs from that of %s: compile both with the same options", input->name,
                   unit->program->request->inputs[0].name);
    /* The vendor part of the triple may differ (-pc-, -unknown-) on one machine; without this LLVM would warn. */
    LLVMSetTarget(module, LLVMGetTarget(first));
}

/* Replaces uses of aliases by the aliased symbol, so that copies need not handle aliases. */
static void resolve_aliases(LLVMModuleRef module) {
    for (LLVMValueRef alias = LLVMGetFirstGlobalAlias(module); alias != NULL; alias = LLVMGetNextGlobalAlias(alias))
        LLVMReplaceAllUsesWith(alias, LLVMAliasGetAliasee(alias));
}

void cc_use_module(cc_unit *unit, LLVMModuleRef module) {
    unit->module = module;
    unit->layout = LLVMGetModuleDataLayout(module);
}

static void mark_origin(cc_unit *unit, LLVMModuleRef module, const char *name) {
    LLVMAttributeRef origin =
        LLVMCreateStringAttribute(unit->context, CC_ORIGIN, (unsigned)strlen(CC_ORIGIN), name, (unsigned)strlen(name));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, origin);
}

void cc_merge(cc_unit *unit) {
    cc_program *program = unit->program;
    for (size_t i = 0; i < program->request->input_count; i++) {
        const cc_input *input = &program->request->inputs[i];
        LLVMModuleRef module = read_bitcode(unit, input);
        check_target(unit, input, module);
        mark_origin(unit, module, input->name);
        if (program->module == NULL)
            program->module = module;
        else
            cc_link(unit, program->module, module, input->name);
    }
    if (program->module == NULL)
        cc_give_up(unit, VERSO_STATUS_INVALID, "there is no bitcode to transform");
    resolve_aliases(program->module);
    cc_prepare_thread_locals(unit, program->module);
    cc_use_module(unit, program->module);
}

/* ---- Passes ---- */

void cc_run_passes(cc_unit *unit, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, true);
    LLVMPassBuilderOptionsSetSLPVectorization(options, true);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, true);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, true);
    char *last;
    install_handler(unit, &last);
    LLVMErrorRef failure = LLVMRunPasses(unit->module, passes, unit->program->machine, options);
    remove_handler(unit);
    LLVMDisposePassBuilderOptions(options);
    if (failure != NULL) {
        char *text = LLVMGetErrorMessage(failure);
        const char *kept = cc_print(unit, "%s", text);
        LLVMDisposeErrorMessage(text);
        cc_give_up(unit, VERSO_STATUS_INVALID, "LLVM's passes %s fail: %s", passes, kept);
    }
    if (last != NULL)
        cc_give_up(unit, VERSO_STATUS_INVALID, "LLVM refuses the program: %s", take_error(unit, &last));
}

void cc_verify(cc_unit *unit, const char *pass) {
    char *text = NULL;
    bool broken = LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &text);
    const char *kept = cc_print(unit, "%.400s", text == NULL ? "" : text);
    LLVMDisposeMessage(text);
    if (broken)
        cc_give_up(unit, VERSO_STATUS_STATE, "internal error (please report it): the pass %s made wrong code: %s", pass,
                   kept);
}
