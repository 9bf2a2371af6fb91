/* Finds functions that clang inlined before Verso saw the program, from debug locations.
 *
 * Where a call was inlined, no call is left that could use a custom adjoint or be inactive. The debug location of
 * inlined code names the function that the code was written in, and the place of the call that was inlined. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Operand numbers of LLVM's metadata nodes: DILexicalBlock (file, scope, ...), DISubprogram (file, scope, name,
 * linkage name, ...). The C interface offers no other access. */
enum { OPERAND_SCOPE = 1, OPERAND_NAME = 2, OPERAND_LINKAGE_NAME = 3 };

static LLVMValueRef operand(cc_unit *unit, LLVMMetadataRef node, unsigned index) {
    LLVMValueRef value = LLVMMetadataAsValue(unit->context, node);
    unsigned count = LLVMGetMDNodeNumOperands(value);
    if (index >= count)
        return NULL;
    LLVMValueRef *operands = cc_alloc(unit, count, sizeof(LLVMValueRef));
    LLVMGetMDNodeOperands(value, operands);
    return operands[index];
}

/* Returns the function that a scope belongs to; NULL if it cannot be found. */
static LLVMMetadataRef subprogram_of(cc_unit *unit, LLVMMetadataRef scope) {
    while (scope != NULL && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
        LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
        if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDILexicalBlockFileMetadataKind)
            return NULL;
        LLVMValueRef outer = operand(unit, scope, OPERAND_SCOPE);
        scope = outer == NULL ? NULL : LLVMValueAsMetadata(outer);
    }
    return scope;
}

/* Returns whether the subprogram has this symbol name: its linkage name, or, if it has none, its name. */
static bool has_name(cc_unit *unit, LLVMMetadataRef subprogram, const char *name) {
    for (unsigned index = OPERAND_LINKAGE_NAME; index >= OPERAND_NAME; index--) {
        LLVMValueRef text = operand(unit, subprogram, index);
        unsigned length = 0;
        const char *found = text == NULL ? NULL : LLVMGetMDString(text, &length);
        if (found != NULL && length > 0)
            return strlen(name) == length && memcmp(found, name, length) == 0;
    }
    return false;
}

static const char *place_of(cc_unit *unit, LLVMMetadataRef line) {
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(line));
    unsigned length = 0;
    const char *name = file == NULL ? NULL : LLVMDIFileGetFilename(file, &length);
    return name == NULL || length == 0 ? "a place without a line"
                                       : cc_print(unit, "%.*s:%u", (int)length, name, LLVMDILocationGetLine(line));
}

/* Returns the location of a call of `function` that was inlined into `member`; NULL if there is none. */
static LLVMMetadataRef find_inlined(cc_unit *unit, LLVMValueRef member, LLVMValueRef function) {
    LLVMMetadataRef own = LLVMGetSubprogram(function);
    bool local = LLVMGetLinkage(function) == LLVMInternalLinkage;
    cc_map seen = {0}; /* lines */
    for (LLVMValueRef at = cc_first(member); at != NULL; at = cc_next(at)) {
        LLVMMetadataRef line = LLVMInstructionGetDebugLoc(at);
        while (line != NULL && cc_map_get(&seen, line) == CC_NOT_FOUND) {
            cc_map_put(unit, &seen, line, 1);
            LLVMMetadataRef from = subprogram_of(unit, LLVMDILocationGetScope(line));
            line = LLVMDILocationGetInlinedAt(line);
            if (line != NULL && from != NULL &&
                (from == own || (!local && has_name(unit, from, LLVMGetValueName(function)))))
                return line;
        }
    }
    return NULL;
}

/* Returns "heat.c:12", a place in differentiated code where the function was inlined; NULL if there is none. */
static const char *inlined_at(cc_unit *unit, LLVMValueRef function) {
    for (size_t i = 0; i < unit->program->member_count; i++) {
        const cc_member *member = unit->program->members[i];
        if (member->program == NULL || member->program == function || member->adjoint != NULL || member->inactive)
            continue;
        LLVMMetadataRef line = find_inlined(unit, member->program, function);
        if (line != NULL)
            return place_of(unit, line);
    }
    return NULL;
}

/* Returns the program's function with this name if clang may have inlined it; else NULL. */
static LLVMValueRef may_be_inlined(cc_unit *unit, const char *name) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->program->module, name);
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    return function == NULL || LLVMIsDeclaration(function) ||
                   LLVMGetEnumAttributeAtIndex(function, index, cc_attribute("noinline")) != NULL
               ? NULL
               : function;
}

static void check_adjoint(cc_unit *unit, const char *name) {
    LLVMValueRef function = may_be_inlined(unit, name);
    if (function == NULL)
        return;
    const char *place = inlined_at(unit, function);
    if (place == NULL && LLVMGetSubprogram(function) != NULL)
        return;
    cc_diagnose(unit, function,
                "VERSO_CUSTOM_ADJOINT of %s: clang %s inlined it%s%s, where its adjoint is not used; declare it "
                "__attribute__((noinline)), or compile with --verso-noinline=%s",
                name, place != NULL ? "has" : "may have", place != NULL ? " at " : "", place != NULL ? place : "",
                name);
}

static void check_inactive(cc_unit *unit, const char *name) {
    LLVMValueRef function = may_be_inlined(unit, name);
    const char *place = function == NULL ? NULL : inlined_at(unit, function);
    if (place != NULL)
        cc_diagnose(unit, function,
                    "--verso-inactive=%s: clang has inlined it at %s, where it is differentiated; give the option when "
                    "that file is compiled, too",
                    name, place);
}

void cc_check_inlined(cc_unit *unit) {
    const cc_program *program = unit->program;
    for (size_t i = 0; i < program->adjoint_count; i++)
        check_adjoint(unit, program->adjoints[i].function);
    for (size_t i = 0; i < program->request->inactive_count; i++)
        check_inactive(unit, program->request->inactive[i]);
}
