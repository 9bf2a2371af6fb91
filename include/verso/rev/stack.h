/* Stacks for `push` and `pop` in reversible functions. Only a push that the user has written puts anything on a stack.
 *
 *     rev_stack s = REV_STACK_EMPTY;
 *     ...                              // push(&s, x); ... pop(&s, x);
 *     rev_stack_free(&s);
 *
 * push moves a value to the stack and sets the variable to zero. pop moves the value back into a variable that must be
 * zero; generated functions check that, with the tolerance of its type. So each undoes the other. All items on a stack
 * have the size of the first; an emptied stack may take another size.
 *
 * Errors: a push or pop of another size, and a pop from an empty stack, raise REV_FAULT_STACK; if a stack cannot grow,
 * push raises REV_FAULT_MEMORY. If the handler returns, stack and variable are unchanged. Thread safety: a stack may be
 * used by one thread at a time. Not available in kernels. */
#ifndef VERSO_REV_STACK_H
#define VERSO_REV_STACK_H

#include <verso/rev/fault.h>

typedef struct rev_stack {
    unsigned char *bytes;
    size_t used; /* bytes in use */
    size_t room; /* bytes allocated */
    size_t item; /* bytes of one item; 0: nothing was pushed yet */
} rev_stack;

/* Initialiser of an empty stack. */
#define REV_STACK_EMPTY {NULL, 0, 0, 0}

/* Frees the memory of a stack, which is empty afterwards and may be used again. */
static inline void rev_stack_free(rev_stack *stack) {
    free(stack->bytes);
    memset(stack, 0, sizeof *stack);
}

/* The number of items. */
static inline size_t rev_stack_count(const rev_stack *stack) {
    return stack->item ? stack->used / stack->item : 0;
}

/* Makes room for one more item. Returns 0 if there is no memory. */
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
