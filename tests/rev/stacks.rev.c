/* Values on stacks. */
#include "tests/rev/harness.h"

rev static void put_aside(double *s, rev_stack *stack) {
    for (int i = 0; i < 3; i++) {
        push(stack, s[i]);
        s[i] += s[3] * (i + 1);
    }
    s[3] += s[0] * s[1];
}

rev static void there_and_back(double *s, rev_stack *stack) {
    push(stack, s[0]);
    s[0] += sin(s[1]);
    push(stack, s[1]);
    swap(s[0], s[1]);
    pop(stack, s[0]);
    s[2] += s[0] * s[1];
}

typedef struct pair {
    double a, b;
    int k;
} pair;

/* A structure keeps its bars; round-off in what it is popped into is forgotten. */
rev static void put_pair_aside(pair *p, double *out, rev_stack *stack) {
    *out += p->a * p->b;
    push(stack, *p);
    p->a += *out * *out;
    *out += p->a * 3;
}

/* Wrappers with stacks of their own, so that states are all there is. */
typedef struct stacks {
    rev_stack value, dot, bar, bar_dot;
} stacks;

static stacks kept;

static void forget(void) {
    rev_stack_free(&kept.value);
    rev_stack_free(&kept.dot);
    rev_stack_free(&kept.bar);
    rev_stack_free(&kept.bar_dot);
}

#ifdef VERSO_REV_GENERATED
/* Of out + 2 p.a + 3 q.a + 4 q.b, where q is on the stack. */
static double pair_wrong(void) {
    pair p = {.3, .4, 5}, p_bar = {2, 0, 0}, q_bar = {3, 4, 0};
    double out = .7, out_bar = 1, expected = 1 + 10 * (.7 + .3 * .4);
    put_pair_aside(&p, &out, &kept.value);
    rev_stack_push(&kept.dot, q_bar);
    put_pair_aside_adj(&p, &p_bar, &out, &out_bar, &kept.value, &kept.dot);
    return fabs(p.a - .3) + fabs(p.b - .4) + abs(p.k - 5) + fabs(out - .7) + fabs(out_bar - expected) +
           fabs(p_bar.a - (expected * .4 + 3)) + fabs(p_bar.b - (expected * .3 + 4));
}

static int gradient_wrong(void) {
    double s[4] = {1, 2, 3, 4}, bar[4] = {0, 0, 0, 1}, wrong = 0;
    put_aside(s, &kept.value);
    put_aside_adj(s, bar, &kept.value, &kept.bar);
    /* s3 + (s3)(2 s3): nothing of what is on the stack */
    double expected[4] = {0, 0, 0, 1 + 4 * 4.0};
    for (int i = 0; i < 4; i++)
        wrong += fabs(s[i] - (i + 1)) + fabs(bar[i] - expected[i]);
    double zero = 0, one = 1;
    (void)zero;
    put_aside(s, &kept.value);
    rev_stack_push(&kept.bar, zero);
    zero = 0;
    rev_stack_push(&kept.bar, one); /* of s1, in the middle */
    zero = 0;
    rev_stack_push(&kept.bar, zero);
    double none[4] = {0};
    put_aside_adj(s, none, &kept.value, &kept.bar);
    wrong += fabs(none[1] - 1) + fabs(none[0]) + fabs(none[2]) + fabs(none[3]);
    double dot[4] = {1, 0, 0, 0}, t[4] = {1, 2, 3, 4};
    there_and_back_jvp(t, dot, &kept.value, &kept.dot);
    wrong += fabs(dot[0]) + fabs(dot[1]) + fabs(dot[2]) + fabs(t[1] - sin(2)) + fabs(t[0] - 2) + fabs(dot[3]);
    there_and_back_inv_jvp(t, dot, &kept.value, &kept.dot);
    wrong += fabs(dot[0] - 1) + fabs(t[0] - 1) + fabs(t[1] - 2) + fabs(t[2] - 3);
    double bars[4] = {0, 0, 1, 0}, u[4] = {1, 2, 3, 4};
    there_and_back(u, &kept.value);
    there_and_back_adj(u, bars, &kept.value, &kept.bar);
    wrong += fabs(bars[1] - (sin(2) + 2 * cos(2))) + fabs(bars[0]) + fabs(bars[2] - 1);
    forget();
    wrong += pair_wrong();
    if (!(wrong < 1e-12))
        printf("FAILED stacks: off by %g\n", wrong);
    return !(wrong < 1e-12);
}
#endif

int main(void) {
    double s[4] = {1, 2, 3, 4};
    put_aside(s, &kept.value);
    there_and_back(s, &kept.value);
    printf("stacks: %g %g %g %g, %zu\n", s[0], s[1], s[2], s[3], rev_stack_count(&kept.value));
    forget();
    int wrong = 0;
#ifdef VERSO_REV_GENERATED
    wrong = gradient_wrong();
    forget();
#endif
    return wrong;
}
