/* Computed goto: `goto *p` becomes a switch over the numbers of the labels.
 *
 * If the addresses of labels stay within the function (in a constant table of its own, or in a local variable that
 * is only jumped to), the copy uses numbers instead of addresses, and a jump costs a few comparisons. If they leave
 * the function (are stored, passed on, subtracted), memory must hold the addresses that the program's version of
 * the function would store there, because that version may read them, too; a jump then compares the pointer with
 * each of these addresses. */
#include "cc/front/front.h"
#include "cc/front/refuse.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <string.h>

typedef struct labels {
    cc_unit *unit;
    LLVMValueRef function; /* the function in the base copy */
    LLVMValueRef program;  /* the function in the program */
    LLVMValueRef *labels;  /* block addresses in the base copy; the number of a label is its index + 1 */
    LLVMValueRef *theirs;  /* the same block addresses in the program */
    size_t count;
    LLVMValueRef *tables; /* constants of the program that contain block addresses */
    size_t table_count, table_capacity;
    LLVMValueRef addresses; /* in the base copy, the declaration of the table of the program's block addresses */
} labels;

/* ---- Finding labels and tables ---- */

static LLVMBasicBlockRef block_at(LLVMValueRef function, size_t index) {
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; index > 0; index--)
        block = LLVMGetNextBasicBlock(block);
    return block;
}

static bool find_labels(labels *labels) {
    size_t count, index = 0;
    LLVMValueRef *users = cc_users(labels->unit, labels->program, &count);
    labels->labels = cc_alloc(labels->unit, count, sizeof *labels->labels);
    labels->theirs = cc_alloc(labels->unit, count, sizeof *labels->theirs);
    for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(labels->program); at != NULL; at = LLVMGetNextBasicBlock(at)) {
        for (size_t i = 0; i < count; i++) {
            if (LLVMIsABlockAddress(users[i]) == NULL || LLVMGetBlockAddressBasicBlock(users[i]) != at)
                continue;
            labels->theirs[labels->count] = users[i];
            labels->labels[labels->count++] = LLVMBlockAddress(labels->function, block_at(labels->function, index));
            break;
        }
        index++;
    }
    return labels->count > 0;
}

static void add_tables(labels *labels, LLVMValueRef constant) {
    size_t count;
    LLVMValueRef *users = cc_users(labels->unit, constant, &count);
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsAGlobalVariable(users[i]) != NULL) {
            cc_reserve(labels->unit, &labels->tables, &labels->table_capacity, labels->table_count + 1,
                       sizeof users[i]);
            labels->tables[labels->table_count++] = users[i];
        } else if (LLVMIsAInstruction(users[i]) == NULL) {
            add_tables(labels, users[i]);
        }
    }
}

static void find_tables(labels *labels) {
    for (size_t i = 0; i < labels->count; i++)
        add_tables(labels, labels->theirs[i]);
    size_t kept = 0;
    for (size_t i = 0; i < labels->table_count; i++) {
        bool known = false;
        for (size_t k = 0; k < kept; k++)
            known = known || labels->tables[k] == labels->tables[i];
        if (!known)
            labels->tables[kept++] = labels->tables[i];
    }
    labels->table_count = kept;
}

static size_t number_of(const labels *labels, LLVMBasicBlockRef block) {
    for (size_t i = 0; i < labels->count; i++)
        if (LLVMGetBlockAddressBasicBlock(labels->labels[i]) == block)
            return i + 1;
    return 0;
}

/* ---- Whether labels stay within the function ---- */

/* Returns whether `value` is a constant without uses: a remainder of tables that the base copy only declares. */
static bool is_dead(labels *labels, LLVMValueRef value) {
    if (LLVMIsAInstruction(value) != NULL || LLVMIsAGlobalValue(value) != NULL)
        return false;
    size_t count;
    LLVMValueRef *users = cc_users(labels->unit, value, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_dead(labels, users[i]))
            return false;
    return true;
}

/* Returns whether a label's address is only compared and jumped to. */
static bool stays(labels *labels, LLVMValueRef value, cc_map *seen) {
    if (cc_map_get(seen, value) != CC_NOT_FOUND)
        return true;
    cc_map_put(labels->unit, seen, value, 1);
    size_t count;
    LLVMValueRef *users = cc_users(labels->unit, value, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef user = users[i];
        if (is_dead(labels, user))
            continue;
        if (LLVMIsAInstruction(user) == NULL)
            return false;
        if (LLVMIsAIndirectBrInst(user) != NULL || LLVMIsAICmpInst(user) != NULL)
            continue;
        if (LLVMIsAPHINode(user) == NULL && LLVMIsASelectInst(user) == NULL && LLVMIsAFreezeInst(user) == NULL)
            return false;
        if (!stays(labels, user, seen))
            return false;
    }
    return true;
}

/* Returns whether a table is only indexed and loaded from, within the function itself. */
static bool table_stays(labels *labels, LLVMValueRef address, cc_map *seen) {
    size_t count;
    LLVMValueRef *users = cc_users(labels->unit, address, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef user = users[i];
        bool inside = LLVMIsAInstruction(user) != NULL &&
                      LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == labels->function;
        bool index = LLVMIsAGetElementPtrInst(user) != NULL ||
                     (LLVMIsAConstantExpr(user) != NULL && LLVMGetConstOpcode(user) == LLVMGetElementPtr);
        if (index && (inside || LLVMIsAInstruction(user) == NULL)) {
            if (LLVMGetOperand(user, 0) != address || !table_stays(labels, user, seen))
                return false;
        } else if (!inside || LLVMIsALoadInst(user) == NULL || !stays(labels, user, seen)) {
            return false;
        }
    }
    return true;
}

static bool was_local(const labels *labels, LLVMValueRef global) {
    const cc_program *program = labels->unit->program;
    for (size_t i = 0; i < program->local_count; i++)
        if (program->locals[i] == global)
            return true;
    return false;
}

/* Returns whether the table is a local constant array of labels of this function only. */
static bool is_plain(labels *labels, LLVMValueRef table) {
    LLVMValueRef content = LLVMGetInitializer(table);
    if (!LLVMIsGlobalConstant(table) || LLVMIsAConstantArray(content) == NULL || !was_local(labels, table))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(content); i++) {
        LLVMValueRef element = LLVMGetOperand(content, (unsigned)i);
        if (LLVMIsABlockAddress(element) == NULL || LLVMGetBlockAddressFunction(element) != labels->program)
            return false;
    }
    return true;
}

static LLVMValueRef copy_of_table(const labels *labels, LLVMValueRef table) {
    return LLVMGetNamedGlobal(labels->unit->module, LLVMGetValueName(table));
}

static bool all_stay(labels *labels) {
    cc_map seen = {0};
    for (size_t i = 0; i < labels->count; i++)
        if (!stays(labels, labels->labels[i], &seen))
            return false;
    for (size_t i = 0; i < labels->table_count; i++) {
        LLVMValueRef copy = copy_of_table(labels, labels->tables[i]);
        if (!is_plain(labels, labels->tables[i]) || copy == NULL || !table_stays(labels, copy, &seen))
            return false;
    }
    return true;
}

/* ---- Numbers ---- */

static LLVMValueRef number(const labels *labels, size_t index) {
    return LLVMConstIntToPtr(cc_i64(labels->unit, (int64_t)index + 1), labels->unit->pointer);
}

static size_t index_of_theirs(const labels *labels, LLVMValueRef label) {
    size_t index = 0;
    while (labels->theirs[index] != label)
        index++;
    return index;
}

static void number_table(labels *labels, LLVMValueRef table) {
    LLVMValueRef content = LLVMGetInitializer(table);
    unsigned count = (unsigned)LLVMGetNumOperands(content);
    LLVMValueRef *numbers = cc_alloc(labels->unit, count, sizeof *numbers);
    for (unsigned i = 0; i < count; i++)
        numbers[i] = number(labels, index_of_theirs(labels, LLVMGetOperand(content, i)));
    LLVMValueRef array = LLVMConstArray2(labels->unit->pointer, numbers, count);
    LLVMValueRef own = LLVMAddGlobal(labels->unit->module, LLVMTypeOf(array), "verso.numbers");
    LLVMSetInitializer(own, array);
    LLVMSetGlobalConstant(own, true);
    LLVMSetLinkage(own, LLVMPrivateLinkage);
    LLVMReplaceAllUsesWith(copy_of_table(labels, table), own);
}

static void use_numbers(labels *labels) {
    for (size_t i = 0; i < labels->table_count; i++)
        number_table(labels, labels->tables[i]);
    for (size_t i = 0; i < labels->count; i++)
        LLVMReplaceAllUsesWith(labels->labels[i], number(labels, i));
}

/* ---- Addresses ---- */

/* Builds a load of the program's address of a label, at the start of `function`. */
static LLVMValueRef load_address(labels *labels, LLVMValueRef function, size_t index) {
    cc_unit *unit = labels->unit;
    cc_build_before(unit, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef place = cc_offset(unit, labels->addresses, (int64_t)(8 * index));
    return LLVMBuildLoad2(unit->builder, unit->pointer, place, "");
}

/* Adds a table of the program's addresses of the labels to its module, and a declaration of it to the base copy. */
static void make_addresses(labels *labels) {
    cc_unit *unit = labels->unit;
    char *name = cc_print(unit, "verso.labels.%s", LLVMGetValueName(labels->program));
    LLVMTypeRef type = LLVMArrayType2(unit->pointer, labels->count);
    LLVMValueRef theirs = LLVMAddGlobal(unit->program->module, type, name);
    LLVMSetInitializer(theirs, LLVMConstArray2(unit->pointer, labels->theirs, labels->count));
    LLVMSetGlobalConstant(theirs, true);
    cc_add_local(unit, theirs);
    labels->addresses = LLVMAddGlobal(unit->module, type, name);
    LLVMSetGlobalConstant(labels->addresses, true);
    LLVMSetVisibility(labels->addresses, LLVMHiddenVisibility);
}

/* Replaces uses of a label in code by the program's address. Returns false if a constant that is in use contains
 * the label, which cannot be replaced by code. */
static bool use_address(labels *labels, size_t index, LLVMValueRef address) {
    LLVMValueRef label = labels->labels[index];
    size_t count;
    LLVMValueRef *users = cc_users(labels->unit, label, &count);
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsAInstruction(users[i]) == NULL) {
            done = done && is_dead(labels, users[i]);
            continue;
        }
        LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(users[i]));
        LLVMValueRef value = function == labels->function ? address : load_address(labels, function, index);
        for (int k = 0; k < LLVMGetNumOperands(users[i]); k++)
            if (LLVMGetOperand(users[i], (unsigned)k) == label)
                LLVMSetOperand(users[i], (unsigned)k, value);
    }
    return done;
}

static LLVMValueRef *use_addresses(labels *labels, const cc_member *member) {
    make_addresses(labels);
    LLVMValueRef *addresses = cc_alloc(labels->unit, labels->count, sizeof *addresses);
    bool done = true;
    for (size_t i = 0; i < labels->count; i++) {
        addresses[i] = load_address(labels, labels->function, i);
        done = use_address(labels, i, addresses[i]) && done;
    }
    if (!done)
        cc_reject(
            labels->unit, member, cc_first(member->base),
            cc_print(labels->unit,
                     "%s computes with the addresses of labels in a way that Verso does not understand; use a switch",
                     member->name));
    return addresses;
}

/* ---- Jumps ---- */

/* Builds the number of the label at an address; 0 if there is none. */
static LLVMValueRef search_number(labels *labels, LLVMValueRef address, LLVMValueRef *addresses) {
    cc_unit *unit = labels->unit;
    if (addresses == NULL)
        return LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    LLVMValueRef found = cc_i64(unit, 0);
    for (size_t i = 0; i < labels->count; i++) {
        LLVMValueRef same = LLVMBuildICmp(unit->builder, LLVMIntEQ, address, addresses[i], "");
        found = LLVMBuildSelect(unit->builder, same, cc_i64(unit, (int64_t)i + 1), found, "");
    }
    return found;
}

static void lower_jump(labels *labels, LLVMValueRef jump, LLVMValueRef *addresses) {
    cc_unit *unit = labels->unit;
    unsigned count = LLVMGetNumSuccessors(jump);
    LLVMBasicBlockRef nowhere = LLVMAppendBasicBlockInContext(unit->context, labels->function, "");
    cc_build_at_end(unit, nowhere);
    LLVMBuildUnreachable(unit->builder);
    cc_build_before(unit, jump);
    LLVMValueRef found = search_number(labels, LLVMGetOperand(jump, 0), addresses);
    LLVMValueRef choice = LLVMBuildSwitch(unit->builder, found, nowhere, count);
    cc_map seen = {0};
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef block = LLVMGetSuccessor(jump, i);
        size_t number = number_of(labels, block);
        /* The switch needs as many edges as the old jump, because phis count them. Edges that cannot be taken, or are
         * duplicates, get numbers that no label has. */
        if (number == 0 || cc_map_get(&seen, block) != CC_NOT_FOUND)
            number = labels->count + 1 + i;
        cc_map_put(unit, &seen, block, 1);
        LLVMAddCase(choice, cc_i64(unit, (int64_t)number), block);
    }
    LLVMInstructionEraseFromParent(jump);
}

static void lower_function(cc_unit *unit, cc_member *member) {
    labels labels = {.unit = unit, .function = member->base, .program = member->program};
    if (!find_labels(&labels))
        return;
    find_tables(&labels);
    LLVMValueRef *addresses = NULL;
    if (all_stay(&labels))
        use_numbers(&labels);
    else
        addresses = use_addresses(&labels, member);
    for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(member->base); at != NULL; at = LLVMGetNextBasicBlock(at)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(at);
        if (LLVMIsAIndirectBrInst(last) != NULL)
            lower_jump(&labels, last, addresses);
    }
}

void cc_lower_labels(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++)
        if (unit->program->members[i]->adjoint == NULL)
            lower_function(unit, unit->program->members[i]);
}
