/* Accesses of which LLVM has forgotten that they are aligned. A struct that is passed by value and inlined is read as
 * if it were packed. But another access, at a constant distance from the same pointer, may say how that is aligned: it
 * has run before, or runs in the same block. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

enum { GRAINS = 3, STEPS_MOST = 8 };
static const unsigned grains[GRAINS] = {4, 8, 16};

/* A block of the function. */
typedef struct place {
    LLVMBasicBlockRef block;
    bool reached;
    size_t dominator; /* index of its immediate dominator, as far as is known; of the entry: 0 */
    cc_map known;     /* pointer and grain -> the remainder of the aligned address + 1 */
} place;

typedef struct function {
    cc_unit *unit;
    cc_map of_block; /* block -> index in `places` */
    place *places;   /* in reverse postorder */
    size_t count;
} function;

/* ---- Dominators ---- */

/* Fills f->places with the blocks that the entry leads to, in reverse postorder. */
static void order_blocks(function *f, LLVMValueRef of) {
    size_t blocks = LLVMCountBasicBlocks(of), depth = 0, left = blocks;
    LLVMBasicBlockRef *stack = cc_alloc(f->unit, blocks + 1, sizeof *stack);
    unsigned *next = cc_alloc(f->unit, blocks + 1, sizeof *next);
    place *found = cc_alloc(f->unit, blocks + 1, sizeof *found);
    cc_map seen = {0};
    stack[depth++] = LLVMGetEntryBasicBlock(of);
    cc_map_put(f->unit, &seen, stack[0], 1);
    while (depth > 0) {
        LLVMBasicBlockRef at = stack[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
        if (next[depth - 1] == LLVMGetNumSuccessors(end)) {
            found[--left] = (place){.block = at};
            depth--;
            continue;
        }
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, next[depth - 1]++);
        if (cc_map_get(&seen, to) != CC_NOT_FOUND)
            continue;
        cc_map_put(f->unit, &seen, to, 1);
        stack[depth] = to;
        next[depth++] = 0;
    }
    f->places = found + left;
    f->count = blocks - left;
    for (size_t i = 0; i < f->count; i++)
        cc_map_put(f->unit, &f->of_block, f->places[i].block, i);
}

/* Returns the last block that both of two blocks pass, as far as is known. */
static size_t common(const function *f, size_t a, size_t b) {
    while (a != b)
        if (a > b)
            a = f->places[a].dominator;
        else
            b = f->places[b].dominator;
    return a;
}

/* Makes block `to` pass what its predecessor `from` passes. Returns whether that changed anything. */
static bool meet(function *f, size_t from, size_t to) {
    place *at = &f->places[to];
    size_t dominator = !at->reached ? from : common(f, from, at->dominator);
    bool changed = !at->reached || dominator != at->dominator;
    at->reached = true;
    at->dominator = dominator;
    return changed;
}

static void find_dominators(function *f) {
    f->places[0].reached = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->count; i++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(f->places[i].block);
            for (unsigned k = 0; f->places[i].reached && k < LLVMGetNumSuccessors(end); k++) {
                ptrdiff_t to = cc_map_get(&f->of_block, LLVMGetSuccessor(end, k));
                changed |= to != 0 && meet(f, i, (size_t)to);
            }
        }
    }
}

/* ---- Pointers ---- */

/* Returns the pointer that an address is computed from by adding multiples of `grain` and *rest. */
static LLVMValueRef base_of(cc_unit *unit, LLVMValueRef address, unsigned grain, int64_t *rest) {
    *rest = 0;
    for (int steps = 0; steps < STEPS_MOST && LLVMIsAGetElementPtrInst(address); steps++) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
        int64_t more = 0;
        for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(address); k++) {
            LLVMValueRef index = LLVMGetOperand(address, k);
            bool constant = LLVMIsAConstantInt(index) != NULL;
            if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
                unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
                more += (int64_t)LLVMOffsetOfElement(unit->layout, type, member);
                type = LLVMStructGetTypeAtIndex(type, member);
                continue;
            }
            type = k > 1 ? LLVMGetElementType(type) : type;
            uint64_t size = LLVMABISizeOfType(unit->layout, type);
            if (!constant && size % grain != 0)
                return address;
            more += constant ? (int64_t)(LLVMConstIntGetZExtValue(index) * size % grain) : 0;
        }
        *rest += more;
        address = LLVMGetOperand(address, 0);
    }
    *rest = (*rest % (int64_t)grain + (int64_t)grain) % (int64_t)grain;
    return address;
}

static const void *key_of(LLVMValueRef pointer, int grain) {
    return (const char *)pointer + grain;
}

static LLVMValueRef address_of(LLVMValueRef at) {
    return LLVMIsALoadInst(at) ? LLVMGetOperand(at, 0) : LLVMIsAStoreInst(at) ? LLVMGetOperand(at, 1) : NULL;
}

static void note(function *f, place *in, LLVMValueRef at) {
    LLVMValueRef address = address_of(at);
    for (int g = 0; address && g < GRAINS; g++) {
        int64_t rest;
        if (LLVMGetAlignment(at) % grains[g] != 0)
            break;
        LLVMValueRef base = base_of(f->unit, address, grains[g], &rest);
        cc_map_put(f->unit, &in->known, key_of(base, g), (size_t)rest + 1);
    }
}

/* Returns whether a number at the address is aligned, as accesses in block `i` or before it say. */
static bool is_aligned(const function *f, size_t i, LLVMValueRef address, int grain) {
    int64_t rest;
    LLVMValueRef base = base_of(f->unit, address, grains[grain], &rest);
    for (;; i = f->places[i].dominator) {
        ptrdiff_t known = cc_map_get(&f->places[i].known, key_of(base, grain));
        if (known != CC_NOT_FOUND)
            return known - 1 == rest;
        if (i == 0)
            return false;
    }
}

static void align(const function *f, size_t i, LLVMValueRef at) {
    LLVMValueRef address = address_of(at);
    LLVMTypeRef type = !address ? NULL : LLVMTypeOf(LLVMIsALoadInst(at) ? at : LLVMGetOperand(at, 0));
    for (int g = 0; address && g < GRAINS; g++) {
        LLVMTypeRef numbers[GRAINS] = {f->unit->f32, f->unit->f64, f->unit->f80};
        if (type == numbers[g] && LLVMGetAlignment(at) < grains[g] && is_aligned(f, i, address, g))
            LLVMSetAlignment(at, grains[g]);
    }
}

static void align_function(cc_unit *unit, LLVMValueRef of) {
    function f = {.unit = unit};
    order_blocks(&f, of);
    find_dominators(&f);
    for (size_t i = 0; i < f.count; i++)
        for (LLVMValueRef at = LLVMGetFirstInstruction(f.places[i].block); at; at = LLVMGetNextInstruction(at))
            note(&f, &f.places[i], at);
    for (size_t i = 0; i < f.count; i++)
        for (LLVMValueRef at = LLVMGetFirstInstruction(f.places[i].block); at; at = LLVMGetNextInstruction(at))
            align(&f, i, at);
}

void cc_lower_aligned(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        cc_region_begin(unit);
        align_function(unit, f);
        cc_region_end(unit);
    }
}
