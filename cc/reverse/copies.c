/* Copies of ranges in recording and reverse code: see copies.h. */
#include "cc/reverse/copies.h"

#include "cc/ir/cells.h"
#include "cc/ir/memory_scopes.h"
#include "cc/ir/small.h"
#include "cc/plan/plan.h"
#include "cc/plan/ranges.h"

#include <string.h>

static unsigned mark_of(cc_unit *unit) {
    return LLVMGetMDKindIDInContext(unit->context, "verso.range", strlen("verso.range"));
}

bool cc_has_ranges(const cc_body *body, const cc_segment *segment) {
    for (size_t i = 0; i < body->ranges->count; i++)
        if (cc_has_copy(body, segment, &body->ranges->all[i]))
            return true;
    return false;
}

/* Builds the size of a copy on the tape: it is not there if it lasts. */
static LLVMValueRef bytes_on_tape(cc_unit *unit, LLVMValueRef lasting, LLVMValueRef bytes) {
    return LLVMBuildSelect(unit->builder, LLVMBuildIsNull(unit->builder, lasting, ""), bytes, cc_i64(unit, 0), "");
}

/* Returns the bytes of a variable; 0: the value is none, or its size is not constant. */
static LLVMValueRef size_of_object(cc_unit *unit, LLVMValueRef value) {
    uint64_t size = 0;
    if (LLVMIsAGlobalVariable(value))
        size = LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(value));
    else if (LLVMIsAAllocaInst(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 0)))
        size = LLVMABISizeOfType(unit->layout, LLVMGetAllocatedType(value)) *
               LLVMConstIntGetZExtValue(LLVMGetOperand(value, 0));
    return cc_i64(unit, (int64_t)size);
}

LLVMValueRef cc_record_ranges(cc_body *body, const cc_segment *segment, LLVMValueRef tape) {
    cc_unit *unit = body->unit;
    for (size_t i = 0; i < body->ranges->count; i++) {
        cc_range *range = &body->ranges->all[i];
        if (!cc_has_copy(body, segment, range))
            continue;
        LLVMValueRef from = LLVMBuildIntToPtr(unit->builder, range->begin, unit->pointer, ""), bytes = range->bytes;
        if (range->lasts) {
            LLVMValueRef object = range->object ? range->object : LLVMConstNull(unit->pointer);
            range->lasting =
                unit->second ? LLVMConstNull(unit->pointer) /* it would lack the tangents */
                             : cc_call_runtime(unit, "verso__native_lasting", unit->pointer,
                                               (LLVMValueRef[]){from, bytes, object, size_of_object(unit, object)}, 4);
            bytes = bytes_on_tape(unit, range->lasting, bytes);
        }
        LLVMValueRef copy = LLVMBuildMemCpy(unit->builder, tape, 8, from, 8, bytes);
        LLVMSetMetadata(copy, mark_of(unit),
                        LLVMMetadataAsValue(unit->context, LLVMMDNodeInContext2(unit->context, NULL, 0)));
        tape = LLVMBuildGEP2(unit->builder, unit->i8, tape, &bytes, 1, "");
    }
    return tape;
}

LLVMValueRef cc_load_old(cc_body *body, int x) {
    cc_unit *unit = body->unit;
    LLVMValueRef store = body->items[x].value;
    LLVMPositionBuilderBefore(unit->builder, store);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    LLVMValueRef old = LLVMBuildLoad2(unit->builder, type, LLVMGetOperand(store, 1), "");
    LLVMSetAlignment(old, LLVMGetAlignment(store));
    return cc_in_scope(unit, old, CC_SCOPE_PROGRAM);
}

bool cc_is_range_copy(cc_unit *unit, LLVMValueRef instruction) {
    return LLVMIsACallInst(instruction) && LLVMGetMetadata(instruction, mark_of(unit));
}

/* Builds what the current record says about a range; NULL: it does not. */
static LLVMValueRef read_field(cc_sweep *sweep, int range, cc_field_kind kind) {
    const cc_segment *segment = sweep->segment;
    for (size_t i = 0; i < segment->field_count; i++)
        if (segment->fields[i].kind == kind && segment->fields[i].item == range)
            return cc_sweep_field(sweep, &segment->fields[i]);
    return NULL;
}

/* Finds the copy of a range, and sets its slot. */
static void sweep_range(cc_sweep *sweep, int i) {
    cc_unit *unit = sweep->unit;
    LLVMBuilderRef build = unit->builder;
    const cc_range *range = &sweep->body->ranges->all[i];
    LLVMValueRef begin = range->again ? cc_sweep_value(sweep, range->begin) : read_field(sweep, i, CC_FIELD_BEGIN);
    LLVMValueRef bytes = range->again ? cc_sweep_value(sweep, range->bytes) : read_field(sweep, i, CC_FIELD_BYTES);
    LLVMValueRef lasting = read_field(sweep, i, CC_FIELD_LASTING);
    if (lasting)
        bytes = bytes_on_tape(unit, lasting, bytes);
    LLVMValueRef back = LLVMBuildNeg(build, bytes, "");
    LLVMValueRef tape = LLVMBuildLoad2(build, unit->pointer, sweep->tape, "");
    tape = LLVMBuildGEP2(build, unit->i8, tape, &back, 1, "");
    LLVMBuildStore(build, tape, sweep->tape);
    if (lasting)
        tape = LLVMBuildSelect(build, LLVMBuildIsNull(build, lasting, ""), tape, lasting, "");
    LLVMValueRef distance = LLVMBuildSub(build, LLVMBuildPtrToInt(build, tape, unit->i64, ""), begin, "");
    LLVMBuildStore(build, distance, cc_sweep_slot_address(sweep, range->slot));
}

void cc_sweep_ranges(cc_sweep *sweep) {
    for (int i = (int)sweep->body->ranges->count; i-- > 0;)
        if (cc_has_copy(sweep->body, sweep->segment, &sweep->body->ranges->all[i]))
            sweep_range(sweep, i);
}

/* Refuses if a number that was read from a copy differs from the recorded one. */
static void check(cc_sweep *sweep, const cc_item *item, LLVMValueRef copied, LLVMValueRef recorded) {
    cc_unit *unit = sweep->unit;
    uint64_t size = LLVMStoreSizeOfType(unit->layout, LLVMTypeOf(copied));
    LLVMTypeRef bits = LLVMIntTypeInContext(unit->context, (unsigned)size * 8);
    LLVMOpcode as_bits = LLVMGetTypeKind(LLVMTypeOf(copied)) == LLVMPointerTypeKind ? LLVMPtrToInt : LLVMBitCast;
    LLVMValueRef differ =
        LLVMBuildICmp(unit->builder, LLVMIntNE, LLVMBuildCast(unit->builder, as_bits, copied, bits, ""),
                      LLVMBuildCast(unit->builder, as_bits, recorded, bits, ""), "");
    const char *text = cc_print(unit, "internal error (please report it): %s: a number that is read again has changed",
                                cc_where(unit, item->value));
    LLVMValueRef arguments[] = {LLVMConstReal(unit->f64, 1), cc_string(unit, text)};
    cc_call_if(unit, differ, "verso__native_refuse_lost", cc_sweep_apart(sweep, item->value), arguments, 2);
}

/* Builds the address in the copy of what a load or store accesses. */
static LLVMValueRef address_in_copy(cc_sweep *sweep, const cc_item *item) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef distance = cc_sweep_load_slot(sweep, sweep->body->ranges->all[item->range].slot);
    LLVMValueRef address = cc_sweep_value(sweep, LLVMGetOperand(item->value, item->opcode == LLVMLoad ? 0 : 1));
    /* To LLVM, an address computed from a global is in that global. */
    LLVMValueRef base = address;
    while (LLVMIsAGetElementPtrInst(base))
        base = LLVMGetOperand(base, 0);
    if (LLVMIsConstant(base))
        return cc_move_address(unit, address, distance);
    return LLVMBuildGEP2(unit->builder, unit->i8, address, &distance, 1, "");
}

static void set_alignment(LLVMValueRef access, LLVMValueRef program) {
    unsigned alignment = LLVMGetAlignment(program);
    LLVMSetAlignment(access, alignment < 8 ? alignment : 8);
}

static LLVMValueRef load_copy(cc_sweep *sweep, const cc_item *item) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef address = address_in_copy(sweep, item);
    LLVMValueRef load = LLVMBuildLoad2(unit->builder, LLVMTypeOf(item->value), address, "");
    set_alignment(load, item->value);
    return cc_in_scope(unit, load, CC_SCOPE_COPY);
}

static void put_back(cc_sweep *sweep, const cc_item *item, const cc_field *field) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef old = cc_sweep_field(sweep, field);
    LLVMValueRef store = LLVMBuildStore(unit->builder, old, address_in_copy(sweep, item));
    set_alignment(store, item->value);
    cc_in_scope(unit, store, CC_SCOPE_COPY);
}

static const cc_field *old_of(const cc_segment *segment, int store) {
    for (size_t i = 0; i < segment->field_count; i++)
        if (segment->fields[i].kind == CC_FIELD_OLD && segment->fields[i].item == store)
            return &segment->fields[i];
    return NULL;
}

void cc_sweep_rewritten(cc_sweep *sweep) {
    const cc_segment *segment = sweep->segment;
    for (int x = segment->last; x >= segment->first; x--) {
        const cc_item *item = &sweep->body->items[x];
        if (item->range < 0 || sweep->body->ranges->all[item->range].store_count == 0)
            continue;
        const cc_field *field = old_of(segment, x);
        const cc_need *need = cc_need_find(segment, x);
        if (item->opcode == LLVMStore && field)
            put_back(sweep, item, field);
        else if (need && need->source == CC_SOURCE_RANGE)
            cc_sweep_value(sweep, item->value);
    }
}

LLVMValueRef cc_sweep_from_range(cc_sweep *sweep, const cc_item *item, const cc_need *need) {
    LLVMValueRef copied = load_copy(sweep, item);
    if (need->field >= 0)
        check(sweep, item, copied, cc_sweep_field(sweep, &sweep->segment->fields[need->field]));
    return copied;
}
