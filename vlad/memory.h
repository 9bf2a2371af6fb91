/* Growing stacks: what passes over a program keep instead of the C stack, so that depth is limited by memory alone. */
#ifndef VLAD_MEMORY_H
#define VLAD_MEMORY_H

#include <stddef.h>
#include <verso/status.h>

typedef struct vlad_stack {
    size_t item; /* bytes of each, set when it is declared */
    size_t count, capacity;
    void *items;
} vlad_stack;

/* A new, zeroed item on top. NULL: no memory. Pointers to items are good until the next push. */
void *vlad_push(vlad_stack *stack);
/* The item that was on top, good until the next push; there must be one. */
void *vlad_pop(vlad_stack *stack);
/* From 0 at the bottom. */
void *vlad_at(const vlad_stack *stack, size_t index);
void vlad_stack_free(vlad_stack *stack);

/* VERSO_NO_MEMORY, with a message. */
verso_status vlad_no_memory(verso_error *error);

#endif
