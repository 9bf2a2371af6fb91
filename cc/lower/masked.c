/* Masked loads and stores, lane by lane: LLVM's own intrinsics (llvm.masked.load ...) and the processor's
 * (front/machine.h).
 *
 * No branches are built: a lane that the mask excludes is loaded from, or stored to, a stack slot of its own that
 * is otherwise unused. The derivative of that slot is zero, since what is loaded from there is not used. */
#include "cc/front/marks.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "cc/lower/masks.h"

#include <string.h>

enum { PLACE_BYTES = 16 }; /* size of the largest lane */

static unsigned lanes_of(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static LLVMValueRef lane_of(cc_unit *unit, LLVMValueRef vector, unsigned lane) {
    return LLVMBuildExtractElement(unit->builder, vector, LLVMConstInt(unit->i32, lane, false), "");
}

/* ---- Masks ---- */

/* Builds a vector of the sign bits. */
static LLVMValueRef signs(cc_unit *unit, LLVMValueRef mask) {
    LLVMTypeRef type = LLVMTypeOf(mask), element = LLVMGetElementType(type);
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    if (kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind) {
        type = LLVMVectorType(kind == LLVMDoubleTypeKind ? unit->i64 : unit->i32, lanes_of(type));
        mask = LLVMBuildBitCast(unit->builder, mask, type, "");
    }
    return LLVMBuildICmp(unit->builder, LLVMIntSLT, mask, LLVMConstNull(type), "");
}

LLVMValueRef cc_mask(cc_unit *unit, LLVMValueRef mask, unsigned lanes, unsigned meant) {
    LLVMTypeRef type = LLVMTypeOf(mask);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        mask = LLVMBuildBitCast(unit->builder, mask, LLVMVectorType(unit->i1, LLVMGetIntTypeWidth(type)), "");
    else if (LLVMGetElementType(type) != unit->i1)
        mask = signs(unit, mask);
    unsigned there = lanes_of(LLVMTypeOf(mask));
    if (there == lanes && meant >= lanes)
        return mask;
    LLVMValueRef *chosen = cc_alloc(unit, lanes, sizeof *chosen);
    for (unsigned i = 0; i < lanes; i++)
        chosen[i] = LLVMConstInt(unit->i32, i < meant && i < there ? i : there, false);
    LLVMValueRef all = LLVMConstAllOnes(LLVMTypeOf(mask));
    return LLVMBuildShuffleVector(unit->builder, mask, all, LLVMConstVector(chosen, lanes), "");
}

/* ---- Lanes ---- */

typedef struct access {
    cc_unit *unit;
    LLVMValueRef call;
    LLVMTypeRef element;
    unsigned alignment;
    LLVMValueRef elsewhere; /* the slot for excluded lanes; NULL until it is needed */
} access;

/* Returns the stack slot for excluded lanes, one per function; adds it if it is missing. */
static LLVMValueRef elsewhere(access *access) {
    static const char name[] = "verso.elsewhere";
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(access->call));
    for (LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)); at != NULL;
         at = LLVMGetNextInstruction(at))
        if (LLVMIsAAllocaInst(at) != NULL && strncmp(LLVMGetValueName(at), name, strlen(name)) == 0)
            return at;
    LLVMTypeRef type = LLVMArrayType2(access->unit->i8, PLACE_BYTES);
    LLVMValueRef place = cc_entry_slot(access->unit, access->call, type, PLACE_BYTES);
    LLVMSetValueName2(place, name, strlen(name));
    cc_build_before(access->unit, access->call);
    return place;
}

/* Builds the address to access for a lane: `address`, or the slot if `named`, the lane of the mask, is false. NULL
 * if it is certainly false. */
static LLVMValueRef address_of_lane(access *access, LLVMValueRef named, LLVMValueRef address) {
    if (LLVMIsAConstantInt(named) != NULL)
        return LLVMConstIntGetZExtValue(named) != 0 ? address : NULL;
    if (LLVMIsUndef(named))
        return NULL;
    if (access->elsewhere == NULL)
        access->elsewhere = elsewhere(access);
    return LLVMBuildSelect(access->unit->builder, named, address, access->elsewhere, "");
}

/* Builds the value of a lane: loaded if the mask is true there, else `rest`. */
static LLVMValueRef load_lane(access *access, LLVMValueRef named, LLVMValueRef address, LLVMValueRef rest) {
    LLVMBuilderRef build = access->unit->builder;
    LLVMValueRef from = address_of_lane(access, named, address);
    if (from == NULL)
        return rest;
    LLVMValueRef loaded = LLVMBuildLoad2(build, access->element, from, "");
    LLVMSetAlignment(loaded, access->alignment);
    return from == address ? loaded : LLVMBuildSelect(build, named, loaded, rest, "");
}

static void store_lane(access *access, LLVMValueRef named, LLVMValueRef address, LLVMValueRef value) {
    LLVMValueRef to = address_of_lane(access, named, address);
    if (to != NULL)
        LLVMSetAlignment(LLVMBuildStore(access->unit->builder, value, to), access->alignment);
}

static access access_of(cc_unit *unit, LLVMValueRef call, LLVMTypeRef vector, uint64_t alignment) {
    LLVMTypeRef element = LLVMGetElementType(vector);
    uint64_t most = LLVMStoreSizeOfType(unit->layout, element);
    unsigned natural = 1;
    while (natural * 2 <= most && natural < PLACE_BYTES)
        natural *= 2;
    cc_build_before(unit, call);
    return (access){.unit = unit,
                    .call = call,
                    .element = element,
                    .alignment = alignment >= natural ? natural
                                 : alignment == 0     ? 1
                                                      : (unsigned)alignment};
}

static LLVMValueRef with_lane(cc_unit *unit, LLVMValueRef vector, LLVMValueRef value, unsigned lane) {
    return LLVMBuildInsertElement(unit->builder, vector, value, LLVMConstInt(unit->i32, lane, false), "");
}

static void replace(LLVMValueRef call, LLVMValueRef result) {
    if (result != NULL)
        LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

/* ---- Contiguous lanes ---- */

/* Builds the address of a lane of a row that begins at `address`. If `packed`, only lanes whose mask is true have a
 * place, and *count is the number of such lanes so far. */
static LLVMValueRef next_address(access *access, LLVMValueRef address, LLVMValueRef named, unsigned lane, bool packed,
                                 LLVMValueRef *count) {
    LLVMBuilderRef build = access->unit->builder;
    LLVMValueRef index = packed ? *count : cc_i64(access->unit, lane);
    if (packed)
        *count = LLVMBuildAdd(build, *count, LLVMBuildZExt(build, named, access->unit->i64, ""), "");
    return LLVMBuildGEP2(build, access->element, address, &index, 1, "");
}

static void load_row(access *access, LLVMValueRef address, LLVMValueRef mask, LLVMValueRef rest, bool packed) {
    cc_unit *unit = access->unit;
    LLVMTypeRef type = LLVMTypeOf(access->call);
    LLVMValueRef result = LLVMGetUndef(type), count = cc_i64(unit, 0);
    mask = cc_mask(unit, mask, lanes_of(type), lanes_of(type));
    for (unsigned i = 0; i < lanes_of(type); i++) {
        LLVMValueRef named = lane_of(unit, mask, i);
        LLVMValueRef at = next_address(access, address, named, i, packed, &count);
        result = with_lane(unit, result, load_lane(access, named, at, lane_of(unit, rest, i)), i);
    }
    replace(access->call, result);
}

static void store_row(access *access, LLVMValueRef value, LLVMValueRef address, LLVMValueRef mask, bool packed) {
    cc_unit *unit = access->unit;
    unsigned lanes = lanes_of(LLVMTypeOf(value));
    LLVMValueRef count = cc_i64(unit, 0);
    mask = cc_mask(unit, mask, lanes, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef named = lane_of(unit, mask, i);
        LLVMValueRef at = next_address(access, address, named, i, packed, &count);
        store_lane(access, named, at, lane_of(unit, value, i));
    }
    replace(access->call, NULL);
}

/* ---- Gather and scatter ---- */

/* Builds base + scale * index. */
static LLVMValueRef scaled_address(access *access, const cc_machine *machine, unsigned lane) {
    LLVMBuilderRef build = access->unit->builder;
    LLVMValueRef base = cc_machine_operand(machine, access->call, 'p');
    LLVMValueRef index = lane_of(access->unit, cc_machine_operand(machine, access->call, 'x'), lane);
    index = LLVMBuildSExtOrBitCast(build, index, access->unit->i64, "");
    uint64_t scale = LLVMConstIntGetZExtValue(cc_machine_operand(machine, access->call, 'n'));
    LLVMValueRef bytes = LLVMBuildMul(build, index, LLVMConstInt(access->unit->i64, scale, false), "");
    return LLVMBuildGEP2(build, access->unit->i8, base, &bytes, 1, "");
}

/* Returns the number of lanes that have an index; the others are zero. */
static unsigned indexed_lanes(LLVMTypeRef type, LLVMValueRef indices) {
    unsigned lanes = lanes_of(type), there = lanes_of(LLVMTypeOf(indices));
    return there < lanes ? there : lanes;
}

static void gather_machine(access *access, const cc_machine *machine) {
    cc_unit *unit = access->unit;
    LLVMTypeRef type = LLVMTypeOf(access->call);
    LLVMValueRef rest = cc_machine_operand(machine, access->call, 's'), result = LLVMConstNull(type);
    unsigned lanes = indexed_lanes(type, cc_machine_operand(machine, access->call, 'x'));
    LLVMValueRef mask = cc_mask(unit, cc_machine_operand(machine, access->call, 'k'), lanes, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef at = scaled_address(access, machine, i);
        LLVMValueRef value = load_lane(access, lane_of(unit, mask, i), at, lane_of(unit, rest, i));
        result = with_lane(unit, result, value, i);
    }
    replace(access->call, result);
}

static void scatter_machine(access *access, const cc_machine *machine) {
    cc_unit *unit = access->unit;
    LLVMValueRef value = cc_machine_operand(machine, access->call, 'a');
    unsigned lanes = indexed_lanes(LLVMTypeOf(value), cc_machine_operand(machine, access->call, 'x'));
    LLVMValueRef mask = cc_mask(unit, cc_machine_operand(machine, access->call, 'k'), lanes, lanes);
    for (unsigned i = 0; i < lanes; i++)
        store_lane(access, lane_of(unit, mask, i), scaled_address(access, machine, i), lane_of(unit, value, i));
    replace(access->call, NULL);
}

static void gather(access *access) {
    cc_unit *unit = access->unit;
    LLVMValueRef addresses = LLVMGetOperand(access->call, 0), mask = LLVMGetOperand(access->call, 2);
    LLVMValueRef rest = LLVMGetOperand(access->call, 3), result = LLVMGetUndef(LLVMTypeOf(access->call));
    for (unsigned i = 0; i < lanes_of(LLVMTypeOf(access->call)); i++)
        result = with_lane(
            unit, result,
            load_lane(access, lane_of(unit, mask, i), lane_of(unit, addresses, i), lane_of(unit, rest, i)), i);
    replace(access->call, result);
}

static void scatter(access *access) {
    cc_unit *unit = access->unit;
    LLVMValueRef value = LLVMGetOperand(access->call, 0), addresses = LLVMGetOperand(access->call, 1);
    LLVMValueRef mask = LLVMGetOperand(access->call, 3);
    for (unsigned i = 0; i < lanes_of(LLVMTypeOf(value)); i++)
        store_lane(access, lane_of(unit, mask, i), lane_of(unit, addresses, i), lane_of(unit, value, i));
    replace(access->call, NULL);
}

void cc_lower_masked_machine(cc_unit *unit, LLVMValueRef call, const cc_machine *machine) {
    LLVMValueRef address = cc_machine_operand(machine, call, 'p'), mask = cc_machine_operand(machine, call, 'k');
    LLVMValueRef value = cc_machine_operand(machine, call, 'a');
    LLVMTypeRef type = value == NULL ? LLVMTypeOf(call) : LLVMTypeOf(value);
    access access = access_of(unit, call, type, 1);
    switch (machine->operation) {
    case CC_MACHINE_LOAD: load_row(&access, address, mask, LLVMConstNull(type), false); break;
    case CC_MACHINE_STORE: store_row(&access, value, address, mask, false); break;
    case CC_MACHINE_GATHER: gather_machine(&access, machine); break;
    case CC_MACHINE_SCATTER: scatter_machine(&access, machine); break;
    default: {
        LLVMValueRef loaded = LLVMBuildLoad2(unit->builder, type, address, "");
        LLVMSetAlignment(loaded, 1);
        replace(call, loaded);
    }
    }
}

/* ---- LLVM's intrinsics ---- */

static void lower_call(cc_unit *unit, LLVMValueRef call) {
    cc_masked what = cc_masked_of(cc_callee_name(call));
    if (what == CC_MASKED_NOT)
        return;
    bool writes = what == CC_MASKED_STORE || what == CC_MASKED_SCATTER || what == CC_MASKED_COMPRESS;
    LLVMTypeRef type = writes ? LLVMTypeOf(LLVMGetOperand(call, 0)) : LLVMTypeOf(call);
    int aligned = what == CC_MASKED_LOAD || what == CC_MASKED_GATHER     ? 1
                  : what == CC_MASKED_STORE || what == CC_MASKED_SCATTER ? 2
                                                                         : -1;
    uint64_t alignment = aligned < 0 ? 1 : LLVMConstIntGetZExtValue(LLVMGetOperand(call, (unsigned)aligned));
    access access = access_of(unit, call, type, alignment);
    LLVMValueRef *arguments = cc_alloc(unit, 4, sizeof *arguments);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && i < 4; i++)
        arguments[i] = LLVMGetOperand(call, i);
    switch (what) {
    case CC_MASKED_LOAD: load_row(&access, arguments[0], arguments[2], arguments[3], false); break;
    case CC_MASKED_EXPAND: load_row(&access, arguments[0], arguments[1], arguments[2], true); break;
    case CC_MASKED_STORE: store_row(&access, arguments[0], arguments[1], arguments[3], false); break;
    case CC_MASKED_COMPRESS: store_row(&access, arguments[0], arguments[1], arguments[2], true); break;
    case CC_MASKED_GATHER: gather(&access); break;
    default: scatter(&access);
    }
}

void cc_lower_masked(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++)
        for (LLVMValueRef next, at = cc_first(unit->program->members[i]->base); at != NULL; at = next) {
            next = cc_next(at);
            if (LLVMIsACallInst(at) != NULL)
                lower_call(unit, at);
        }
}
