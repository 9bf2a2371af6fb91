/* Copies of the program's module: the base copy, which has the bodies of the members and declares everything else,
 * and the versions that are made from it.
 *
 * A copy refers to the program's variables and functions by name, so local symbols must be visible while copies
 * exist; those that no version refers to become local again at the end. Constants keep their content in copies, for
 * the optimiser and for passes that read formats; their linkage (available_externally) makes the linker drop them.
 * f is renamed to f.base. Direct calls then call f.base, but the address of f stays that of the program's f,
 * because pointers in memory always point to the program's functions. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- Linkage ---- */

static bool is_local(LLVMValueRef value) {
    LLVMLinkage linkage = LLVMGetLinkage(value);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static bool is_llvms(LLVMValueRef value) {
    return strncmp(LLVMGetValueName(value), "llvm.", 5) == 0;
}

void cc_add_local(cc_unit *unit, LLVMValueRef value) {
    cc_program *program = unit->program;
    cc_reserve(unit, &program->locals, &program->local_capacity, program->local_count + 1, sizeof value);
    cc_reserve(unit, &program->local_linkage, &program->linkage_capacity, program->local_count + 1,
               sizeof(LLVMLinkage));
    program->locals[program->local_count] = value;
    program->local_linkage[program->local_count++] =
        LLVMGetLinkage(value) == LLVMPrivateLinkage ? LLVMPrivateLinkage : LLVMInternalLinkage;
    LLVMSetLinkage(value, LLVMExternalLinkage);
    LLVMSetVisibility(value, LLVMHiddenVisibility);
    size_t length;
    LLVMGetValueName2(value, &length);
    if (length == 0)
        LLVMSetValueName2(value, "verso.unnamed", strlen("verso.unnamed"));
}

void cc_publish_locals(cc_unit *unit) {
    LLVMModuleRef module = unit->program->module;
    for (LLVMValueRef at = LLVMGetFirstGlobal(module); at != NULL; at = LLVMGetNextGlobal(at))
        if (is_local(at) && !is_llvms(at))
            cc_add_local(unit, at);
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at != NULL; at = LLVMGetNextFunction(at))
        if (is_local(at) || strncmp(LLVMGetValueName(at), "verso__lib_", strlen("verso__lib_")) == 0)
            cc_add_local(unit, at);
}

static bool is_named(LLVMModuleRef module, LLVMValueRef value) {
    const char *name = LLVMGetValueName(value);
    return module != NULL && (LLVMGetNamedFunction(module, name) != NULL || LLVMGetNamedGlobal(module, name) != NULL);
}

static bool is_named_in_any(const LLVMModuleRef *modules, size_t count, LLVMValueRef value) {
    for (size_t i = 0; i < count; i++)
        if (is_named(modules[i], value))
            return true;
    return false;
}

/* LLVM drops a linkonce definition that its own module does not use, but keeps a weak one. */
static void keep_linkonce(LLVMValueRef value, const LLVMModuleRef *others, size_t count) {
    LLVMLinkage linkage = LLVMGetLinkage(value);
    if ((linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMLinkOnceODRLinkage) &&
        is_named_in_any(others, count, value))
        LLVMSetLinkage(value, linkage == LLVMLinkOnceAnyLinkage ? LLVMWeakAnyLinkage : LLVMWeakODRLinkage);
}

void cc_hide_locals(cc_unit *unit, const LLVMModuleRef *others, size_t count) {
    cc_program *program = unit->program;
    for (size_t i = 0; i < program->local_count; i++) {
        if (is_named_in_any(others, count, program->locals[i]))
            continue;
        LLVMSetVisibility(program->locals[i], LLVMDefaultVisibility);
        LLVMSetLinkage(program->locals[i], program->local_linkage[i]);
    }
    for (LLVMValueRef at = LLVMGetFirstGlobal(program->module); at != NULL; at = LLVMGetNextGlobal(at))
        keep_linkonce(at, others, count);
    for (LLVMValueRef at = LLVMGetFirstFunction(program->module); at != NULL; at = LLVMGetNextFunction(at))
        keep_linkonce(at, others, count);
}

/* ---- The base copy ---- */

static bool has_label(LLVMValueRef constant) {
    if (LLVMIsABlockAddress(constant) != NULL)
        return true;
    if (LLVMIsAGlobalValue(constant) != NULL)
        return false;
    for (int i = 0; i < LLVMGetNumOperands(constant); i++)
        if (has_label(LLVMGetOperand(constant, (unsigned)i)))
            return true;
    return false;
}

static bool may_be_replaced(LLVMValueRef global) {
    LLVMLinkage linkage = LLVMGetLinkage(global);
    return linkage == LLVMWeakAnyLinkage || linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMCommonLinkage;
}

static void reduce_variable(LLVMValueRef global) {
    LLVMValueRef content = LLVMGetInitializer(global);
    if (content == NULL)
        return;
    bool keep =
        LLVMIsGlobalConstant(global) && !LLVMIsThreadLocal(global) && !may_be_replaced(global) && !has_label(content);
    LLVMSetComdat(global, NULL);
    LLVMSetLinkage(global, LLVMExternalLinkage);
    if (keep)
        LLVMSetLinkage(global, LLVMAvailableExternallyLinkage);
    else
        LLVMSetInitializer(global, NULL);
}

static void reduce_variables(LLVMModuleRef module) {
    for (LLVMValueRef next, at = LLVMGetFirstGlobal(module); at != NULL; at = next) {
        next = LLVMGetNextGlobal(at);
        if (is_llvms(at))
            LLVMDeleteGlobal(at);
        else
            reduce_variable(at);
    }
}

/* The C interface cannot delete an alias. Aliases have no uses any more (front/module.c), so an alias of an
 * unimportant variable with internal linkage is removed with other dead code. */
static void drop_aliases(cc_unit *unit) {
    LLVMValueRef nothing = NULL;
    for (LLVMValueRef at = LLVMGetFirstGlobalAlias(unit->module); at != NULL; at = LLVMGetNextGlobalAlias(at)) {
        if (nothing == NULL) {
            nothing = LLVMAddGlobal(unit->module, unit->i8, "verso.nothing");
            LLVMSetInitializer(nothing, LLVMConstNull(unit->i8));
            LLVMSetLinkage(nothing, LLVMInternalLinkage);
        }
        LLVMAliasSetAliasee(at, nothing);
        LLVMSetLinkage(at, LLVMInternalLinkage);
    }
    for (LLVMValueRef next, at = LLVMGetFirstGlobalIFunc(unit->module); at != NULL; at = next) {
        next = LLVMGetNextGlobalIFunc(at);
        char *name = cc_print(unit, "%s", LLVMGetValueName(at));
        LLVMValueRef declaration = LLVMAddFunction(unit->module, "", LLVMGlobalGetValueType(at));
        LLVMReplaceAllUsesWith(at, declaration);
        LLVMEraseGlobalIFunc(at);
        LLVMSetValueName2(declaration, name, strlen(name));
    }
}

/* Gives a function with a custom adjoint a new body: a single call of the marker verso.custom.f. */
static void make_custom_body(cc_unit *unit, cc_member *member) {
    LLVMValueRef function = member->base;
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    const char *name = cc_print(unit, "verso.custom.%s", member->adjoint->function);
    LLVMValueRef marker = LLVMGetNamedFunction(unit->module, name);
    if (marker == NULL)
        marker = LLVMAddFunction(unit->module, name, type);
    LLVMValueRef *arguments = cc_alloc(unit, LLVMCountParams(function), sizeof *arguments);
    LLVMGetParams(function, arguments);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, function, ""));
    LLVMValueRef call = LLVMBuildCall2(unit->builder, type, marker, arguments, LLVMCountParams(function), "");
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, call);
    cc_forbid_inlining(unit, function);
}

static void reduce_function(cc_unit *unit, LLVMValueRef function) {
    cc_program *program = unit->program;
    LLVMValueRef own = LLVMGetNamedFunction(program->module, LLVMGetValueName(function));
    ptrdiff_t index = own == NULL ? CC_NOT_FOUND : cc_map_get(&program->member_of, own);
    cc_member *member = index == CC_NOT_FOUND ? NULL : program->members[index];
    if (!LLVMIsDeclaration(function) && (member == NULL || member->adjoint != NULL))
        function = cc_drop_body(unit, function);
    if (member == NULL)
        return;
    member->base = function;
    if (member->adjoint != NULL)
        make_custom_body(unit, member);
}

/* Dropping a body adds a function at the end of the module, so the loop stops at what was the last one. */
static void reduce_functions(cc_unit *unit) {
    LLVMValueRef last = LLVMGetLastFunction(unit->module);
    for (LLVMValueRef next, at = LLVMGetFirstFunction(unit->module); at != NULL; at = next) {
        next = at == last ? NULL : LLVMGetNextFunction(at);
        reduce_function(unit, at);
    }
}

/* Returns the block of `function` at the position that `block` has in `original`. */
static LLVMBasicBlockRef same_block(LLVMValueRef function, LLVMValueRef original, LLVMBasicBlockRef block) {
    LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function);
    for (LLVMBasicBlockRef there = LLVMGetFirstBasicBlock(original); there != block;
         there = LLVMGetNextBasicBlock(there))
        at = LLVMGetNextBasicBlock(at);
    return at;
}

/* Corrects block addresses in a copied function. LLVM 19 copies the address of a block before the block itself if
 * another function, or a table, uses it; the copy then still refers to the block of the original. */
static void mend_labels(cc_unit *unit, LLVMValueRef function) {
    LLVMValueRef original = LLVMGetNamedFunction(unit->program->module, LLVMGetValueName(function));
    size_t count;
    LLVMValueRef *users = cc_users(unit, function, &count);
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsABlockAddress(users[i]) == NULL)
            continue;
        LLVMBasicBlockRef block = LLVMGetBlockAddressBasicBlock(users[i]);
        if (LLVMGetBasicBlockParent(block) == original)
            LLVMReplaceAllUsesWith(users[i], LLVMBlockAddress(function, same_block(function, original, block)));
    }
}

void cc_copy_base(cc_unit *unit) {
    cc_program *program = unit->program;
    program->base = LLVMCloneModule(program->module);
    cc_use_module(unit, program->base);
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at))
        mend_labels(unit, at);
    LLVMSetModuleInlineAsm2(unit->module, "", 0);
    reduce_variables(unit->module);
    drop_aliases(unit);
    reduce_functions(unit);
}

/* ---- Names ---- */

LLVMValueRef cc_pointed_function(cc_unit *unit, const char *name, LLVMValueRef like) {
    LLVMValueRef declaration = LLVMGetNamedFunction(unit->module, name);
    if (declaration != NULL)
        return declaration;
    declaration = LLVMAddFunction(unit->module, name, LLVMGlobalGetValueType(like));
    /* This attribute makes direct calls of it count as calls through a pointer (ir/names.c): optimisers replace
     * constant pointers by the function. */
    LLVMAttributeRef mark = LLVMCreateStringAttribute(unit->context, CC_BY_POINTER, strlen(CC_BY_POINTER), "", 0);
    LLVMAddAttributeAtIndex(declaration, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mark);
    LLVMSetFunctionCallConv(declaration, LLVMGetFunctionCallConv(like));
    LLVMSetVisibility(declaration, LLVMGetVisibility(like));
    return declaration;
}

static void rename_member(cc_unit *unit, cc_member *member) {
    LLVMValueRef base = member->base;
    LLVMSetComdat(base, NULL);
    LLVMSetSection(base, "");
    const char *name = cc_print(unit, "%s.base", member->name);
    LLVMSetValueName2(base, name, strlen(name));
    LLVMValueRef declaration = cc_pointed_function(unit, member->name, base);
    LLVMReplaceAllUsesWith(base, declaration);
    size_t count;
    LLVMValueRef *users = cc_users(unit, declaration, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMIsACallInst(users[i]) != NULL && LLVMGetCalledValue(users[i]) == declaration &&
            LLVMGetCalledFunctionType(users[i]) == LLVMGlobalGetValueType(base))
            cc_set_callee(users[i], base);
    LLVMSetVisibility(base, LLVMDefaultVisibility);
    /* LLVM may change the parameters of an internal function; reverse/shares.c knows those of a divided region. */
    LLVMSetLinkage(base, member->pointed || member->divided ? LLVMExternalLinkage : LLVMInternalLinkage);
}

void cc_rename_base(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++)
        rename_member(unit, unit->program->members[i]);
}

/* ---- Versions ---- */

static void add_function(cc_unit *unit, const cc_member *member, LLVMValueRef value) {
    cc_function *function = &unit->functions[unit->function_count];
    static const char wrapper[] = "verso.wrap.";
    bool wraps = strncmp(member->name, wrapper, strlen(wrapper)) == 0;
    *function = (cc_function){.name = wraps ? member->name + strlen(wrapper) : member->name,
                              .fragment = member->fragment,
                              .program = member->program,
                              .value = value,
                              .inactive = member->inactive,
                              .divided = member->divided,
                              .whole = member->whole,
                              .address_taken = member->pointed};
    cc_map_put(unit, unit->function_of, value, unit->function_count++);
}

LLVMModuleRef cc_make_version(cc_unit *unit, const char *suffix, bool last) {
    cc_program *program = unit->program;
    cc_use_module(unit, last ? program->base : LLVMCloneModule(program->base));
    if (last)
        program->base = NULL;
    unit->functions = cc_alloc(unit, program->member_count, sizeof *unit->functions);
    unit->function_count = 0;
    unit->function_of = cc_alloc(unit, 1, sizeof *unit->function_of);
    for (size_t i = 0; i < program->member_count; i++) {
        const cc_member *member = program->members[i];
        LLVMValueRef value = LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.base", member->name));
        if (value == NULL || LLVMIsDeclaration(value))
            continue; /* all calls of it were inlined */
        const char *name = cc_print(unit, "%s.%s", member->name, suffix);
        LLVMSetValueName2(value, name, strlen(name));
        LLVMSetLinkage(value, LLVMExternalLinkage);
        LLVMSetVisibility(value, LLVMHiddenVisibility);
        add_function(unit, member, value);
    }
    return unit->module;
}
