/* Lays out records: see records.h. */
#include "cc/plan/records.h"

#include "cc/ir/program.h"
#include "cc/plan/plan.h"
#include "cc/plan/ranges.h"

enum { WORD = 8 };

/* ---- Fields ---- */

bool cc_is_header(const cc_body *body, int b) {
    int loop = body->blocks[b].loop;
    return loop >= 0 && body->loops[loop].counted && body->loops[loop].header == b;
}

LLVMTypeRef cc_predecessor_type(const cc_body *body, int b) {
    return body->blocks[b].predecessor_count > 256 ? body->unit->i32 : body->unit->i8;
}

bool cc_has_predecessor(const cc_body *body, int b) {
    const cc_block *block = &body->blocks[b];
    return block->predecessor_count > 1 && !cc_is_header(body, b) && !body->segments[block->first_segment].condition;
}

static void add_field(cc_body *body, cc_segment *segment, cc_field field) {
    cc_reserve(body->unit, &segment->fields, &segment->field_capacity, segment->field_count + 1,
               sizeof *segment->fields);
    segment->fields[segment->field_count++] = field;
}

bool cc_leaves_loop(const cc_body *body, const cc_loop *loop, int block) {
    return loop->counted && !loop->contains[block] && body->blocks[block].predecessor_count > 0 &&
           loop->contains[body->blocks[block].predecessors[0]];
}

/* Adds a field for the counter of a loop that was left. If it was in strips, one number gives both counters;
 * between two strips the counters are known. */
static void field_of_count(cc_body *body, cc_segment *segment, int l) {
    const cc_loop *loop = &body->loops[l];
    if ((loop->follows && loop->grain == WORD) || loop->again >= 0 ||
        (loop->around >= 0 && !cc_leaves_loop(body, &body->loops[loop->around], segment->block)))
        return;
    add_field(body, segment, (cc_field){CC_FIELD_COUNT, -1, l, loop->count_slot, body->unit->i64, 0});
}

/* Returns whether the last value of an induction variable follows from the counter. */
static bool follows_from_count(const cc_body *body, const cc_item *item) {
    if (item->recurrence >= 0)
        return false;
    return item->from_start || body->loops[item->induction].around >= 0 ||
           LLVMIsAConstantInt(cc_induction_start(body, item));
}

static void fields_of_ranges(cc_body *body, cc_segment *segment, int l) {
    for (int i = 0; i < (int)body->ranges->count; i++) {
        const cc_range *range = &body->ranges->all[i];
        if (range->loop != l || !range->used)
            continue;
        if (range->lasts)
            add_field(body, segment, (cc_field){CC_FIELD_LASTING, i, l, range->slot, body->unit->pointer, 0});
        if (range->again)
            continue;
        add_field(body, segment, (cc_field){CC_FIELD_BEGIN, i, l, range->slot, body->unit->i64, 0});
        add_field(body, segment, (cc_field){CC_FIELD_BYTES, i, l, range->slot, body->unit->i64, 0});
    }
}

static void fields_of_left_loops(cc_body *body, cc_segment *segment) {
    for (int l = 0; l < body->loop_count; l++) {
        cc_loop *loop = &body->loops[l];
        if (!cc_leaves_loop(body, loop, segment->block))
            continue;
        for (int i = 0; i < loop->induction_count; i++) {
            const cc_item *item = &body->items[loop->inductions[i]];
            if (!follows_from_count(body, item))
                add_field(body, segment,
                          (cc_field){CC_FIELD_SLOT, loop->inductions[i], l, item->induction_slot,
                                     LLVMTypeOf(item->value), 0});
        }
        for (int i = 0; i < loop->invariant_count; i++) {
            const cc_item *item = &body->items[loop->invariants[i]];
            add_field(
                body, segment,
                (cc_field){CC_FIELD_SLOT, loop->invariants[i], l, item->invariant_slot, LLVMTypeOf(item->value), 0});
        }
        fields_of_ranges(body, segment, l);
    }
}

/* A condition is stored as a byte, because LLVM does not vectorise stores of single bits. */
static LLVMTypeRef stored_type(const cc_body *body, int item) {
    LLVMTypeRef type = LLVMTypeOf(body->items[item].value);
    return type == body->unit->i1 ? body->unit->i8 : type;
}

static void fields_of_segment(cc_body *body, int s) {
    cc_segment *segment = &body->segments[s];
    const cc_block *block = &body->blocks[segment->block];
    if (s == block->first_segment) {
        fields_of_left_loops(body, segment);
        if (cc_has_predecessor(body, segment->block))
            add_field(body, segment,
                      (cc_field){CC_FIELD_PREDECESSOR, -1, -1, -1, cc_predecessor_type(body, segment->block), 0});
    } else if (body->items[body->segments[s - 1].call].call == CC_CALL_FOLLOWED &&
               !cc_callee(body->items[body->segments[s - 1].call].value))
        add_field(body, segment, (cc_field){CC_FIELD_CALLEE, -1, -1, -1, body->unit->pointer, 0});
    for (int x = segment->first; x <= segment->last; x++) {
        const cc_item *item = &body->items[x];
        if (item->opcode == LLVMStore && item->range >= 0 && body->ranges->all[item->range].used)
            add_field(body, segment,
                      (cc_field){CC_FIELD_OLD, x, -1, -1, LLVMTypeOf(LLVMGetOperand(item->value, 0)), 0});
    }
    for (size_t i = 0; i < segment->need_count; i++) {
        cc_need *need = &segment->needs[i];
        bool checked = need->source == CC_SOURCE_RANGE && body->unit->program->request->check_reload;
        if (need->source != CC_SOURCE_TAPE && !checked)
            continue;
        need->field = (int)segment->field_count;
        add_field(body, segment, (cc_field){CC_FIELD_NEED, need->item, -1, -1, stored_type(body, need->item), 0});
    }
}

/* ---- Grains ---- */

static unsigned width_of(const cc_body *body, const cc_field *field) {
    uint64_t size = LLVMABISizeOfType(body->unit->layout, field->type);
    return size >= 16 ? 16 : size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

static unsigned widest_of(const cc_body *body, const cc_segment *segment) {
    unsigned widest = 1;
    for (size_t i = 0; i < segment->field_count; i++) {
        unsigned width = width_of(body, &segment->fields[i]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static bool has_inner(const cc_body *body, const cc_loop *loop) {
    for (int l = 0; l < body->loop_count; l++)
        if (body->loops[l].parent >= 0 && &body->loops[body->loops[l].parent] == loop)
            return true;
    return false;
}

/* Of two strips, the second must begin at a multiple of WORD again. A strip has 2^shift iterations, and segments that
 * not every iteration passes have records of whole words. The narrowest record decides: processors store numbers at any
 * address nearly as fast, and a byte for each iteration is much less than a word. */
static void find_grain(const cc_body *body, cc_loop *loop) {
    loop->grain = WORD;
    if (!loop->brief || !loop->left || loop->count_slot < 0 || has_inner(body, loop))
        return;
    unsigned least = loop->around >= 0 && loop->shift < 3 ? WORD >> loop->shift : 1, grain = WORD;
    for (int b = 0; b < body->block_count; b++) {
        if (!loop->contains[b])
            continue;
        if (body->blocks[b].safepoint)
            return;
        for (int s = body->blocks[b].first_segment; s <= body->blocks[b].last_segment; s++) {
            unsigned widest = widest_of(body, &body->segments[s]);
            if (body->segments[s].field_count > 0 && widest < grain)
                grain = widest;
        }
    }
    loop->grain = grain < least ? least : grain;
}

const cc_loop *cc_padded_loop(const cc_body *body, const cc_segment *segment) {
    for (size_t i = 0; i < segment->field_count; i++)
        if (segment->fields[i].kind == CC_FIELD_COUNT && body->loops[segment->fields[i].loop].grain < WORD)
            return &body->loops[segment->fields[i].loop];
    return NULL;
}

/* ---- Layout ---- */

unsigned cc_field_alignment(const cc_segment *segment, const cc_field *field) {
    unsigned alignment = segment->grain;
    while (field->offset % alignment != 0)
        alignment /= 2;
    return alignment;
}

/* Lays out the record. Wide fields come first, so that only the end needs padding. */
static void lay_out(const cc_body *body, cc_segment *segment) {
    const cc_block *block = &body->blocks[segment->block];
    const cc_loop *loop = block->loop >= 0 ? &body->loops[block->loop] : NULL;
    unsigned offset = 0, grain = loop ? loop->grain : WORD;
    for (unsigned width = 16; width >= 1; width /= 2)
        for (size_t i = 0; i < segment->field_count; i++) {
            if (width_of(body, &segment->fields[i]) != width)
                continue;
            segment->fields[i].offset = offset;
            offset += (unsigned)LLVMABISizeOfType(body->unit->layout, segment->fields[i].type);
            offset = (offset + width - 1) / width * width;
        }
    segment->grain = grain;
    if (loop && loop->around >= 0 && !cc_dominates(body, segment->block, loop->latch))
        grain = WORD;
    segment->size = (offset + grain - 1) / grain * grain;
}

/* Whether a count must be recorded depends on the grain of its loop. */
static void fields_of_counts(cc_body *body, int s) {
    cc_segment *segment = &body->segments[s];
    if (s != body->blocks[segment->block].first_segment)
        return;
    for (int l = 0; l < body->loop_count; l++)
        if (cc_leaves_loop(body, &body->loops[l], segment->block))
            field_of_count(body, segment, l);
}

void cc_lay_out_records(cc_body *body) {
    for (int s = 0; s < body->segment_count; s++)
        fields_of_segment(body, s);
    for (int l = 0; l < body->loop_count; l++)
        find_grain(body, &body->loops[l]);
    for (int s = 0; s < body->segment_count; s++) {
        fields_of_counts(body, s);
        lay_out(body, &body->segments[s]);
    }
}
