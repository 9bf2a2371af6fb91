/* Divides the program's own module into parts. Part 0 has all variables with an identity, and functions whose labels
 * are in variables; the other parts have functions, by their files. What is local to a file but used in several parts
 * becomes visible to all of them, under a name of its own. A constant without an identity is in every part that uses
 * it. All parts know the content of the other constants, as clang does in one file. */
#include "cc/emit/emit.h"
#include "cc/front/front.h"
#include "cc/ir/surgery.h"

#include <llvm-c/Comdat.h>
#include <string.h>

enum { SMALLER = 4 }; /* parts are smaller than those of generated code, since a change of one file changes one */

typedef struct own {
    cc_unit *unit;
    LLVMModuleRef module;
    const size_t *part_of;
    cc_map index_of; /* function -> its index in part_of */
} own;

bool cc_is_simplified(LLVMModuleRef module) {
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        if (!LLVMIsDeclaration(at) && LLVMGetStringAttributeAtIndex(at, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                                                    CC_LEVEL, (unsigned)strlen(CC_LEVEL)) != NULL)
            return false;
    return true;
}

/* ---- Whether it can be divided ---- */

static bool is_llvms(LLVMValueRef value) {
    return strncmp(LLVMGetValueName(value), "llvm.", 5) == 0;
}

/* Members of a COMDAT group must be in one object file. Aliases and assembly name symbols of their own object file. */
static bool can_be_divided(cc_unit *unit, LLVMModuleRef module) {
    size_t assembly = 0;
    LLVMGetModuleInlineAsm(module, &assembly);
    if (unit->program->request->optimise != 2 || unit->program->request->debug || assembly > 0 ||
        LLVMGetFirstGlobalAlias(module) != NULL || LLVMGetFirstGlobalIFunc(module) != NULL || !cc_is_simplified(module))
        return false;
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at != NULL; at = LLVMGetNextGlobal(at))
        if (LLVMGetComdat(at) != NULL)
            return false;
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        if (LLVMGetComdat(at) != NULL || LLVMHasPersonalityFn(at))
            return false;
    return true;
}

/* ---- Functions ---- */

static bool is_label(LLVMValueRef user) {
    return LLVMIsABlockAddress(user) != NULL;
}

static bool has_label(LLVMValueRef function) {
    for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use))
        if (is_label(LLVMGetUser(use)))
            return true;
    return false;
}

/* Definitions that another object file may replace, or has, too, stay with the variables. */
static bool is_divided(LLVMValueRef function) {
    LLVMLinkage linkage = LLVMGetLinkage(function);
    return !LLVMIsDeclaration(function) && (linkage == LLVMExternalLinkage || linkage == LLVMInternalLinkage) &&
           !has_label(function);
}

static void number_functions(own *o, size_t *part_of) {
    size_t index = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(o->module); f != NULL; f = LLVMGetNextFunction(f), index++) {
        if (!LLVMIsDeclaration(f) && !is_divided(f))
            part_of[index] = 0;
        cc_map_put(o->unit, &o->index_of, f, index);
    }
}

/* ---- Variables ---- */

static bool refers_to_label(LLVMValueRef constant) {
    if (is_label(constant))
        return true;
    for (int i = 0; LLVMIsAGlobalValue(constant) == NULL && i < LLVMGetNumOperands(constant); i++)
        if (refers_to_label(LLVMGetOperand(constant, (unsigned)i)))
            return true;
    return false;
}

static bool is_constant(LLVMValueRef variable) {
    LLVMValueRef content = LLVMGetInitializer(variable);
    return content != NULL && LLVMIsGlobalConstant(variable) && !LLVMIsThreadLocal(variable) &&
           !refers_to_label(content);
}

static bool is_local(LLVMValueRef value) {
    return LLVMGetLinkage(value) == LLVMInternalLinkage || LLVMGetLinkage(value) == LLVMPrivateLinkage;
}

/* Returns whether each part can have its own copy. */
static bool has_no_identity(LLVMValueRef variable) {
    const char *section = LLVMGetSection(variable); /* NULL: none */
    return is_local(variable) && is_constant(variable) && LLVMGetUnnamedAddress(variable) == LLVMGlobalUnnamedAddr &&
           (section == NULL || section[0] == '\0');
}

/* ---- What is local ---- */

/* Returns whether a value is used outside of a part; what is in every part is outside of each. */
static bool is_used_outside(const own *o, LLVMValueRef value, size_t part) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) != NULL) {
            LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            if (o->part_of[cc_map_get(&o->index_of, function)] != part)
                return true;
        } else if (LLVMIsAGlobalVariable(user) != NULL) {
            if (part != 0 || has_no_identity(user))
                return true;
        } else if (LLVMIsAGlobalValue(user) != NULL || is_used_outside(o, user, part)) {
            return true;
        }
    }
    return false;
}

static const char suffix[] = ".part";

static void publish(cc_unit *unit, LLVMValueRef value) {
    const char *name = cc_print(unit, "%s%s", LLVMGetValueName(value), suffix);
    LLVMSetValueName2(value, name, strlen(name));
    LLVMSetLinkage(value, LLVMExternalLinkage);
    LLVMSetVisibility(value, LLVMHiddenVisibility);
}

/* LLVM drops an inline definition that its own part does not use, but keeps a weak one. */
static void keep_inline(LLVMValueRef value) {
    if (LLVMGetLinkage(value) == LLVMLinkOnceAnyLinkage)
        LLVMSetLinkage(value, LLVMWeakAnyLinkage);
    else if (LLVMGetLinkage(value) == LLVMLinkOnceODRLinkage)
        LLVMSetLinkage(value, LLVMWeakODRLinkage);
}

static void publish_all(own *o) {
    size_t index = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(o->module); f != NULL; f = LLVMGetNextFunction(f), index++) {
        keep_inline(f);
        if (is_local(f) && !LLVMIsDeclaration(f) && is_used_outside(o, f, o->part_of[index]))
            publish(o->unit, f);
    }
    for (LLVMValueRef at = LLVMGetFirstGlobal(o->module); at != NULL; at = LLVMGetNextGlobal(at)) {
        keep_inline(at);
        if (is_local(at) && !is_llvms(at) && !has_no_identity(at) && is_used_outside(o, at, 0))
            publish(o->unit, at);
    }
}

const char *cc_own_name(cc_unit *unit, LLVMValueRef value) {
    const char *name = LLVMGetValueName(value);
    size_t length = strlen(name), end = strlen(suffix);
    bool published = length > end && strcmp(name + length - end, suffix) == 0;
    return cc_print(unit, "%.*s", (int)(published ? length - end : length), name);
}

cc_code *cc_divide_own(cc_unit *unit, LLVMModuleRef module) {
    cc_code *code = cc_alloc(unit, 1, sizeof *code);
    size_t *part_of = cc_new_parts(unit, module, code);
    LLVMValueRef options = LLVMGetNamedFunction(module, "verso_run_options_init_sized");
    unit->program->names_driver = options != NULL && LLVMGetFirstUse(options) != NULL;
    code->own = true;
    code->parts = 1;
    if (can_be_divided(unit, module)) {
        own o = {.unit = unit, .module = module, .part_of = part_of};
        size_t instructions = unit->program->request->part / SMALLER + 1;
        number_functions(&o, part_of);
        code->parts = cc_divide_some(unit, module, is_divided, instructions, 1, part_of);
        publish_all(&o);
    }
    cc_write_code(unit, module, code);
    return code;
}

/* ---- Parts ---- */

void cc_reduce_own_variables(cc_unit *unit) {
    for (LLVMValueRef next, at = LLVMGetFirstGlobal(unit->module); at != NULL; at = next) {
        next = LLVMGetNextGlobal(at);
        LLVMLinkage linkage = LLVMGetLinkage(at);
        if (is_llvms(at)) {
            LLVMDeleteGlobal(at);
            continue;
        }
        if (LLVMGetInitializer(at) == NULL || has_no_identity(at))
            continue;
        bool known = is_constant(at) && (linkage == LLVMExternalLinkage || is_local(at));
        LLVMSetLinkage(at, known ? LLVMAvailableExternallyLinkage : LLVMExternalLinkage);
        if (!known)
            LLVMSetInitializer(at, NULL);
    }
}
