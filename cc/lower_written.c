/* Markers behind C library calls that write memory: verso.written(data, size), from which the differentiating passes
 * learn that numbers there came from outside. How much is written is in the table of known.h; it is what the call
 * really wrote, not what it might have, because numbers that were not overwritten keep their derivatives. */
#include "cc/program.h"
#include "cc/surgery.h"

#include <string.h>

typedef struct written {
    cc_unit *unit;
    LLVMValueRef call;
    LLVMValueRef next; /* the markers go before it */
} written;

/* long verso.pass.string_bytes(char *): with the NUL; 0 for NULL. */
static void build_string_bytes(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)context;
    LLVMValueRef string = LLVMGetParam(function, 0);
    LLVMBasicBlockRef none = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNull(unit->builder, string, ""), none, some);
    cc_build_at_end(unit, none);
    LLVMBuildRet(unit->builder, cc_i64(unit, 0));
    cc_build_at_end(unit, some);
    LLVMTypeRef type = LLVMFunctionType(unit->i64, &unit->pointer, 1, false);
    LLVMValueRef length = LLVMGetNamedFunction(unit->module, "strlen");
    if (length == NULL)
        length = LLVMAddFunction(unit->module, "strlen", type);
    LLVMValueRef bytes = LLVMBuildCall2(unit->builder, type, length, &string, 1, "");
    LLVMBuildRet(unit->builder, LLVMBuildAdd(unit->builder, bytes, cc_i64(unit, 1), ""));
}

static LLVMValueRef string_bytes(cc_unit *unit, LLVMValueRef string) {
    LLVMTypeRef type = LLVMFunctionType(unit->i64, &unit->pointer, 1, false);
    LLVMValueRef shared = cc_shared(unit, "verso.pass.string_bytes", type, build_string_bytes, NULL);
    return cc_call_shared(unit, shared, &string, 1);
}

static LLVMValueRef as_i64(cc_unit *unit, LLVMValueRef value) {
    return LLVMBuildIntCast2(unit->builder, value, unit->i64, true, "");
}

static LLVMValueRef argument(const written *written, char which) {
    return which == 'r' ? written->call : LLVMGetOperand(written->call, (unsigned)(which - '0'));
}

/* `value` where it is positive, else 0. */
static LLVMValueRef positive(cc_unit *unit, LLVMValueRef value) {
    LLVMValueRef above = LLVMBuildICmp(unit->builder, LLVMIntSGT, value, cc_i64(unit, 0), "");
    return LLVMBuildSelect(unit->builder, above, value, cc_i64(unit, 0), "");
}

/* NULL: nothing is written. */
static LLVMValueRef bytes_of(const written *written, LLVMValueRef data, char how) {
    cc_unit *unit = written->unit;
    switch (how) {
    case 'x': {
        LLVMValueRef size = as_i64(unit, argument(written, '1')), count = as_i64(unit, written->call);
        return LLVMBuildMul(unit->builder, size, count, "");
    }
    case 'r': return positive(unit, as_i64(unit, written->call));
    case 's': return string_bytes(unit, data);
    case 'n': {
        LLVMValueRef limit = as_i64(unit, argument(written, '1'));
        LLVMValueRef none = LLVMBuildICmp(unit->builder, LLVMIntEQ, limit, cc_i64(unit, 0), "");
        return string_bytes(unit, LLVMBuildSelect(unit->builder, none, LLVMConstNull(unit->pointer), data, ""));
    }
    case 'd':
    case 'l':
    case 'p': return cc_i64(unit, 8);
    case 'i': return cc_i64(unit, 4);
    case 'q': return NULL;
    default: return positive(unit, as_i64(unit, argument(written, how)));
    }
}

static void mark(cc_unit *unit, LLVMValueRef data, LLVMValueRef bytes) {
    LLVMValueRef none = LLVMBuildIsNull(unit->builder, data, "");
    LLVMValueRef arguments[2] = {data, LLVMBuildSelect(unit->builder, none, cc_i64(unit, 0), bytes, "")};
    cc_call_runtime(unit, "verso.written", unit->none, arguments, 2);
}

/* ---- scanf ---- */

/* The text of a constant string; NULL: it is none. */
static const char *constant_string(cc_unit *unit, LLVMValueRef pointer) {
    LLVMValueRef global = LLVMIsAGlobalVariable(pointer);
    LLVMValueRef content = global == NULL || !LLVMIsGlobalConstant(global) ? NULL : LLVMGetInitializer(global);
    if (content == NULL || !LLVMIsConstantString(content))
        return NULL;
    size_t length;
    const char *text = LLVMGetAsString(content, &length);
    return cc_print(unit, "%.*s", (int)length, text);
}

/* What an assignment wrote, when the result says that it was made. */
static void mark_scanned(const written *written, LLVMValueRef data, const cc_scanned *scanned, int64_t assigned) {
    cc_unit *unit = written->unit;
    LLVMValueRef result = as_i64(unit, written->call);
    LLVMIntPredicate order = scanned->counted ? LLVMIntSGT : LLVMIntSGE;
    LLVMValueRef made = LLVMBuildICmp(unit->builder, order, result, cc_i64(unit, assigned), "");
    data = LLVMBuildSelect(unit->builder, made, data, LLVMConstNull(unit->pointer), "");
    mark(unit, data, scanned->bytes == 0 ? string_bytes(unit, data) : cc_i64(unit, (int64_t)scanned->bytes));
}

static bool mark_format(const written *written, unsigned format) {
    cc_unit *unit = written->unit;
    const char *text = constant_string(unit, LLVMGetOperand(written->call, format));
    cc_scanned *scanned;
    size_t count;
    if (text == NULL || !cc_scan_format(unit, text, &scanned, &count) ||
        format + 1 + count > LLVMGetNumArgOperands(written->call))
        return false;
    int64_t assigned = 0;
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef data = LLVMGetOperand(written->call, format + 1 + (unsigned)i);
        if (LLVMGetTypeKind(LLVMTypeOf(data)) != LLVMPointerTypeKind)
            return false;
        mark_scanned(written, data, &scanned[i], assigned);
        assigned += scanned[i].counted;
    }
    return true;
}

void cc_mark_written(cc_unit *unit, const cc_member *member, LLVMValueRef call, const char *writes) {
    written written = {.unit = unit, .call = call, .next = LLVMGetNextInstruction(call)};
    for (; writes[0] != '\0'; writes += 2) {
        cc_build_before(unit, written.next);
        if (writes[1] == 'f') {
            if (!mark_format(&written, (unsigned)(writes[0] - '0')))
                cc_object(
                    unit, member, call,
                    cc_print(unit,
                             "the format of %s is not a string that Verso can read here, so it cannot tell what is "
                             "written; use a literal with standard conversions, or declare %s VERSO_INACTIVE",
                             cc_callee_name(call), member->name));
            return;
        }
        LLVMValueRef data = argument(&written, writes[0]);
        LLVMValueRef bytes = bytes_of(&written, data, writes[1]);
        if (bytes != NULL)
            mark(unit, data, bytes);
    }
}
