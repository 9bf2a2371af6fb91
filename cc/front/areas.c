/* Finds the memory that a call of a C library function has written, from the description in the table of known
 * functions. The sizes are those that the call really wrote, computed at run time by code that is built after the
 * call. */
#include "cc/front/areas.h"
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/ir/program.h"

#include <string.h>

static LLVMValueRef as_i64(cc_unit *unit, LLVMValueRef value) {
    return LLVMBuildIntCast2(unit->builder, value, unit->i64, true, "");
}

static LLVMValueRef argument(const cc_library_call *call, char which) {
    return which == 'r' ? call->result : call->arguments[which - '0'];
}

/* Builds max(value, 0). */
static LLVMValueRef positive(cc_unit *unit, LLVMValueRef value) {
    LLVMValueRef above = LLVMBuildICmp(unit->builder, LLVMIntSGT, value, cc_i64(unit, 0), "");
    return LLVMBuildSelect(unit->builder, above, value, cc_i64(unit, 0), "");
}

static LLVMValueRef times(cc_unit *unit, LLVMValueRef count, LLVMValueRef size) {
    return LLVMBuildMul(unit->builder, positive(unit, as_i64(unit, count)), as_i64(unit, size), "");
}

/* Builds the size of an area in bytes from the second letter of its description; NULL for a string. */
static LLVMValueRef bytes_of(cc_unit *unit, const cc_library_call *call, char how) {
    size_t fixed = cc_struct_bytes(how);
    if (fixed > 0)
        return cc_i64(unit, (int64_t)fixed);
    switch (how) {
    case 'x': return times(unit, call->result, argument(call, '1'));
    case 'r': return positive(unit, as_i64(unit, call->result));
    case 's':
    case 'n': return NULL;
    case 'd':
    case 'l': return cc_i64(unit, 8);
    case 'i': return cc_i64(unit, 4);
    case 'b': return cc_i64(unit, 1);
    case 'E': return times(unit, argument(call, '2'), cc_i64(unit, 8));
    case 'P': return times(unit, argument(call, '1'), cc_i64(unit, 8));
    case 'W': return times(unit, argument(call, '1'), cc_i64(unit, 4));
    default: return positive(unit, as_i64(unit, argument(call, how)));
    }
}

/* Builds `data`, or NULL if argument 1, the size of snprintf's buffer, is 0: then nothing is written. */
static LLVMValueRef unless_no_room(cc_unit *unit, const cc_library_call *call, LLVMValueRef data) {
    LLVMValueRef limit = as_i64(unit, argument(call, '1'));
    LLVMValueRef none = LLVMBuildICmp(unit->builder, LLVMIntEQ, limit, cc_i64(unit, 0), "");
    return LLVMBuildSelect(unit->builder, none, LLVMConstNull(unit->pointer), data, "");
}

/* ---- scanf ---- */

const char *cc_constant_string(cc_unit *unit, LLVMValueRef pointer) {
    LLVMValueRef global = LLVMIsAGlobalVariable(pointer);
    LLVMValueRef content = global == NULL || !LLVMIsGlobalConstant(global) ? NULL : LLVMGetInitializer(global);
    if (content == NULL || !LLVMIsConstantString(content))
        return NULL;
    size_t length;
    const char *text = LLVMGetAsString(content, &length);
    return cc_print(unit, "%.*s", (int)length, text);
}

/* Returns the area of one conversion. Its address is NULL at run time unless the result says that it was assigned. */
static cc_area scanned_area(cc_unit *unit, const cc_library_call *call, LLVMValueRef data, const cc_scanned *scanned,
                            int64_t assigned) {
    LLVMIntPredicate order = scanned->counted ? LLVMIntSGT : LLVMIntSGE;
    LLVMValueRef made = LLVMBuildICmp(unit->builder, order, as_i64(unit, call->result), cc_i64(unit, assigned), "");
    data = LLVMBuildSelect(unit->builder, made, data, LLVMConstNull(unit->pointer), "");
    return (cc_area){data, scanned->bytes == 0 ? NULL : cc_i64(unit, (int64_t)scanned->bytes)};
}

static bool each_scanned(cc_unit *unit, const cc_library_call *call, unsigned format, cc_visit_area *visit,
                         void *context) {
    cc_scanned *scanned;
    size_t count;
    if (call->format == NULL || !cc_scan_format(unit, call->format, &scanned, &count) ||
        format + 1 + count > call->count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (LLVMGetTypeKind(LLVMTypeOf(call->arguments[format + 1 + i])) != LLVMPointerTypeKind)
            return false;
    int64_t assigned = 0;
    for (size_t i = 0; i < count; i++) {
        visit(unit, scanned_area(unit, call, call->arguments[format + 1 + i], &scanned[i], assigned), context);
        assigned += scanned[i].counted;
    }
    return true;
}

/* Returns the elements of flang's descriptor. */
static cc_area elements_of(cc_unit *unit, LLVMValueRef descriptor) {
    LLVMValueRef bytes = cc_call_runtime(unit, "verso__native_fortran_bytes", unit->i64, &descriptor, 1);
    return (cc_area){cc_call_runtime(unit, "verso__native_fortran_data", unit->pointer, &descriptor, 1), bytes};
}

bool cc_each_area(cc_unit *unit, const cc_library_call *call, const char *writes, cc_visit_area *visit, void *context) {
    for (; writes[0] != '\0'; writes += 2) {
        if (writes[1] == 'F')
            continue;
        if (writes[1] == 'f')
            return each_scanned(unit, call, (unsigned)(writes[0] - '0'), visit, context);
        LLVMValueRef data = argument(call, writes[0]);
        if (writes[1] == 'D') {
            visit(unit, elements_of(unit, data), context);
            continue;
        }
        if (writes[1] == 'n')
            data = unless_no_room(unit, call, data);
        visit(unit, (cc_area){data, bytes_of(unit, call, writes[1])}, context);
    }
    return true;
}

cc_library_call cc_describe_call(cc_unit *unit, LLVMValueRef call, const char *writes) {
    cc_library_call described = {.result = call, .count = LLVMGetNumArgOperands(call)};
    described.arguments = cc_alloc(unit, described.count, sizeof *described.arguments);
    for (unsigned i = 0; i < described.count; i++)
        described.arguments[i] = LLVMGetOperand(call, i);
    if (writes[0] != '\0' && writes[1] == 'f')
        described.format = cc_constant_string(unit, described.arguments[writes[0] - '0']);
    return described;
}
