/* Threads and thread-local variables of a program.
 *
 * Thread-local variables of a program without threads become ordinary ones, which capsules can hold. In a program with
 * OpenMP the first thread's copy becomes an ordinary variable, and the copies of other threads stay thread-local. The
 * program's own functions choose by the thread that they run in (cc/lower/teams.c); differentiated code runs in the
 * first thread. */
#include "cc/front/threads.h"
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

/* ---- Teams ---- */

static bool is_fork(const char *name) {
    return strcmp(name, "__kmpc_fork_call") == 0 || strcmp(name, "__kmpc_fork_teams") == 0;
}

LLVMValueRef cc_forked(LLVMValueRef call) {
    if (!cc_is_call(call) || !is_fork(cc_callee_name(call)))
        return NULL;
    LLVMValueRef function = LLVMGetOperand(call, CC_FORK_BODY);
    unsigned given = LLVMGetNumArgOperands(call) - CC_FORK_BODY - 1;
    bool fits = LLVMIsAFunction(function) != NULL && !LLVMIsDeclaration(function) &&
                LLVMCountParams(function) == given + CC_BODY_THREADS;
    return fits ? function : NULL;
}

static const char *const team_functions[] = {CC_TEAM_BEGIN, CC_TEAM_SHARE, CC_TEAM_END};
enum { TEAM_FUNCTIONS = sizeof team_functions / sizeof *team_functions };

void cc_declare_teams(cc_unit *unit) {
    LLVMModuleRef module = unit->program->module;
    for (size_t i = 0; i < TEAM_FUNCTIONS && LLVMGetNamedFunction(module, "__kmpc_fork_call") != NULL; i++)
        if (LLVMGetNamedFunction(module, team_functions[i]) == NULL)
            LLVMAddFunction(module, team_functions[i], LLVMFunctionType(unit->none, NULL, 0, false));
}

void cc_visit_teams(cc_unit *unit, void (*add)(void *context, LLVMValueRef function), void *context) {
    for (size_t i = 0; i < TEAM_FUNCTIONS; i++)
        add(context, cc_library_version(unit, team_functions[i]));
}

/* Returns whether a declared function with this property is used. */
static bool uses(LLVMModuleRef module, bool (*is_it)(const char *name)) {
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        if (LLVMIsDeclaration(at) && LLVMGetFirstUse(at) != NULL && is_it(LLVMGetValueName(at)))
            return true;
    return false;
}

static bool starts_threads(const char *name) {
    return cc_known_find(name).class == CC_KNOWN_THREAD;
}

bool cc_makes_threads(LLVMModuleRef module) {
    return uses(module, starts_threads);
}

/* ---- Thread-local variables ---- */

typedef LLVMValueRef replacement(cc_unit *unit, LLVMModuleRef module, LLVMValueRef call);

/* Replaces each llvm.threadlocal.address(v) by what `make` returns. */
static void replace_addresses(cc_unit *unit, LLVMModuleRef module, replacement *make) {
    static const char start[] = "llvm.threadlocal.address";
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at)) {
        if (strncmp(LLVMGetValueName(at), start, strlen(start)) != 0)
            continue;
        size_t count;
        LLVMValueRef *calls = cc_users(unit, at, &count);
        for (size_t i = 0; i < count; i++) {
            LLVMReplaceAllUsesWith(calls[i], make(unit, module, calls[i]));
            LLVMInstructionEraseFromParent(calls[i]);
        }
    }
}

static LLVMValueRef variable_itself(cc_unit *unit, LLVMModuleRef module, LLVMValueRef call) {
    (void)unit, (void)module;
    return LLVMGetOperand(call, 0);
}

/* Adds the variable that holds the copies of other threads. */
static void add_copies(LLVMModuleRef module, LLVMValueRef variable, const char *name) {
    if (LLVMGetNamedGlobal(module, name) != NULL)
        return;
    LLVMValueRef copies = LLVMAddGlobal(module, LLVMGlobalGetValueType(variable), name);
    LLVMSetInitializer(copies, LLVMGetInitializer(variable));
    LLVMSetAlignment(copies, LLVMGetAlignment(variable));
    LLVMSetThreadLocal(copies, true);
    LLVMSetLinkage(copies, LLVMInternalLinkage);
}

static LLVMValueRef copy_of_thread(cc_unit *unit, LLVMModuleRef module, LLVMValueRef call) {
    LLVMValueRef variable = LLVMGetOperand(call, 0), choose = LLVMGetNamedFunction(module, CC_THREAD_COPY);
    add_copies(module, variable, cc_print(unit, CC_THREAD_COPIES "%s", LLVMGetValueName(variable)));
    LLVMTypeRef type = LLVMFunctionType(unit->pointer, &unit->pointer, 1, false);
    if (choose == NULL)
        choose = LLVMAddFunction(module, CC_THREAD_COPY, type);
    cc_build_before(unit, call);
    return LLVMBuildCall2(unit->builder, type, choose, &variable, 1, "");
}

void cc_prepare_thread_locals(cc_unit *unit, LLVMModuleRef module) {
    if (cc_makes_threads(module))
        return;
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at != NULL; at = LLVMGetNextGlobal(at))
        if (LLVMIsThreadLocal(at) && LLVMIsDeclaration(at))
            return; /* another object file defines it as thread-local */
    bool teams = uses(module, is_fork);
    replace_addresses(unit, module, teams ? copy_of_thread : variable_itself);
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at != NULL; at = LLVMGetNextGlobal(at))
        if (!teams || strncmp(LLVMGetValueName(at), CC_THREAD_COPIES, strlen(CC_THREAD_COPIES)) != 0)
            LLVMSetThreadLocal(at, false);
}
