/* Finds the functions to differentiate: all that can be called, directly or through pointers, from the roots, which
 * are the functions that are passed to verso_gradient and similar functions.
 *
 * There are two rounds. The first follows direct calls from the functions that are certainly roots. The second adds
 * all functions that a call through a pointer may call: those whose address is taken and whose type fits.
 *
 * What cannot be differentiated is an error if it certainly runs: it is in a block that is on every path through
 * its function (certain.c), and a chain of such calls leads from a root to that function. Elsewhere the run time
 * refuses it when the program reaches it, because most programs never do. In functions of the first round there is
 * a warning, so that the first link shows all of them. */
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/front/marks.h"
#include "cc/front/refuse.h"
#include "cc/front/threads.h"
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

/* ---- Patterns: the types of calls through pointers ---- */

typedef struct pattern {
    LLVMTypeRef call;
    LLVMTypeRef *arguments; /* types of all arguments of a variadic call; else the parameter types of `call` */
    unsigned count;         /* number of `arguments` */
} pattern;

typedef struct reaching {
    pattern *patterns;
    size_t pattern_count, pattern_capacity;
    size_t pattern_done;      /* number of patterns whose functions have been added */
    LLVMValueRef *candidates; /* functions whose address is taken */
    size_t candidate_count, candidate_capacity;
} reaching;

/* Returns whether two types are passed alike: integers and pointers of one size are, and have the same number of
 * leaves. */
static bool is_same_class(cc_unit *unit, LLVMTypeRef a, LLVMTypeRef b) {
    if (a == b)
        return true;
    LLVMTypeKind kind_a = LLVMGetTypeKind(a), kind_b = LLVMGetTypeKind(b);
    bool word_a = kind_a == LLVMIntegerTypeKind || kind_a == LLVMPointerTypeKind;
    bool word_b = kind_b == LLVMIntegerTypeKind || kind_b == LLVMPointerTypeKind;
    return word_a && word_b && cc_leaf_count(unit, a) == cc_leaf_count(unit, b);
}

bool cc_fits(cc_unit *unit, LLVMTypeRef call, const LLVMTypeRef *arguments, unsigned count, LLVMTypeRef function) {
    LLVMTypeRef result = LLVMGetReturnType(call);
    /* A caller may ignore the result of the function. */
    if (LLVMGetTypeKind(result) != LLVMVoidTypeKind && !is_same_class(unit, result, LLVMGetReturnType(function)))
        return false;
    unsigned fixed = LLVMCountParamTypes(function);
    bool open = LLVMIsFunctionVarArg(function);
    if (open ? !LLVMIsFunctionVarArg(call) || fixed > count : fixed != count)
        return false;
    LLVMTypeRef few[8]; /* avoids an allocation: this runs for every function and every type of call */
    LLVMTypeRef *parameters = fixed <= 8 ? few : cc_alloc(unit, fixed, sizeof *parameters);
    LLVMGetParamTypes(function, parameters);
    for (unsigned i = 0; i < fixed; i++)
        if (!is_same_class(unit, parameters[i], arguments[i]))
            return false;
    return true;
}

static bool is_same_pattern(const pattern *a, const pattern *b) {
    return a->call == b->call && a->count == b->count &&
           memcmp(a->arguments, b->arguments, a->count * sizeof *a->arguments) == 0;
}

static void add_pattern(cc_unit *unit, reaching *reaching, pattern new) {
    for (size_t i = 0; i < reaching->pattern_count; i++)
        if (is_same_pattern(&reaching->patterns[i], &new))
            return;
    cc_reserve(unit, &reaching->patterns, &reaching->pattern_capacity, reaching->pattern_count + 1, sizeof new);
    reaching->patterns[reaching->pattern_count++] = new;
}

static pattern pattern_of_call(cc_unit *unit, LLVMValueRef call) {
    pattern made = {.call = LLVMGetCalledFunctionType(call), .count = LLVMGetNumArgOperands(call)};
    made.arguments = cc_alloc(unit, made.count, sizeof *made.arguments);
    for (unsigned i = 0; i < made.count; i++)
        made.arguments[i] = LLVMTypeOf(LLVMGetOperand(call, i));
    return made;
}

static pattern pattern_of_type(cc_unit *unit, LLVMTypeRef type) {
    pattern made = {.call = type, .count = LLVMCountParamTypes(type)};
    made.arguments = cc_alloc(unit, made.count, sizeof *made.arguments);
    LLVMGetParamTypes(type, made.arguments);
    return made;
}

/* ---- Members ---- */

static cc_member *new_member(cc_unit *unit, const char *name) {
    cc_program *program = unit->program;
    cc_member *member = cc_alloc(unit, 1, sizeof *member);
    member->name = name;
    cc_reserve(unit, &program->members, &program->member_capacity, program->member_count + 1, sizeof member);
    program->members[program->member_count++] = member;
    return member;
}

cc_member *cc_add_made_member(cc_unit *unit, LLVMValueRef base, const char *name) {
    cc_member *member = new_member(unit, name);
    member->base = base;
    return member;
}

cc_member *cc_add_member(cc_unit *unit, LLVMValueRef function) {
    cc_program *program = unit->program;
    ptrdiff_t known = cc_map_get(&program->member_of, function);
    if (known != CC_NOT_FOUND)
        return program->members[known];
    cc_map_put(unit, &program->member_of, function, program->member_count);
    cc_member *member = new_member(unit, cc_print(unit, "%s", LLVMGetValueName(function)));
    member->program = function;
    member->inactive = cc_is_inactive(unit, function);
    member->adjoint = cc_adjoint_of(unit, member->name);
    return member;
}

/* Adds the wrapper of an external function as a member; the custom adjoint of the function is that of the wrapper. */
static cc_member *add_wrapper(cc_unit *unit, LLVMValueRef external) {
    cc_member *member = cc_add_member(unit, cc_wrap(unit, external));
    const char *name = LLVMGetValueName(external);
    member->adjoint = cc_adjoint_of(unit, name);
    LLVMTypeRef type = LLVMGlobalGetValueType(external);
    if (member->adjoint != NULL || cc_is_inactive(unit, external))
        return member;
    LLVMValueRef first = cc_first(member->program);
    if (LLVMIsFunctionVarArg(type) && LLVMIsACallInst(first) != NULL)
        member->refused = cc_print(unit,
                                   "%s is called through a pointer with variable arguments, which Verso cannot follow; "
                                   "call it directly",
                                   name);
    else if (cc_known_find(name).class == CC_KNOWN_NOT && cc_has_number_or_pointer(unit, type))
        member->refused = cc_say_unknown(unit, name, "a function pointer that is called leads to");
    return member;
}

/* Returns the function of program->module that a direct call of `callee` is followed into; NULL if it is not
 * followed. */
static LLVMValueRef followed_function(cc_unit *unit, LLVMValueRef callee) {
    const char *name = LLVMGetValueName(callee);
    LLVMValueRef own = LLVMGetNamedFunction(unit->program->module, name);
    if (cc_is_fragment_mark(callee))
        return NULL;
    if (own == NULL || !LLVMIsDeclaration(own))
        return own;
    if (cc_adjoint_of(unit, name) != NULL)
        return cc_wrap(unit, own);
    if (cc_is_inactive(unit, own) || cc_known_find(name).class != CC_KNOWN_LIBRARY)
        return NULL;
    LLVMValueRef version = cc_library_version(unit, name);
    if (strncmp(name, "llvm.", 5) == 0)
        return version; /* lower/library.c adapts the arguments */
    return version != NULL && LLVMGlobalGetValueType(version) == LLVMGlobalGetValueType(own) ? version : NULL;
}

cc_member *cc_member_of(cc_unit *unit, LLVMValueRef callee) {
    LLVMValueRef function = followed_function(unit, callee);
    ptrdiff_t index = function == NULL ? CC_NOT_FOUND : cc_map_get(&unit->program->member_of, function);
    return index == CC_NOT_FOUND ? NULL : unit->program->members[index];
}

/* ---- Scanning ---- */

static void add_directly(void *context, LLVMValueRef function) {
    if (function != NULL)
        cc_add_member(context, function)->direct = true;
}

static void scan_call(cc_unit *unit, reaching *reaching, const cc_member *member, LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    if (callee == NULL) {
        LLVMValueRef called = LLVMGetCalledValue(call);
        if (LLVMIsAInlineAsm(called) == NULL && LLVMIsAGlobalIFunc(called) == NULL)
            add_pattern(unit, reaching, pattern_of_call(unit, call));
        return;
    }
    if (cc_forked(call) != NULL)
        cc_visit_teams(unit, add_directly, unit);
    LLVMValueRef target = cc_forked(call) != NULL ? cc_forked(call) : followed_function(unit, callee);
    if (target == NULL)
        return;
    const cc_adjoint *adjoint = LLVMIsDeclaration(callee) ? cc_adjoint_of(unit, LLVMGetValueName(callee)) : NULL;
    cc_member *reached = adjoint != NULL ? add_wrapper(unit, callee) : cc_add_member(unit, target);
    reached->direct = reached->direct || member->direct;
}

static void scan(cc_unit *unit, reaching *reaching, cc_member *member) {
    member->scanned = true;
    if (member->adjoint != NULL && member->adjoint->calls != NULL)
        add_pattern(unit, reaching, pattern_of_type(unit, member->adjoint->calls));
    if (member->adjoint != NULL || member->refused != NULL)
        return;
    cc_map live = cc_live_blocks(unit, member->program);
    for (LLVMValueRef at = cc_first(member->program); at != NULL; at = cc_next(at))
        if (cc_is_call(at) && cc_map_get(&live, LLVMGetInstructionParent(at)) != CC_NOT_FOUND)
            scan_call(unit, reaching, member, at);
}

static void follow_direct_calls(cc_unit *unit, reaching *reaching) {
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < unit->program->member_count; i++) {
            cc_member *member = unit->program->members[i];
            if (!member->direct || member->scanned)
                continue;
            scan(unit, reaching, member);
            again = true;
        }
    }
}

/* Adds the functions that a call of this pattern may call. */
static void add_fitting_functions(cc_unit *unit, reaching *reaching, const pattern *pattern) {
    for (size_t i = 0; i < reaching->candidate_count; i++) {
        LLVMValueRef function = reaching->candidates[i];
        if (!cc_fits(unit, pattern->call, pattern->arguments, pattern->count, LLVMGlobalGetValueType(function)))
            continue;
        cc_member *member = LLVMIsDeclaration(function) ? add_wrapper(unit, function) : cc_add_member(unit, function);
        member->pointed = true;
    }
}

static void follow_pointers(cc_unit *unit, reaching *reaching) {
    for (size_t seen = 0; reaching->pattern_done < reaching->pattern_count || seen < unit->program->member_count;) {
        for (; seen < unit->program->member_count; seen++)
            if (!unit->program->members[seen]->scanned)
                scan(unit, reaching, unit->program->members[seen]);
        for (; reaching->pattern_done < reaching->pattern_count; reaching->pattern_done++)
            add_fitting_functions(unit, reaching, &reaching->patterns[reaching->pattern_done]);
    }
}

/* ---- The pass ---- */

/* An inline function may also be defined in another file, perhaps by another compiler. Makes the program use its
 * own copy wherever it takes the address, because that copy can be given a stub. */
static void keep_own_copy(LLVMValueRef function) {
    if (LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage)
        LLVMSetLinkage(function, LLVMInternalLinkage);
}

static void add_root(cc_unit *unit, LLVMValueRef call, LLVMValueRef function, bool certain) {
    if (LLVMIsDeclaration(function)) {
        cc_diagnose(unit, call,
                    "%s cannot be differentiated, as it was not compiled by `verso cc`; compile its file with "
                    "`verso cc`, or differentiate a function of your own that calls it",
                    LLVMGetValueName(function));
        return;
    }
    keep_own_copy(function);
    cc_member *member = cc_add_member(unit, function);
    member->direct = member->direct || certain;
    member->certain = member->direct;
    member->pointed = true;
}

static void find_candidates(cc_unit *unit, reaching *reaching) {
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at)) {
        /* The program compares the address of a weak function with NULL to see whether it exists; a wrapper always
         * exists. */
        if (strncmp(LLVMGetValueName(at), "llvm.", 5) == 0 || LLVMGetLinkage(at) == LLVMExternalWeakLinkage ||
            !cc_address_taken(unit, at))
            continue;
        keep_own_copy(at);
        cc_reserve(unit, &reaching->candidates, &reaching->candidate_capacity, reaching->candidate_count + 1,
                   sizeof at);
        reaching->candidates[reaching->candidate_count++] = at;
    }
}

static void wrap_addresses(cc_unit *unit, const reaching *reaching) {
    for (size_t i = 0; i < reaching->candidate_count; i++) {
        LLVMValueRef function = reaching->candidates[i];
        const char *name = cc_print(unit, "verso.wrap.%s", LLVMGetValueName(function));
        LLVMValueRef wrapper = LLVMIsDeclaration(function) ? LLVMGetNamedFunction(unit->module, name) : NULL;
        if (wrapper != NULL)
            cc_wrap_addresses(unit, function, wrapper);
    }
}

/* Returns whether the instruction calls a weak function, which may not exist: only the run shows whether it is
 * called. */
static bool is_weak_call(LLVMValueRef instruction) {
    LLVMValueRef callee = cc_is_call(instruction) ? cc_callee(instruction) : NULL;
    return callee != NULL && LLVMGetLinkage(callee) == LLVMExternalWeakLinkage;
}

static void report(cc_unit *unit, LLVMValueRef where, const char *why, bool certain) {
    if (certain)
        cc_diagnose(unit, where, "%s", why);
    else
        cc_warn(unit, where, why);
}

static void check(cc_unit *unit, const cc_member *member) {
    const char *why = cc_refusal_of_function(unit, member);
    if (why != NULL)
        report(unit, member->program, why, member->certain);
    if (member->adjoint != NULL)
        return;
    cc_map live = cc_live_blocks(unit, member->program), certain = {0};
    if (member->certain)
        certain = cc_certain_blocks(unit, member->program);
    for (LLVMValueRef at = cc_first(member->program); at != NULL; at = cc_next(at)) {
        LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
        if (cc_map_get(&live, block) == CC_NOT_FOUND)
            continue;
        why = is_weak_call(at) ? NULL : cc_refusal(unit, member, at);
        if (why != NULL)
            report(unit, at, why, cc_map_get(&certain, block) != CC_NOT_FOUND);
    }
}

/* Marks the functions as certain that `member`, which certainly runs, calls in blocks that certainly run. Returns
 * whether it marked a new one. */
static bool follow_certain_calls(cc_unit *unit, const cc_member *member) {
    bool new = false;
    cc_map certain = cc_certain_blocks(unit, member->program);
    for (LLVMValueRef at = cc_first(member->program); at != NULL; at = cc_next(at)) {
        if (!cc_is_call(at) || cc_map_get(&certain, LLVMGetInstructionParent(at)) == CC_NOT_FOUND)
            continue;
        LLVMValueRef callee = cc_forked(at) != NULL ? cc_forked(at) : cc_callee(at);
        cc_member *reached = callee == NULL ? NULL : cc_member_of(unit, callee);
        if (reached == NULL || !reached->direct || reached->certain)
            continue;
        reached->certain = true;
        new = true;
    }
    return new;
}

static void find_certain(cc_unit *unit) {
    const cc_program *program = unit->program;
    bool *done = cc_alloc(unit, program->member_count, sizeof *done);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < program->member_count; i++) {
            const cc_member *member = program->members[i];
            if (!member->certain || done[i] || member->adjoint != NULL || member->refused != NULL)
                continue;
            done[i] = true;
            again = follow_certain_calls(unit, member) || again;
        }
    }
}

void cc_reach(cc_unit *unit) {
    cc_use_module(unit, unit->program->module);
    reaching reaching = {0};
    find_candidates(unit, &reaching);
    cc_find_roots(unit, add_root);
    follow_direct_calls(unit, &reaching);
    follow_pointers(unit, &reaching);
    wrap_addresses(unit, &reaching);
    find_certain(unit);
    for (size_t i = 0; i < unit->program->member_count; i++)
        if (unit->program->members[i]->direct)
            check(unit, unit->program->members[i]);
}
