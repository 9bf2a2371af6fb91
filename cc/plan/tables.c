/* Tables of pointers: see tables.h. */
#include "cc/plan/tables.h"

#include "cc/ir/memory_scopes.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/plan/overlap.h"
#include "cc/plan/stencil.h"
#include "native/state.h"

/* READS_ONLY: value of LLVM's attribute "memory": may read, in each of its three kinds of locations. */
enum { POINTER = 8, READS_ONLY = 1 | 1 << 2 | 1 << 4 };
/* Memory that is certainly there, besides the program's variables: arena and private stack, 1 TiB and 64 GiB
 * (native/memory/space.h). */
#define INSIDE_SIZE ((INT64_C(1) << 40) + (INT64_C(64) << 30))

/* Returns whether the nest certainly does not write what `load` reads. */
static bool stays(const cc_search *s, LLVMValueRef load) {
    const cc_body *body = s->body;
    for (int x = 0; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        if (item->block < 0 || !body->loops[s->nest].contains[item->block])
            continue;
        if (item->opcode == LLVMStore ? !cc_never_overlap(s->unit, load, item->value) : cc_may_write(item))
            return false;
    }
    return true;
}

bool cc_is_in_table(cc_search *s, LLVMValueRef root) {
    if (!LLVMIsALoadInst(root) || cc_is_outside(s->body, s->reach.nest, root) || !cc_is_plain(root) ||
        LLVMGetAlignment(root) % POINTER != 0)
        return false;
    return cc_is_outside(s->body, s->reach.nest, cc_table_of(s, root)) && stays(s, root);
}

LLVMValueRef cc_table_of(const cc_search *s, LLVMValueRef root) {
    return cc_extent_root(s->body, s->reach.nest, LLVMGetOperand(root, 0));
}

/* Returns a number of bytes of which the distances between the pointers in the table are multiples. */
static int64_t stride_of(const cc_search *s, LLVMValueRef load) {
    cc_place place = cc_place_of(s->body, s->reach.nest, load);
    int64_t stride = 0;
    for (unsigned i = 0; i < place.count; i++)
        if (!cc_is_outside(s->body, s->reach.nest, place.terms[i].value))
            for (int64_t b = place.terms[i].times, rest; b != 0; b = rest) {
                rest = stride % b;
                stride = b;
            }
    stride = stride < 0 ? -stride : stride;
    return place.known && stride > 0 && stride % POINTER == 0 ? stride : POINTER;
}

static LLVMValueRef call_run_time(cc_unit *unit, const char *name, LLVMValueRef *arguments, unsigned count) {
    LLVMValueRef call = cc_call_runtime(unit, name, unit->i64, arguments, count), function = LLVMGetCalledValue(call);
    static const char *const attributes[] = {"nounwind", "willreturn", "nosync", "nofree"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        cc_add_attribute(unit, function, attributes[i]);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(unit->context, cc_attribute("memory"), READS_ONLY));
    return call;
}

/* Builds where the pointers that the nest loads begin, how many bytes they take (0: they are not certainly there) and
 * the stride. */
static bool build_table(cc_search *s, LLVMValueRef root, LLVMValueRef arguments[3]) {
    cc_unit *unit = s->unit;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef table = cc_table_of(s, root);
    cc_extent extent;
    if (!cc_extent_of_offset(&s->reach, LLVMGetOperand(root, 0), &extent))
        return false;
    extent.hi = cc_sum_within(unit, extent.hi, cc_i64(unit, POINTER));
    LLVMValueRef there =
        LLVMBuildAnd(build, cc_extent_is_sound(unit, extent), cc_build_readable(unit, table, extent), "");
    LLVMValueRef bytes = LLVMBuildSub(build, extent.hi, extent.lo, "");
    arguments[0] = LLVMBuildAdd(build, LLVMBuildPtrToInt(build, table, unit->i64, ""), extent.lo, "");
    arguments[1] = LLVMBuildSelect(build, there, bytes, cc_i64(unit, 0), "");
    arguments[2] = cc_i64(unit, stride_of(s, root));
    return true;
}

bool cc_extent_of_table(cc_search *s, LLVMValueRef root, cc_extent *rows) {
    LLVMValueRef arguments[3];
    if (!build_table(s, root, arguments))
        return false;
    *rows = (cc_extent){call_run_time(s->unit, "verso__native_least_row", arguments, 3),
                        call_run_time(s->unit, "verso__native_greatest_row", arguments, 3)};
    return true;
}

LLVMValueRef cc_build_rows_apart(cc_search *s, LLVMValueRef store, cc_extent addresses) {
    cc_unit *unit = s->unit;
    LLVMValueRef arguments[7], address = cc_address_of(store);
    cc_extent offsets;
    if (!build_table(s, cc_extent_root(s->body, s->reach.nest, address), arguments) ||
        !cc_extent_of_offset(&s->reach, address, &offsets))
        return NULL;
    arguments[3] = offsets.lo;
    arguments[4] = cc_sum_within(unit, offsets.hi, cc_i64(unit, cc_size_of_access(s, store)));
    arguments[5] = addresses.lo;
    arguments[6] = addresses.hi;
    LLVMValueRef apart = call_run_time(unit, "verso__native_rows_apart", arguments, 7);
    apart = LLVMBuildICmp(unit->builder, LLVMIntNE, apart, cc_i64(unit, 0), "");
    return LLVMBuildAnd(unit->builder, apart, cc_extent_is_sound(unit, offsets), "");
}

static LLVMValueRef load_state(cc_unit *unit, size_t offset) {
    LLVMValueRef word = LLVMBuildLoad2(unit->builder, unit->i64, cc_state(unit, offset), "");
    return cc_in_scope(unit, word, CC_SCOPE_STATE);
}

/* Builds whether the bytes from `begin` to `end`, counted from where an object begins, are in the object. */
static LLVMValueRef build_within(cc_unit *unit, LLVMValueRef begin, LLVMValueRef end, LLVMValueRef size) {
    return LLVMBuildAnd(unit->builder, LLVMBuildICmp(unit->builder, LLVMIntSGE, begin, cc_i64(unit, 0), ""),
                        LLVMBuildICmp(unit->builder, LLVMIntSLE, end, size, ""), "");
}

/* Builds whether the bytes from one address to another are in memory that the run time knows. */
static LLVMValueRef build_known(cc_unit *unit, LLVMValueRef begin, LLVMValueRef end) {
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef at[] = {cc_i64(unit, VERSO_INSIDE_AT), load_state(unit, offsetof(verso__native_state, variables))};
    LLVMValueRef size[] = {cc_i64(unit, INSIDE_SIZE), load_state(unit, offsetof(verso__native_state, variables_size))};
    LLVMValueRef known[2];
    for (int i = 0; i < 2; i++)
        known[i] = build_within(unit, cc_difference_within(unit, begin, at[i]), cc_difference_within(unit, end, at[i]),
                                size[i]);
    return LLVMBuildOr(build, known[0], known[1], "");
}

LLVMValueRef cc_build_readable(cc_unit *unit, LLVMValueRef root, cc_extent extent) {
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef begin = extent.lo, end = extent.hi, inside;
    if (root && LLVMIsAGlobalVariable(root)) {
        uint64_t size = LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(root));
        inside = build_within(unit, begin, end, cc_i64(unit, (int64_t)size));
    } else {
        LLVMValueRef from = root ? LLVMBuildPtrToInt(build, root, unit->i64, "") : cc_i64(unit, 0);
        inside = build_known(unit, cc_sum_within(unit, from, begin), cc_sum_within(unit, from, end));
    }
    return LLVMBuildAnd(build, inside, LLVMBuildICmp(build, LLVMIntSGT, end, begin, ""), "");
}
