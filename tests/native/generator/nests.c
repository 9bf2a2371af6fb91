/* Programs of loop nests over arrays. See generator.h.
 *
 * A function of a program has one nest of one to three loops over arrays of n times n numbers: two of doubles, which may
 * overlap and change places, one of doubles that no nest writes to, one of floats, and one of structs. The nests run
 * several times, and are large enough in some programs for copies that last (cc/plan/lasting.h). All counters are from 2 to below n - 2, so an index that is up to two away
 * from them is inside. Numbers stay in [-1, 1]. */
#include "generator.h"

#include <stdio.h>

enum { NESTS = 5, LOOPS = 3, NEAR = 2 };

typedef struct nest {
    int loops;            /* around the statement */
    const char *order[3]; /* the counters, in any order */
} nest;

/* ---- Expressions ---- */

/* "i1", "i1 + 2", "i1 - 1" */
static void near_counter(generator *g, const nest *in, int which, char *text, size_t size) {
    int by = chance(g, 40) ? 0 : (int)draw(g, 2 * NEAR + 1) - NEAR;
    snprintf(text, size, by == 0 ? "%s" : "%s %c %d", in->order[which], by < 0 ? '-' : '+', by < 0 ? -by : by);
}

static void index_of(generator *g, const nest *in, char *text, size_t size) {
    char row[32], column[32];
    uint32_t kind = draw(g, 20);
    near_counter(g, in, (int)draw(g, (uint32_t)in->loops), row, sizeof row);
    near_counter(g, in, in->loops - 1 - (kind >= 14 ? (int)draw(g, (uint32_t)in->loops) : 0), column, sizeof column);
    if (kind == 0)
        snprintf(text, size, "%u", draw(g, 9));
    else if (kind == 1)
        snprintf(text, size, "place[%s] + %s", row, column);
    else if (kind < 5 || in->loops == 1)
        snprintf(text, size, "%s", column);
    else
        snprintf(text, size, "(%s) * n + %s", row, column);
}

/* A number in memory; the last two arrays are only read. */
static void element(generator *g, const nest *in, bool read, char *text, size_t size) {
    static const char *const arrays[] = {"a[%s]", "a[%s]", "a[%s]",   "b[%s]",   "b[%s]", "b[%s]",
                                         "w[%s]", "w[%s]", "c[%s].u", "c[%s].v", "d[%s]", "d[%s]"};
    char at[80];
    uint32_t which = draw(g, read ? 12 : 10);
    index_of(g, in, at, sizeof at);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, size, arrays[which], at);
#pragma GCC diagnostic pop
}

/* Numbers of one array at places near each other: a stencil. */
static void neighbours(generator *g, const nest *in, char text[][120], int count) {
    char row[32];
    const char *array = chance(g, 45)   ? "a"
                        : chance(g, 50) ? "b"
                        : chance(g, 50) ? "w"
                                        : "d",
               *inner = in->order[in->loops - 1];
    near_counter(g, in, 0, row, sizeof row);
    for (int i = 0; i < count; i++) {
        int by = (int)draw(g, 2 * NEAR + 1) - NEAR;
        if (chance(g, 30))
            near_counter(g, in, 0, row, sizeof row);
        if (in->loops == 1)
            snprintf(text[i], sizeof text[i], "%s[%s + %d]", array, inner, by);
        else
            snprintf(text[i], sizeof text[i], "%s[(%s) * n + %s + %d]", array, row, inner, by);
    }
}

/* ---- Statements ---- */

static void store(generator *g, const nest *in) {
    char to[120], from[4][120];
    uint32_t kind = draw(g, 12);
    element(g, in, false, to, sizeof to);
    if (chance(g, 60))
        neighbours(g, in, from, 4);
    else
        for (int i = 0; i < 4; i++)
            element(g, in, true, from[i], sizeof from[i]);
    switch (kind) {
    case 0:
    case 1:
    case 2: line(g, "%s = 0.3 * %s - 0.2 * %s + 0.4 * %s;", to, from[0], from[1], from[2]); break;
    case 3: line(g, "%s = 0.25 * (%s + %s + %s + %s);", to, from[0], from[1], from[2], from[3]); break;
    case 4: line(g, "%s = squash(%s * %s + 0.5 * %s);", to, from[0], from[1], from[2]); break;
    case 5: line(g, "%s = %s * (%s - 0.5 * %s) * 0.6;", to, from[0], from[1], from[2]); break;
    case 6: line(g, "%s = 0.5 * %s + 0.4 * %s * %s;", to, to, from[0], from[1]); break;
    case 7: line(g, "%s -= 0.3 * %s * %s, %s *= 0.7;", to, from[0], from[1], to); break;
    case 8: line(g, "if (%s < 0.3 * %s) %s = 0.9 * %s;", from[0], from[1], to, from[2]); break;
    case 9: line(g, "if (%s < %s) %s = %s;", from[0], to, to, from[0]); break;
    case 10: line(g, "sum = 0.9 * sum + 0.1 * %s * %s;", from[0], from[1]); break;
    default: line(g, "place[%s] = (int)draw_of(%s, n - 4) * n + 2 * n;", in->order[0], from[0]);
    }
}

static void stores(generator *g, const nest *in, int count) {
    for (int i = 0; i < count; i++) {
        int id = g->statements++;
        bool dropped = id < STATEMENTS && g->dropped[id];
        g->muted += dropped;
        store(g, in);
        g->muted -= dropped;
    }
}

static void open_loop(generator *g, int k) {
    uint32_t kind = draw(g, 9);
    const char *type = chance(g, 50) ? "int" : chance(g, 50) ? "long" : "unsigned";
    if (kind == 0 && type[0] != 'u')
        open_block(g, "for (%s i%d = n - 3; i%d >= 2; i%d--) ", type, k, k, k);
    else if (kind == 1)
        open_block(g, "for (%s i%d = 2; i%d < n - 2; i%d += 2) ", type, k, k, k);
    else if (kind == 2 && k > 0)
        open_block(g, "for (%s i%d = i%d; i%d < n - 2; i%d++) ", type, k, k - 1, k, k);
    else if (kind == 3 && k > 0)
        open_block(g, "for (%s i%d = 2; i%d <= i%d; i%d++) ", type, k, k, k - 1, k);
    else if (kind == 4)
        open_block(g, "for (%s i%d = 2; i%d < n - 2 && sum < 0.9; i%d++) ", type, k, k, k);
    else
        open_block(g, "for (%s i%d = 2; i%d < n - 2; i%d++) ", type, k, k, k);
}

/* `size`: the numbers in a row; some functions know it. */
static void nest_of(generator *g, int which, int size) {
    static const char *const counters[2][LOOPS] = {{"i0", "i1", "i2"}, {"i1", "i0", "i2"}};
    int loops = 1 + (int)draw(g, LOOPS);
    const char *const *order = counters[loops > 1 && chance(g, 30)];
    open_block(g,
               "static %svoid %snest%d(double *a, double *b, const double *d, float *w, struct cell *c, int *place, "
               "int rows) ",
               chance(g, 60) ? "__attribute__((noinline)) " : "", g->prefix, which);
    if (chance(g, 40))
        line(g, "enum { n = %d };", size);
    else
        line(g, "const int n = rows;");
    line(g, "double sum = 0;");
    line(g, "(void)rows, (void)a, (void)b, (void)d, (void)w, (void)c, (void)place;");
    for (int k = 0; k < loops; k++) {
        nest in = {k + 1, {order[0], order[1], order[2]}};
        if (k == 0 || order[0][1] == '1') /* i1 is not there yet */
            in = (nest){k + 1, {"i0", k > 0 ? "i1" : "i0", k > 1 ? "i2" : "i0"}};
        open_loop(g, k);
        if (k + 1 == loops || chance(g, 20))
            stores(g, &in, 1 + (int)draw(g, 2));
        if (chance(g, 8))
            line(g, "if (a[i%d] > 0.8) break;", k);
    }
    for (int k = loops; k-- > 0;) {
        close_block(g);
        nest in = {k, {"i0", "i1", "i2"}};
        if (k > 0 && chance(g, 30))
            stores(g, &in, 1);
    }
    line(g, "a[0] = 0.5 * a[0] + 0.5 * sum;");
    close_block(g);
}

/* ---- Programs ---- */

static void call(generator *g, int count) {
    static const char *const pairs[] = {"a, b", "b, a", "a, a", "a, a + 3", "b + 5, b", "a, b + 2"};
    int id = g->statements++;
    bool dropped = id < STATEMENTS && g->dropped[id];
    g->muted += dropped;
    line(g, "%snest%u(%s, d, w, c, place, n%s);", g->prefix, draw(g, (uint32_t)count), pairs[draw(g, 6)],
         chance(g, 20) ? " - 1" : "");
    if (chance(g, 25))
        line(g, "{ double *swap = a; a = b; b = swap; }");
    g->muted -= dropped;
}

static void root(generator *g, int count, int n) {
    bool heap = chance(g, 70);
    open_block(g, "double %sf(const double *x, size_t count) ", g->prefix);
    line(g, "enum { N = %d, ALL = N * N + 8 };", n);
    line(g, "int n = N, place[N];");
    line(g, heap ? "double *a = malloc(ALL * sizeof *a), *b = malloc(ALL * sizeof *b), *first = a, *second = b;"
                 : "static double one[ALL], two[ALL]; double *a = one, *b = two;");
    line(g, chance(g, 50) ? "static double d[ALL];" : "double d[ALL];");
    line(g, "static float w[ALL];");
    line(g, "static struct cell c[ALL];");
    line(g, "for (int k = 0; k < N; k++) place[k] = k * 5 %% N * N / 2;");
    open_block(g, "for (int k = 0; k < ALL; k++) ");
    line(g, "a[k] = sin(x[k %% count] + k);");
    line(g, "b[k] = cos(x[k %% count] * k);");
    line(g, "d[k] = 0.5 * a[k] + 0.4 * cos(k);");
    line(g, "w[k] = (float)(0.5 * a[k]);");
    line(g, "c[k] = (struct cell){.u = 0.7 * b[k], .v = w[k] * 0.3f, .k = k};");
    close_block(g);
    open_block(g, "for (int t = 0; t < %u; t++) ", 1 + draw(g, 5));
    for (int i = 1 + (int)draw(g, 4); i > 0; i--)
        call(g, count);
    close_block(g);
    line(g, "double all = 0;");
    line(g,
         "for (int k = 0; k < ALL; k++) all += (a[k] * (1 + 0.01 * k) + b[k] + w[k] * w[k] + c[k].u * c[k].v) / ALL;");
    if (heap)
        line(g, "free(first), free(second);");
    line(g, "return all;");
    close_block(g);
}

void nests(generator *g) {
    static const int sizes[] = {5, 6, 7, 9, 12, 20, 24};
    int count = 1 + (int)draw(g, NESTS), n = sizes[draw(g, 7)];
    for (int i = 0; i < count; i++)
        nest_of(g, i, n);
    root(g, count, n);
}

const char nests_prelude[] =
    "struct cell { double u; int k; float v; };\n"
    "static int draw_of(double u, int n) { int k = (int)(u * 100); return (k < 0 ? -k : k) % n; }\n";
