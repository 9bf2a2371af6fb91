/* Places and expressions. See generator.h. */
#include "generator.h"

#include <stdio.h>

static expression number(generator *g, int depth);

/* ---- Places ---- */

/* An index below `length`, which is a number or a variable. */
static expression index_below(generator *g, const char *length) {
    expression e;
    if (g->counters > 0 && chance(g, 60)) {
        uint32_t counter = draw(g, (uint32_t)g->counters), shift = draw(g, 4);
        set(&e, 0, "(i%u + %u) %% %s", counter, shift, length);
    } else if (chance(g, 60)) {
        set(&e, 0, "%u %% %s", draw(g, 7), length);
    } else {
        expression chosen = number(g, 0);
        set(&e, 0, "pick(%s, %s)", chosen.text, length);
    }
    return e;
}

static expression element(generator *g, const char *prefix, const char *array, unsigned which, int length) {
    char text[16];
    expression e;
    snprintf(text, sizeof text, "%d", length);
    expression at = index_below(g, text);
    if (which == UINT32_MAX)
        set(&e, 1, "%s%s[%s]", prefix, array, at.text);
    else
        set(&e, 1, "%s%s%u[%s]", prefix, array, which, at.text);
    return e;
}

static expression member(generator *g, const char *prefix, const char *object, const char *dot) {
    expression e;
    switch (draw(g, 4)) {
    case 0: set(&e, 1, "%s%s%su", prefix, object, dot); break;
    case 1: set(&e, 1, "%s%s%sd", prefix, object, dot); break;
    default: {
        expression at = index_below(g, "3");
        set(&e, 1, "%s%s%sm[%s]", prefix, object, dot, at.text);
    }
    }
    return e;
}

static uint32_t one_of(generator *g, int count) {
    return draw(g, (uint32_t)count);
}

static bool place_in_parameter(generator *g, expression *e) {
    expression at = index_below(g, "n");
    set(e, 1, "p[%s]", at.text);
    return true;
}

/* False: there is nothing of this kind here. */
static bool place_of_kind(generator *g, uint32_t kind, expression *e) {
    char name[16];
    uint32_t which;
    switch (kind) {
    case 0: set(e, 1, "a%u", one_of(g, g->doubles)); return true;
    case 1:
        if (g->arrays == 0)
            return false;
        which = one_of(g, g->arrays);
        *e = element(g, "", "v", which, g->lengths[which]);
        return true;
    case 2:
        if (g->blocks == 0)
            return false;
        *e = element(g, "", "h", one_of(g, g->blocks), BLOCK);
        return true;
    case 3:
        if (g->structs == 0)
            return false;
        snprintf(name, sizeof name, "s%u", one_of(g, g->structs));
        *e = member(g, "", name, ".");
        return true;
    case 4:
        if (!g->pointed)
            return false;
        *e = member(g, "", "q", "->");
        return true;
    case 5:
        if (!g->array)
            return false;
        return place_in_parameter(g, e);
    case 6: set(e, 1, "%sg%u", g->prefix, draw(g, GLOBALS)); return true;
    case 7: *e = element(g, g->prefix, "gv", UINT32_MAX, GLOBAL_ARRAY); return true;
    default: *e = member(g, g->prefix, "gs", "."); return true;
    }
}

expression lasting_place(generator *g) {
    expression e;
    while (!place_of_kind(g, draw(g, 9), &e))
        continue;
    return e;
}

expression place(generator *g) {
    expression e;
    if (g->pointers > 0 && chance(g, 15))
        set(&e, 1, "*p%u", one_of(g, g->pointers));
    else if (g->growing && chance(g, 10))
        set(&e, 1, "r0[%u]", draw(g, 2));
    else
        return lasting_place(g);
    return e;
}

/* ---- Expressions ---- */

expression leaf(generator *g) {
    expression e;
    uint32_t kind = draw(g, 20);
    if (kind == 0)
        set(&e, 1, "0.%02u", draw(g, 99) + 1);
    else if (kind <= 3 && g->inputs)
        set(&e, 1, "x[%u]", draw(g, INPUTS));
    else if (kind <= 5 && g->floats > 0)
        set(&e, 1, "w%u", one_of(g, g->floats));
    else if (kind == 6 && g->counters > 0)
        set(&e, 1, "0.125 * i%u", one_of(g, g->counters));
    else if (kind == 7 && g->u)
        set(&e, 1, "u");
    else
        return place(g);
    return e;
}

expression condition(generator *g) {
    expression e, a = leaf(g), b = leaf(g);
    switch (draw(g, 5)) {
    case 0:
        if (g->counters > 0)
            set(&e, 0, "(i%u & 1)", one_of(g, g->counters));
        else
            set(&e, 0, "%s != %s", a.text, b.text);
        break;
    case 1: set(&e, 0, "(%s > 0.1 && %s < 0.4)", a.text, b.text); break;
    case 2: set(&e, 0, "(%s <= %s || fuel > %u)", a.text, b.text, 3 + draw(g, 2)); break;
    default: set(&e, 0, "%s < %s", a.text, b.text);
    }
    return e;
}

static expression function_of(generator *g, const expression *a) {
    static const struct {
        const char *before, *after;
        double bound; /* negative: times that of the argument */
    } functions[] = {{"sin(2 * ", ")", 1},
                     {"cos(", ")", 1},
                     {"tanh(1.5 * ", ")", 1},
                     {"atan(", ")", 1.6},
                     {"squash(3 * ", ")", 0.5},
                     {"fabs(", ")", -1},
                     {"exp(-fabs(", "))", 1},
                     {"sqrt(0.5 + fabs(", "))", -2},
                     {"log(1.5 + fabs(", "))", -2},
                     {"erf(", ")", 1},
                     {"(float)(", ")", -1},
                     {"-(", ")", -1},
                     {"cbrt(2 + cos(", "))", 1.5},
                     {"asinh(2 * (", "))", -2},
                     {"pow(1.5 + sin(", "), 1.3)", 3.4}};
    expression e;
    uint32_t k = draw(g, sizeof functions / sizeof *functions);
    double bound = functions[k].bound;
    set(&e, bound > 0 ? bound : -bound * (a->bound > 1 ? a->bound : 1), "%s%s%s", functions[k].before, a->text,
        functions[k].after);
    return e;
}

static expression number(generator *g, int depth) {
    if (depth == 0)
        return leaf(g);
    int less = (int)draw(g, (uint32_t)depth);
    expression e, a = number(g, depth - 1), b = number(g, less), c;
    double larger = a.bound > b.bound ? a.bound : b.bound;
    switch (draw(g, 9)) {
    case 0:
    case 1: set(&e, a.bound + b.bound, "(%s + %s)", a.text, b.text); break;
    case 2: set(&e, a.bound + b.bound, "(%s - %s)", a.text, b.text); break;
    case 3:
    case 4: set(&e, a.bound * b.bound, "%s * %s", a.text, b.text); break;
    case 5: set(&e, a.bound, "%s / (1 + %s * %s)", a.text, b.text, b.text); break;
    case 6:
        c = condition(g);
        set(&e, larger, "(%s ? %s : %s)", c.text, a.text, b.text);
        break;
    case 7: set(&e, larger, "%s(%s, %s)", chance(g, 50) ? "fmin" : "fmax", a.text, b.text); break;
    default: return function_of(g, &a);
    }
    return e;
}

expression storable(generator *g, int depth) {
    expression e, inner = number(g, depth);
    if (inner.bound <= 1)
        return inner;
    switch (draw(g, 3)) {
    case 0: set(&e, 1, "sin(%s)", inner.text); break;
    case 1: set(&e, 1, "squash(%s)", inner.text); break;
    default: set(&e, 1, "%.3f * (%s)", 0.999 / inner.bound, inner.text);
    }
    return e;
}
