/* Variadic functions. The differentiated version takes one more parameter: a pointer to the variable arguments,
 * which the caller has laid out like arguments on the stack (System V ABI for x86-64, 3.5.7: each takes a multiple
 * of eight bytes, aligned to sixteen if its type is).
 *
 * A va_list then says that all registers are used up and that the remaining arguments are there. So va_arg as clang
 * expands it, and the C library's vprintf and similar functions, work unchanged. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <string.h>

/* The va_list of the ABI: its size, the offsets of its fields, and the values that mean that no register is left. */
enum { GP_USED_UP = 48, FP_USED_UP = 304, LIST_BYTES = 24, LIST_FP = 4, LIST_AREA = 8, LIST_SAVED = 16 };

/* ---- Callers ---- */

typedef struct layout {
    uint64_t *offsets;  /* of each variable argument, in bytes from the first one */
    uint64_t bytes;     /* total size */
    unsigned alignment; /* in bytes */
} layout;

static layout lay_out(cc_unit *unit, LLVMValueRef call, unsigned fixed) {
    unsigned count = LLVMGetNumArgOperands(call) - fixed;
    layout layout = {.alignment = 16, .offsets = cc_alloc(unit, count, sizeof *layout.offsets)};
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef type = cc_byval(call, fixed + i);
        unsigned alignment = 0;
        if (type == NULL)
            type = LLVMTypeOf(LLVMGetOperand(call, fixed + i));
        else if (LLVMGetCallSiteEnumAttribute(call, fixed + i + 1, cc_attribute("align")) != NULL)
            alignment = (unsigned)LLVMGetEnumAttributeValue(
                LLVMGetCallSiteEnumAttribute(call, fixed + i + 1, cc_attribute("align")));
        if (alignment == 0)
            alignment = LLVMABIAlignmentOfType(unit->layout, type);
        if (alignment < 8)
            alignment = 8;
        layout.alignment = alignment > layout.alignment ? alignment : layout.alignment;
        layout.bytes = (layout.bytes + alignment - 1) / alignment * alignment;
        layout.offsets[i] = layout.bytes;
        layout.bytes += (LLVMABISizeOfType(unit->layout, type) + 7) / 8 * 8;
    }
    return layout;
}

/* Builds a stack slot with the variable arguments of a call, and returns its address; NULL if there are none. */
static LLVMValueRef build_block(cc_unit *unit, LLVMValueRef call, unsigned fixed) {
    unsigned count = LLVMGetNumArgOperands(call) - fixed;
    if (count == 0)
        return LLVMConstNull(unit->pointer);
    layout layout = lay_out(unit, call, fixed);
    LLVMTypeRef area = LLVMArrayType2(unit->i8, layout.bytes);
    LLVMValueRef block = cc_entry_slot(unit, call, area, layout.alignment);
    cc_build_before(unit, call);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef place = cc_offset(unit, block, (int64_t)layout.offsets[i]);
        LLVMValueRef value = LLVMGetOperand(call, fixed + i);
        LLVMTypeRef in_memory = cc_byval(call, fixed + i);
        if (in_memory == NULL)
            LLVMSetAlignment(LLVMBuildStore(unit->builder, value, place), 8);
        else
            LLVMBuildMemCpy(unit->builder, place, 8, value, 1,
                            cc_i64(unit, (int64_t)LLVMABISizeOfType(unit->layout, in_memory)));
    }
    return block;
}

static void lower_call(cc_unit *unit, LLVMValueRef call, LLVMValueRef callee) {
    unsigned fixed = LLVMCountParams(callee) - 1;
    LLVMValueRef *arguments = cc_alloc(unit, fixed + 1, sizeof *arguments);
    for (unsigned i = 0; i < fixed; i++)
        arguments[i] = LLVMGetOperand(call, i);
    arguments[fixed] = build_block(unit, call, fixed);
    LLVMValueRef new = cc_replace_call(unit, call, LLVMGlobalGetValueType(callee), callee, arguments, fixed + 1);
    /* The attributes of the first variable argument do not hold for the pointer in its place. */
    cc_drop_attributes(unit, new, fixed + 1);
}

/* ---- va_start, va_end, va_copy ---- */

static void store_at(cc_unit *unit, LLVMValueRef list, int64_t offset, LLVMValueRef value) {
    LLVMBuildStore(unit->builder, value, cc_offset(unit, list, offset));
}

static void lower_start(cc_unit *unit, LLVMValueRef call, LLVMValueRef block) {
    LLVMValueRef list = LLVMGetOperand(call, 0);
    cc_build_before(unit, call);
    store_at(unit, list, 0, LLVMConstInt(unit->i32, GP_USED_UP, false));
    store_at(unit, list, LIST_FP, LLVMConstInt(unit->i32, FP_USED_UP, false));
    store_at(unit, list, LIST_AREA, block);
    store_at(unit, list, LIST_SAVED, LLVMConstNull(unit->pointer));
    LLVMInstructionEraseFromParent(call);
}

static void lower_list_call(cc_unit *unit, LLVMValueRef call, LLVMValueRef block) {
    const char *name = cc_callee_name(call);
    if (strncmp(name, "llvm.va_start", strlen("llvm.va_start")) == 0 && block != NULL) {
        lower_start(unit, call, block);
    } else if (strncmp(name, "llvm.va_end", strlen("llvm.va_end")) == 0) {
        LLVMInstructionEraseFromParent(call);
    } else if (strncmp(name, "llvm.va_copy", strlen("llvm.va_copy")) == 0) {
        cc_build_before(unit, call);
        LLVMBuildMemCpy(unit->builder, LLVMGetOperand(call, 0), 8, LLVMGetOperand(call, 1), 8,
                        cc_i64(unit, LIST_BYTES));
        LLVMInstructionEraseFromParent(call);
    }
}

/* ---- The pass ---- */

/* Adds the version of a variadic function that takes a pointer, and moves the body there. Calls still call the old
 * one, which is a declaration afterwards. */
static LLVMValueRef with_pointer(cc_unit *unit, LLVMValueRef old) {
    LLVMTypeRef type = LLVMGlobalGetValueType(old);
    unsigned count = LLVMCountParamTypes(type);
    LLVMTypeRef *types = cc_alloc(unit, count + 1, sizeof *types);
    LLVMGetParamTypes(type, types);
    types[count] = unit->pointer;
    type = LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, false);
    size_t length;
    char *name = cc_print(unit, "%s", LLVMGetValueName2(old, &length));
    LLVMSetValueName2(old, "", 0);
    LLVMValueRef new = LLVMAddFunction(unit->module, name, type);
    cc_copy_attributes(unit, old, new, count);
    LLVMSetFunctionCallConv(new, LLVMGetFunctionCallConv(old));
    LLVMSetLinkage(new, LLVMGetLinkage(old));
    cc_move_body(unit, old, new);
    LLVMSetLinkage(old, LLVMExternalLinkage);
    return new;
}

static void lower_calls_of(cc_unit *unit, LLVMValueRef old, LLVMValueRef new) {
    size_t count;
    LLVMValueRef *users = cc_users(unit, old, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMIsACallInst(users[i]) != NULL && LLVMGetCalledValue(users[i]) == old)
            lower_call(unit, users[i], new);
    LLVMDeleteFunction(old);
}

void cc_lower_variadic(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++) {
        cc_member *member = unit->program->members[i];
        LLVMValueRef old = member->base, block = NULL;
        if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(old))) {
            member->base = with_pointer(unit, old);
            block = LLVMGetParam(member->base, LLVMCountParams(member->base) - 1);
            lower_calls_of(unit, old, member->base);
        }
        for (LLVMValueRef next, at = cc_first(member->base); at != NULL; at = next) {
            next = cc_next(at);
            if (LLVMIsACallInst(at) != NULL)
                lower_list_call(unit, at, block);
        }
    }
}
