/* Makes the index of a program (bytes.h): traverses the program with a stack instead of recursion. */
#include "vlad/bytes.h"

#include "vlad/memory.h"

#include "base/alloc.h"

void vlad_index_close(vlad_index *index) {
    verso__dealloc(index->expressions);
    verso__dealloc(index->lambdas);
    verso__dealloc(index->letrecs);
    verso__dealloc(index->within);
    *index = (vlad_index){0};
}

static bool push(vlad_index *index, vlad_stack *stack, const vlad_expression *e, const vlad_lambda *within) {
    const vlad_expression **top = e != NULL ? vlad_push(stack) : NULL;
    if (top != NULL) {
        *top = e;
        index->within[e->number] = within;
    }
    return e == NULL || top != NULL;
}

static bool enter(vlad_index *index, vlad_stack *stack, const vlad_lambda *lambda) {
    index->lambdas[lambda->number] = lambda;
    return push(index, stack, lambda->body, lambda);
}

static bool enter_one(vlad_index *index, vlad_stack *stack, const vlad_expression *e) {
    bool done = true;
    index->expressions[e->number] = e;
    if (e->kind == VLAD_LAMBDA)
        done = enter(index, stack, e->is.lambda);
    if (e->kind == VLAD_LETREC) {
        index->letrecs[e->is.letrec->number] = e->is.letrec;
        for (uint32_t i = 0; done && i < e->is.letrec->count; i++)
            done = enter(index, stack, e->is.letrec->lambdas[i]);
    }
    for (int i = 0; done && i < 3; i++)
        done = push(index, stack, e->parts[i], index->within[e->number]);
    return done;
}

verso_status vlad_index_open(vlad_index *index, const vlad_program *program, verso_error *error) {
    vlad_stack stack = {.item = sizeof(const vlad_expression *)};
    *index = (vlad_index){.expressions = verso__alloc(program->numbers + 1, sizeof *index->expressions),
                          .lambdas = verso__alloc(program->lambdas + 1, sizeof *index->lambdas),
                          .letrecs = verso__alloc(program->letrecs + 1, sizeof *index->letrecs),
                          .within = verso__alloc(program->numbers + 1, sizeof *index->within),
                          .expression_count = program->numbers,
                          .lambda_count = program->lambdas,
                          .letrec_count = program->letrecs};
    bool done = index->expressions != NULL && index->lambdas != NULL && index->letrecs != NULL && index->within != NULL;
    for (uint32_t i = 0; done && i < program->count; i++)
        done = push(index, &stack, program->expressions[i], NULL);
    while (done && stack.count > 0) {
        const vlad_expression *e = *(const vlad_expression **)vlad_pop(&stack);
        done = enter_one(index, &stack, e);
    }
    vlad_stack_free(&stack);
    if (done)
        return VERSO_STATUS_OK;
    vlad_index_close(index);
    return vlad_no_memory(error);
}
