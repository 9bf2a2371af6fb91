/* Makes a module of one part. The bitcode of the whole module is read lazily, for all parts at once; then LLVM reads
 * the bodies of only those functions that stay. So a part takes time and memory in proportion to its own size.
 *
 * The result is independent of everything that the part does not use: unused declarations, variables and metadata are
 * removed, and so are names that LLVM makes unique by numbers, whose numbers depend on other parts. */
#include "cc/emit/emit.h"
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <string.h>

/* A context without names of local values reads and writes faster; they do not affect the object file. */
static void open_context(cc_unit *unit) {
    cc_open_context(unit);
    LLVMContextSetDiscardValueNames(unit->context, true);
}

static LLVMModuleRef read_module(cc_unit *unit, LLVMMemoryBufferRef bitcode, bool lazy) {
    LLVMModuleRef module = NULL;
    LLVMMemoryBufferRef view =
        LLVMCreateMemoryBufferWithMemoryRange(LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode), "part", false);
    if (lazy ? LLVMGetBitcodeModuleInContext2(unit->context, view, &module)
             : LLVMParseBitcodeInContext2(unit->context, view, &module))
        cc_give_up(unit, VERSO_STATUS_STATE, "internal error (please report it): LLVM cannot read its own bitcode");
    if (!lazy)
        LLVMDisposeMemoryBuffer(view);
    return module;
}

static bool is_in_part(const cc_code *code, size_t index, size_t part) {
    return code->part_of[index] == (size_t)CC_EVERY_PART || code->part_of[index] == part;
}

/* Reads the bodies of the functions of the part: running a pass manager over a function does this, even if it has no
 * passes. */
static void read_bodies(cc_unit *unit, const cc_code *code, size_t part) {
    LLVMPassManagerRef nothing = LLVMCreateFunctionPassManagerForModule(unit->module);
    LLVMValueRef f = LLVMGetFirstFunction(unit->module);
    for (size_t i = 0; i < code->functions; i++, f = LLVMGetNextFunction(f))
        if (is_in_part(code, i, part) && !LLVMIsDeclaration(f))
            LLVMRunFunctionPassManager(nothing, f);
    LLVMDisposePassManager(nothing);
}

/* Removes the functions of other parts, which have not been read. Those that this part uses become declarations, at the
 * end of the module. */
static void drop_other_parts(cc_unit *unit, const cc_code *code, size_t part) {
    LLVMValueRef at = LLVMGetFirstFunction(unit->module);
    for (size_t i = 0; i < code->functions; i++) {
        LLVMValueRef next = LLVMGetNextFunction(at);
        if (!is_in_part(code, i, part) && LLVMGetFirstUse(at) == NULL)
            LLVMDeleteFunction(at);
        else if (!is_in_part(code, i, part))
            cc_drop_body(unit, at);
        at = next;
    }
}

static void forget_origins(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
        LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, CC_ORIGIN,
                                         (unsigned)strlen(CC_ORIGIN));
}

static void open_code(cc_unit *unit, const cc_code *code) {
    open_context(unit);
    cc_use_module(unit, read_module(unit, code->bitcode, true));
}

void cc_open_code(cc_unit *unit, const cc_code *code) {
    open_code(unit, code);
    unit->program->opened = code;
}

void cc_close_code(cc_unit *unit) {
    LLVMDisposeModule(unit->module);
    LLVMDisposeBuilder(unit->builder);
    LLVMContextDispose(unit->context);
    unit->context = NULL;
    unit->program->opened = NULL;
}

LLVMMemoryBufferRef cc_extract_part(cc_unit *unit, const cc_code *code, size_t part) {
    if (unit->program->opened != code)
        open_code(unit, code);
    read_bodies(unit, code, part);
    if (code->own && part > 0)
        cc_reduce_own_variables(unit);
    drop_other_parts(unit, code, part);
    forget_origins(unit);
    LLVMSetModuleIdentifier(unit->module, "part", strlen("part"));
    LLVMSetSourceFileName(unit->module, "part", strlen("part"));
    if (code->own && code->parts == 1)
        return LLVMWriteBitcodeToMemoryBuffer(unit->module);
    cc_inline_shared(unit);
    bool named = code->own && part == 0; /* the table of variables has their names */
    cc_run_passes(unit, named ? "globaldce,strip-dead-prototypes" : "globaldce,strip-dead-prototypes,strip-nondebug");
    return LLVMWriteBitcodeToMemoryBuffer(unit->module);
}

void cc_read_part(cc_unit *unit, LLVMMemoryBufferRef bitcode) {
    LLVMDisposeModule(unit->module);
    LLVMContextDispose(unit->context);
    open_context(unit);
    cc_use_module(unit, read_module(unit, bitcode, false));
}
