/* libFuzzer target: reads arbitrary texts as VLAD programs. Each becomes a program that is complete and whose numbers
 * are within their bounds, or is refused with a message that has a place and a caret. A session continues after a
 * refused text. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vlad/core.h"
#include "vlad/real.h"

static void require(bool holds) {
    if (!holds)
        abort();
}

/* What is still to be looked at; memory is the fuzzer's limit. */
typedef struct walk {
    const vlad_expression **items;
    size_t count, capacity;
    const vlad_program *program;
} walk;

static void later(walk *w, const vlad_expression *e) {
    require(e != NULL);
    if (w->count == w->capacity) {
        w->capacity = 2 * w->capacity + 64;
        w->items = realloc(w->items, w->capacity * sizeof *w->items);
        require(w->items != NULL);
    }
    w->items[w->count++] = e;
}

static void look_at_lambda(walk *w, const vlad_lambda *lambda) {
    require(lambda->number < w->program->lambdas && lambda->parameter != NULL);
    later(w, lambda->body);
}

/* A number that is printed reads back as the same one. */
static void look_at_number(double number) {
    verso__number text = vlad_real_text(number);
    double again;
    require(vlad_read_real(text.text, strlen(text.text), &again) == VLAD_LITERAL_READ);
    require(isnan(number) ? isnan(again) : memcmp(&number, &again, sizeof number) == 0);
}

static void look_at(walk *w, const vlad_expression *e) {
    static const int parts[] = {[VLAD_APPLICATION] = 2, [VLAD_LET] = 2,     [VLAD_IF] = 3,    [VLAD_UNARY] = 1,
                                [VLAD_BINARY] = 2,      [VLAD_TERNARY] = 3, [VLAD_LETREC] = 1};
    require(e->number < w->program->numbers && e->place.line > 0 && e->place.column > 0);
    for (uint32_t i = 1; i < e->needed_count; i++)
        require(e->needed[i - 1] < e->needed[i]);
    if (e->kind == VLAD_UNARY || e->kind == VLAD_BINARY || e->kind == VLAD_TERNARY)
        require((int)vlad_operator_arity(e->is.operation) == parts[e->kind]);
    if (e->kind == VLAD_CONSTANT && vlad_is_plain(e->is.constant))
        look_at_number(vlad_plain(e->is.constant));
    if (e->kind == VLAD_LAMBDA)
        look_at_lambda(w, e->is.lambda);
    for (uint32_t i = 0; e->kind == VLAD_LETREC && i < e->is.letrec->count; i++)
        look_at_lambda(w, e->is.letrec->lambdas[i]);
    if (e->kind == VLAD_CONSTANT || e->kind == VLAD_VARIABLE || e->kind == VLAD_LAMBDA)
        return;
    for (int i = 0; i < parts[e->kind]; i++)
        later(w, e->parts[i]);
}

static void look_at_all(const vlad_program *program) {
    walk w = {.program = program};
    for (uint32_t i = 0; i < program->count; i++) {
        require(program->expressions[i]->needed_count == 0); /* nothing is outside it */
        later(&w, program->expressions[i]);
    }
    size_t seen = 0;
    for (; w.count > 0; seen++)
        look_at(&w, w.items[--w.count]);
    require(seen == program->numbers);
    free(w.items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Does not read files of this machine, some of which have no end. */
static bool reaches_out(const uint8_t *data, size_t size) {
    static const char word[] = "include";
    bool includes = false;
    for (size_t i = 0; i + sizeof word - 1 <= size && !includes; i++)
        includes = memcmp(data + i, word, sizeof word - 1) == 0;
    return includes && memchr(data, '/', size) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (reaches_out(data, size))
        return 0;
    vlad_sources *sources = vlad_sources_new();
    vlad_session *session = vlad_session_new(sources);
    require(session != NULL);
    uint32_t file, good;
    vlad_program program;
    verso_error error = {0};
    static const char works[] = "(define (f-of-ours x) x) (f-of-ours 1)";
    require(vlad_sources_add(sources, "fuzz", (const char *)data, size, &file, &error) == VERSO_STATUS_OK);
    require(vlad_sources_add(sources, "good", works, sizeof works - 1, &good, &error) == VERSO_STATUS_OK);
    verso_status status = vlad_session_read(session, file, &program, &error);
    if (status == VERSO_STATUS_OK) {
        look_at_all(&program);
    } else {
        require(error.status == status && program.count == 0);
        require(strchr(error.message, ':') != NULL && error.message[strlen(error.message) - 1] == '^');
        require(vlad_session_read(session, good, &program, &error) == VERSO_STATUS_OK && program.count == 1);
        require(vlad_read_program(sources, file, &program, &error) != VERSO_STATUS_OK);
    }
    vlad_session_free(session);
    vlad_sources_free(sources);
    return 0;
}
