/* What has which number: a walk over a program, with a stack of its own. See bytes.h. */
#include "vlad/bytes.h"

#include "vlad/memory.h"

#include "base/alloc.h"

void vlad_index_close(vlad_index *index) {
    verso_dealloc(index->expressions);
    verso_dealloc(index->lambdas);
    verso_dealloc(index->letrecs);
    *index = (vlad_index){0};
}

static bool push(vlad_stack *stack, const vlad_expression *expression) {
    const vlad_expression **top = expression != NULL ? vlad_push(stack) : NULL;
    if (top != NULL)
        *top = expression;
    return expression == NULL || top != NULL;
}

static bool enter(vlad_index *index, vlad_stack *stack, const vlad_lambda *lambda) {
    index->lambdas[lambda->number] = lambda;
    return push(stack, lambda->body);
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
        done = push(stack, e->parts[i]);
    return done;
}

verso_status vlad_index_open(vlad_index *index, const vlad_program *program, verso_error *error) {
    vlad_stack stack = {.item = sizeof(const vlad_expression *)};
    *index = (vlad_index){.expressions = verso_alloc(program->numbers + 1, sizeof *index->expressions),
                          .lambdas = verso_alloc(program->lambdas + 1, sizeof *index->lambdas),
                          .letrecs = verso_alloc(program->letrecs + 1, sizeof *index->letrecs),
                          .expression_count = program->numbers,
                          .lambda_count = program->lambdas,
                          .letrec_count = program->letrecs};
    bool done = index->expressions != NULL && index->lambdas != NULL && index->letrecs != NULL;
    for (uint32_t i = 0; done && i < program->count; i++)
        done = push(&stack, program->expressions[i]);
    while (done && stack.count > 0) {
        const vlad_expression *e = *(const vlad_expression **)vlad_pop(&stack);
        done = enter_one(index, &stack, e);
    }
    vlad_stack_free(&stack);
    if (done)
        return VERSO_OK;
    vlad_index_close(index);
    return vlad_no_memory(error);
}
