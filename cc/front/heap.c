/* Redirects the program's heap calls to the arena of the run time, in all code that `verso cc` compiled,
 * differentiated or not, because a block may be allocated in one and used in the other.
 *
 * Memory that the C library allocates itself (strdup, getline) stays in the C library's heap: verso__native_free
 * can tell the blocks apart. Functions that the program defines itself are not redirected. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <errno.h>

/* Functions of C, and those of C++ that have the same parameters. */
static const struct {
    const char *name, *arena;
} renamed[] = {
    {"malloc", "verso__native_malloc"},
    {"calloc", "verso__native_calloc"},
    {"realloc", "verso__native_realloc"},
    {"free", "verso__native_free"},
    {"cfree", "verso__native_free"},
    {"aligned_alloc", "verso__native_aligned_alloc"},
    {"memalign", "verso__native_aligned_alloc"},
    {"posix_memalign", "verso__native_posix_memalign"},
    {"malloc_usable_size", "verso__native_block_size"},
    {"mmap", "verso__native_mmap"},
    {"mmap64", "verso__native_mmap"},
    {"munmap", "verso__native_munmap"},
    {"mremap", "verso__native_mremap"},
    {"mprotect", "verso__native_mprotect"},
    {"fftw_free", "verso__native_free"},
    {"fftwf_free", "verso__native_free"},
    {"_ZdlPv", "verso__native_free"},
    {"_ZdaPv", "verso__native_free"},
};

/* operator delete with a size, an alignment or both: only the address matters. */
static const char *const deleting[] = {"_ZdlPvm",
                                       "_ZdaPvm",
                                       "_ZdlPvSt11align_val_t",
                                       "_ZdaPvSt11align_val_t",
                                       "_ZdlPvmSt11align_val_t",
                                       "_ZdaPvmSt11align_val_t",
                                       "_ZdlPvRKSt9nothrow_t",
                                       "_ZdaPvRKSt9nothrow_t",
                                       "_ZdlPvSt11align_val_tRKSt9nothrow_t",
                                       "_ZdaPvSt11align_val_tRKSt9nothrow_t"};

/* operator new. */
static const struct {
    const char *name;
    bool aligned; /* the second argument is an alignment */
    bool throws;  /* it does not return NULL */
} creating[] = {
    {"_Znwm", false, true},
    {"_Znam", false, true},
    {"_ZnwmRKSt9nothrow_t", false, false},
    {"_ZnamRKSt9nothrow_t", false, false},
    {"_ZnwmSt11align_val_t", true, true},
    {"_ZnamSt11align_val_t", true, true},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", true, false},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", true, false},
};

/* Returns the external function with this name; NULL if the program does not use it, or defines it itself. */
static LLVMValueRef external(cc_unit *unit, const char *name) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
    return function != NULL && LLVMIsDeclaration(function) ? function : NULL;
}

static LLVMValueRef arena_function(cc_unit *unit, const char *name, LLVMTypeRef type) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
    if (function == NULL) {
        function = LLVMAddFunction(unit->module, name, type);
        LLVMSetVisibility(function, LLVMHiddenVisibility);
    }
    return function;
}

static void rename_all(cc_unit *unit) {
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        LLVMValueRef old = external(unit, renamed[i].name);
        if (old == NULL)
            continue;
        LLVMValueRef new = arena_function(unit, renamed[i].arena, LLVMGlobalGetValueType(old));
        if (LLVMGlobalGetValueType(new) == LLVMGlobalGetValueType(old))
            cc_copy_attributes(unit, old, new, LLVMCountParams(new));
        LLVMReplaceAllUsesWith(old, new);
        LLVMDeleteFunction(old);
    }
}

/* Adds a local function that replaces the external function `old` everywhere; `old` keeps its name. Leaves the
 * builder in its first block. */
static LLVMValueRef begin_replacement(cc_unit *unit, LLVMValueRef old) {
    LLVMTypeRef type = LLVMGlobalGetValueType(old);
    LLVMValueRef new = LLVMAddFunction(unit->module, cc_print(unit, "verso.heap.%s", LLVMGetValueName(old)), type);
    LLVMSetLinkage(new, LLVMInternalLinkage);
    cc_add_attribute(unit, new, "nounwind");
    LLVMReplaceAllUsesWith(old, new);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, new, ""));
    return new;
}

static void replace_deleting(cc_unit *unit, LLVMValueRef old) {
    LLVMValueRef new = begin_replacement(unit, old);
    LLVMValueRef block = LLVMGetParam(new, 0);
    cc_call_runtime(unit, "verso__native_free", unit->none, &block, 1);
    LLVMBuildRetVoid(unit->builder);
}

/* If the arena has no memory, the original is called with a size that no program gets, because it reports the failure
 * as C++ requires. It never returns: to the analyses, a block that it returned would be memory of other code. */
static void replace_creating(cc_unit *unit, LLVMValueRef old, bool aligned, bool throws) {
    LLVMValueRef new = begin_replacement(unit, old);
    LLVMValueRef arguments[2] = {LLVMGetParam(new, 0), LLVMGetParam(new, 0)};
    if (aligned)
        arguments[0] = LLVMGetParam(new, 1);
    LLVMValueRef block = aligned ? cc_call_runtime(unit, "verso__native_aligned_alloc", unit->pointer, arguments, 2)
                                 : cc_call_runtime(unit, "verso__native_malloc", unit->pointer, arguments, 1);
    LLVMBasicBlockRef empty = LLVMAppendBasicBlockInContext(unit->context, new, "");
    LLVMBasicBlockRef full = LLVMAppendBasicBlockInContext(unit->context, new, "");
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNull(unit->builder, block, ""), empty, full);
    cc_build_at_end(unit, full);
    LLVMBuildRet(unit->builder, block);
    cc_build_at_end(unit, empty);
    if (!throws) {
        LLVMBuildRet(unit->builder, LLVMConstNull(unit->pointer));
        return;
    }
    LLVMValueRef own[2];
    LLVMGetParams(new, own);
    own[0] = cc_i64(unit, INT64_MAX);
    LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(old), old, own, LLVMCountParams(new), "");
    LLVMBuildUnreachable(unit->builder);
    cc_map_put(unit, &unit->program->inactive, old, 1);
}

/* Allocators with an alignment of their own: `unit_bytes` is the size of what they count. */
static const struct {
    const char *name;
    int64_t alignment, unit_bytes;
} aligning[] = {{"valloc", 4096, 1},
                {"fftw_malloc", 64, 1},
                {"fftwf_malloc", 64, 1},
                {"fftw_alloc_real", 64, sizeof(double)},
                {"fftw_alloc_complex", 64, 2 * sizeof(double)},
                {"fftwf_alloc_real", 64, sizeof(float)},
                {"fftwf_alloc_complex", 64, 2 * sizeof(float)}};

static void replace_aligning(cc_unit *unit, LLVMValueRef old, int64_t alignment, int64_t unit_bytes) {
    LLVMValueRef new = begin_replacement(unit, old);
    LLVMValueRef size = LLVMBuildMul(unit->builder, LLVMGetParam(new, 0), cc_i64(unit, unit_bytes), "");
    LLVMValueRef arguments[2] = {cc_i64(unit, alignment), size};
    LLVMBuildRet(unit->builder, cc_call_runtime(unit, "verso__native_aligned_alloc", unit->pointer, arguments, 2));
}

static void replace_reallocarray(cc_unit *unit, LLVMValueRef old) {
    LLVMValueRef new = begin_replacement(unit, old);
    LLVMValueRef factors[2] = {LLVMGetParam(new, 1), LLVMGetParam(new, 2)};
    LLVMValueRef product = cc_call_intrinsic(unit, "llvm.umul.with.overflow", unit->i64, factors, 2);
    LLVMValueRef bytes = LLVMBuildExtractValue(unit->builder, product, 0, "");
    LLVMValueRef too_large = LLVMBuildExtractValue(unit->builder, product, 1, "");
    LLVMBasicBlockRef fails = LLVMAppendBasicBlockInContext(unit->context, new, "");
    LLVMBasicBlockRef fits = LLVMAppendBasicBlockInContext(unit->context, new, "");
    LLVMBuildCondBr(unit->builder, too_large, fails, fits);
    cc_build_at_end(unit, fits);
    LLVMValueRef arguments[2] = {LLVMGetParam(new, 0), bytes};
    LLVMBuildRet(unit->builder, cc_call_runtime(unit, "verso__native_realloc", unit->pointer, arguments, 2));
    cc_build_at_end(unit, fails);
    LLVMTypeRef errno_type = LLVMFunctionType(unit->pointer, NULL, 0, false);
    LLVMValueRef location = LLVMGetNamedFunction(unit->module, "__errno_location");
    if (location == NULL)
        location = LLVMAddFunction(unit->module, "__errno_location", errno_type);
    LLVMValueRef place = LLVMBuildCall2(unit->builder, errno_type, location, NULL, 0, "");
    LLVMBuildStore(unit->builder, LLVMConstInt(unit->i32, ENOMEM, false), place);
    LLVMBuildRet(unit->builder, LLVMConstNull(unit->pointer));
}

void cc_redirect_heap(cc_unit *unit) {
    cc_use_module(unit, unit->program->module);
    rename_all(unit);
    for (size_t i = 0; i < sizeof deleting / sizeof *deleting; i++) {
        LLVMValueRef old = external(unit, deleting[i]);
        if (old != NULL)
            replace_deleting(unit, old);
    }
    for (size_t i = 0; i < sizeof creating / sizeof *creating; i++) {
        LLVMValueRef old = external(unit, creating[i].name);
        if (old != NULL)
            replace_creating(unit, old, creating[i].aligned, creating[i].throws);
    }
    for (size_t i = 0; i < sizeof aligning / sizeof *aligning; i++) {
        LLVMValueRef old = external(unit, aligning[i].name);
        if (old != NULL)
            replace_aligning(unit, old, aligning[i].alignment, aligning[i].unit_bytes);
    }
    LLVMValueRef old = external(unit, "reallocarray");
    if (old != NULL)
        replace_reallocarray(unit, old);
}
