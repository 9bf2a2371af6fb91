/* Runs all passes over a program, in the order that cc/ir/unit.h lists. */
#include "cc/transform.h"
#include "base/alloc.h"
#include "base/status.h"
#include "cc/emit/emit.h"
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/lower/lower.h"
#include "cc/passes_named.h"
#include "cc/plan/doubts.h"
#include "cc/reverse/reverse.h"
#include "cc/reverse/shares.h"
#include "cc/second/second.h"
#include "cc/tangent/tangent.h"
#include "cc/types/classes.h"
#include "cc/types/parts.h"
#include "cc/types/types.h"
#include "native/state.h"

#include <errno.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All data of a transformation. Allocated, because the local variables of cc_transform are indeterminate after a long
 * jump to it. */
typedef struct transformation {
    cc_unit unit;
    cc_program program;
    LLVMModuleRef record, second, tangent;
} transformation;

void cc_open_context(cc_unit *unit) {
    unit->context = LLVMContextCreate();
    memset(unit->scopes, 0, sizeof unit->scopes);
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
    unit->rule_type = unit->f64;
    unit->f80 = LLVMX86FP80TypeInContext(unit->context);
    unit->pointer = LLVMPointerTypeInContext(unit->context, 0);
}

static void tear_down(transformation *all) {
    cc_forget_jobs(&all->program);
    for (size_t i = 0; i < all->program.written_count; i++)
        LLVMDisposeMemoryBuffer(all->program.written[i]);
    LLVMModuleRef modules[] = {all->record, all->second, all->tangent, all->program.base, all->program.module};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (modules[i] != NULL)
            LLVMDisposeModule(modules[i]);
    if (all->program.machine != NULL)
        LLVMDisposeTargetMachine(all->program.machine);
    if (all->unit.context != NULL) {
        LLVMDisposeBuilder(all->unit.builder);
        LLVMContextDispose(all->unit.context);
    }
    cc_forget_regions(&all->unit);
    cc_forget_diagnostics(&all->unit);
}

/* ---- Dumps ---- */

/* Prints the current module if the request asks for a dump after this pass. */
static void dump(cc_unit *unit, const char *pass) {
    const cc_request *request = unit->program->request;
    if (request->dump == NULL || (strcmp(request->dump, pass) != 0 && strcmp(request->dump, CC_PASSES_ALL) != 0))
        return;
    FILE *file = request->dump_file == NULL ? stderr : fopen(request->dump_file, "a");
    if (file == NULL)
        cc_give_up(unit, VERSO_STATUS_IO, "cannot write %s: %s", request->dump_file, strerror(errno));
    char *text = LLVMPrintModuleToString(unit->module);
    bool failed = fprintf(file, "; ---- %s ----\n%s", pass, text) < 0;
    LLVMDisposeMessage(text);
    failed = (file == stderr ? fflush(file) : fclose(file)) != 0 || failed;
    if (failed)
        cc_give_up(unit, VERSO_STATUS_IO, "cannot write %s: %s",
                   request->dump_file == NULL ? "standard error" : request->dump_file, strerror(errno));
}

static void end_pass(cc_unit *unit, const char *pass) {
    dump(unit, pass);
    cc_verify(unit, pass);
}

static void stop_at_errors(cc_unit *unit) {
    if (unit->errors > 0)
        cc_give_up(unit, VERSO_STATUS_INVALID, "the program cannot be differentiated: %zu error%s", unit->errors,
                   unit->errors == 1 ? "" : "s");
}

/* ---- Passes ---- */

static void analyse(cc_unit *unit) {
    cc_merge(unit);
    cc_make_closures(unit);
    cc_link_fortran(unit);
    cc_tidy(unit);
    cc_mark_calls(unit);
    cc_make_machine(unit);
    cc_redirect_heap(unit);
    cc_find_symbols(unit);
    cc_read_declarations(unit);
    cc_mark_inactive_statements(unit);
    cc_make_wholes(unit);
    cc_make_worlds(unit);
    cc_link_library(unit);
    dump(unit, "merge");
    cc_reach(unit);
    cc_check_inlined(unit);
    if (unit->program->request->externals)
        cc_list_externals(unit);
    stop_at_errors(unit);
    dump(unit, "reach");
}

static void prepare(cc_unit *unit) {
    cc_lower_reductions(unit);
    cc_publish_locals(unit);
    cc_copy_base(unit);
    cc_lower_labels(unit);
    cc_lower_refused(unit);
    cc_lower_teams(unit);
    cc_rename_base(unit);
    cc_strip_base(unit);
    dump(unit, "base");
    cc_simplify(unit);
    cc_lower_assembly(unit);
    cc_lower_atomics(unit);
    cc_lower_masked(unit);
    cc_lower_machine(unit);
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
    cc_lower_aligned(unit);
    cc_lower_lanes(unit);
    cc_lower_apart(unit);
    cc_lower_choices(unit);
    cc_lower_rounding(unit);
    cc_lower_conditions(unit);
    cc_find_kinds(unit);
    cc_find_doubts(unit);
    cc_lower_carried(unit);
    cc_lower_moves(unit);
    cc_find_classes(unit);
    end_pass(unit, "normal");
}

/* Makes the module of recording and reverse functions, in `unit`. */
static LLVMModuleRef make_recording(cc_unit *unit, bool last) {
    LLVMModuleRef made = cc_make_version(unit, "record", last);
    LLVMTypeRef type = LLVMFunctionType(unit->none, NULL, 0, false);
    for (size_t i = 0; i < unit->function_count; i++) {
        cc_function *function = &unit->functions[i];
        const char *name = LLVMGetValueName(function->value);
        int stem = (int)(strlen(name) - strlen(".record"));
        function->reverse = LLVMAddFunction(unit->module, cc_print(unit, "%.*s.reverse", stem, name), type);
        LLVMSetVisibility(function->reverse, LLVMHiddenVisibility);
        cc_copy_target(function->value, function->reverse);
        function->divided = function->divided && !unit->second; /* one thread computes second derivatives */
        if (function->divided)
            cc_declare_entrance(unit, function, cc_print(unit, "%.*s.enter", stem, name));
    }
    cc_record_all(unit);
    cc_share_recorded(unit);
    cc_forget_memories(unit);
    stop_at_errors(unit);
    LLVMStripModuleDebugInfo(unit->module);
    return made;
}

static void record(transformation *all) {
    cc_unit *unit = &all->unit;
    all->record = make_recording(unit, true);
    cc_share_sites(unit);
    end_pass(unit, "record");
}

/* Recording and reverse functions are made once more, because they differ a little. */
static void differentiate_twice(transformation *all) {
    cc_unit *unit = &all->unit;
    unit->second = true;
    all->second = make_recording(unit, false);
    cc_second_open(unit);
    cc_second_all(unit);
    cc_second_rename(unit);
    cc_share_sites(unit);
    all->program.second = unit->pointers_carry ? VERSO_NATIVE_SECOND_POINTERS : VERSO_NATIVE_SECOND_MADE;
    end_pass(unit, "second");
    unit->second = false;
}

static void differentiate_forward(transformation *all) {
    cc_unit *unit = &all->unit;
    all->tangent = cc_make_version(unit, "tangent", !all->program.wants_record);
    for (size_t i = 0; i < unit->function_count; i++)
        cc_tangent_function(unit, &unit->functions[i]);
    for (size_t i = 0; i < unit->function_count; i++)
        if (unit->functions[i].divided)
            cc_share_version(unit, unit->functions[i].value, "verso__native_team_tangent", NULL);
    cc_forget_memories(unit);
    stop_at_errors(unit);
    LLVMStripModuleDebugInfo(unit->module);
    end_pass(unit, "tangent");
}

static void optimise_packed(cc_unit *unit) {
    cc_optimise_generated(unit, false);
}

static void optimise_scalar(cc_unit *unit) {
    cc_optimise_generated(unit, true);
    cc_prefetch_tape(unit);
}

static void optimise_packed_second(cc_unit *unit) {
    unit->second = true;
    optimise_packed(unit);
}

static void optimise_scalar_second(cc_unit *unit) {
    unit->second = true;
    optimise_scalar(unit);
}

/* Starts jobs for parts `first` to `end` - 1 of generated code. */
static void start_parts(cc_unit *unit, const cc_code *code, size_t first, size_t end, bool second) {
    static const cc_recipe recipes[2][2] = {
        {{"packed", optimise_packed}, {"scalar", optimise_scalar}},
        {{"packed second", optimise_packed_second}, {"scalar second", optimise_scalar_second}}};
    static const cc_recipe quick = {"quick", cc_optimise_quick};
    for (size_t i = first; i < end && i < code->parts; i++)
        cc_start_job(unit, code, i, i >= code->quick ? &quick : &recipes[second][i >= code->reverse]);
}

/* Starts jobs for all parts from `first` on, when this process needs no other module any more. */
static void start_all(cc_unit *unit, const cc_code *code, size_t first, bool second) {
    cc_open_code(unit, code);
    start_parts(unit, code, first, code->parts, second);
    cc_close_code(unit);
}

static void drop_module(LLVMModuleRef *module) {
    if (*module != NULL)
        LLVMDisposeModule(*module);
    *module = NULL;
}

/* Frees all modules and their context: the children that make the parts would have the memory, too. */
static void forget_modules(transformation *all) {
    cc_unit *unit = &all->unit;
    drop_module(&all->record);
    drop_module(&all->second);
    drop_module(&all->tangent);
    drop_module(&all->program.base);
    drop_module(&all->program.module);
    LLVMDisposeBuilder(unit->builder);
    LLVMContextDispose(unit->context);
    unit->context = NULL;
}

static void finish(transformation *all, const cc_code *tangent, size_t started) {
    static const cc_recipe program = {"program", cc_optimise_program}, own = {"own", cc_optimise_own_part};
    cc_unit *unit = &all->unit;
    cc_make_stubs(unit);
    const LLVMModuleRef versions[] = {all->record, all->tangent, all->second};
    cc_hide_locals(unit, versions, sizeof versions / sizeof *versions);
    end_pass(unit, "stub");
    if (!all->program.request->debug)
        LLVMStripModuleDebugInfo(all->program.module);
    const cc_code *first = cc_divide_own(unit, all->program.module), *code = NULL, *second = NULL;
    drop_module(&all->program.module);
    if (all->record != NULL)
        code = cc_divide(unit, all->record, "record");
    if (all->second != NULL)
        second = cc_divide(unit, all->second, "second");
    forget_modules(all);
    cc_open_code(unit, first);
    for (size_t i = 0; i < first->parts; i++)
        cc_start_job(unit, first, i, i == 0 ? &program : &own);
    cc_close_code(unit);
    if (code != NULL)
        start_all(unit, code, 0, false);
    if (second != NULL)
        start_all(unit, second, 0, true);
    if (tangent != NULL)
        start_all(unit, tangent, started, false);
    cc_finish_jobs(unit);
}

/* Tangent code is made quickly, so its jobs start first and use the other processors while this process makes
 * recording code. */
static void run(transformation *all) {
    size_t early = cc_processors() - 1;
    const cc_code *tangent = NULL;
    cc_open_cache(&all->unit);
    if (cc_take_program(&all->unit))
        return;
    cc_open_context(&all->unit);
    analyse(&all->unit);
    prepare(&all->unit);
    if (all->program.wants_tangent) {
        differentiate_forward(all);
        tangent = cc_divide(&all->unit, all->tangent, "tangent");
        start_parts(&all->unit, tangent, 0, early, false);
    }
    if (all->program.wants_second)
        differentiate_twice(all);
    if (all->program.wants_record)
        record(all);
    finish(all, tangent, early);
    cc_keep_program(&all->unit);
}

verso_status cc_transform(const cc_request *request, char **diagnostics, verso_error *error) {
    *diagnostics = NULL;
    transformation *all = verso__alloc(1, sizeof *all);
    if (all == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "there is no memory for the transformation of the program");
    verso_error own = {.status = VERSO_STATUS_OK};
    all->unit.error = error == NULL ? &own : error;
    all->unit.program = &all->program;
    all->program.request = request;
    verso_status status = (verso_status)setjmp(all->unit.give_up);
    if (status == VERSO_STATUS_OK)
        run(all);
    *diagnostics = strdup(cc_diagnostics(&all->unit));
    tear_down(all);
    verso__dealloc(all);
    if (*diagnostics == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "there is no memory for the messages about the program");
    return status;
}
