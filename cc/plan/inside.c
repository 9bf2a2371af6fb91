/* Looks for loads that only loops inside a nest can copy: see inside.h. */
#include "cc/plan/inside.h"

#include "cc/ir/program.h"
#include "cc/plan/overlap.h"
#include "cc/plan/plan.h"
#include "cc/plan/rolling.h"
#include "cc/plan/stencil.h"
#include "cc/plan/tables.h"
#include "cc/plan/versions.h"

enum { LOADS_MOST = 64 };

static bool is_plain_number(const cc_body *body, const cc_item *item) {
    LLVMTypeRef type = LLVMTypeOf(item->value);
    return item->opcode == LLVMLoad && cc_is_plain(item->value) && (type == body->unit->f64 || type == body->unit->f32);
}

/* Returns whether the pointer that an address is computed from is known before a loop, but not before the nest. */
static bool is_known_inside(cc_search *s, int loop, LLVMValueRef address) {
    if (!cc_is_outside(s->body, loop, cc_extent_root(s->body, loop, address)))
        return false;
    LLVMValueRef root = cc_extent_root(s->body, s->nest, address);
    return !cc_is_outside(s->body, s->nest, root) && !cc_is_in_table(s, root);
}

static bool is_stored_to(const cc_body *body, int loop, LLVMValueRef root) {
    for (int x = 0; x < body->item_count; x++)
        if (body->items[x].opcode == LLVMStore && body->loops[loop].contains[body->items[x].block] &&
            cc_extent_root(body, loop, cc_address_of(body->items[x].value)) == root)
            return true;
    return false;
}

/* Returns whether a value differs between iterations of a loop, other than by loops inside that run in each of them. */
static bool varies_with(const cc_body *body, LLVMValueRef value, int loop) {
    int x = cc_item_find(body, value);
    if (x >= 0 && body->items[x].induction >= 0 && body->items[x].induction != loop)
        value = cc_induction_start(body, &body->items[x]);
    return !cc_is_outside(body, loop, value);
}

static bool moves_with(const cc_body *body, const cc_place *place, int loop) {
    for (unsigned k = 0; k < place->count; k++)
        if (varies_with(body, place->terms[k].value, loop))
            return true;
    return false;
}

/* Returns whether there is a loop around the load, up to `outer`, in which its address stays the same. */
static bool is_read_again(const cc_body *body, int outer, LLVMValueRef load) {
    cc_place place = cc_place_of(body, outer, load);
    if (!place.known)
        return false;
    for (int l = body->blocks[body->items[cc_item_find(body, load)].block].loop; l >= 0; l = body->loops[l].parent) {
        if (!moves_with(body, &place, l))
            return true;
        if (l == outer)
            break;
    }
    return false;
}

/* Returns whether copies of what the loop reads from this root would gain something. */
static bool gains_from(cc_search *s, int loop, LLVMValueRef root) {
    const cc_body *body = s->body;
    LLVMValueRef loads[LOADS_MOST];
    size_t count = 0;
    bool again = false;
    for (int x = 0; x < body->item_count && count < LOADS_MOST; x++) {
        const cc_item *item = &body->items[x];
        if (!is_plain_number(body, item) || !body->loops[loop].contains[item->block] ||
            cc_extent_root(body, loop, cc_address_of(item->value)) != root)
            continue;
        loads[count++] = item->value;
        again |= is_read_again(body, loop, item->value);
    }
    return (again || cc_is_stencil(body, loop, loads, count) ||
            cc_could_roll(body, loop, loads, count, loads, count)) &&
           !is_stored_to(body, loop, root);
}

static bool gains_in(cc_search *s, int loop) {
    const cc_body *body = s->body;
    LLVMValueRef seen = NULL; /* most loops read through one or two such pointers, in turn */
    for (int x = 0; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        if (!is_plain_number(body, item) || !body->loops[loop].contains[item->block] ||
            !is_known_inside(s, loop, cc_address_of(item->value)))
            continue;
        LLVMValueRef root = cc_extent_root(body, loop, cc_address_of(item->value));
        if (root != seen && gains_from(s, loop, root))
            return true;
        seen = root;
    }
    return false;
}

bool cc_gains_inside(cc_search *s) {
    const cc_body *body = s->body;
    for (int l = 0; l < body->loop_count; l++)
        if (l != s->nest && body->loops[s->nest].contains[body->loops[l].header] && cc_can_have_versions(body, l) &&
            gains_in(s, l))
            return true;
    return false;
}
