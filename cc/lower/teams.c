/* Parallel regions of OpenMP. clang makes a function of each region and passes it to __kmpc_fork_call. In the copy, the
 * region is called instead, by the one thread of its team; functions that it calls are those of native/lib. A region
 * that can be divided (regions.h) is called once for each thread of a team, in a loop:
 *
 *     void verso.team.R(A...) {
 *         threads = __kmpc_team_begin();
 *         for (thread = 0; thread < threads; thread++) {
 *             __kmpc_team_share(thread);
 *             R(&thread, &threads, A...);
 *         }
 *         __kmpc_team_end();
 *     }
 *
 * The run time may compute the calls of this loop in parallel (native/sweep/team.h).
 *
 * Also chooses between the copies of a thread-local variable (cc/front/threads.c). */
#include "cc/front/front.h"
#include "cc/front/threads.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "cc/lower/regions.h"
#include "native/state.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- Regions ---- */

/* Builds a variable with the number of the thread, 0. */
static LLVMValueRef thread_number(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef slot = cc_entry_slot(unit, call, unit->i32, 4);
    cc_build_before(unit, call);
    LLVMBuildStore(unit->builder, LLVMConstNull(unit->i32), slot);
    return slot;
}

static void call_region(cc_unit *unit, LLVMValueRef fork, LLVMValueRef region) {
    LLVMTypeRef type = LLVMGlobalGetValueType(region);
    unsigned count = LLVMCountParams(region);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    for (unsigned i = 0; i < CC_BODY_THREADS; i++)
        arguments[i] = thread_number(unit, fork);
    for (unsigned i = CC_BODY_THREADS; i < count; i++)
        arguments[i] = LLVMGetOperand(fork, CC_FORK_BODY + 1 + i - CC_BODY_THREADS);
    cc_build_before(unit, fork);
    LLVMSetCurrentDebugLocation2(unit->builder, LLVMInstructionGetDebugLoc(fork));
    LLVMValueRef call = LLVMBuildCall2(unit->builder, type, region, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(region));
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
    LLVMInstructionEraseFromParent(fork);
}

/* ---- Divided regions ---- */

static LLVMValueRef call_library(cc_unit *unit, const char *what, LLVMTypeRef result, LLVMValueRef argument) {
    LLVMTypeRef type = LLVMFunctionType(result, &unit->i32, argument != NULL, false);
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, cc_print(unit, "verso__lib_%s", what));
    return LLVMBuildCall2(unit->builder, type, function, &argument, argument != NULL, "");
}

/* Builds the loop over the threads, before the function's end. `arguments` has room for those of the region. */
static void build_shares(cc_unit *unit, LLVMValueRef team, LLVMValueRef region, LLVMValueRef *arguments) {
    LLVMBuilderRef build = unit->builder;
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, team, ""));
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(build), share = LLVMAppendBasicBlockInContext(unit->context, team, ""),
                      end = LLVMAppendBasicBlockInContext(unit->context, team, "");
    arguments[0] = LLVMBuildAlloca(build, unit->i32, "thread");
    arguments[1] = LLVMBuildAlloca(build, unit->i32, "threads");
    LLVMValueRef threads = call_library(unit, CC_TEAM_BEGIN, unit->i32, NULL);
    LLVMBuildBr(build, share);

    cc_build_at_end(unit, share);
    LLVMValueRef thread = LLVMBuildPhi(build, unit->i32, "");
    call_library(unit, CC_TEAM_SHARE, unit->none, thread);
    LLVMBuildStore(build, thread, arguments[0]);
    LLVMBuildStore(build, threads, arguments[1]);
    LLVMValueRef call =
        LLVMBuildCall2(build, LLVMGlobalGetValueType(region), region, arguments, LLVMCountParams(region), "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(region));
    LLVMValueRef next = LLVMBuildAdd(build, thread, LLVMConstInt(unit->i32, 1, false), "");
    LLVMBuildCondBr(build, LLVMBuildICmp(build, LLVMIntSLT, next, threads, ""), share, end);
    LLVMValueRef numbers[] = {LLVMConstNull(unit->i32), next};
    LLVMBasicBlockRef from[] = {entry, share};
    LLVMAddIncoming(thread, numbers, from, 2);

    cc_build_at_end(unit, end);
    call_library(unit, CC_TEAM_END, unit->none, NULL);
    LLVMBuildRetVoid(build);
}

/* Returns the function that calls the region for each thread. */
static LLVMValueRef team_of(cc_unit *unit, LLVMValueRef region) {
    char *name = cc_print(unit, "verso.team.%s", LLVMGetValueName(region));
    LLVMValueRef team = LLVMGetNamedFunction(unit->module, name);
    if (team != NULL)
        return team;
    unsigned count = LLVMCountParams(region);
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    LLVMGetParamTypes(LLVMGlobalGetValueType(region), types);
    team = LLVMAddFunction(unit->module, name,
                           LLVMFunctionType(unit->none, types + CC_BODY_THREADS, count - CC_BODY_THREADS, false));
    LLVMSetLinkage(team, LLVMInternalLinkage);
    cc_copy_target(region, team);
    for (unsigned i = CC_BODY_THREADS; i < count; i++)
        arguments[i] = LLVMGetParam(team, i - CC_BODY_THREADS);
    build_shares(unit, team, region, arguments);
    cc_add_made_member(unit, team, name)->direct = true;
    cc_member *member = cc_member_of(unit, region);
    member->divided = true;
    cc_drop_attributes(unit, region, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
    cc_forbid_inlining(unit, region);
    return team;
}

static void call_team(cc_unit *unit, LLVMValueRef fork, LLVMValueRef region) {
    LLVMValueRef team = team_of(unit, region);
    unsigned count = LLVMCountParams(team);
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(fork, CC_FORK_BODY + 1 + i);
    cc_build_before(unit, fork);
    LLVMSetCurrentDebugLocation2(unit->builder, LLVMInstructionGetDebugLoc(fork));
    LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(team), team, arguments, count, "");
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
    LLVMInstructionEraseFromParent(fork);
}

/* ---- Copies of thread-local variables ---- */

static LLVMValueRef first_copy(cc_unit *unit, LLVMValueRef call) {
    (void)unit;
    return LLVMGetOperand(call, 0);
}

/* Builds, in the program: this thread is the first one ? variable : its thread-local copy. */
static LLVMValueRef own_copy(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef variable = LLVMGetOperand(call, 0);
    const char *name = cc_print(unit, CC_THREAD_COPIES "%s", LLVMGetValueName(variable));
    LLVMValueRef copies = LLVMGetNamedGlobal(unit->module, name);
    static const char thread[] = "llvm.thread.pointer", address[] = "llvm.threadlocal.address";
    LLVMTypeRef alone = LLVMFunctionType(unit->pointer, NULL, 0, false);
    LLVMTypeRef of_copies = LLVMFunctionType(unit->pointer, &unit->pointer, 1, false);
    LLVMValueRef this_thread =
        LLVMGetIntrinsicDeclaration(unit->module, LLVMLookupIntrinsicID(thread, strlen(thread)), NULL, 0);
    LLVMValueRef address_of =
        LLVMGetIntrinsicDeclaration(unit->module, LLVMLookupIntrinsicID(address, strlen(address)), &unit->pointer, 1);
    LLVMValueRef first = LLVMGetNamedGlobal(unit->module, "verso__native_first_thread");
    if (first == NULL)
        first = LLVMAddGlobal(unit->module, unit->pointer, "verso__native_first_thread");
    cc_build_before(unit, call);
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef is_first = LLVMBuildICmp(build, LLVMIntEQ, LLVMBuildCall2(build, alone, this_thread, NULL, 0, ""),
                                          LLVMBuildLoad2(build, unit->pointer, first, ""), "");
    return LLVMBuildSelect(build, is_first, variable, LLVMBuildCall2(build, of_copies, address_of, &copies, 1, ""), "");
}

static void choose_copies(cc_unit *unit, LLVMModuleRef module, LLVMValueRef (*make)(cc_unit *, LLVMValueRef)) {
    LLVMValueRef choose = LLVMGetNamedFunction(module, CC_THREAD_COPY);
    if (choose == NULL)
        return;
    LLVMModuleRef before = unit->module;
    unit->module = module;
    size_t count;
    LLVMValueRef *calls = cc_users(unit, choose, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMReplaceAllUsesWith(calls[i], make(unit, calls[i]));
        LLVMInstructionEraseFromParent(calls[i]);
    }
    LLVMDeleteFunction(choose);
    unit->module = before;
}

/* ---- The pass ---- */

typedef struct fork {
    LLVMValueRef call, region;
    bool divided;
} fork;

typedef struct forks {
    fork *all;
    size_t count, capacity;
} forks;

static bool starts_team(LLVMValueRef fork) {
    return strcmp(cc_callee_name(fork), "__kmpc_fork_call") == 0;
}

/* Returns whether some member asks for the number of threads that a team has outside of a team. */
static bool asks_for_threads(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++)
        for (LLVMValueRef at = cc_first(unit->program->members[i]->base); at != NULL; at = cc_next(at))
            if (cc_is_call(at) && strcmp(cc_callee_name(at), "omp_get_max_threads") == 0)
                return true;
    return false;
}

static forks find_forks(cc_unit *unit) {
    forks found = {0};
    for (size_t i = 0; i < unit->program->member_count; i++)
        for (LLVMValueRef at = cc_first(unit->program->members[i]->base); at != NULL; at = cc_next(at)) {
            LLVMValueRef region = cc_forked(at);
            if (region == NULL)
                continue;
            cc_reserve(unit, &found.all, &found.capacity, found.count + 1, sizeof *found.all);
            found.all[found.count++] = (fork){at, region, starts_team(at) && cc_is_divided(unit, region)};
        }
    return found;
}

/* A program may divide work itself by the number of threads that it asks for. Then either all of its teams have this
 * number, or all have one thread. */
static bool keeps_one_thread(cc_unit *unit, const forks *forks) {
    for (size_t i = 0; i < forks->count; i++)
        if (!forks->all[i].divided)
            return asks_for_threads(unit);
    return false;
}

void cc_lower_teams(cc_unit *unit) {
    forks forks = find_forks(unit);
    bool one = keeps_one_thread(unit, &forks);
    for (size_t i = 0; i < forks.count; i++) {
        if (forks.all[i].divided && !one)
            call_team(unit, forks.all[i].call, forks.all[i].region);
        else
            call_region(unit, forks.all[i].call, forks.all[i].region);
        unit->program->fast |= VERSO_NATIVE_FAST_TEAMS;
    }
    choose_copies(unit, unit->program->module, own_copy);
    choose_copies(unit, unit->module, first_copy);
}
