/* Growing stacks. Passes over a program use them instead of recursion, so that only memory limits the depth. */
#ifndef VLAD_MEMORY_H
#define VLAD_MEMORY_H

#include <stddef.h>
#include <verso/status.h>

typedef struct vlad_stack {
    size_t item; /* bytes of one item; set in the declaration */
    size_t count, capacity;
    void *items;
} vlad_stack;

/* Pushes a zeroed item and returns it; NULL if there is no memory. Pointers to items are valid until the next
 * push. */
void *vlad_push(vlad_stack *stack);
/* Pops an item and returns it; it is valid until the next push. The stack must not be empty. */
void *vlad_pop(vlad_stack *stack);
/* Returns an item by its index; 0 is the bottom. */
void *vlad_at(const vlad_stack *stack, size_t index);
void vlad_stack_free(vlad_stack *stack);

/* Sets a message and returns VERSO_STATUS_NO_MEMORY. */
verso_status vlad_no_memory(verso_error *error);

#endif
