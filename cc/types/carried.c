/* Finds parameters and results that carry bits: for the ABI they are floats or doubles, but because of a union, or
 * because LLVM uses any register that fits, they may contain another kind of number.
 *
 * A value comes as bits if it was loaded or bit-cast from another type, and goes as bits if it is stored or
 * bit-cast to another type, perhaps through phis, selects, structs, calls and returns. A value that both comes and
 * goes as bits is carried. Loads and stores that are tagged as those of a number (ir/tags.h) move that kind of
 * number. A value that is computed with is a number of its own type, and is best passed as such. */
#include "cc/types/carried.h"
#include "cc/ir/program.h"

#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/ir/unit.h"
#include "cc/types/bits.h"
#include "cc/types/moves.h"

/* Element `from` of a value becomes element `to` of another one. */
typedef struct way {
    size_t from, to;
} way;

struct cc_carried {
    cc_unit *unit;
    bool pointers;
    cc_map first; /* values, and functions for their results -> the number of their first element */
    size_t count;
    bool *comes, *goes; /* of each element: it comes as bits, goes as bits */
    way *ways;
    size_t way_count, way_capacity;
};

unsigned cc_carried_elements(cc_unit *unit, LLVMTypeRef type) {
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return LLVMCountStructElementTypes(type);
    return cc_moves_integer(unit, type) != NULL ? 1 : 0;
}

LLVMValueRef cc_normal_function(cc_unit *unit, const cc_member *member) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.base", member->name));
    return function != NULL && !LLVMIsDeclaration(function) ? function : NULL;
}

/* ---- Elements ---- */

static void number(cc_carried *carried, LLVMValueRef value, LLVMTypeRef type) {
    unsigned elements = cc_carried_elements(carried->unit, type);
    if (elements == 0)
        return;
    cc_map_put(carried->unit, &carried->first, value, carried->count);
    carried->count += elements;
}

static void number_function(cc_carried *carried, LLVMValueRef function) {
    number(carried, function, LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        number(carried, LLVMGetParam(function, i), LLVMTypeOf(LLVMGetParam(function, i)));
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at))
        number(carried, at, LLVMTypeOf(at));
}

static ptrdiff_t element_of(const cc_carried *carried, LLVMValueRef value, unsigned element) {
    ptrdiff_t first = cc_map_get(&carried->first, value);
    return first == CC_NOT_FOUND ? CC_NOT_FOUND : first + (ptrdiff_t)element;
}

static void connect_one(cc_carried *carried, ptrdiff_t from, ptrdiff_t to) {
    if (from == CC_NOT_FOUND || to == CC_NOT_FOUND)
        return;
    cc_reserve(carried->unit, &carried->ways, &carried->way_capacity, carried->way_count + 1, sizeof *carried->ways);
    carried->ways[carried->way_count++] = (way){(size_t)from, (size_t)to};
}

/* Connects each element of `from` with that of `to`. Both have this type. */
static void connect(cc_carried *carried, LLVMValueRef from, LLVMValueRef to, LLVMTypeRef type) {
    for (unsigned k = 0; k < cc_carried_elements(carried->unit, type); k++)
        connect_one(carried, element_of(carried, from, k), element_of(carried, to, k));
}

static void mark(cc_carried *carried, bool *marks, LLVMValueRef value) {
    ptrdiff_t first = cc_map_get(&carried->first, value);
    for (unsigned k = 0; first != CC_NOT_FOUND && k < cc_carried_elements(carried->unit, LLVMTypeOf(value)); k++)
        marks[first + (ptrdiff_t)k] = true;
}

/* ---- Where bits come from and where they go ---- */

/* Returns true if an integer is only moved, perhaps after one of its halves was extracted. */
static bool is_only_moved(LLVMValueRef integer) {
    for (LLVMUseRef use = LLVMGetFirstUse(integer); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool shifted = LLVMGetInstructionOpcode(user) == LLVMLShr && LLVMIsConstant(LLVMGetOperand(user, 1));
        if (shifted ? !is_only_moved(user) : cc_bits_operation(user) && LLVMIsATruncInst(user) == NULL)
            return false;
    }
    return true;
}

static void follow_call(cc_carried *carried, LLVMValueRef call, LLVMValueRef callee) {
    for (unsigned i = 0; i < LLVMCountParams(callee); i++) {
        LLVMValueRef argument = LLVMGetOperand(call, i);
        connect(carried, argument, LLVMGetParam(callee, i), LLVMTypeOf(argument));
    }
    connect(carried, callee, call, LLVMTypeOf(call));
}

bool cc_may_call(cc_unit *unit, LLVMValueRef call, const cc_member *member) {
    if (!member->pointed || member->program == NULL)
        return false;
    LLVMTypeRef type = LLVMGlobalGetValueType(member->program);
    LLVMValueRef function = cc_normal_function(unit, member);
    if (function == NULL || LLVMGetCalledFunctionType(call) != type || LLVMGlobalGetValueType(function) != type)
        return false;
    for (unsigned i = 0; i < LLVMCountParams(member->program); i++)
        if (cc_byval(member->program, i) != NULL)
            return false;
    return true;
}

static void follow_calls(cc_carried *carried, LLVMValueRef call) {
    cc_unit *unit = carried->unit;
    LLVMValueRef callee = cc_callee(call);
    if (callee != NULL && !LLVMIsDeclaration(callee) && cc_is_direct_call(call, callee))
        follow_call(carried, call, callee);
    for (size_t i = 0; carried->pointers && callee == NULL && i < unit->program->member_count; i++)
        if (cc_may_call(unit, call, unit->program->members[i]))
            follow_call(carried, call, cc_normal_function(unit, unit->program->members[i]));
}

/* Returns the index of an insertvalue or extractvalue; -1 for a structure within a structure, which is not followed. */
static int index_of(LLVMValueRef value) {
    return LLVMGetNumIndices(value) == 1 ? (int)LLVMGetIndices(value)[0] : -1;
}

static void follow_inserted(cc_carried *carried, LLVMValueRef at) {
    int index = index_of(at);
    for (unsigned k = 0; k < cc_carried_elements(carried->unit, LLVMTypeOf(at)); k++) {
        LLVMValueRef from = (int)k == index ? LLVMGetOperand(at, 1) : LLVMGetOperand(at, 0);
        connect_one(carried, element_of(carried, from, (int)k == index ? 0 : k), element_of(carried, at, k));
    }
}

static void follow(cc_carried *carried, LLVMValueRef function, LLVMValueRef at) {
    LLVMValueRef first = cc_operand_count(at) > 0 ? LLVMGetOperand(at, 0) : NULL;
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
        if (!cc_is_of_number(carried->unit, at))
            mark(carried, carried->comes, at);
        break;
    case LLVMStore:
        if (!cc_is_of_number(carried->unit, at))
            mark(carried, carried->goes, first);
        break;
    case LLVMBitCast:
        mark(carried, carried->comes, at);
        if (is_only_moved(at))
            mark(carried, carried->goes, first);
        break;
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
        for (unsigned k = LLVMIsASelectInst(at) != NULL ? 1 : 0; k < cc_operand_count(at); k++)
            connect(carried, LLVMGetOperand(at, k), at, LLVMTypeOf(at));
        break;
    case LLVMInsertValue: follow_inserted(carried, at); break;
    case LLVMExtractValue:
        if (index_of(at) >= 0)
            connect_one(carried, element_of(carried, first, (unsigned)index_of(at)), element_of(carried, at, 0));
        break;
    case LLVMRet:
        if (first != NULL)
            connect(carried, first, function, LLVMTypeOf(first));
        break;
    case LLVMCall: follow_calls(carried, at); break;
    default: break;
    }
}

static void spread(cc_carried *carried) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < carried->way_count; i++) {
            way there = carried->ways[i], back = carried->ways[carried->way_count - 1 - i];
            bool comes = carried->comes[there.from] && !carried->comes[there.to];
            bool goes = carried->goes[back.to] && !carried->goes[back.from];
            carried->comes[there.to] = carried->comes[there.to] || comes;
            carried->goes[back.from] = carried->goes[back.from] || goes;
            changed = changed || comes || goes;
        }
    }
}

cc_carried *cc_find_carried(cc_unit *unit, bool pointers) {
    cc_carried *carried = cc_alloc(unit, 1, sizeof *carried);
    *carried = (cc_carried){.unit = unit, .pointers = pointers};
    size_t count = 0;
    LLVMValueRef *functions = cc_alloc(unit, unit->program->member_count, sizeof *functions);
    for (size_t i = 0; i < unit->program->member_count; i++) {
        LLVMValueRef function = cc_normal_function(unit, unit->program->members[i]);
        if (function == NULL)
            continue;
        functions[count++] = function;
        number_function(carried, function);
    }
    carried->comes = cc_alloc(unit, carried->count, sizeof *carried->comes);
    carried->goes = cc_alloc(unit, carried->count, sizeof *carried->goes);
    for (size_t i = 0; i < count; i++)
        for (LLVMValueRef at = cc_first(functions[i]); at != NULL; at = cc_next(at))
            follow(carried, functions[i], at);
    spread(carried);
    return carried;
}

/* ---- Questions ---- */

static LLVMTypeRef type_of(LLVMValueRef value) {
    return LLVMIsAFunction(value) != NULL ? LLVMGetReturnType(LLVMGlobalGetValueType(value)) : LLVMTypeOf(value);
}

bool cc_is_carried(const cc_carried *carried, LLVMValueRef value, unsigned element) {
    ptrdiff_t at = element_of(carried, value, element);
    LLVMTypeRef type = type_of(value);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        type = LLVMStructGetTypeAtIndex(type, element);
    return at != CC_NOT_FOUND && carried->comes[at] && carried->goes[at] &&
           cc_moves_integer(carried->unit, type) != NULL;
}

bool cc_any_carried(const cc_carried *carried, LLVMValueRef value) {
    for (unsigned k = 0; k < cc_carried_elements(carried->unit, type_of(value)); k++)
        if (cc_is_carried(carried, value, k))
            return true;
    return false;
}
