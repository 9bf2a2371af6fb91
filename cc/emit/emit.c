/* The last pass: LLVM's optimiser, module by module, the table of the program's variables, and an object file.
 *
 * The table is made after optimising, because otherwise the variables in it would count as having their addresses
 * taken. */
#include "cc/emit/emit.h"
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <string.h>

static LLVMTargetMachineRef make_machine(cc_unit *unit, const char *triple, LLVMCodeGenOptLevel level) {
    const char *cpu = unit->program->request->cpu == NULL ? "x86-64" : unit->program->request->cpu;
    LLVMTargetRef target;
    char *text = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &text)) {
        const char *kept = cc_print(unit, "%s", text);
        LLVMDisposeMessage(text);
        cc_give_up(unit, VERSO_STATUS_INVALID, "LLVM has no code generator for %s: %s", triple, kept);
    }
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, triple, cpu, "", level, LLVMRelocPIC, LLVMCodeModelDefault);
    if (machine == NULL)
        cc_give_up(unit, VERSO_STATUS_INVALID, "LLVM cannot generate code for the processor %s", cpu);
    return machine;
}

void cc_make_machine(cc_unit *unit) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    cc_program *program = unit->program;
    LLVMCodeGenOptLevel level = program->request->optimise == 3 ? LLVMCodeGenLevelAggressive : LLVMCodeGenLevelDefault;
    program->machine = make_machine(unit, LLVMGetTarget(program->module), level);
}

/* ---- Optimising ---- */

/* With -O0, keeps the functions of the program unoptimised for debuggers, except those that must be inlined or are
 * optimised for size. */
static void keep_unoptimised(cc_unit *unit) {
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at)) {
        if (LLVMIsDeclaration(at) || LLVMGetEnumAttributeAtIndex(at, index, cc_attribute("alwaysinline")) != NULL ||
            LLVMGetEnumAttributeAtIndex(at, index, cc_attribute("minsize")) != NULL ||
            LLVMGetEnumAttributeAtIndex(at, index, cc_attribute("optsize")) != NULL)
            continue;
        cc_add_attribute(unit, at, "noinline");
        cc_add_attribute(unit, at, "optnone");
    }
}

static void set_cpu(cc_unit *unit) {
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu"};
    const char *cpu = unit->program->request->cpu;
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef wanted =
        LLVMCreateStringAttribute(unit->context, names[0], (unsigned)strlen(names[0]), cpu, (unsigned)strlen(cpu));
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at)) {
        if (LLVMIsDeclaration(at))
            continue;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            LLVMRemoveStringAttributeAtIndex(at, index, names[i], (unsigned)strlen(names[i]));
        LLVMAddAttributeAtIndex(at, index, wanted);
    }
}

/* Keeps LLVM from vectorising loops that add to scattered cells by a gather and a scatter for each, which takes longer
 * than the additions one by one. */
static void forbid_gathers(cc_unit *unit) {
    static const char name[] = "target-features", no_gathers[] = "+prefer-no-scatter,+prefer-no-gather";
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at)) {
        if (LLVMIsDeclaration(at))
            continue;
        LLVMAttributeRef known = LLVMGetStringAttributeAtIndex(at, index, name, (unsigned)strlen(name));
        unsigned length = 0;
        const char *features = known ? LLVMGetStringAttributeValue(known, &length) : "";
        features = cc_print(unit, "%.*s%s%s", (int)length, features, length > 0 ? "," : "", no_gathers);
        known = LLVMCreateStringAttribute(unit->context, name, (unsigned)strlen(name), features,
                                          (unsigned)strlen(features));
        LLVMAddAttributeAtIndex(at, index, known);
    }
}

/* ---- The table of variables ---- */

static bool is_in_table(LLVMValueRef global) {
    return !LLVMIsDeclaration(global) && !LLVMIsGlobalConstant(global) && !LLVMIsThreadLocal(global) &&
           strncmp(LLVMGetValueName(global), "llvm.", 5) != 0 &&
           LLVMGetLinkage(global) != LLVMAvailableExternallyLinkage;
}

static LLVMValueRef define_constant(cc_unit *unit, const char *name, LLVMValueRef content) {
    LLVMValueRef declared =
        LLVMGetNamedGlobal(unit->module, name); /* by a program that asks for it, as Verso's tests */
    LLVMValueRef global = LLVMAddGlobal(unit->module, LLVMTypeOf(content), name);
    if (declared != NULL) {
        LLVMReplaceAllUsesWith(declared, global);
        LLVMDeleteGlobal(declared);
        LLVMSetValueName2(global, name, strlen(name));
    }
    LLVMSetInitializer(global, content);
    LLVMSetGlobalConstant(global, true);
    LLVMSetVisibility(global, LLVMHiddenVisibility);
    LLVMSetAlignment(global, 8);
    return global;
}

static void make_table(cc_unit *unit) {
    LLVMValueRef *entries = NULL;
    size_t count = 0, capacity = 0;
    LLVMTypeRef members[3] = {unit->pointer, unit->i64, unit->pointer};
    LLVMTypeRef type = LLVMStructTypeInContext(unit->context, members, 3, false);
    for (LLVMValueRef at = LLVMGetFirstGlobal(unit->module); at != NULL; at = LLVMGetNextGlobal(at)) {
        uint64_t bytes = is_in_table(at) ? LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(at)) : 0;
        if (bytes == 0)
            continue;
        LLVMValueRef entry[3] = {at, cc_i64(unit, (int64_t)bytes), cc_string(unit, cc_own_name(unit, at))};
        cc_reserve(unit, &entries, &capacity, count + 1, sizeof *entries);
        entries[count++] = LLVMConstStructInContext(unit->context, entry, 3, false);
    }
    if (count == 0) { /* C has no empty arrays */
        cc_reserve(unit, &entries, &capacity, 1, sizeof *entries);
        entries[0] = LLVMConstNull(type);
    }
    define_constant(unit, "verso__native_globals", LLVMConstArray2(type, entries, count == 0 ? 1 : count));
    define_constant(unit, "verso__native_global_count", cc_i64(unit, (int64_t)count));
    define_constant(unit, "verso__native_program_kinds", cc_i64(unit, (int64_t)unit->program->kinds));
    define_constant(unit, "verso__native_program_packs", cc_i64(unit, unit->program->packs));
    define_constant(unit, "verso__native_program_fast", cc_i64(unit, unit->program->fast));
    define_constant(unit, "verso__native_program_single", cc_i64(unit, unit->program->single));
    define_constant(unit, "verso__native_program_doubts", cc_i64(unit, unit->program->doubts));
    define_constant(unit, "verso__native_program_second", cc_i64(unit, unit->program->second));
}

/* ---- Before main ---- */

/* Makes a function of the run time run before everything else in the program, or before all other constructors of the
 * shared library. */
static void make_beginning(cc_unit *unit) {
    bool shared = unit->program->request->shared;
    LLVMTypeRef parameters[3] = {unit->i32, unit->pointer, unit->pointer};
    LLVMTypeRef type = LLVMFunctionType(unit->none, parameters, 3, false);
    const char *name = shared ? "verso__native_loaded" : "verso__native_before_main";
    LLVMValueRef first = LLVMAddFunction(unit->module, name, type);
    LLVMSetSection(define_constant(unit, "verso__native_beginning", first),
                   shared ? ".init_array.00000" : ".preinit_array");
    define_constant(unit, "verso__native_names_driver", cc_i64(unit, unit->program->names_driver));
}

/* ---- Modules ---- */

/* For recording and tangent code: the passes that default<O2> runs on functions, without those that gain little for
 * code that was optimised before it was transformed. Nothing works across functions, since the base copy was
 * inlined already, and repetitions are left out. Adjoint code becomes slower with these than with the passes below. */
#define TIDY "simplifycfg<switch-range-to-icmp;keep-loops>,instcombine<no-verify-fixpoint>,"
static const char packed_passes[] =
    "function<eager-inv>("
    "dce,sroa<modify-cfg>,early-cse<memssa>," TIDY "jump-threading,correlated-propagation,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,loop-rotate,licm,simple-loop-unswitch)," TIDY
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,gvn,bdce,adce,dse,loop-mssa(licm),"
    "simplifycfg<switch-range-to-icmp;keep-loops;hoist-common-insts;sink-common-insts>,"
    "instcombine<no-verify-fixpoint>,loop(loop-rotate,loop-deletion),inject-tli-mappings,loop-vectorize,"
    "infer-alignment,loop-load-elim,instcombine<no-verify-fixpoint>,"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;"
    "sink-common-insts>,slp-vectorizer,vector-combine,loop-unroll<O2>,sroa<preserve-cfg>,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm),loop-sink,div-rem-pairs,tailcallelim,"
    "simplifycfg<speculate-unpredictables>),globaldce";

/* For adjoint code: all passes that default<O2> runs on functions except SLP vectorisation, for which see pack.c. */
static const char scalar_passes[] =
    "function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>," TIDY "jump-threading,correlated-propagation," TIDY
    "aggressive-instcombine,tailcallelim,simplifycfg<switch-range-to-icmp;keep-loops>,reassociate,"
    "constraint-elimination,loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm,"
    "simple-loop-unswitch)," TIDY
    "loop(loop-idiom,indvars,simple-loop-unswitch,loop-deletion,loop-unroll-full),sroa<modify-cfg>,vector-combine,"
    "mldst-motion,gvn,sccp,bdce,instcombine<no-verify-fixpoint>,jump-threading,correlated-propagation,adce,memcpyopt,"
    "dse,loop-mssa(licm),"
    "simplifycfg<switch-range-to-icmp;keep-loops;hoist-common-insts;sink-common-insts>,"
    "instcombine<no-verify-fixpoint>,float2int,loop(loop-rotate,loop-deletion),loop-distribute,inject-tli-mappings,"
    "loop-vectorize,infer-alignment,loop-load-elim,instcombine<no-verify-fixpoint>,"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;"
    "sink-common-insts>,vector-combine,loop-unroll<O2>,sroa<preserve-cfg>,infer-alignment,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm),loop-sink,instsimplify,div-rem-pairs,tailcallelim,"
    "simplifycfg<speculate-unpredictables>)";

/* For adjoint code without loops that contain no calls: what the passes above do there. */
static const char brief_passes[] =
    "function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>," TIDY "jump-threading,gvn,bdce,adce,dse,"
    "simplifycfg<switch-range-to-icmp;keep-loops;hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>,"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;"
    "sink-common-insts>)";

/* For quick functions. */
static const char quick_passes[] = "always-inline,globaldce,function<eager-inv>(early-cse,simplifycfg)";

/* With -O3: default<O3>, after the blocks that only hand values on to the next iteration were joined with the others.
 * Otherwise instcombine moves operations into them, and LLVM does not vectorise loops of two blocks like these. */
static const char joined_passes[] = "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg<keep-loops>),default<O3>";

/* How long the register allocator looks for the best place to split a value's range. With LLVM's own limit, 10000, that
 * takes half of the time of an interpreter's main loop. */
static const char splitting[] = "-grow-region-complexity-budget=100";

/* Calls small functions as C functions: they preserve more registers than these, which is of no use here, and the fast
 * code generator does not know their convention. */
static void call_plainly(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) || LLVMGetFunctionCallConv(f) != LLVMPreserveMostCallConv)
            continue;
        LLVMSetFunctionCallConv(f, LLVMCCallConv);
        for (LLVMUseRef use = LLVMGetFirstUse(f); use != NULL; use = LLVMGetNextUse(use))
            LLVMSetInstructionCallConv(LLVMGetUser(use), LLVMCCallConv);
    }
}

/* LLVM's code generator works fast with this, and does not use registers between blocks. Here there is little to keep
 * in registers: the variables of quick reverse functions are in their frames. */
void cc_optimise_quick(cc_unit *unit) {
    cc_inline_shared(unit);
    if (unit->program->request->cpu != NULL)
        set_cpu(unit);
    cc_run_passes(unit, quick_passes);
    call_plainly(unit);
    LLVMTargetMachineRef machine = make_machine(unit, LLVMGetTarget(unit->module), LLVMCodeGenLevelNone);
    LLVMDisposeTargetMachine(unit->program->machine);
    unit->program->machine = machine;
}

void cc_optimise_generated(cc_unit *unit, bool adjoint) {
    cc_inline_shared(unit);
    if (unit->program->request->cpu != NULL)
        set_cpu(unit);
    if (adjoint)
        forbid_gathers(unit);
    /* LLVM tests before an inner loop whether its arrays overlap, and moves that test out of the outer loop. If the
     * outer loop counts down, as most loops of reverse functions do, the moved test always reports an overlap. And it
     * does not vectorise a stencil over rows of less than 64 numbers or so, because later iterations load what vectors
     * were stored to; iterations of adjoint code take so long that the stores have reached the cache by then. */
    static const char *const words[] = {"verso-transform", "-hoist-runtime-checks=false", splitting,
                                        "-vectorize-slp=false", "-store-to-load-forwarding-conflict-detection=false"};
    LLVMParseCommandLineOptions(adjoint ? 5 : 3, words, NULL);
    /* Code for second derivatives has twice as many arrays, of which one half never meets the other. */
    static const char *const more[] = {"verso-transform", "-runtime-memory-check-threshold=64"};
    if (unit->second)
        LLVMParseCommandLineOptions(2, more, NULL);
    if (unit->program->request->optimise == 3) {
        cc_run_passes(unit, joined_passes);
    } else {
        cc_run_passes(unit, "always-inline,globaldce");
        if (adjoint)
            cc_run_passes_where(unit, CC_BRIEF, true, brief_passes);
        cc_run_passes_where(unit, CC_BRIEF, false, adjoint ? scalar_passes : packed_passes);
    }
    if (adjoint)
        cc_pack_scalars(unit);
}

/* For the program's own functions: the second half of default<O2>. clang has run the first half, which simplifies and
 * inlines, before it wrote the bitcode, and makes its own object files of the same bitcode by this half. */
static const char simplified_passes[] =
    "always-inline,globalopt,globaldce,elim-avail-extern,rpo-function-attrs,recompute-globalsaa,function<eager-inv>("
    "float2int,lower-constant-intrinsics,loop(loop-rotate<header-duplication>,loop-deletion),loop-distribute,"
    "inject-tli-mappings,loop-vectorize,infer-alignment,loop-load-elim,instcombine<no-verify-fixpoint>,"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;"
    "sink-common-insts>,slp-vectorizer,vector-combine,instcombine<no-verify-fixpoint>,loop-unroll<O2>,"
    "transform-warning,sroa<preserve-cfg>,infer-alignment,instcombine<no-verify-fixpoint>,loop-mssa(licm),"
    "alignment-from-assumptions,loop-sink,instsimplify,div-rem-pairs,tailcallelim,"
    "simplifycfg<switch-range-to-icmp;speculate-unpredictables>),globaldce,constmerge,cg-profile,"
    "rel-lookup-table-converter";

void cc_optimise_program(cc_unit *unit) {
    cc_program *program = unit->program;
    int level = program->request->optimise;
    if (level == 0)
        keep_unoptimised(unit);
    if (program->request->cpu != NULL)
        set_cpu(unit);
    if (level == 2 && cc_is_simplified(unit->module))
        cc_run_passes(unit, simplified_passes);
    else if (level == 's' || level == 'z')
        cc_run_passes(unit, cc_print(unit, "default<O%c>", level));
    else
        cc_run_passes(unit, cc_print(unit, "default<O%d>", level == 0 ? 1 : level));
    make_table(unit);
    make_beginning(unit);
}

void cc_optimise_own_part(cc_unit *unit) {
    if (unit->program->request->cpu != NULL)
        set_cpu(unit);
    cc_run_passes(unit, simplified_passes);
}

void cc_emit(cc_unit *unit, const char *path) {
    char *text = NULL, *writable = cc_print(unit, "%s", path);
    if (!LLVMTargetMachineEmitToFile(unit->program->machine, unit->module, writable, LLVMObjectFile, &text))
        return;
    const char *kept = cc_print(unit, "%s", text == NULL ? "LLVM does not say why" : text);
    LLVMDisposeMessage(text);
    cc_give_up(unit, VERSO_STATUS_IO, "cannot write %s: %s", path, kept);
}
