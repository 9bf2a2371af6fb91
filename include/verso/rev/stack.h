/* Stacks that a user's `push` and `pop` name: nothing is ever pushed without being written in the source.
 *
 * push moves a value onto the stack and leaves zero behind; pop moves it back into a variable that must be zero, which
 * generated functions check with the tolerance of its type. So each undoes the other. All items of a stack have one
 * size, that of the first: a pop of another size is a fault, and an emptied stack may take another size. Not for
 * kernels. */
#ifndef VERSO_REV_STACK_H
#define VERSO_REV_STACK_H

#include <verso/rev/fault.h>

typedef struct rev_stack {
    unsigned char *bytes;
    size_t used; /* bytes */
    size_t room;
    size_t item; /* bytes of one item; 0: empty */
} rev_stack;

/* What a stack begins as. */
#define REV_STACK_EMPTY {NULL, 0, 0, 0}

static inline void rev_stack_free(rev_stack *stack) {
    free(stack->bytes);
    memset(stack, 0, sizeof *stack);
}

static inline size_t rev_stack_count(const rev_stack *stack) {
    return stack->item ? stack->used / stack->item : 0;
}

static inline int rev_stack_grow(rev_stack *stack, size_t item) {
    if (item <= stack->room - stack->used)
        return 1;
    size_t room = stack->room > SIZE_MAX / 2 ? 0 : stack->room * 2 + 16 * item;
    unsigned char *bytes = room > 16 * item - 1 ? (unsigned char *)realloc(stack->bytes, room) : NULL;
    if (!bytes)
        return 0;
    stack->bytes = bytes;
    stack->room = room;
    return 1;
}

static inline void rev_stack_push_at(rev_stack *stack, void *value, size_t item, const char *check, const char *file,
                                     int line) {
    if (stack->used > 0 && stack->item != item) {
        rev_fault_raise(REV_FAULT_STACK, check, (double)item, (double)stack->item, file, line);
        return;
    }
    if (!rev_stack_grow(stack, item)) {
        rev_fault_raise(REV_FAULT_MEMORY, check, (double)stack->used, (double)(stack->used + item), file, line);
        return;
    }
    stack->item = item;
    memcpy(stack->bytes + stack->used, value, item);
    memset(value, 0, item);
    stack->used += item;
}

static inline void rev_stack_pop_at(rev_stack *stack, void *value, size_t item, const char *check, const char *file,
                                    int line) {
    if (stack->used == 0 || stack->item != item) {
        rev_fault_raise(REV_FAULT_STACK, check, (double)item, stack->used ? (double)stack->item : 0, file, line);
        return;
    }
    stack->used -= item;
    memcpy(value, stack->bytes + stack->used, item);
}

#define rev_stack_push(stack, lvalue) \
    rev_stack_push_at(stack, &(lvalue), sizeof(lvalue), "push(" #stack ", " #lvalue ")", __FILE__, __LINE__)
#define rev_stack_pop(stack, lvalue) \
    rev_stack_pop_at(stack, &(lvalue), sizeof(lvalue), "pop(" #stack ", " #lvalue ")", __FILE__, __LINE__)

#endif
