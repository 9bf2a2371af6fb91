/* The way of a program through the passes; see cc.h. */
#include "cc/transform.h"
#include "base/alloc.h"
#include "base/status.h"
#include "cc/doubts.h"
#include "cc/parts.h"
#include "cc/passes.h"
#include "cc/passes_named.h"
#include "cc/program.h"
#include "cc/surgery.h"

#include <errno.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What outlives a long jump to cc_transform must not be in its frame. */
typedef struct transformation {
    cc_unit unit;
    cc_program program;
    LLVMModuleRef record, tangent;
} transformation;

static void set_up(cc_unit *unit) {
    unit->context = LLVMContextCreate();
    unit->builder = LLVMCreateBuilderInContext(unit->context);
    unit->none = LLVMVoidTypeInContext(unit->context);
    unit->i1 = LLVMInt1TypeInContext(unit->context);
    unit->i8 = LLVMInt8TypeInContext(unit->context);
    unit->i16 = LLVMInt16TypeInContext(unit->context);
    unit->i32 = LLVMInt32TypeInContext(unit->context);
    unit->i64 = LLVMInt64TypeInContext(unit->context);
    unit->i128 = LLVMInt128TypeInContext(unit->context);
    unit->f32 = LLVMFloatTypeInContext(unit->context);
    unit->f64 = LLVMDoubleTypeInContext(unit->context);
    unit->f80 = LLVMX86FP80TypeInContext(unit->context);
    unit->pointer = LLVMPointerTypeInContext(unit->context, 0);
}

static void tear_down(transformation *all) {
    cc_forget_jobs(&all->program);
    LLVMModuleRef modules[] = {all->record, all->tangent, all->program.base, all->program.module};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (modules[i] != NULL)
            LLVMDisposeModule(modules[i]);
    if (all->program.machine != NULL)
        LLVMDisposeTargetMachine(all->program.machine);
    LLVMDisposeBuilder(all->unit.builder);
    LLVMContextDispose(all->unit.context);
    cc_region_free(all->unit.region);
}

/* ---- Dumps ---- */

/* The module at hand as text, where that pass was asked for. */
static void dump(cc_unit *unit, const char *pass) {
    const cc_request *request = unit->program->request;
    if (request->dump == NULL || (strcmp(request->dump, pass) != 0 && strcmp(request->dump, CC_PASSES_ALL) != 0))
        return;
    FILE *file = request->dump_file == NULL ? stderr : fopen(request->dump_file, "a");
    if (file == NULL)
        cc_give_up(unit, VERSO_IO, "cannot write %s: %s", request->dump_file, strerror(errno));
    char *text = LLVMPrintModuleToString(unit->module);
    bool failed = fprintf(file, "; ---- %s ----\n%s", pass, text) < 0;
    LLVMDisposeMessage(text);
    failed = (file == stderr ? fflush(file) : fclose(file)) != 0 || failed;
    if (failed)
        cc_give_up(unit, VERSO_IO, "cannot write %s: %s",
                   request->dump_file == NULL ? "standard error" : request->dump_file, strerror(errno));
}

static void end_pass(cc_unit *unit, const char *pass) {
    dump(unit, pass);
    cc_verify(unit, pass);
}

static void stop_at_errors(cc_unit *unit) {
    if (unit->errors > 0)
        cc_give_up(unit, VERSO_INVALID, "the program cannot be differentiated: %zu error%s", unit->errors,
                   unit->errors == 1 ? "" : "s");
}

/* ---- Passes ---- */

static void understand(cc_unit *unit) {
    cc_merge(unit);
    cc_make_machine(unit);
    cc_redirect_heap(unit);
    cc_read_declarations(unit);
    cc_link_library(unit);
    dump(unit, "merge");
    cc_reach(unit);
    if (unit->program->request->externals)
        cc_list_externals(unit);
    stop_at_errors(unit);
    dump(unit, "reach");
}

static void prepare(cc_unit *unit) {
    cc_publish_locals(unit);
    cc_copy_base(unit);
    cc_lower_labels(unit);
    cc_lower_refused(unit);
    cc_rename_base(unit);
    cc_strip(unit);
    dump(unit, "base");
    cc_simplify(unit);
    cc_lower_fragments(unit);
    cc_lower_whole(unit);
    cc_lower_library(unit);
    cc_lower_dispatch(unit);
    cc_lower_byval(unit);
    cc_lower_variadic(unit);
    cc_lower_jumps(unit);
    stop_at_errors(unit);
    dump(unit, "lower");
    cc_normalise(unit);
    cc_find_kinds(unit);
    cc_find_doubts(unit);
    cc_lower_carried(unit);
    cc_lower_moves(unit);
    end_pass(unit, "normal");
}

static void record(transformation *all) {
    cc_unit *unit = &all->unit;
    all->record = cc_copy_version(unit, "record");
    LLVMTypeRef type = LLVMFunctionType(unit->none, NULL, 0, false);
    for (size_t i = 0; i < unit->function_count; i++) {
        cc_function *function = &unit->functions[i];
        const char *name = LLVMGetValueName(function->value);
        int stem = (int)(strlen(name) - strlen(".record"));
        function->reverse = LLVMAddFunction(unit->module, cc_print(unit, "%.*s.reverse", stem, name), type);
        LLVMSetVisibility(function->reverse, LLVMHiddenVisibility);
        cc_copy_target(function->value, function->reverse);
    }
    cc_record_all(unit);
    stop_at_errors(unit);
    LLVMStripModuleDebugInfo(unit->module);
    cc_share_sites(unit);
    end_pass(unit, "record");
}

static void differentiate_forward(transformation *all) {
    cc_unit *unit = &all->unit;
    all->tangent = cc_copy_version(unit, "tangent");
    for (size_t i = 0; i < unit->function_count; i++)
        cc_tangent_function(unit, &unit->functions[i]);
    stop_at_errors(unit);
    LLVMStripModuleDebugInfo(unit->module);
    end_pass(unit, "tangent");
}

static void optimise_packed(cc_unit *unit) {
    cc_optimise_generated(unit, true);
}

static void optimise_scalar(cc_unit *unit) {
    cc_optimise_generated(unit, false);
    cc_prefetch_tape(unit);
}

/* Some functions of a module, in as many parts as are worth it; those from `first` on, `most` of them at most. */
static void start_parts(cc_unit *unit, LLVMModuleRef module, void (*optimise)(cc_unit *), cc_part_functions which,
                        size_t first, size_t most) {
    cc_part part = {.which = which, .number = first, .of = cc_part_count(module, which)};
    for (; part.number < part.of && part.number - first < most; part.number++)
        cc_start_job(unit, &(cc_job){module, optimise, part});
}

static void finish(transformation *all, size_t tangent_parts) {
    cc_unit *unit = &all->unit;
    cc_make_stubs(unit);
    const LLVMModuleRef versions[] = {all->record, all->tangent};
    cc_hide_locals(unit, versions, sizeof versions / sizeof *versions);
    end_pass(unit, "stub");
    /* Those that take longest come first. */
    cc_start_job(unit, &(cc_job){all->program.module, cc_optimise_program, {0}});
    start_parts(unit, all->record, optimise_packed, CC_PART_NOT_REVERSE, 0, CC_JOBS_MOST);
    start_parts(unit, all->record, optimise_scalar, CC_PART_REVERSE, 0, CC_JOBS_MOST);
    start_parts(unit, all->tangent, optimise_packed, CC_PART_ANY, tangent_parts, CC_JOBS_MOST);
    cc_finish_jobs(unit);
}

/* Tangent code is quickly made: while LLVM works on it, the other processors have nothing to do but what is recorded.
 */
static void run(transformation *all) {
    size_t early = cc_processors() - 1;
    set_up(&all->unit);
    understand(&all->unit);
    prepare(&all->unit);
    if (all->program.wants_tangent) {
        differentiate_forward(all);
        start_parts(&all->unit, all->tangent, optimise_packed, CC_PART_ANY, 0, early);
    }
    if (all->program.wants_record)
        record(all);
    finish(all, early);
}

verso_status cc_transform(const cc_request *request, char **diagnostics, verso_error *error) {
    *diagnostics = NULL;
    transformation *all = verso_alloc(1, sizeof *all);
    if (all == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "there is no memory for the transformation of the program");
    verso_error own = {.status = VERSO_OK};
    all->unit.error = error == NULL ? &own : error;
    all->unit.program = &all->program;
    all->program.request = request;
    verso_status status = (verso_status)setjmp(all->unit.give_up);
    if (status == VERSO_OK)
        run(all);
    *diagnostics = strdup(cc_diagnostics(&all->unit));
    tear_down(all);
    verso_dealloc(all);
    if (*diagnostics == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "there is no memory for the messages about the program");
    return status;
}
