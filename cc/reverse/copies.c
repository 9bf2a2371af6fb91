/* Copies of ranges in recording and reverse code: see copies.h. */
#include "cc/reverse/copies.h"
#include "cc/ir/memory_scopes.h"
#include "cc/ir/small.h"
#include "cc/plan/ranges.h"

#include <string.h>

static unsigned mark_of(cc_unit *unit) {
    return LLVMGetMDKindIDInContext(unit->context, "verso.range", strlen("verso.range"));
}

bool cc_has_ranges(const cc_segment *segment) {
    for (size_t i = 0; i < segment->field_count; i++)
        if (segment->fields[i].kind == CC_FIELD_BYTES)
            return true;
    return false;
}

LLVMValueRef cc_record_ranges(cc_body *body, const cc_segment *segment, LLVMValueRef tape) {
    cc_unit *unit = body->unit;
    for (size_t i = 0; i < segment->field_count; i++) {
        if (segment->fields[i].kind != CC_FIELD_BYTES)
            continue;
        const cc_range *range = &body->ranges->all[segment->fields[i].item];
        LLVMValueRef from = LLVMBuildIntToPtr(unit->builder, range->begin, unit->pointer, "");
        LLVMValueRef copy = LLVMBuildMemCpy(unit->builder, tape, 8, from, 8, range->bytes);
        LLVMSetMetadata(copy, mark_of(unit),
                        LLVMMetadataAsValue(unit->context, LLVMMDNodeInContext2(unit->context, NULL, 0)));
        LLVMValueRef bytes = range->bytes;
        tape = LLVMBuildGEP2(unit->builder, unit->i8, tape, &bytes, 1, "");
    }
    return tape;
}

bool cc_is_range_copy(cc_unit *unit, LLVMValueRef instruction) {
    return LLVMIsACallInst(instruction) && LLVMGetMetadata(instruction, mark_of(unit));
}

void cc_sweep_ranges(cc_sweep *sweep) {
    cc_unit *unit = sweep->unit;
    LLVMBuilderRef build = unit->builder;
    const cc_segment *segment = sweep->segment;
    for (size_t i = segment->field_count; i-- > 0;) {
        if (segment->fields[i].kind != CC_FIELD_BYTES)
            continue;
        LLVMValueRef begin = cc_sweep_field(sweep, &segment->fields[i - 1]);
        LLVMValueRef back = LLVMBuildNeg(build, cc_sweep_field(sweep, &segment->fields[i]), "");
        LLVMValueRef tape = LLVMBuildLoad2(build, unit->pointer, sweep->tape, "");
        tape = LLVMBuildGEP2(build, unit->i8, tape, &back, 1, "");
        LLVMBuildStore(build, tape, sweep->tape);
        LLVMValueRef distance = LLVMBuildSub(build, LLVMBuildPtrToInt(build, tape, unit->i64, ""), begin, "");
        LLVMBuildStore(build, distance, sweep->body->slots[segment->fields[i].slot].address);
    }
}

/* Refuses if a number that was read from a copy differs from the recorded one. */
static void check(cc_sweep *sweep, const cc_item *item, LLVMValueRef copied, LLVMValueRef recorded) {
    cc_unit *unit = sweep->unit;
    uint64_t size = LLVMStoreSizeOfType(unit->layout, LLVMTypeOf(copied));
    LLVMTypeRef bits = LLVMIntTypeInContext(unit->context, (unsigned)size * 8);
    LLVMValueRef differ = LLVMBuildICmp(unit->builder, LLVMIntNE, LLVMBuildBitCast(unit->builder, copied, bits, ""),
                                        LLVMBuildBitCast(unit->builder, recorded, bits, ""), "");
    const char *text = cc_print(unit, "internal error (please report it): %s: a number that is read again has changed",
                                cc_where(unit, item->value));
    LLVMValueRef arguments[] = {LLVMConstReal(unit->f64, 1), cc_string(unit, text)};
    cc_call_if(unit, differ, "verso__native_lost", cc_sweep_apart(sweep, item->value), arguments, 2);
}

static LLVMValueRef load_copy(cc_sweep *sweep, const cc_item *item) {
    cc_unit *unit = sweep->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef distance = cc_sweep_load_slot(sweep, sweep->body->ranges->all[item->range].slot);
    LLVMValueRef address = cc_sweep_value(sweep, LLVMGetOperand(item->value, 0));
    /* To LLVM, an address computed from a global is in that global. */
    LLVMValueRef base = address;
    while (LLVMIsAGetElementPtrInst(base))
        base = LLVMGetOperand(base, 0);
    if (LLVMIsConstant(base)) {
        address = LLVMBuildAdd(build, LLVMBuildPtrToInt(build, address, unit->i64, ""), distance, "");
        address = LLVMBuildIntToPtr(build, address, unit->pointer, "");
    } else
        address = LLVMBuildGEP2(build, unit->i8, address, &distance, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(build, LLVMTypeOf(item->value), address, "");
    unsigned alignment = LLVMGetAlignment(item->value);
    LLVMSetAlignment(load, alignment < 8 ? alignment : 8);
    return cc_in_scope(unit, load, CC_SCOPE_COPY);
}

LLVMValueRef cc_sweep_from_range(cc_sweep *sweep, const cc_item *item, const cc_need *need) {
    LLVMValueRef copied = load_copy(sweep, item);
    if (need->field >= 0)
        check(sweep, item, copied, cc_sweep_field(sweep, &sweep->segment->fields[need->field]));
    return copied;
}
