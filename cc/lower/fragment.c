/* Fragments: turns the code between verso_fragment_begin and verso_fragment_end into a function of its own, so that
 * the following passes and the run time see an ordinary call.
 *
 * LLVM can do this (its code extractor), but its C interface cannot. A fragment is the code that control can reach
 * from the begin without passing an end. It has one entry and one exit if all its blocks are reached only from
 * within it, none of them returns, and there is only one end. Values of the surrounding function that it uses
 * become parameters; values that it computes for the rest become its result. Inner fragments are lowered first, so
 * outer ones contain their calls.
 *
 * In the program itself the marks are removed. verso/native.h declares them so that clang neither duplicates nor
 * merges them. */
#include "cc/front/areas.h"
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/front/marks.h"
#include "cc/front/refuse.h"
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

static const char begin_name[] = CC_FRAGMENT_BEGIN, end_name[] = CC_FRAGMENT_END;

typedef struct fragment {
    cc_unit *unit;
    cc_member *member; /* the function that contains it */
    LLVMValueRef begin, end;
    const char *name;
    cc_map inside;              /* set of blocks whose end is inside the fragment */
    LLVMBasicBlockRef *entered; /* blocks that branches inside the fragment lead to */
    size_t entered_count, entered_capacity;
    bool encloses;         /* it contains another begin */
    const char *wrong;     /* message about its first error; NULL: none */
    LLVMValueRef wrong_at; /* place of that error */
} fragment;

static bool is_begin(LLVMValueRef instruction) {
    return LLVMIsACallInst(instruction) != NULL && strcmp(cc_callee_name(instruction), begin_name) == 0;
}

static bool is_end(LLVMValueRef instruction) {
    return LLVMIsACallInst(instruction) != NULL && strcmp(cc_callee_name(instruction), end_name) == 0;
}

/* ---- The blocks between begin and end ---- */

/* Records an error, unless there is one already. */
static void record_error(fragment *f, LLVMValueRef at, const char *what) {
    if (f->wrong != NULL)
        return;
    f->wrong_at = at;
    f->wrong = cc_print(f->unit, "the fragment %s %s", f->name, what);
}

static void report_missing_end(fragment *f) {
    record_error(
        f, f->begin,
        "can be left without verso_fragment_end: by return, by a jump, or because it has none; make all paths from it "
        "lead to one verso_fragment_end in the same function");
}

static void enter(fragment *f, LLVMBasicBlockRef block) {
    for (size_t i = 0; i < f->entered_count; i++)
        if (f->entered[i] == block)
            return;
    cc_reserve(f->unit, &f->entered, &f->entered_capacity, f->entered_count + 1, sizeof block);
    f->entered[f->entered_count++] = block;
}

static void found_end(fragment *f, LLVMValueRef end) {
    if (f->end != NULL && f->end != end)
        record_error(f, f->begin, "ends in more than one place; make all paths lead to one verso_fragment_end");
    f->end = end;
}

/* Walks from an instruction to the end of its block or of the fragment. */
static void walk_block(fragment *f, LLVMValueRef at) {
    for (; LLVMGetNextInstruction(at) != NULL; at = LLVMGetNextInstruction(at)) {
        if (is_end(at)) {
            found_end(f, at);
            return;
        }
        if (at == f->begin)
            report_missing_end(f);
        f->encloses = f->encloses || is_begin(at);
    }
    if (LLVMIsAReturnInst(at) != NULL)
        report_missing_end(f);
    cc_map_put(f->unit, &f->inside, LLVMGetInstructionParent(at), 1);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(at); i++)
        enter(f, LLVMGetSuccessor(at, i));
}

static void check_ways_in(fragment *f) {
    for (size_t i = 0; i < f->entered_count; i++) {
        size_t count;
        LLVMValueRef *users = cc_users(f->unit, LLVMBasicBlockAsValue(f->entered[i]), &count);
        for (size_t k = 0; k < count; k++)
            if (LLVMIsAInstruction(users[k]) != NULL &&
                cc_map_get(&f->inside, LLVMGetInstructionParent(users[k])) == CC_NOT_FOUND)
                record_error(
                    f, f->begin,
                    "can be entered without its verso_fragment_begin; make all paths to verso_fragment_end come from "
                    "one verso_fragment_begin in the same function");
    }
}

static void find_blocks(fragment *f) {
    walk_block(f, LLVMGetNextInstruction(f->begin));
    for (size_t i = 0; i < f->entered_count && f->wrong == NULL; i++)
        walk_block(f, LLVMGetFirstInstruction(f->entered[i]));
    if (f->end == NULL)
        report_missing_end(f);
    check_ways_in(f);
}

/* ---- Instructions that cannot move to another function ---- */

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static void check_instruction(fragment *f, LLVMValueRef at) {
    const char *name = LLVMIsACallInst(at) == NULL ? "" : cc_callee_name(at);
    if (LLVMIsAAllocaInst(at) != NULL || starts_with(name, "llvm.stacksave") || starts_with(name, "llvm.stackrestore"))
        record_error(
            f, at,
            "has an array of variable length or an alloca in it; declare it before verso_fragment_begin, or in a "
            "function that is called and not inlined");
    if (starts_with(name, "llvm.va_start"))
        record_error(f, at, "calls va_start; do so before verso_fragment_begin");
    if (cc_known_find(name).class == CC_KNOWN_JUMP && strstr(name, "setjmp") != NULL)
        record_error(f, at, "calls setjmp; do so before verso_fragment_begin, or in a function that it calls");
}

static void check_block(fragment *f, LLVMValueRef at) {
    for (; at != NULL && at != f->end; at = LLVMGetNextInstruction(at))
        check_instruction(f, at);
}

static void check_instructions(fragment *f) {
    check_block(f, LLVMGetNextInstruction(f->begin));
    for (size_t i = 0; i < f->entered_count; i++)
        check_block(f, LLVMGetFirstInstruction(f->entered[i]));
}

/* ---- Its name ---- */

/* Returns the name of the fragment; NULL if it is not a constant string, or not one word as verso.sites requires. */
static const char *read_name(cc_unit *unit, LLVMValueRef begin) {
    const char *text = cc_constant_string(unit, LLVMGetOperand(begin, 0));
    if (text == NULL || *text == '\0' || *text == '#' || strcmp(text, "*") == 0)
        return NULL;
    for (const char *at = text; *at != '\0'; at++)
        if (!isgraph((unsigned char)*at))
            return NULL;
    return text;
}

/* ---- The values that come in and go out ---- */

typedef struct outline {
    fragment *fragment;
    LLVMBasicBlockRef before, after; /* the blocks around the fragment */
    LLVMBasicBlockRef first, last;   /* its own first and last block */
    LLVMBasicBlockRef *blocks;       /* all its blocks */
    size_t block_count, block_capacity;
    cc_map own;        /* set of its blocks */
    LLVMValueRef *in;  /* outside values that it uses */
    LLVMValueRef *out; /* its values that are used outside */
    size_t in_count, in_capacity, out_count, out_capacity;
    cc_map in_index; /* value -> index in `in` */
    LLVMValueRef function;
    LLVMTypeRef result;
} outline;

static void cut_out(outline *o) {
    fragment *f = o->fragment;
    o->before = cc_split_before(f->unit, f->begin);
    o->last = cc_split_before(f->unit, f->end);
    o->first = LLVMGetInstructionParent(f->begin);
    o->after = LLVMGetInstructionParent(f->end);
}

static void add_block(outline *o, LLVMBasicBlockRef block) {
    if (cc_map_get(&o->own, block) != CC_NOT_FOUND)
        return;
    cc_map_put(o->fragment->unit, &o->own, block, 1);
    cc_reserve(o->fragment->unit, &o->blocks, &o->block_capacity, o->block_count + 1, sizeof block);
    o->blocks[o->block_count++] = block;
}

/* Lists the blocks of the fragment. The last one has no terminator yet. */
static void list_blocks(outline *o) {
    add_block(o, o->first);
    for (size_t i = 0; i < o->block_count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(o->blocks[i]);
        for (unsigned k = 0; end != NULL && k < LLVMGetNumSuccessors(end); k++)
            add_block(o, LLVMGetSuccessor(end, k));
    }
}

static bool is_own(const outline *o, LLVMValueRef instruction) {
    return cc_map_get(&o->own, LLVMGetInstructionParent(instruction)) != CC_NOT_FOUND;
}

static bool comes_in(const outline *o, LLVMValueRef value) {
    return LLVMIsAArgument(value) != NULL || (LLVMIsAInstruction(value) != NULL && !is_own(o, value));
}

static void find_in(outline *o, LLVMValueRef instruction) {
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef value = LLVMGetOperand(instruction, (unsigned)i);
        if (!comes_in(o, value) || cc_map_get(&o->in_index, value) != CC_NOT_FOUND)
            continue;
        cc_map_put(o->fragment->unit, &o->in_index, value, o->in_count);
        cc_reserve(o->fragment->unit, &o->in, &o->in_capacity, o->in_count + 1, sizeof value);
        o->in[o->in_count++] = value;
    }
}

static void find_out(outline *o, LLVMValueRef instruction) {
    for (LLVMUseRef use = LLVMGetFirstUse(instruction); use != NULL; use = LLVMGetNextUse(use)) {
        if (is_own(o, LLVMGetUser(use)))
            continue;
        cc_reserve(o->fragment->unit, &o->out, &o->out_capacity, o->out_count + 1, sizeof instruction);
        o->out[o->out_count++] = instruction;
        return;
    }
}

static void find_values(outline *o) {
    for (size_t i = 0; i < o->block_count; i++)
        for (LLVMValueRef at = LLVMGetFirstInstruction(o->blocks[i]); at != NULL; at = LLVMGetNextInstruction(at)) {
            find_in(o, at);
            find_out(o, at);
        }
}

static LLVMTypeRef *types_of(outline *o, const LLVMValueRef *values, size_t count) {
    LLVMTypeRef *types = cc_alloc(o->fragment->unit, count, sizeof *types);
    for (size_t i = 0; i < count; i++)
        types[i] = LLVMTypeOf(values[i]);
    return types;
}

static void check_count(outline *o, const LLVMValueRef *values, size_t count) {
    cc_unit *unit = o->fragment->unit;
    size_t leaves = 0;
    for (size_t i = 0; i < count; i++)
        leaves += cc_leaf_count(unit, LLVMTypeOf(values[i]));
    if (leaves > VERSO_NATIVE_LEAVES)
        cc_give_up(unit, VERSO_STATUS_INVALID,
                   "%s: the fragment %s has more than %d numbers in common with its function; put them in a struct",
                   cc_where(unit, o->fragment->begin), o->fragment->name, VERSO_NATIVE_LEAVES);
}

/* ---- The function ---- */

static void copy_function_attributes(cc_unit *unit, LLVMValueRef from, LLVMValueRef to) {
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned count = LLVMGetAttributeCountAtIndex(from, index);
    LLVMAttributeRef *attributes = cc_alloc(unit, count, sizeof *attributes);
    LLVMGetAttributesAtIndex(from, index, attributes);
    for (unsigned i = 0; i < count; i++)
        LLVMAddAttributeAtIndex(to, index, attributes[i]);
}

/* Adds the function. Its instructions keep the debug locations of the surrounding function, so it has no subprogram
 * of its own. */
static void make_function(outline *o) {
    fragment *f = o->fragment;
    cc_unit *unit = f->unit;
    LLVMTypeRef *out = types_of(o, o->out, o->out_count);
    o->result = o->out_count == 0   ? unit->none
                : o->out_count == 1 ? out[0]
                                    : LLVMStructTypeInContext(unit->context, out, (unsigned)o->out_count, false);
    LLVMTypeRef type = LLVMFunctionType(o->result, types_of(o, o->in, o->in_count), (unsigned)o->in_count, false);
    const char *name = cc_print(unit, "%s.%s.%zu", f->member->name, f->name, unit->program->made++);
    o->function = LLVMAddFunction(unit->module, cc_print(unit, "%s.base", name), type);
    LLVMSetLinkage(o->function, LLVMInternalLinkage);
    copy_function_attributes(unit, f->member->base, o->function);
    cc_forbid_inlining(unit, o->function);
    cc_member *member = cc_add_made_member(unit, o->function, name);
    member->fragment = f->name;
    member->direct = f->member->direct;
    member->certain = false; /* it is unknown here whether the function always reaches it */
    member->inactive = f->member->inactive;
}

static void replace_operands(LLVMValueRef user, LLVMValueRef old, LLVMValueRef new) {
    for (int i = 0; i < LLVMGetNumOperands(user); i++)
        if (LLVMGetOperand(user, (unsigned)i) == old)
            LLVMSetOperand(user, (unsigned)i, new);
}

static void use_parameters(outline *o, LLVMValueRef instruction) {
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        ptrdiff_t index = cc_map_get(&o->in_index, LLVMGetOperand(instruction, (unsigned)i));
        if (index != CC_NOT_FOUND)
            LLVMSetOperand(instruction, (unsigned)i, LLVMGetParam(o->function, (unsigned)index));
    }
}

static void move_blocks(outline *o) {
    for (size_t i = 0; i < o->block_count; i++) {
        LLVMRemoveBasicBlockFromParent(o->blocks[i]);
        LLVMAppendExistingBasicBlock(o->function, o->blocks[i]);
        for (LLVMValueRef at = LLVMGetFirstInstruction(o->blocks[i]); at != NULL; at = LLVMGetNextInstruction(at))
            use_parameters(o, at);
    }
}

static void build_return(outline *o) {
    LLVMBuilderRef builder = o->fragment->unit->builder;
    cc_build_at_end(o->fragment->unit, o->last);
    if (o->out_count == 0) {
        LLVMBuildRetVoid(builder);
        return;
    }
    LLVMValueRef all = o->out[0];
    if (o->out_count > 1)
        all = LLVMGetPoison(o->result);
    for (unsigned i = 0; o->out_count > 1 && i < o->out_count; i++)
        all = LLVMBuildInsertValue(builder, all, o->out[i], i, "");
    LLVMBuildRet(builder, all);
}

/* Replaces uses of the value outside the fragment by `new`. */
static void replace_outside(outline *o, LLVMValueRef value, LLVMValueRef new) {
    size_t count;
    LLVMValueRef *users = cc_users(o->fragment->unit, value, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_own(o, users[i]))
            replace_operands(users[i], value, new);
}

/* Builds the call, with the debug location of the begin. */
static void build_call(outline *o) {
    cc_unit *unit = o->fragment->unit;
    cc_build_at_end(unit, o->before);
    LLVMSetCurrentDebugLocation2(unit->builder, LLVMInstructionGetDebugLoc(o->fragment->begin));
    LLVMValueRef call = LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(o->function), o->function, o->in,
                                       (unsigned)o->in_count, "");
    for (unsigned i = 0; i < o->out_count; i++)
        replace_outside(o, o->out[i], o->out_count == 1 ? call : LLVMBuildExtractValue(unit->builder, call, i, ""));
    LLVMBuildBr(unit->builder, o->after);
}

static void make_call(fragment *f) {
    outline o = {.fragment = f};
    cut_out(&o);
    list_blocks(&o);
    find_values(&o);
    check_count(&o, o.in, o.in_count);
    check_count(&o, o.out, o.out_count);
    make_function(&o);
    move_blocks(&o);
    build_call(&o);
    build_return(&o);
    LLVMInstructionEraseFromParent(f->begin);
    LLVMInstructionEraseFromParent(f->end);
}

/* ---- The fragments of a function ---- */

/* Moves local variables of fixed size to the start of the function, because they belong to the function as a whole.
 * Removes the lifetime markers and debug intrinsics of variables: they would be wrong once several functions use
 * the variables, and the copies do not need them. */
static void free_variables(cc_unit *unit, LLVMValueRef function) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    for (LLVMValueRef next, at = first; at != NULL; at = next) {
        next = cc_next(at);
        if (LLVMIsAAllocaInst(at) != NULL && at != first && LLVMGetInstructionParent(at) == entry &&
            LLVMIsAConstantInt(LLVMGetOperand(at, 0)) != NULL) {
            const char *name = cc_print(unit, "%s", LLVMGetValueName(at));
            LLVMInstructionRemoveFromParent(at);
            LLVMPositionBuilderBefore(unit->builder, first);
            LLVMInsertIntoBuilderWithName(unit->builder, at, name);
        } else if (LLVMIsADbgInfoIntrinsic(at) != NULL ||
                   (LLVMIsACallInst(at) != NULL && starts_with(cc_callee_name(at), "llvm.lifetime."))) {
            if (at == first)
                first = next;
            LLVMInstructionEraseFromParent(at);
        }
    }
}

static LLVMValueRef next_mark(LLVMValueRef at, bool (*is)(LLVMValueRef)) {
    while (at != NULL && !is(at))
        at = cc_next(at);
    return at;
}

/* Finds the first fragment that encloses no other; an error in it is left in found->wrong. Returns false if there
 * are no fragments. */
static bool find_inner(cc_unit *unit, cc_member *member, fragment *found) {
    bool any = false;
    for (LLVMValueRef at = next_mark(cc_first(member->base), is_begin); at != NULL;
         at = next_mark(cc_next(at), is_begin)) {
        fragment f = {.unit = unit, .member = member, .begin = at, .name = read_name(unit, at)};
        if (f.name == NULL) {
            f.name = "here";
            record_error(&f, at, "needs a name that is a string literal: one word, as in verso.sites");
        }
        find_blocks(&f);
        if (!any || !f.encloses)
            *found = f;
        any = true;
        if (!f.encloses)
            return true;
    }
    if (any) /* each encloses another: there is a cycle from begin to begin */
        report_missing_end(found);
    return any;
}

/* Reports a misplaced mark. It is an error in the source, whether the run reaches it or not. */
static void reject(cc_unit *unit, const cc_member *member, LLVMValueRef instruction, const char *message) {
    if (member->direct)
        cc_diagnose(unit, instruction, "%s", message);
    else
        cc_refuse_here(unit, instruction, message);
}

static void lower_function(cc_unit *unit, cc_member *member) {
    if (next_mark(cc_first(member->base), is_begin) != NULL)
        free_variables(unit, member->base);
    for (fragment f; find_inner(unit, member, &f);) {
        if (f.wrong == NULL)
            check_instructions(&f);
        if (f.wrong != NULL) {
            reject(unit, member, f.wrong_at, f.wrong);
            return;
        }
        make_call(&f);
    }
    LLVMValueRef end = next_mark(cc_first(member->base), is_end);
    if (end != NULL)
        reject(unit, member, end,
               "verso_fragment_end ends nothing; put it after its verso_fragment_begin, in the same function");
}

/* ---- The pass ---- */

static bool has_marks(LLVMModuleRef module) {
    return LLVMGetNamedFunction(module, begin_name) != NULL || LLVMGetNamedFunction(module, end_name) != NULL;
}

static void drop_marks(cc_unit *unit, LLVMModuleRef module) {
    const char *const names[] = {begin_name, end_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef mark = LLVMGetNamedFunction(module, names[i]);
        size_t count = 0;
        LLVMValueRef *users = mark == NULL ? NULL : cc_users(unit, mark, &count);
        for (size_t k = 0; k < count; k++)
            if (LLVMIsACallInst(users[k]) != NULL && LLVMGetCalledValue(users[k]) == mark)
                LLVMInstructionEraseFromParent(users[k]);
    }
}

void cc_lower_fragments(cc_unit *unit) {
    if (!has_marks(unit->module))
        return;
    bool records = LLVMIsNewDbgInfoFormat(unit->module);
    LLVMSetIsNewDbgInfoFormat(unit->module, false); /* makes debug records instructions, which free_variables removes */
    size_t count = unit->program->member_count;
    for (size_t i = 0; i < count; i++)
        lower_function(unit, unit->program->members[i]);
    drop_marks(unit, unit->module);
    drop_marks(unit, unit->program->module);
    LLVMSetIsNewDbgInfoFormat(unit->module, records);
}
