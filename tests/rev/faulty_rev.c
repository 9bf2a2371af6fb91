/* Tests translating files with `verso rev` with every allocation failing once: NO_MEMORY each time, and nothing
 * leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "rev/check_program.h"
#include "rev/translate.h"

static const char program[] = "#include <verso/rev.h>\n"
                              "typedef struct point { double x, y; } point;\n"
                              "#define TWICE(x) (2 * (x))\n"
                              "rev void g(double *out, const point *p, double z) {\n"
                              "    anc double t = 0;\n"
                              "    compute { t += sqrt(p->x * p->x + p->y * p->y); }\n"
                              "    use { *out += sin(t) * TWICE(z) / (1 + t * t); }\n"
                              "}\n"
                              "rev void f(double *s, passive int n) {\n"
                              "    anc point p = {0};\n"
                              "    for (int i = 0; i < n; i++) {\n"
                              "        if (s[0] > 1) { p.x += s[i + 1]; } else { p.y -= exp(s[i + 1]); }\n"
                              "        if (s[0] > 1) { p.x -= s[i + 1]; } else { p.y += exp(s[i + 1]); }\n"
                              "        g(&s[0], &p, s[1] * s[2]);\n"
                              "    }\n"
                              "    undo { rot(s[0], s[1], s[2]); swap(s[1], s[2]); }\n"
                              "}\n"
                              "rev_instantiate(f, float);\n";

static const char wrong[] = "rev void f(double *x) {\n    x[0] += x[0];\n    x[1] += x[1];\n}\n"
                            "rev void g(double *x) {\n    return;\n}\n";

/* For --register, and for --check: every kind of parameter, lengths by both ways. */
static const char registered[] = "#include <verso/rev.h>\n"
                                 "typedef struct point { double x, y; } point;\n"
                                 "rev void f(passive int n, double x[3 * n], const point *p, double z) {\n"
                                 "    for (int i = 0; i < n; i++) x[i] += p->x * z;\n"
                                 "}\n"
                                 "rev void g(double *y, passive const int *k, passive int n) {\n"
                                 "    for (int i = 0; i < n; i++) y[k[i]] += i;\n"
                                 "}\n"
                                 "rev_length(g, y, 2 * n);\n"
                                 "rev_length(g, k, n);\n";

static verso_status translate(const char *text, const rev_options *options) {
    verso__text output = {0}, messages = {0};
    verso_status status = rev_translate(text, strlen(text), options, &output, &messages);
    (void)verso__text_close(&output);
    (void)verso__text_close(&messages);
    return status;
}

static void try_every_allocation(const char *text, rev_options options, verso_status expected) {
    verso_status status = VERSO_STATUS_NO_MEMORY;
    uint64_t n = 1;
    options.name = "t";
    for (; status == VERSO_STATUS_NO_MEMORY; n++) {
        verso__alloc_fail_at(n);
        status = translate(text, &options);
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), 0);
    }
    assert_int_equal(status, expected);
    assert_true(n > 2);
}

static void files_without_memory(void **state) {
    (void)state;
    try_every_allocation(program, (rev_options){0}, VERSO_STATUS_INVALID); /* g has no instance */
    try_every_allocation(wrong, (rev_options){0}, VERSO_STATUS_INVALID);
    char without[sizeof program];
    memcpy(without, program, sizeof program);
    *strstr(without, "rev_instantiate") = '\0';
    try_every_allocation(without, (rev_options){0}, VERSO_STATUS_OK);
    try_every_allocation(without, (rev_options){.cuda = true}, VERSO_STATUS_OK);
    for (size_t i = 0; rev_pass_names[i]; i++)
        try_every_allocation(without, (rev_options){.dump = rev_pass_names[i]}, VERSO_STATUS_OK);
}

static void registering_and_checking_without_memory(void **state) {
    (void)state;
    rev_setting settings[] = {{.parameter = "n", .numbers = "3"},
                              {.function = "g", .parameter = "k", .numbers = "0,1,2"},
                              {.parameter = "x", .numbers = "9", .length = true},
                              {.parameter = "z", .numbers = "0.5,1", .range = true}};
    const rev_checking checking = {.settings = settings, .count = sizeof settings / sizeof *settings, .seed = 1};
    try_every_allocation(registered, (rev_options){.registers = true}, VERSO_STATUS_OK);
    try_every_allocation(program, (rev_options){.registers = true}, VERSO_STATUS_INVALID);
    try_every_allocation(registered, (rev_options){.check = &checking}, VERSO_STATUS_OK);
    try_every_allocation(registered, (rev_options){.check = &(const rev_checking){.seed = 7}}, VERSO_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_without_memory),
                                       cmocka_unit_test(registering_and_checking_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
