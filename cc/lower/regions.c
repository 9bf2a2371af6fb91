/* Divided regions: parallel regions of OpenMP that are differentiated thread by thread.
 *
 * A region is divided if computing the threads' shares one after the other, each from the region's beginning to its
 * end, is one of the orders in which a team may run: nothing in it waits for what other threads do later. So no barrier
 * may have code behind it, and there are no tasks. Where threads must not work at the same time, in a critical section
 * or with a lock, each waits for the shares before its own. That is worthwhile if it happens once, so there are neither
 * in loops, nor are there atomic operations. Nor may a share change what the shares of other threads would find
 * otherwise if they ran at the same time: it does not allocate memory, has no effects outside of the program's memory,
 * and uses no copies of thread-local variables.
 *
 * native/sweep/team.h says how such shares run in parallel. */
#include "cc/lower/regions.h"
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/front/threads.h"
#include "cc/ir/surgery.h"

#include <string.h>

/* ---- Calls ---- */

/* Returns whether `name` is one of the words, or, if the word ends with '*', begins like it. */
static bool is_among(const char *name, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i]);
        bool open = words[i][length - 1] == '*';
        if (open ? strncmp(name, words[i], length - 1) == 0 : strcmp(name, words[i]) == 0)
            return true;
    }
    return false;
}

#define AMONG(name, words) is_among(name, words, sizeof(words) / sizeof *(words))

static bool is_barrier(const char *name) {
    static const char *const names[] = {"__kmpc_barrier", "__kmpc_reduce", "__kmpc_end_reduce"};
    return AMONG(name, names);
}

/* Functions of native/lib that divide work among the threads, or ask for their number. */
static bool divides(const char *name) {
    static const char *const names[] = {"__kmpc_for_static_init_*",
                                        "__kmpc_for_static_fini",
                                        "__kmpc_dispatch_init_*",
                                        "__kmpc_dispatch_next_*",
                                        "__kmpc_dispatch_deinit",
                                        "__kmpc_reduce_nowait",
                                        "__kmpc_end_reduce_nowait",
                                        "__kmpc_global_thread_num",
                                        "__kmpc_single",
                                        "__kmpc_end_single",
                                        "__kmpc_master",
                                        "__kmpc_end_master",
                                        "__kmpc_masked",
                                        "__kmpc_end_masked",
                                        "omp_get_thread_num",
                                        "omp_get_num_threads",
                                        "omp_get_max_threads",
                                        "omp_in_parallel"};
    return AMONG(name, names);
}

/* Functions of native/lib that wait for the shares before that of the thread, and those that go with them. */
static bool takes_turns(const char *name) {
    static const char *const names[] = {
        "__kmpc_critical", "__kmpc_critical_with_hint", "__kmpc_end_critical", "omp_set_lock",
        "omp_unset_lock",  "omp_set_nest_lock",         "omp_unset_nest_lock"};
    return AMONG(name, names);
}

static bool is_of_openmp(const char *name) {
    static const char *const names[] = {"__kmpc_*", "omp_*"};
    return AMONG(name, names);
}

/* Returns whether several threads may call a function without a body at the same time, in any order. */
static bool is_harmless(const char *name) {
    cc_known known = cc_known_find(name);
    if (known.world != CC_WORLD_NOT || strcmp(name, CC_THREAD_COPY) == 0)
        return false;
    return known.class == CC_KNOWN_RULE || (known.class == CC_KNOWN_READS && strncmp(name, "verso__", 7) != 0) ||
           (known.class == CC_KNOWN_MEMORY && (known.writes[0] == 'c' || known.writes[0] == 's'));
}

/* ---- Functions ---- */

typedef struct search {
    cc_unit *unit;
    cc_map seen; /* blocks that were looked at, or are being looked at */
} search;

static bool is_atomic(LLVMValueRef at) {
    if (LLVMIsAAtomicRMWInst(at) != NULL || LLVMIsAAtomicCmpXchgInst(at) != NULL || LLVMIsAFenceInst(at) != NULL)
        return true;
    return (LLVMIsALoadInst(at) != NULL || LLVMIsAStoreInst(at) != NULL) &&
           LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic;
}

static bool uses_variable(LLVMValueRef value) {
    if (LLVMIsAGlobalVariable(value) != NULL)
        return !LLVMIsGlobalConstant(value);
    for (int i = 0; LLVMIsAConstantExpr(value) != NULL && i < LLVMGetNumOperands(value); i++)
        if (uses_variable(LLVMGetOperand(value, (unsigned)i)))
            return true;
    return false;
}

/* Returns whether a function of native/lib may have state that threads share. */
static bool has_state(LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at))
        for (int i = 0; i < LLVMGetNumOperands(at); i++)
            if (uses_variable(LLVMGetOperand(at, (unsigned)i)))
                return true;
    return false;
}

/* Returns whether a block may run repeatedly. */
static bool is_in_loop(cc_unit *unit, LLVMBasicBlockRef block) {
    cc_map seen = {0};
    LLVMBasicBlockRef *waiting = NULL;
    size_t count = 0, capacity = 0;
    for (LLVMBasicBlockRef at = block; at != NULL; at = count > 0 ? waiting[--count] : NULL) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
            if (next == block)
                return true;
            if (cc_map_get(&seen, next) != CC_NOT_FOUND)
                continue;
            cc_map_put(unit, &seen, next, 1);
            cc_reserve(unit, &waiting, &capacity, count + 1, sizeof(LLVMBasicBlockRef));
            waiting[count++] = next;
        }
    }
    return false;
}

static bool divides_function(search *search, LLVMValueRef function, bool region);

static bool divides_call(search *search, LLVMValueRef call, bool region) {
    LLVMValueRef callee = cc_callee(call);
    if (callee == NULL || cc_forked(call) != NULL)
        return false;
    const char *name = LLVMGetValueName(callee);
    if (takes_turns(name))
        return region && !is_in_loop(search->unit, LLVMGetInstructionParent(call));
    if (is_of_openmp(name))
        return divides(name) || (region && is_barrier(name));
    const cc_member *member = cc_member_of(search->unit, callee);
    if (member == NULL)
        return LLVMIsDeclaration(callee) && !cc_is_inactive(search->unit, callee) && is_harmless(name);
    if (member->adjoint != NULL || member->inactive || member->refused != NULL || member->base == NULL)
        return false;
    bool of_library = strncmp(member->name, "verso__lib_", strlen("verso__lib_")) == 0;
    return !(of_library && has_state(member->base)) && divides_function(search, member->base, false);
}

/* Returns the number of the only successor that is taken, as far as that is known; otherwise -1. A thread combines its
 * part of a reduction itself; clang's code has another branch, with atomic operations, for other answers than 1.
 * Exceptions are not differentiated. */
static int taken_successor(LLVMValueRef end) {
    if (LLVMIsAInvokeInst(end) != NULL)
        return 0;
    if (LLVMIsASwitchInst(end) == NULL || LLVMIsACallInst(LLVMGetOperand(end, 0)) == NULL)
        return -1;
    const char *asked = cc_callee_name(LLVMGetOperand(end, 0));
    if (strcmp(asked, "__kmpc_reduce") != 0 && strcmp(asked, "__kmpc_reduce_nowait") != 0)
        return -1;
    for (unsigned i = 1; i < LLVMGetNumSuccessors(end); i++)
        if (LLVMConstIntGetZExtValue(LLVMGetOperand(end, 2 * i)) == 1)
            return (int)i;
    return 0;
}

static bool divides_block(search *search, LLVMBasicBlockRef block, bool region) {
    if (cc_map_get(&search->seen, block) != CC_NOT_FOUND)
        return true;
    cc_map_put(search->unit, &search->seen, block, 1);
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at != NULL; at = LLVMGetNextInstruction(at))
        if (is_atomic(at) || (cc_is_call(at) && !divides_call(search, at, region)))
            return false;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    int taken = taken_successor(end);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        if ((taken < 0 || taken == (int)i) && !divides_block(search, LLVMGetSuccessor(end, i), region))
            return false;
    return true;
}

static bool divides_function(search *search, LLVMValueRef function, bool region) {
    return !LLVMIsDeclaration(function) && divides_block(search, LLVMGetEntryBasicBlock(function), region);
}

/* ---- What follows a barrier ---- */

/* Returns whether the instruction does nothing that other threads could notice. */
static bool is_nothing(LLVMValueRef at) {
    static const char *const names[] = {"llvm.lifetime.*", "llvm.dbg.*", "__kmpc_for_static_fini", "__kmpc_end_single",
                                        "llvm.stackrestore*"};
    if (cc_is_call(at)) {
        const char *name = cc_callee_name(at);
        return is_barrier(name) ? strcmp(name, "__kmpc_reduce") != 0 : AMONG(name, names);
    }
    return LLVMIsAStoreInst(at) == NULL && LLVMIsALoadInst(at) == NULL;
}

typedef struct following {
    cc_unit *unit;
    cc_map seen; /* blocks that were looked at from their beginnings */
} following;

/* Returns whether from `at` on, to the end of its block and in all that may follow, nothing is done. */
static bool ends_here(following *following, LLVMValueRef at) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
    for (; at != NULL; at = LLVMGetNextInstruction(at))
        if (!is_nothing(at))
            return false;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
        if (cc_map_get(&following->seen, next) != CC_NOT_FOUND)
            continue;
        cc_map_put(following->unit, &following->seen, next, 1);
        if (!ends_here(following, LLVMGetFirstInstruction(next)))
            return false;
    }
    return true;
}

/* A reduction in which the threads wait for each other begins where its caller may add up, and ends at its barrier. */
static bool barriers_end_it(cc_unit *unit, LLVMValueRef region) {
    for (LLVMValueRef at = cc_first(region); at != NULL; at = cc_next(at)) {
        if (!cc_is_call(at) || !is_barrier(cc_callee_name(at)) || strcmp(cc_callee_name(at), "__kmpc_reduce") == 0)
            continue;
        following following = {.unit = unit};
        if (!ends_here(&following, LLVMGetNextInstruction(at)))
            return false;
    }
    return true;
}

/* ---- Regions ---- */

/* The arguments of a region travel to other threads as words. */
static bool has_word_arguments(cc_unit *unit, LLVMValueRef region) {
    for (unsigned i = 0; i < LLVMCountParams(region); i++)
        if (LLVMABISizeOfType(unit->layout, LLVMTypeOf(LLVMGetParam(region, i))) > sizeof(uint64_t))
            return false;
    return LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(region))) == LLVMVoidTypeKind;
}

bool cc_is_divided(cc_unit *unit, LLVMValueRef region) {
    search search = {.unit = unit};
    return has_word_arguments(unit, region) && divides_function(&search, region, true) && barriers_end_it(unit, region);
}
