/* Functions, whole programs, and the command. See generator.h. */
#include "generator.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Functions ---- */

/* Everything is given a value; `from` is an expression of the parameters. */
static void variables(generator *g, const char *from) {
    g->doubles = 1 + (int)draw(g, 3);
    g->floats = (int)draw(g, 3);
    g->arrays = (int)draw(g, 3);
    g->structs = (int)draw(g, 3);
    g->blocks = chance(g, 40) ? 2 : 0;
    g->growing = chance(g, 20);
    g->pointers = 0;
    for (int k = 0; k < g->doubles; k++)
        line(g, "double a%d = %s(%s + 0.%d);", k, chance(g, 50) ? "sin" : "squash", from, k + 1);
    for (int k = 0; k < g->floats; k++)
        line(g, "float w%d = (float)a0 * 0.%df;", k, k + 4);
    for (int k = 0; k < g->arrays; k++) {
        g->lengths[k] = 2 + (int)draw(g, 4);
        line(g, "double v%d[%d] = {a0, 0.%d};", k, g->lengths[k], k + 1);
    }
    for (int k = 0; k < g->blocks; k++)
        line(g, "double *h%d = filled(%d, a0 * 0.%d);", k, BLOCK, k + 5);
    if (g->growing)
        line(g, "double *r0 = filled(2, a0); int r0_length = 2;");
    for (int k = 0; k < g->structs; k++)
        line(g, "struct %ss s%d = {.u = a0, .d = 0.25, .m = {0.1, a0, 0.%d}, .tag = %d};", g->prefix, k, k + 1, k);
    for (uint32_t k = 0, count = draw(g, 3); k < count; k++) {
        expression target = lasting_place(g);
        line(g, "double *p%u = &%s;", k, target.text);
        g->pointers++;
    }
}

/* A number that all variables of the function have a part in; the end of its blocks. */
static void total(generator *g) {
    line(g, "double all = 0;");
    for (int k = 0; k < g->doubles; k++)
        line(g, "all = 0.7 * all + 0.3 * a%d;", k);
    for (int k = 0; k < g->floats; k++)
        line(g, "all = 0.8 * all + 0.2 * w%d;", k);
    for (int k = 0; k < g->arrays; k++)
        line(g, "for (int k = 0; k < %d; k++) all = 0.8 * all + 0.2 * v%d[k];", g->lengths[k], k);
    for (int k = 0; k < g->blocks; k++)
        line(g, "for (int k = 0; k < %d; k++) all = 0.8 * all + 0.2 * h%d[k];", BLOCK, k);
    for (int k = 0; k < g->structs; k++)
        line(g, "all = 0.5 * all + 0.1 * (s%d.u + s%d.d + s%d.m[0] + s%d.m[1] * s%d.m[2]);", k, k, k, k, k);
    for (int k = 0; k < g->blocks; k++)
        line(g, "free(h%d);", k);
    if (g->growing)
        line(g, "all = 0.5 * all + 0.5 * r0[r0_length - 1]; free(r0);");
}

static void middle_and_end(generator *g, int count) {
    g->counters = g->depth = 0;
    statements(g, count);
    line(g, "goto out;");
    line(g, "out:;");
    total(g);
}

/* What is returned when there is no fuel, what variables start from, and the last line. */
static const struct {
    const char *short_cut, *from, *end;
} shapes[SHAPES] = {
    [NUMBERS] = {"return u * v;", "u * v", "return all;"},
    [ARRAY] = {"return p[n - 1];", "p[0]", "p[0] = all; return p[n - 1];"},
    [BY_VALUE] = {"return s;", "s.d + u", "s.m[0] = all; s.u = s0.d; return s;"},
    [BY_POINTER] = {"return;", "q->u + u", "q->m[1] = all;"},
    [SINGLE] = {"return u;", "u", "return (float)all;"},
};

/* "static double p7_f0(int fuel, double u, double v)" */
static void head(const generator *g, int which, char *text, size_t size) {
    const char *name = g->prefix;
    switch (g->shapes[which]) {
    case NUMBERS: snprintf(text, size, "static double %sf%d(int fuel, double u, double v)", name, which); break;
    case ARRAY: snprintf(text, size, "static double %sf%d(int fuel, double *p, int n)", name, which); break;
    case BY_VALUE:
        snprintf(text, size, "static struct %ss %sf%d(int fuel, struct %ss s, double u)", name, name, which, name);
        break;
    case BY_POINTER:
        snprintf(text, size, "static void %sf%d(int fuel, struct %ss *q, double u)", name, which, name);
        break;
    default: snprintf(text, size, "static float %sf%d(int fuel, float u)", name, which);
    }
}

static void function(generator *g, int which) {
    char text[256];
    shape shape = g->shapes[which];
    head(g, which, text, sizeof text);
    open_block(g, "%s ", text);
    line(g, "if (fuel <= 0 || --%sbudget <= 0) %s", g->prefix, shapes[shape].short_cut);
    g->inputs = false;
    g->array = shape == ARRAY;
    g->pointed = shape == BY_POINTER;
    g->u = shape != ARRAY;
    g->counters = g->depth = 0;
    variables(g, shapes[shape].from);
    if (shape == BY_VALUE && g->structs == 0) {
        g->structs = 1;
        line(g, "struct %ss s0 = s;", g->prefix);
    }
    middle_and_end(g, 2 + (int)draw(g, 4));
    line(g, "%s", shapes[shape].end);
    close_block(g);
}

/* The members in any order, so that padding and offsets differ. */
static void struct_type(generator *g) {
    static const char *const members[] = {"double u;",           "float w;",  "int tag;",
                                          "double m[3];",        "char pad;", "union { double d; int64_t bits; };",
                                          "unsigned field : 3;", "short k;"};
    enum { MEMBERS = sizeof members / sizeof *members };
    int order[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        int at = (int)draw(g, (uint32_t)i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    open_block(g, "struct %ss ", g->prefix);
    for (int i = 0; i < MEMBERS; i++)
        line(g, "%s", members[order[i]]);
    g->indent--;
    line(g, "};");
}

static void declarations(generator *g) {
    const char *name = g->prefix;
    char text[256];
    struct_type(g);
    for (int k = 0; k < GLOBALS; k++)
        line(g, "static double %sg%d;", name, k);
    line(g, "static double %sgv[%d];", name, GLOBAL_ARRAY);
    line(g, "static struct %ss %sgs;", name, name);
    line(g, "static int %sbudget;", name);
    for (int k = 0; k < g->functions; k++) {
        head(g, k, text, sizeof text);
        line(g, "%s;", text);
    }
    line(g, "static double %sone(double u, int fuel) { return fuel > 0 ? %sf0(fuel, u, 0.5) : u; }", name, name);
    line(g, "static double %stwo(double u, int fuel) { (void)fuel; return cos(u); }", name);
    line(g, "static double (*%stable[3])(double, int) = {%sone, %stwo, %sone};", name, name, name, name);
}

static void root(generator *g) {
    const char *name = g->prefix;
    open_block(g, "double %sf(const double *x, size_t count) ", name);
    line(g, "int fuel = 5;");
    line(g, "(void)count;");
    line(g, "%sbudget = 60;", name);
    line(g, "memset(&%sgs, 0, sizeof %sgs);", name, name);
    line(g, "for (int k = 0; k < %d; k++) %sgv[k] = sin(x[k] + k);", GLOBAL_ARRAY, name);
    for (int k = 0; k < GLOBALS; k++)
        line(g, "%sg%d = 0.9 * x[%d];", name, k, k + 1);
    g->inputs = true;
    g->array = g->pointed = g->u = false;
    g->counters = g->depth = 0;
    variables(g, "x[0] * x[5]");
    middle_and_end(g, 4 + (int)draw(g, 6));
    line(g, "for (int k = 0; k < %d; k++) all += 0.5 * %sgv[k];", GLOBAL_ARRAY, name);
    line(g, "return all + %sg0 * %sg1 + %sg2 + %sgs.u + %sgs.m[1] + %sgs.d;", name, name, name, name, name, name);
    close_block(g);
}

/* ---- Programs ---- */

/* Returns how many statements it has. */
static int program(uint64_t seed, int dropped, char **drop) {
    static generator g;
    g = (generator){.random = seed * 0x9e3779b97f4a7c15u + 12345};
    snprintf(g.prefix, sizeof g.prefix, "p%llu_", (unsigned long long)seed);
    for (int i = 0; i < dropped; i++) {
        int id = atoi(drop[i]);
        if (id >= 0 && id < STATEMENTS)
            g.dropped[id] = true;
    }
    for (int i = 0; i < 8; i++)
        draw(&g, 2);
    if (seed >= FIRST_NEST) {
        nests(&g);
        return g.statements;
    }
    g.functions = 2 + (int)draw(&g, FUNCTIONS - 2);
    for (int i = 1; i < g.functions; i++)
        g.shapes[i] = (shape)draw(&g, SHAPES);
    declarations(&g);
    root(&g);
    for (int i = 0; i < g.functions; i++)
        function(&g, i);
    return g.statements;
}

static const char prelude[] =
    "#include <math.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n"
    "static double squash(double u) { return u / (1 + u * u); }\n"
    "static int pick(double u, int n) { int k = (int)(u * 7.0); return (k < 0 ? -k : k) % n; }\n"
    "static uint64_t bits_of(double u) { uint64_t bits; memcpy(&bits, &u, sizeof bits); return bits; }\n"
    "static double number_of(uint64_t bits) { union { uint64_t bits; double u; } t = {bits}; return t.u; }\n"
    "static void *allocated(size_t n, size_t size) { return malloc(n * size); }\n"
    "static double *filled(int n, double u) {\n"
    "    double *t = malloc((size_t)n * sizeof *t);\n"
    "    for (int k = 0; k < n; k++) t[k] = sin(u + k);\n"
    "    return t;\n"
    "}\n"
    "static double sum_of(int n, ...) {\n"
    "    va_list t;\n"
    "    double sum = 0;\n"
    "    va_start(t, n);\n"
    "    while (n-- > 0) sum = 0.9 * sum + va_arg(t, double);\n"
    "    va_end(t);\n"
    "    return sum;\n"
    "}\n"
    "static int ascending(const void *a, const void *b) {\n"
    "    double u = *(const double *)a, v = *(const double *)b;\n"
    "    return (u > v) - (u < v);\n"
    "}\n";

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: generate FIRST COUNT [DROPPED...]\n");
        return 2;
    }
    unsigned long long first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), seed;
    int statement_count = 0;
    fputs(prelude, stdout);
    fputs(nests_prelude, stdout);
    for (seed = first; seed < first + count; seed++)
        statement_count += program(seed, argc - 3, argv + 3);
    printf("typedef double (*random_program)(const double *, size_t);\nconst random_program random_programs[] = {\n");
    for (seed = first; seed < first + count; seed++)
        printf("    p%llu_f,\n", seed);
    printf("};\nconst unsigned long long random_first = %llu, random_count = %llu;\n", first, count);
    printf("/* %d statements */\n", statement_count);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
