/* Writes random OpenMP programs without races: generate FIRST COUNT. A program is the same with OpenMP and without it,
 * up to rounding. tests/native/native_openmp.sh compiles them both ways, and main.c compares the gradients.
 *
 * A program has arrays of N numbers and scalars. Each statement reads some of them and changes others: a loop writes
 * element i of its target in iteration i only, and reads its target nowhere else. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 12, ARRAYS = 4, SCALARS = 4, STATEMENTS = 7 };

static uint64_t state;

static unsigned below(unsigned bound) { /* splitmix64 */
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % bound);
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

/* ---- Expressions ---- */

/* What an expression may read: any array but `not_array`, of which only element `index`, or nothing if `not_at_all`;
 * any scalar but `not_scalar`. `local` is the name of one more number, NULL: none. */
typedef struct reads {
    int not_array, not_scalar;
    const char *index, *local;
    bool not_at_all;
} reads;

static const reads anything = {-1, -1, NULL, NULL, false};

static void atom(const reads *may) {
    unsigned kind = below(may->local != NULL ? 5 : 4);
    int array = (int)below(ARRAYS), scalar = (int)below(SCALARS);
    if (kind == 0)
        say("x[%u]", below(6));
    else if (kind == 1 && scalar != may->not_scalar)
        say("s[%d]", scalar);
    else if (kind == 4)
        say("%s", may->local);
    else if (array == may->not_array && may->not_at_all)
        say("0.3");
    else if (may->index == NULL && array != may->not_array)
        say("a%d[%u]", array, below(N));
    else if (may->index != NULL && (array == may->not_array || below(2) == 0))
        say("a%d[%s]", array, may->index);
    else if (may->index != NULL)
        say("a%d[(%s + %u) %% N]", array, may->index, below(N));
    else
        say("%u.%u", below(2), 1 + below(9));
}

/* Values stay between about -3 and 3. */
static void expression(const reads *may, int depth) {
    static const char *const calls[] = {"sin", "cos", "tanh", "bump", "soft"};
    unsigned kind = depth == 0 ? 9 : below(8);
    if (kind >= 6) {
        atom(may);
    } else if (kind < 3) {
        say("%s(", calls[below(5)]);
        expression(may, depth - 1);
        say(")");
    } else if (kind == 5) {
        say("(");
        atom(may);
        say(" > 0.3 ? ");
        expression(may, depth - 1);
        say(" : 0.5 * ");
        atom(may);
        say(")");
    } else {
        say("tanh(");
        expression(may, depth - 1);
        say(kind == 3 ? " * " : " - 0.7 * ");
        expression(may, depth - 1);
        say(")");
    }
}

/* ---- Clauses ---- */

static const char *schedule(void) {
    static const char *const all[] = {"",
                                      " schedule(static)",
                                      " schedule(static, 1)",
                                      " schedule(static, 5)",
                                      " schedule(dynamic)",
                                      " schedule(dynamic, 3)",
                                      " schedule(guided)",
                                      " schedule(guided, 2)",
                                      " schedule(auto)",
                                      " schedule(runtime)",
                                      " schedule(monotonic : dynamic, 2)",
                                      " schedule(nonmonotonic : guided)"};
    return all[below(sizeof all / sizeof *all)];
}

static const char *header(void) {
    static const char *const all[] = {"for (int i = 0; i < N; i++)",        "for (size_t i = 0; i < N; i++)",
                                      "for (long i = N - 1; i >= 0; i--)",  "for (unsigned i = 1; i < N; i += 2)",
                                      "for (int i = N - 1; i > 0; i -= 3)", "for (long i = 2; i <= N - 1; i++)",
                                      "for (short i = 0; i < N; i++)"};
    return all[below(sizeof all / sizeof *all)];
}

static const char *team(void) {
    static const char *const all[] = {
        "", "", " num_threads(2)", " num_threads(3)", " if (x[0] > 0.8)", " proc_bind(close)"};
    return all[below(sizeof all / sizeof *all)];
}

/* ---- Statements ---- */

/* a[i] = ...; within a loop over i */
static void element(int target, const char *index, const char *local) {
    reads may = {target, -1, index, local, false};
    static const char *const how[] = {"=", "+=", "-=", "="};
    say("a%d[%s] %s ", target, index, how[below(4)]);
    expression(&may, 3);
    say(";\n");
}

static void inner_loop(int target) {
    reads may = {target, -1, "j", "own", true};
    say("double own = 0.1;\nfor (int j = 0; j < N; j++)\nown = tanh(own + 0.3 * ");
    expression(&may, 1);
    say(");\n");
    element(target, "i", "own");
}

static void parallel_for(void) {
    int target = (int)below(ARRAYS);
    static const char *const more[] = {"", "", " simd", ""};
    const char *simd = more[below(4)];
    say("#pragma omp parallel for%s%s%s\n%s {\n", simd, team(), schedule(), header());
    if (below(3) == 0)
        inner_loop(target);
    else
        element(target, "i", NULL);
    say("}\n");
}

static void collapse(void) {
    say("#pragma omp parallel for collapse(2)%s\nfor (int i = 0; i < N / 3; i++)\nfor (int j = 0; j < 3; j++) {\n",
        schedule());
    element((int)below(ARRAYS), "3 * i + j", NULL);
    say("}\n");
}

static void reduction(void) {
    int scalar = (int)below(SCALARS);
    reads may = {-1, scalar, "i", NULL, false};
    static const struct {
        const char *clause, *before, *between;
    } all[] = {
        {"+ : r", "r += ", ""},           {"- : r", "r -= ", ""},           {"* : r", "r *= 1 + 0.05 * ", ""},
        {"max : r", "r = fmax(r, ", ")"}, {"min : r", "r = fmin(r, ", ")"}, {"join : r", "r = joined(r, 0.1 * ", ")"}};
    unsigned which = below(6);
    say("{\ndouble r = 0.2 * s[%d];\n#pragma omp parallel for reduction(%s)%s%s\n%s\n%s(", scalar, all[which].clause,
        team(), schedule(), header(), all[which].before);
    expression(&may, 3);
    say(")%s;\ns[%d] = tanh(0.2 * r);\n}\n", all[which].between, scalar);
}

static void array_reduction(void) {
    int target = (int)below(ARRAYS);
    reads may = {target, -1, "i", NULL, true};
    say("#pragma omp parallel for reduction(+ : a%d)%s\n%s\na%d[(5 * i + %u) %% N] += 0.1 * ", target, schedule(),
        header(), target, below(N));
    expression(&may, 2);
    say(";\n");
}

/* Without a dynamic or guided schedule: with those, clang 19 and libomp 19 sometimes lose the last value. */
static void first_and_last(void) {
    static const char *const schedules[] = {"", " schedule(static)", " schedule(static, 2)"};
    int target = (int)below(ARRAYS), scalar = (int)below(SCALARS);
    say("{\ndouble first = 0.5 * s[%d], last = 0, pair[2] = {x[%u], s[%d]};\n", scalar, below(6), scalar);
    say("#pragma omp parallel for firstprivate(first, pair) lastprivate(last)%s\n%s {\n", schedules[below(3)],
        header());
    element(target, "i", "(first * pair[1] + pair[0])");
    say("last = sin(a%d[i]);\n}\ns[%d] += last;\n}\n", target, scalar);
}

/* Loops, and parts for one thread, in one region. */
static void region(void) {
    int first = (int)below(ARRAYS), second = (first + 1 + (int)below(ARRAYS - 1)) % ARRAYS,
        scalar = (int)below(SCALARS);
    reads one = {-1, -1, NULL, NULL, false};
    say("#pragma omp parallel%s\n{\ndouble mine;\n#pragma omp for%s\n%s {\n", team(), schedule(), header());
    element(first, "i", NULL);
    say("}\n#pragma omp single copyprivate(mine)\nmine = ");
    expression(&one, 2);
    static const char *const lone[] = {"single", "master", "masked"};
    say(";\n#pragma omp for nowait%s\n%s {\n", schedule(), header());
    element(second, "i", "mine");
    say("}\n#pragma omp barrier\n#pragma omp %s\ns[%d] += 0.3 * ", lone[below(3)], scalar);
    expression(&anything, 2);
    say(";\n#pragma omp barrier\nwork%u(%s, %s);\n}\n", below(2), "a0, a1", "s");
}

static void exclusive(void) {
    int scalar = (int)below(SCALARS);
    reads may = {-1, scalar, "i", NULL, false};
    static const char *const begin[] = {"#pragma omp critical\n", "#pragma omp critical(name)\n",
                                        "omp_set_lock(&lock);\n", "#pragma omp atomic\n",
                                        "#pragma omp atomic update\n"};
    unsigned which = below(5);
    say("#pragma omp parallel for%s%s\n%s {\ndouble value = ", team(), schedule(), header());
    expression(&may, 2);
    say(";\n%ss[%d] += 0.05 * value;\n%s}\n", begin[which], scalar, which == 2 ? "omp_unset_lock(&lock);\n" : "");
}

static void sections(void) {
    int first = (int)below(SCALARS), second = (first + 1) % SCALARS;
    reads one = {-1, second, NULL, NULL, false}, other = {-1, first, NULL, NULL, false};
    say("#pragma omp parallel sections%s\n{\n#pragma omp section\ns[%d] = ", team(), first);
    expression(&one, 2);
    say(";\n#pragma omp section\ns[%d] += 0.2 * ", second);
    expression(&other, 2);
    say(";\n}\n");
}

static void tasks(void) {
    int first = (int)below(SCALARS), target = (int)below(ARRAYS);
    static const char *const how[] = {"", " untied", " if (x[1] > 1)", " mergeable", " final(1)"};
    say("#pragma omp parallel\n#pragma omp single\n{\nfor (int k = 0; k < 3; k++)\n");
    say("#pragma omp task depend(inout : s[%d]) firstprivate(k)%s\ns[%d] = tanh(s[%d] + 0.2 * k * ", first,
        how[below(5)], first, first);
    reads may = {-1, first, "k", NULL, false};
    expression(&may, 2);
    say(");\n#pragma omp taskwait\n#pragma omp taskloop%s\n%s {\n", below(2) == 0 ? " grainsize(3)" : " num_tasks(2)",
        header());
    element(target, "i", NULL);
    say("}\n}\n");
}

static void ordered(void) {
    int target = (int)below(ARRAYS), scalar = (int)below(SCALARS);
    reads may = {target, scalar, "i", NULL, false};
    say("#pragma omp parallel for ordered%s\nfor (int i = 0; i < N; i++) {\ndouble value = ",
        below(2) == 0 ? "" : " schedule(dynamic)");
    expression(&may, 2);
    say(";\n#pragma omp ordered\n{\ns[%d] = tanh(s[%d] * value + 0.1);\na%d[i] = s[%d];\n}\n}\n", scalar, scalar,
        target, scalar);
}

static void nested(void) {
    int target = (int)below(ARRAYS);
    say("#pragma omp parallel for num_threads(2)%s\nfor (int k = 0; k < N / 4; k++)\n", schedule());
    say("#pragma omp parallel for num_threads(2)%s\nfor (int j = 4 * k; j < 4 * k + 4; j++) {\n", schedule());
    element(target, "j", NULL);
    say("}\n");
}

static void of_threads(void) {
    int target = (int)below(ARRAYS);
    say("factor = tanh(");
    expression(&anything, 2);
    say(");\n#pragma omp parallel for copyin(factor)%s\n%s {\n", schedule(), header());
    element(target, "i", "factor");
    say("}\n");
}

static void program(uint64_t seed) {
    static void (*const all[])(void) = {parallel_for,    parallel_for, collapse,       reduction, reduction,
                                        array_reduction, region,       first_and_last, exclusive, exclusive,
                                        sections,        tasks,        ordered,        nested,    of_threads};
    state = seed;
    say("static double f%" PRIu64 "(const double *x, size_t n) {\ndouble s[4] = {x[0], x[1], x[2], 0.4};\n", seed);
    for (int i = 0; i < ARRAYS; i++)
        say("double a%d[N];\n", i);
    say("omp_lock_t lock;\nomp_init_lock(&lock);\nfor (size_t i = 0; i < N; i++) {\n");
    for (int i = 0; i < ARRAYS; i++)
        say("a%d[i] = sin(x[i %% n] + %d) * x[(i + %d) %% n];\n", i, i, i);
    say("}\n");
    bool repeated = below(3) == 0;
    if (repeated)
        say("for (int t = 0; t < 3; t++) {\n");
    for (int i = 0; i < STATEMENTS; i++)
        all[below(sizeof all / sizeof *all)]();
    say("%somp_destroy_lock(&lock);\ndouble sum = 0;\nfor (int i = 0; i < N; i++)\nsum += a0[i] * a1[i] + a2[i] - "
        "a3[i];\n",
        repeated ? "}\n" : "");
    say("return sum + s[0] + s[1] * s[2] + s[3];\n}\n\n");
}

static void preamble(void) {
    say("#include <math.h>\n#include <omp.h>\n#include <stddef.h>\nenum { N = %d };\n", N);
    say("static double factor;\n#pragma omp threadprivate(factor)\n"
        "static double bump(double a) { return exp(-a * a); }\n"
        "static double soft(double a) { return a / sqrt(1 + a * a); }\n"
        "static double joined(double a, double b) { return a + b + 0.01 * a * b; }\n"
        "#pragma omp declare reduction(join : double : omp_out = joined(omp_out, omp_in)) initializer(omp_priv = 0)\n");
    say("static void work0(double *a, double *b, const double *s) {\n#pragma omp for schedule(dynamic, 2)\n"
        "for (int i = 0; i < N; i++)\na[i] = 0.9 * a[i] + 0.1 * b[i] * s[0];\n}\n");
    say("static __attribute__((noinline)) void work1(double *a, double *b, const double *s) {\n"
        "#pragma omp for nowait\nfor (int i = 0; i < N; i++)\nb[i] += 0.2 * soft(s[1] + s[2] * b[i]);\n"
        "#pragma omp for\nfor (int i = 0; i < N; i++)\na[i] *= 1 - 0.1 * s[3];\n}\n\n");
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: generate FIRST COUNT\n");
        return 2;
    }
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    preamble();
    for (uint64_t i = 0; i < count; i++)
        program(first + i);
    say("double (*const random_programs[])(const double *, size_t) = {");
    for (uint64_t i = 0; i < count; i++)
        say("%sf%" PRIu64, i > 0 ? ", " : "", first + i);
    say("};\nconst unsigned long long random_first = %" PRIu64 ", random_count = %" PRIu64 ";\n", first, count);
    return 0;
}
