/* Small snapshots of checkpointed calls. See snapshot.h.
 *
 *   head | for each object: its entry, a bit for each chunk (1: its bytes follow; 0: it is equal in the base)
 *        | for each object: the chunks that are not equal in the base
 *
 * The callee is entered with the same registers, and its frame is at the same addresses, so it computes the same bits.
 * Of outer frames nothing is there but what it may access. When it returns, the sweep continues.
 *
 * Since the call, the program may have freed a heap block that the callee accesses. Its memory may be in other use, and
 * the allocator may keep its state there. So if the allocator does not know an object as a block, what is there is
 * kept aside while the call is recorded. */
#include "native/sweep/snapshot.h"
#include "native/sweep/inside.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>

/* The first word of a snapshot. A capsule begins with its place, whose number of steps is 1 here. */
enum { SMALL = 2, CHUNK = 4096, GRAIN = 16 };

typedef struct head {
    uint64_t kind;  /* SMALL */
    uint64_t count; /* number of objects */
    char *stack;    /* address of the return address */
    char *back;     /* the return address */
    void *callee;
    void (*last)(void);
    verso__native_locals *locals;
    uint64_t jump_count;
    int64_t error; /* errno */
    verso__native_registers registers;
} head;

/* An object. `near` and `part` are as in reach.h; an extent has no bytes. */
typedef struct entry {
    char *begin;
    uint64_t size : 61, near : 1, part : 1, extent : 1;
} entry;

static struct {
    head head;
    const verso__native_reached *list; /* what the call at hand may access */
    char *bits;                        /* a bit for each chunk, in words by object */
    size_t bits_room;
    verso__native_range *within; /* objects of the call that is recorded again */
    size_t within_room;
    verso__native_range *aside; /* memory whose contents are kept aside */
    size_t aside_count, aside_room;
    char *kept; /* these contents */
    size_t kept_size, kept_room;
} snapshot_state;

/* The registers of the call that is entered again, for the code below. */
verso__native_registers verso__native_entered __attribute__((visibility("hidden")));
void *verso__native_entered_callee __attribute__((visibility("hidden")));

/* ---- Entering and leaving calls ---- */

#if VERSO_NATIVE_HERE

void verso__native_call_again(void);
void verso__native_call_back(void);
__asm__(".text\n"
        ".globl verso__native_call_through\n"
        ".hidden verso__native_call_through\n"
        ".type verso__native_call_through, @function\n"
        "verso__native_call_through:\n"
        "    pushq %rbp\n"
        "    movq %rsp, %rbp\n"
        "    subq $240, %rsp\n"
        "    movq %rdi, 0(%rsp)\n"
        "    movq %rsi, 8(%rsp)\n"
        "    movq %rdx, 16(%rsp)\n"
        "    movq %rcx, 24(%rsp)\n"
        "    movq %r8, 32(%rsp)\n"
        "    movq %r9, 40(%rsp)\n"
        "    movups %xmm0, 48(%rsp)\n"
        "    movups %xmm1, 64(%rsp)\n"
        "    movups %xmm2, 80(%rsp)\n"
        "    movups %xmm3, 96(%rsp)\n"
        "    movups %xmm4, 112(%rsp)\n"
        "    movups %xmm5, 128(%rsp)\n"
        "    movups %xmm6, 144(%rsp)\n"
        "    movups %xmm7, 160(%rsp)\n"
        "    movq %rbx, 176(%rsp)\n"
        "    movq (%rbp), %rax\n"
        "    movq %rax, 184(%rsp)\n"
        "    movq %r12, 192(%rsp)\n"
        "    movq %r13, 200(%rsp)\n"
        "    movq %r14, 208(%rsp)\n"
        "    movq %r15, 216(%rsp)\n"
        "    stmxcsr 224(%rsp)\n"
        "    fnstcw 228(%rsp)\n"
        "    movw $0, 230(%rsp)\n"
        "    movq %rsp, %rdi\n"
        "    leaq 8(%rbp), %rsi\n"
        "    call verso__native_call_reached\n"
        "    movq %rax, %r11\n"
        "    movq 0(%rsp), %rdi\n"
        "    movq 8(%rsp), %rsi\n"
        "    movq 16(%rsp), %rdx\n"
        "    movq 24(%rsp), %rcx\n"
        "    movq 32(%rsp), %r8\n"
        "    movq 40(%rsp), %r9\n"
        "    movups 48(%rsp), %xmm0\n"
        "    movups 64(%rsp), %xmm1\n"
        "    movups 80(%rsp), %xmm2\n"
        "    movups 96(%rsp), %xmm3\n"
        "    movups 112(%rsp), %xmm4\n"
        "    movups 128(%rsp), %xmm5\n"
        "    movups 144(%rsp), %xmm6\n"
        "    movups 160(%rsp), %xmm7\n"
        "    leave\n"
        "    jmp *%r11\n"
        ".size verso__native_call_through, .-verso__native_call_through\n"
        ".globl verso__native_call_again\n"
        ".hidden verso__native_call_again\n"
        ".type verso__native_call_again, @function\n"
        "verso__native_call_again:\n"
        "    subq $8, %rsp\n"
        "    call verso__native_call_resumed\n"
        "    addq $8, %rsp\n"
        "    leaq verso__native_entered(%rip), %rax\n"
        "    movq verso__native_entered_callee(%rip), %r11\n"
        "    movq 0(%rax), %rdi\n"
        "    movq 8(%rax), %rsi\n"
        "    movq 16(%rax), %rdx\n"
        "    movq 24(%rax), %rcx\n"
        "    movq 32(%rax), %r8\n"
        "    movq 40(%rax), %r9\n"
        "    movups 48(%rax), %xmm0\n"
        "    movups 64(%rax), %xmm1\n"
        "    movups 80(%rax), %xmm2\n"
        "    movups 96(%rax), %xmm3\n"
        "    movups 112(%rax), %xmm4\n"
        "    movups 128(%rax), %xmm5\n"
        "    movups 144(%rax), %xmm6\n"
        "    movups 160(%rax), %xmm7\n"
        "    jmp *%r11\n"
        ".size verso__native_call_again, .-verso__native_call_again\n"
        ".globl verso__native_call_back\n"
        ".hidden verso__native_call_back\n"
        ".type verso__native_call_back, @function\n"
        "verso__native_call_back:\n"
        "    emms\n" /* removes a result of type long double */
        "    call verso__native_call_returned\n"
        "    ud2\n"
        ".size verso__native_call_back, .-verso__native_call_back\n");
_Static_assert(sizeof(verso__native_registers) == 232 && offsetof(verso__native_registers, vector) == 48 &&
                   offsetof(verso__native_registers, preserved) == 176 &&
                   offsetof(verso__native_registers, mxcsr) == 224,
               "as the assembly above stores it");

#else

/* No program is linked here, so these are never called. */
void verso__native_call_through(void) {}

static void verso__native_call_again(void) {}

static void verso__native_call_back(void) {}

#endif

/* Called on the private stack before a call that is entered again. */
void verso__native_call_resumed(void) __attribute__((visibility("hidden")));
void verso__native_call_resumed(void) {
    verso__native_profile_resumed();
    errno = (int)snapshot_state.head.error;
}

/* ---- Chunks ---- */

static size_t chunks_of(const entry *object) {
    return object->extent ? 0 : (object->size + CHUNK - 1) / CHUNK;
}

/* Returns the bytes of an object's bits. */
static size_t bits_of(const entry *object) {
    return (chunks_of(object) + 63) / 64 * sizeof(uint64_t);
}

static size_t chunk_size(const entry *object, size_t chunk) {
    size_t left = object->size - chunk * CHUNK;
    return left < CHUNK ? left : CHUNK;
}

static bool is_here(const char *bits, size_t chunk) {
    return (bits[chunk / 8] >> chunk % 8 & 1) != 0;
}

/* Returns the bytes of an object in the base; NULL: do not compare. Objects near a pointer may have other contents when
 * a call within this one is recorded, so the size of the snapshot must not depend on their contents. */
static const char *base_of(const entry *object) {
    return object->near ? NULL : verso__native_capsule_base_at(object->begin, object->size);
}

static entry entry_of(const verso__native_reached *object) {
    return (entry){.begin = object->begin,
                   .size = (uint64_t)(object->end - object->begin),
                   .near = object->near,
                   .part = object->part,
                   .extent = object->extent};
}

/* Sets the bits of an object. Returns the bytes of its chunks that are not equal in the base. */
static size_t compare(const entry *object, char *bits) {
    const char *base = base_of(object);
    size_t bytes = 0;
    for (size_t i = 0; i < chunks_of(object); i++) {
        size_t size = chunk_size(object, i);
        bool here = base == NULL || memcmp(object->begin + i * CHUNK, base + i * CHUNK, size) != 0;
        bits[i / 8] = (char)(bits[i / 8] | here << i % 8);
        bytes += here ? size : 0;
    }
    return bytes;
}

/* ---- Writing ---- */

static void require_memory(bool there) {
    if (!there)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY, "no memory for the snapshot of a checkpointed call");
}

/* Returns the bytes of all objects. */
static size_t size_objects(size_t count) {
    size_t bits_size = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        entry object = entry_of(&snapshot_state.list[i]);
        bits_size += bits_of(&object);
    }
    if (bits_size > snapshot_state.bits_room) {
        char *bits = verso__realloc(snapshot_state.bits, bits_size, 1);
        require_memory(bits != NULL);
        snapshot_state.bits = bits;
        snapshot_state.bits_room = bits_size;
    }
    if (bits_size > 0)
        memset(snapshot_state.bits, 0, bits_size);
    char *bits = snapshot_state.bits;
    for (size_t i = 0; i < count; i++) {
        entry object = entry_of(&snapshot_state.list[i]);
        bytes += compare(&object, bits);
        bits += bits_of(&object);
    }
    return bytes + bits_size + count * sizeof(entry);
}

size_t verso__native_snapshot_size(const verso__native_effects *effects, const verso__native_registers *registers,
                                   char *stack, void *callee) {
    size_t count;
    verso__native_passed passed = {registers->general, stack + sizeof(void *)};
    if (!verso__native_reach(effects, &passed, &snapshot_state.list, &count))
        return 0;
    snapshot_state.head = (head){.kind = SMALL,
                                 .count = count,
                                 .stack = stack,
                                 .callee = callee,
                                 .last = verso__native_now.last,
                                 .locals = verso__native_now.locals,
                                 .jump_count = verso__native_now.jump_count,
                                 .error = errno,
                                 .registers = *registers};
    memcpy(&snapshot_state.head.back, stack, sizeof snapshot_state.head.back);
    return (sizeof(head) + size_objects(count) + GRAIN - 1) / GRAIN * GRAIN;
}

void verso__native_snapshot_write(char *bytes) {
    const char *bits = snapshot_state.bits;
    size_t count = (size_t)snapshot_state.head.count;
    memcpy(bytes, &snapshot_state.head, sizeof(head));
    bytes += sizeof(head);
    for (size_t i = 0; i < count; i++) {
        entry object = entry_of(&snapshot_state.list[i]);
        size_t size = bits_of(&object);
        memcpy(bytes, &object, sizeof object);
        bytes += sizeof object;
        if (size > 0)
            memcpy(bytes, bits, size);
        bytes += size;
        bits += bits_of(&object);
    }
    bits = snapshot_state.bits;
    for (size_t i = 0; i < count; i++) {
        entry object = entry_of(&snapshot_state.list[i]);
        for (size_t k = 0; k < chunks_of(&object); k++) {
            size_t size = is_here(bits, k) ? chunk_size(&object, k) : 0;
            memcpy(bytes, object.begin + k * CHUNK, size);
            bytes += size;
        }
        bits += bits_of(&object);
    }
}

/* ---- Reading ---- */

bool verso__native_snapshot_is_small(const char *bytes) {
    uint64_t kind;
    memcpy(&kind, bytes, sizeof kind);
    return kind == SMALL;
}

static bool is_in_heap(const entry *object) {
    return (uintptr_t)object->begin - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE;
}

static bool is_in_use_otherwise(const entry *object) {
    verso__native_range now = verso__native_arena_block(object->begin);
    return !object->extent && is_in_heap(object) &&
           (object->begin < now.begin || object->begin + object->size > now.end);
}

/* Keeps the contents of an object aside. Returns false if there is no memory. */
static bool keep_aside(const entry *object) {
    size_t count = snapshot_state.aside_count, size = snapshot_state.kept_size + object->size;
    if (count == snapshot_state.aside_room) {
        verso__native_range *aside = verso__realloc(snapshot_state.aside, 2 * count + 16, sizeof *aside);
        if (aside == NULL)
            return false;
        snapshot_state.aside = aside;
        snapshot_state.aside_room = 2 * count + 16;
    }
    if (size > snapshot_state.kept_room) {
        char *kept = verso__realloc(snapshot_state.kept, 2 * size, 1);
        if (kept == NULL)
            return false;
        snapshot_state.kept = kept;
        snapshot_state.kept_room = 2 * size;
    }
    memcpy(snapshot_state.kept + snapshot_state.kept_size, object->begin, object->size);
    snapshot_state.aside[snapshot_state.aside_count++] =
        (verso__native_range){object->begin, object->begin + object->size};
    snapshot_state.kept_size = size;
    return true;
}

/* Calls within the call find whole objects of the heap and of outer frames in this list. */
static bool list_within(const char *entries, size_t count) {
    size_t listed = 0;
    if (count + 1 > snapshot_state.within_room) {
        verso__native_range *within = verso__realloc(snapshot_state.within, count + 1, sizeof *within);
        if (within == NULL)
            return false;
        snapshot_state.within = within;
        snapshot_state.within_room = count + 1;
    }
    for (size_t i = 0; i < count; i++) {
        entry object;
        memcpy(&object, entries, sizeof object);
        entries += sizeof object + bits_of(&object);
        bool on_stack = object.begin >= snapshot_state.head.stack && object.begin < verso__native_stack_top();
        if (!object.part && (is_in_heap(&object) || on_stack))
            snapshot_state.within[listed++] = (verso__native_range){object.begin, object.begin + object.size};
    }
    verso__native_ranges_sort(snapshot_state.within, listed);
    verso__native_reach_within(snapshot_state.within, listed, snapshot_state.head.stack);
    return true;
}

/* Puts an object back. Returns the end of its bytes. */
static const char *put_back(const entry *object, const char *bits, const char *bytes) {
    const char *base = base_of(object);
    for (size_t i = 0; i < chunks_of(object); i++) {
        char *to = object->begin + i * CHUNK;
        size_t size = chunk_size(object, i);
        if (!is_here(bits, i)) {
            if (memcmp(to, base + i * CHUNK, size) != 0)
                memcpy(to, base + i * CHUNK, size);
            continue;
        }
        memcpy(to, bytes, size);
        bytes += size;
    }
    return bytes;
}

static const char *after_entries(const char *entries, size_t count) {
    for (size_t i = 0; i < count; i++) {
        entry object;
        memcpy(&object, entries, sizeof object);
        entries += sizeof object + bits_of(&object);
    }
    return entries;
}

static bool put_all_back(const char *entries, size_t count, bool again) {
    const char *bytes = after_entries(entries, count);
    for (size_t i = 0; i < count; i++) {
        entry object;
        memcpy(&object, entries, sizeof object);
        if (again && is_in_use_otherwise(&object) && !keep_aside(&object))
            return false;
        bytes = put_back(&object, entries + sizeof object, bytes);
        entries += sizeof object + bits_of(&object);
    }
    return true;
}

verso_status verso__native_snapshot_enter(const char *bytes, bool again, verso_error *error) {
    head *head = &snapshot_state.head;
    memcpy(head, bytes, sizeof *head);
    const char *entries = bytes + sizeof *head;
    snapshot_state.aside_count = snapshot_state.kept_size = 0;
    if ((again && !list_within(entries, (size_t)head->count)) || !put_all_back(entries, (size_t)head->count, again)) {
        verso__native_snapshot_leave();
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to run a checkpointed call again");
    }
    char *back = again ? (char *)(uintptr_t)verso__native_call_back : head->back;
    memcpy(head->stack, &back, sizeof back);
    verso__native_stack_enter(head->stack, verso__native_call_again, head->registers.preserved, head->registers.mxcsr,
                              head->registers.x87_control);
    verso__native_entered = head->registers;
    verso__native_entered_callee = head->callee;
    verso__native_now.last = head->last;
    verso__native_now.locals = again ? NULL : head->locals;
    if (head->jump_count > verso__native_now.jump_count)
        verso__native_now.jump_count = head->jump_count;
    verso__native_stack_note_depth((size_t)(verso__native_stack_top() - head->stack));
    return VERSO_STATUS_OK;
}

void verso__native_snapshot_leave(void) {
    const char *kept = snapshot_state.kept + snapshot_state.kept_size;
    verso__native_reach_within(NULL, 0, NULL);
    while (snapshot_state.aside_count > 0) { /* from the last on, since parts of objects may overlap others */
        verso__native_range *aside = &snapshot_state.aside[--snapshot_state.aside_count];
        kept -= aside->end - aside->begin;
        memcpy(aside->begin, kept, (size_t)(aside->end - aside->begin));
    }
    snapshot_state.kept_size = 0;
}

void verso__native_snapshot_forget(void) {
    verso__dealloc(snapshot_state.bits);
    verso__dealloc(snapshot_state.within);
    verso__dealloc(snapshot_state.aside);
    verso__dealloc(snapshot_state.kept);
    memset(&snapshot_state, 0, sizeof snapshot_state);
    verso__native_reach_forget();
}
