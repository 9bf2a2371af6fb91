/* Finds out whether code outside of the analysis matters to a global variable: see outside.h.
 *
 * Numbers that such code has stored before the differentiated function runs have no derivatives, so what it stores does
 * not matter. Its pointers do: the memory that they lead to would have to be analysed, too. Typically `main` fills a
 * table, or LLVM has inlined the differentiated function there. */
#include "cc/types/outside.h"

#include "cc/ir/program.h"

#include <string.h>

enum { DEPTH_MOST = 8, POINTER_BITS = 64 }; /* DEPTH_MOST: of callers that are followed */

static bool is_program_local(const cc_program *program, LLVMValueRef function) {
    for (size_t i = 0; i < program->local_count; i++)
        if (program->locals[i] == function)
            return true;
    return false;
}

/* Returns whether the function never runs while a differentiated function does: it is main, or only such functions call
 * it, and nothing else uses its address. */
static bool runs_apart(const cc_program *program, LLVMValueRef function, unsigned depth) {
    if (cc_map_get(&program->member_of, function) != CC_NOT_FOUND || depth > DEPTH_MOST)
        return false;
    bool is_main = strcmp(LLVMGetValueName(function), "main") == 0;
    if (!is_main && !is_program_local(program, function))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function ||
            !runs_apart(program, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), depth + 1))
            return false;
        for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
            if (LLVMGetOperand(call, k) == function)
                return false;
    }
    return true;
}

/* Returns whether values of the type contain no pointer, and no integer that may be one. */
static bool has_no_pointers(LLVMTypeRef type) {
    type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
    switch (LLVMGetTypeKind(type)) {
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind: return true;
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) < POINTER_BITS;
    default: return false;
    }
}

/* Returns whether the instruction uses the address only to load or store something other than a pointer. */
static bool accesses_directly(LLVMValueRef user, LLVMValueRef address) {
    if (LLVMIsALoadInst(user))
        return has_no_pointers(LLVMTypeOf(user));
    if (LLVMIsAStoreInst(user))
        return LLVMGetOperand(user, 0) != address && has_no_pointers(LLVMTypeOf(LLVMGetOperand(user, 0)));
    if (!LLVMIsAGetElementPtrInst(user) || LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(user); use; use = LLVMGetNextUse(use))
        if (!accesses_directly(LLVMGetUser(use), user))
            return false;
    return true;
}

bool cc_only_analysed(cc_unit *unit, LLVMValueRef global) {
    const cc_program *program = unit->program;
    for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)) {
            LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            ptrdiff_t index = cc_map_get(&program->member_of, function);
            bool apart = index == CC_NOT_FOUND && runs_apart(program, function, 0) && accesses_directly(user, global);
            if (!apart && (index == CC_NOT_FOUND || program->members[index]->adjoint))
                return false;
        } else if (!LLVMIsAGlobalVariable(user) && !cc_only_analysed(unit, user))
            return false;
    }
    return true;
}
