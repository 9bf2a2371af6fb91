/* Files translated by `verso rev` with every allocation failing once: NO_MEMORY each time, and nothing left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
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

static verso_status translate(const char *text, const char *dump) {
    rev_options options = {.name = "t", .dump = dump};
    verso_text output = {0}, messages = {0};
    verso_status status = rev_translate(text, strlen(text), &options, &output, &messages);
    (void)verso_text_close(&output);
    (void)verso_text_close(&messages);
    return status;
}

static void try_every_allocation(const char *text, const char *dump, verso_status expected) {
    verso_status status = VERSO_NO_MEMORY;
    uint64_t n = 1;
    for (; status == VERSO_NO_MEMORY; n++) {
        verso_alloc_fail_at(n);
        status = translate(text, dump);
        verso_alloc_fail_at(0);
        assert_int_equal(verso_alloc_live(), 0);
    }
    assert_int_equal(status, expected);
    assert_true(n > 2);
}

static void files_without_memory(void **state) {
    (void)state;
    try_every_allocation(program, NULL, VERSO_INVALID); /* g has no instance */
    try_every_allocation(wrong, NULL, VERSO_INVALID);
    char without[sizeof program];
    memcpy(without, program, sizeof program);
    *strstr(without, "rev_instantiate") = '\0';
    try_every_allocation(without, NULL, VERSO_OK);
    try_every_allocation(without, "hvp", VERSO_OK);
    try_every_allocation(without, "analysis", VERSO_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
