/* See memory.h. */
#include "vlad/memory.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

#ifdef VERSO_FAULT_ALLOCATION
enum { FIRST_ITEMS = 1 }; /* so that stacks grow often, and tests can fail each growth */
#else
enum { FIRST_ITEMS = 32 };
#endif

void *vlad_push(vlad_stack *stack) {
    if (stack->count == stack->capacity) {
        size_t capacity = stack->capacity > 0 ? 2 * stack->capacity : FIRST_ITEMS;
        void *items = verso__realloc(stack->items, capacity, stack->item);
        if (items == NULL)
            return NULL;
        stack->items = items;
        stack->capacity = capacity;
    }
    return memset(vlad_at(stack, stack->count++), 0, stack->item);
}

void *vlad_pop(vlad_stack *stack) {
    return vlad_at(stack, --stack->count);
}

void *vlad_at(const vlad_stack *stack, size_t index) {
    return (unsigned char *)stack->items + index * stack->item;
}

void vlad_stack_free(vlad_stack *stack) {
    verso__dealloc(stack->items);
    stack->items = NULL;
    stack->count = stack->capacity = 0;
}

verso_status vlad_no_memory(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to read the program");
}
