/* Statements. See generator.h. */
#include "generator.h"

#include <stdio.h>

static void statement(generator *g);

void statements(generator *g, int count) {
    for (int i = 0; i < count; i++)
        statement(g);
}

static void body(generator *g) {
    g->depth++;
    statements(g, 1 + (int)draw(g, 2));
    g->depth--;
}

static void body_in_braces(generator *g) {
    open_block(g, "%s", "");
    body(g);
    close_block(g);
}

static void jump_if(generator *g, const char *jump) {
    expression c = condition(g);
    line(g, "if (%s) %s;", c.text, jump);
}

/* ---- Loops and choices ---- */

static void counted_loop(generator *g) {
    int k = g->counters;
    uint32_t kind = draw(g, 4), bound = 2 + draw(g, 4);
    expression chosen = leaf(g);
    switch (kind) {
    case 0: open_block(g, "for (int i%d = 0; i%d < %u; i%d++) ", k, k, bound, k); break;
    case 1: open_block(g, "for (int i%d = %u; i%d > 0; i%d--) ", k, bound, k, k); break;
    case 2: open_block(g, "for (int i%d = 0; i%d < %u; i%d += 2) ", k, k, bound + 2, k); break;
    default: open_block(g, "for (int i%d = 0, end = pick(%s, 5); i%d < end; i%d++) ", k, chosen.text, k, k);
    }
    g->counters++;
    if (chance(g, 25))
        jump_if(g, "continue");
    body(g);
    if (chance(g, 25))
        jump_if(g, "break");
    if (chance(g, 50))
        body(g);
    g->counters--;
    close_block(g);
}

static void conditional_loop(generator *g) {
    int k = g->counters;
    uint32_t bound = 2 + draw(g, 4);
    expression c = condition(g);
    bool at_end = chance(g, 50);
    open_block(g, "%s", "");
    line(g, "int i%d = 0;", k);
    if (at_end)
        open_block(g, "do ");
    else
        open_block(g, "while (i%d < %u && %s) ", k, bound, c.text);
    g->counters++;
    body(g);
    line(g, "i%d++;", k);
    g->counters--;
    g->indent--;
    if (at_end)
        line(g, "} while (i%d < %u && %s);", k, bound, c.text);
    else
        line(g, "}");
    close_block(g);
}

/* A loop made of labels; where it may be entered in its middle, it is irreducible. */
static void label_loop(generator *g) {
    int k = g->counters, label = g->labels++;
    uint32_t bound = 2 + draw(g, 3);
    char jump[32];
    open_block(g, "%s", "");
    line(g, "int i%d = 0;", k);
    g->counters++;
    snprintf(jump, sizeof jump, "goto middle%d", label);
    if (chance(g, 50))
        jump_if(g, jump);
    line(g, "top%d:;", label);
    body_in_braces(g);
    line(g, "%s;", jump);
    line(g, "middle%d:;", label);
    body_in_braces(g);
    expression c = condition(g);
    line(g, "if (++i%d < %u && %s) goto top%d;", k, bound, c.text, label);
    g->counters--;
    close_block(g);
}

static void choice(generator *g) {
    bool two = chance(g, 60);
    expression c = condition(g), chosen = leaf(g);
    if (two) {
        open_block(g, "if (%s) ", c.text);
        body(g);
        close_block(g);
        if (chance(g, 50)) {
            open_block(g, "else ");
            body(g);
            close_block(g);
        }
        return;
    }
    open_block(g, "switch (pick(%s, 4)) ", chosen.text);
    for (int k = 0; k < 3; k++) {
        if (k == 2 && chance(g, 50))
            line(g, "default:;");
        else
            line(g, "case %d:;", k);
        body_in_braces(g);
        if (chance(g, 60))
            line(g, "break;");
    }
    close_block(g);
}

/* ---- Memory ---- */

static void copy(generator *g) {
    uint32_t kind = draw(g, 7), from = draw(g, 3), to = draw(g, 3), some = draw(g, 3);
    expression left = place(g), right = place(g);
    bool other = chance(g, 50);
    if (kind == 0 && g->blocks > 1)
        line(g, "memcpy(h0, h1, %u * sizeof *h0);", some + 1);
    else if (kind == 1 && g->blocks > 0)
        line(g, "memmove(h0 + %u, h0 + %u, %u * sizeof *h0);", to, from, some + 1);
    else if (kind == 2 && g->arrays > 0)
        line(g, "memset(v0, 0, %u * sizeof *v0);", 1 + some % (uint32_t)g->lengths[0]);
    else if (kind == 3 && g->structs > 1)
        line(g, other ? "s0 = s1;" : "memcpy(&s1, &s0, sizeof s1);");
    else if (kind == 3 && g->pointed)
        line(g, other ? "*q = %sgs;" : "%sgs = *q;", g->prefix);
    else if (kind == 4 && g->structs > 0 && g->arrays > 0)
        line(g, "memcpy(s0.m, v0, 2 * sizeof *v0);");
    else if (kind == 5 && g->structs > 0)
        line(g, other ? "s0.bits = %sgs.bits;" : "%sgs.bits = s0.bits;", g->prefix);
    else
        line(g, "%s = number_of(bits_of(%s));", left.text, right.text);
}

static void reseat(generator *g) {
    uint32_t kind = draw(g, 10), which = draw(g, 2);
    expression target = lasting_place(g);
    if (kind < 4 && g->blocks > 1)
        line(g, "{ double *swap = h0; h0 = h1; h1 = swap; }");
    else if (kind < 6 && g->pointers > 1)
        line(g, "{ double *swap = p0; p0 = p1; p1 = swap; }");
    else if (g->pointers > 0)
        line(g, "p%u = &%s;", which % (uint32_t)g->pointers, target.text);
}

static void grow(generator *g) {
    expression to = place(g);
    uint32_t more = 1 + draw(g, 3);
    open_block(g, "%s", "");
    line(g, "int end = r0_length + %u;", more);
    line(g, "r0 = realloc(r0, (size_t)end * sizeof *r0);");
    line(g, "for (; r0_length < end; r0_length++) r0[r0_length] = 0.5 * r0[r0_length - 1];");
    line(g, "%s = r0[r0_length / 2];", to.text);
    close_block(g);
}

static void block(generator *g) {
    expression to = place(g), first = storable(g, 1), second = storable(g, 0);
    bool cleared = chance(g, 50);
    open_block(g, "%s", "");
    line(g, "double *t = %s(%u, sizeof *t);", cleared ? "calloc" : "allocated", 2 + draw(g, 6));
    line(g, "t[0] = %s;", first.text);
    line(g, "t[1] = %s;", second.text);
    line(g, "%s = t[1] * t[0];", to.text);
    line(g, "free(t);");
    close_block(g);
}

static void list(generator *g) {
    expression to = place(g), first = leaf(g), others = leaf(g);
    open_block(g, "%s", "");
    line(g, "struct link { double value; struct link *next; } *list = NULL;");
    open_block(g, "for (int k = 0; k < %u; k++) ", 2 + draw(g, 4));
    line(g, "struct link *t = malloc(sizeof *t);");
    line(g, "t->value = list ? sin(list->value + %s) : %s;", others.text, first.text);
    line(g, "t->next = list;");
    line(g, "list = t;");
    close_block(g);
    open_block(g, "while (list) ");
    line(g, "struct link *t = list;");
    line(g, "list = t->next;");
    line(g, "%s = t->value;", to.text);
    line(g, "free(t);");
    close_block(g);
    close_block(g);
}

/* ---- Numbers and calls ---- */

static void assign(generator *g) {
    uint32_t kind = draw(g, 11), which = draw(g, 2);
    expression to = place(g), other = place(g), lasting = lasting_place(g), a = leaf(g), b = leaf(g),
               e = storable(g, 1);
    if (kind == 0 && g->floats > 0) {
        e = storable(g, 2);
        line(g, "w%u = (float)(%s);", which % (uint32_t)g->floats, e.text);
    } else if (kind == 1) {
        line(g, "%s = %s;", to.text, other.text);
    } else if (kind == 2) {
        line(g, "%s *= %s;", to.text, e.text);
    } else if (kind == 3) {
        line(g, "{ double *t = &%s; *t += %s; *t = squash(*t); }", lasting.text, e.text);
    } else if (kind == 4) {
        line(g, "%sgs.tag = (%sgs.tag + pick(%s, 5)) & 7;", g->prefix, g->prefix, a.text);
        line(g, "%s = 0.125 * %sgs.tag;", to.text, g->prefix);
    } else if (kind == 5) {
        line(g, "%s = (double)sinl((long double)%s * %s);", to.text, a.text, b.text);
    } else if (kind == 6) {
        line(g, "%s = 0.3 * sum_of(3, (double)%s, (double)(%s), (double)%s);", to.text, a.text, e.text, b.text);
    } else if (kind == 7) {
        line(g,
             "{ float t[3] = {(float)%s, 0.5f, (float)%s}; float s = t[0]; t[0] = t[2]; t[2] = s; %s = t[%u] * t[0]; }",
             a.text, b.text, to.text, which + 1);
    } else {
        e = storable(g, 3);
        line(g, "%s = %s;", to.text, e.text);
    }
}

/* What is called may change what an index on the left depends on, so the result waits in t. */
static void call(generator *g) {
    uint32_t which = draw(g, (uint32_t)g->functions), some = draw(g, 2), kind = draw(g, 100);
    expression to = place(g), a = storable(g, 1), b = storable(g, 0), chosen = leaf(g);
    const char *name = g->prefix;
    open_block(g, "%s", "");
    if (kind < 20)
        line(g, "double t = %stable[pick(%s, 3)](%s, fuel - 1);", name, chosen.text, a.text);
    else if (kind < 28 && g->arrays > 0)
        line(g, "double t = v0[0]; qsort(v0, %d, sizeof *v0, ascending);", g->lengths[0]);
    else if (g->shapes[which] == NUMBERS)
        line(g, "double t = %sf%u(fuel - 1, %s, %s);", name, which, a.text, b.text);
    else if (g->shapes[which] == ARRAY && g->blocks > 0)
        line(g, "double t = %sf%u(fuel - 1, h0, %u);", name, which, BLOCK - some);
    else if (g->shapes[which] == ARRAY)
        line(g, "double t = %sf%u(fuel - 1, %sgv, %u);", name, which, name, GLOBAL_ARRAY - some);
    else if (g->shapes[which] == BY_VALUE && g->structs > 0)
        line(g, "s0 = %sf%u(fuel - 1, s%u, %s); double t = s0.u;", name, which, some % (uint32_t)g->structs, a.text);
    else if (g->shapes[which] == BY_VALUE)
        line(g, "double t = %sf%u(fuel - 1, %sgs, %s).m[%u];", name, which, name, a.text, some);
    else if (g->shapes[which] == BY_POINTER && g->structs > 0)
        line(g, "%sf%u(fuel - 1, &s0, %s); double t = s0.d;", name, which, a.text);
    else if (g->shapes[which] == BY_POINTER)
        line(g, "%sf%u(fuel - 1, &%sgs, %s); double t = %sgs.u;", name, which, name, a.text, name);
    else
        line(g, "double t = %sf%u(fuel - 1, (float)(%s));", name, which, a.text);
    line(g, "%s = t;", to.text);
    close_block(g);
}

static void statement(generator *g) {
    int id = g->statements++;
    bool dropped = id < STATEMENTS && g->dropped[id];
    uint32_t kind = draw(g, 100);
    g->muted += dropped;
    if (kind < 34 || (g->depth > 1 && kind < 60))
        assign(g);
    else if (kind < 46)
        choice(g);
    else if (kind < 54)
        counted_loop(g);
    else if (kind < 58)
        conditional_loop(g);
    else if (kind < 60)
        label_loop(g);
    else if (kind < 74)
        call(g);
    else if (kind < 82)
        copy(g);
    else if (kind < 88)
        reseat(g);
    else if (kind < 91 && g->growing)
        grow(g);
    else if (kind < 93)
        block(g);
    else if (kind < 95)
        list(g);
    else if (g->depth > 0)
        jump_if(g, "goto out");
    g->muted -= dropped;
}
