/* Modules as a whole: reading bitcode, linking, running LLVM's passes, verifying.
 *
 * LLVM reports through a handler of the context, so that it prints nothing itself; what it says is an error of the
 * transformation and ends it. Which definition of a symbol wins, common symbols, groups and colliding local names are
 * the business of LLVM's linker. */
#include "cc/known.h"
#include "cc/program.h"
#include "cc/surgery.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

/* The last thing that LLVM complained about; its text is copied because LLVM's goes with the diagnostic. */
static void remember(LLVMDiagnosticInfoRef info, void *context) {
    char **last = context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    LLVMDisposeMessage(*last);
    *last = LLVMGetDiagInfoDescription(info);
}

/* What LLVM complained about, on one line, in our memory; a text when it said nothing. */
static const char *complaint(cc_unit *unit, char **last) {
    char *text = cc_print(unit, "%s", *last == NULL ? "LLVM does not say why" : *last);
    LLVMDisposeMessage(*last);
    *last = NULL;
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    return text;
}

/* The handler is there only while its memory is. */
static void listen(cc_unit *unit, char **last) {
    *last = NULL;
    LLVMContextSetDiagnosticHandler(unit->context, remember, last);
}

static void listen_no_more(cc_unit *unit) {
    LLVMContextSetDiagnosticHandler(unit->context, NULL, NULL);
}

static LLVMModuleRef read_bitcode(cc_unit *unit, const cc_input *input) {
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(input->bitcode, input->size, input->name);
    LLVMModuleRef module = NULL;
    char *last;
    listen(unit, &last);
    bool failed = LLVMParseBitcodeInContext2(unit->context, buffer, &module);
    listen_no_more(unit);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed)
        cc_give_up(unit, VERSO_CORRUPT, "%s: the bitcode cannot be read: %s; compile the file again with `verso cc`",
                   input->name, complaint(unit, &last));
    LLVMDisposeMessage(last);
    return module;
}

void cc_link(cc_unit *unit, LLVMModuleRef destination, LLVMModuleRef source, const char *what) {
    char *last;
    listen(unit, &last);
    bool failed = LLVMLinkModules2(destination, source);
    listen_no_more(unit);
    if (failed)
        cc_give_up(unit, VERSO_INVALID, "%s: cannot be linked with the rest of the program: %s", what,
                   complaint(unit, &last));
    LLVMDisposeMessage(last);
}

static void check_target(cc_unit *unit, const cc_input *input, LLVMModuleRef module) {
    const char *triple = LLVMGetTarget(module);
    if (strncmp(triple, "x86_64-", 7) != 0 || strstr(triple, "linux") == NULL || strstr(triple, "gnux32") != NULL)
        cc_give_up(unit, VERSO_INVALID,
                   "%s: compiled for %s; programs can be differentiated on x86-64 Linux (64 bits) only", input->name,
                   triple);
    LLVMModuleRef first = unit->program->module;
    if (first == NULL)
        return;
    if (strcmp(LLVMGetDataLayoutStr(first), LLVMGetDataLayoutStr(module)) != 0)
        cc_give_up(unit, VERSO_INVALID, "%s: lays out data otherwise than %s: compile both with the same options",
                   input->name, unit->program->request->inputs[0].name);
    /* Names of one machine differ (-pc-, -unknown-); LLVM warns, and we do not mind. */
    LLVMSetTarget(module, LLVMGetTarget(first));
}

/* Who uses an alias uses what it stands for: copies need not know aliases. */
static void resolve_aliases(LLVMModuleRef module) {
    for (LLVMValueRef alias = LLVMGetFirstGlobalAlias(module); alias != NULL; alias = LLVMGetNextGlobalAlias(alias))
        LLVMReplaceAllUsesWith(alias, LLVMAliasGetAliasee(alias));
}

void cc_use_module(cc_unit *unit, LLVMModuleRef module) {
    unit->module = module;
    unit->layout = LLVMGetModuleDataLayout(module);
}

/* ---- Thread-local variables ---- */

static bool makes_threads(LLVMModuleRef module) {
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        if (LLVMIsDeclaration(at) && LLVMGetFirstUse(at) != NULL &&
            cc_known_find(LLVMGetValueName(at)).class == CC_KNOWN_THREAD)
            return true;
    return false;
}

/* llvm.threadlocal.address(v) is v. */
static void forget_thread_addresses(cc_unit *unit, LLVMModuleRef module) {
    static const char start[] = "llvm.threadlocal.address";
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at)) {
        if (strncmp(LLVMGetValueName(at), start, strlen(start)) != 0)
            continue;
        size_t count;
        LLVMValueRef *calls = cc_users(unit, at, &count);
        for (size_t i = 0; i < count; i++) {
            LLVMReplaceAllUsesWith(calls[i], LLVMGetOperand(calls[i], 0));
            LLVMInstructionEraseFromParent(calls[i]);
        }
    }
}

/* In a program that makes no threads a thread-local variable is one like any other, and can be kept and restored. */
static void make_ordinary(cc_unit *unit, LLVMModuleRef module) {
    if (makes_threads(module))
        return;
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at != NULL; at = LLVMGetNextGlobal(at))
        if (LLVMIsThreadLocal(at) && LLVMIsDeclaration(at))
            return; /* another object has it so */
    forget_thread_addresses(unit, module);
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at != NULL; at = LLVMGetNextGlobal(at))
        LLVMSetThreadLocal(at, false);
}

void cc_merge(cc_unit *unit) {
    cc_program *program = unit->program;
    for (size_t i = 0; i < program->request->input_count; i++) {
        const cc_input *input = &program->request->inputs[i];
        LLVMModuleRef module = read_bitcode(unit, input);
        check_target(unit, input, module);
        if (program->module == NULL)
            program->module = module;
        else
            cc_link(unit, program->module, module, input->name);
    }
    if (program->module == NULL)
        cc_give_up(unit, VERSO_INVALID, "there is no bitcode to transform");
    resolve_aliases(program->module);
    make_ordinary(unit, program->module);
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
    listen(unit, &last);
    LLVMErrorRef failure = LLVMRunPasses(unit->module, passes, unit->program->machine, options);
    listen_no_more(unit);
    LLVMDisposePassBuilderOptions(options);
    if (failure != NULL) {
        char *text = LLVMGetErrorMessage(failure);
        const char *kept = cc_print(unit, "%s", text);
        LLVMDisposeErrorMessage(text);
        cc_give_up(unit, VERSO_INVALID, "LLVM's passes %s fail: %s", passes, kept);
    }
    if (last != NULL)
        cc_give_up(unit, VERSO_INVALID, "LLVM refuses the program: %s", complaint(unit, &last));
}

void cc_verify(cc_unit *unit, const char *pass) {
    char *text = NULL;
    bool broken = LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &text);
    const char *kept = cc_print(unit, "%.400s", text == NULL ? "" : text);
    LLVMDisposeMessage(text);
    if (broken)
        cc_give_up(unit, VERSO_STATE, "a mistake of Verso in its pass %s, which made wrong code: %s", pass, kept);
}
