/* A session of `verso vlad`: reads pieces of a program, evaluates them and prints their values until the input ends.
 *
 * A piece is as many lines as are needed to complete an expression. Each piece is evaluated by a machine of its own;
 * only definitions survive it, in the vlad_session (vlad/core.h). So a failure in one piece does not affect the
 * next. */
#include "cli/vlad_repl.h"

#include "cli/message.h"
#include "cli/region.h"
#include "cli/vlad_lines.h"
#include "vlad/symbol.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN = 16384 }; /* maximum bytes printed of a value */

typedef struct repl {
    const cli_vlad_session *how;
    vlad_sources *sources;
    vlad_session *session;
    cli_lines *lines;
    cli_region region; /* memory of the current piece */
    const char *text;  /* text of the current piece; NULL: none so far */
} repl;

/* ---- Evaluating ---- */

static verso_status evaluate_with(const repl *r, vlad_machine *machine, const vlad_program *program) {
    char text[SHOWN];
    machine->checkpointing = r->how->checkpointing;
    machine->interrupt = &cli_lines_interrupt;
    machine->heap.always = machine->heap.wanted = r->how->collect;
    for (uint32_t i = 0; i < program->count; i++) {
        vlad_machine_begin(machine, program->expressions[i]);
        if (vlad_machine_run(machine) != VLAD_ENDED)
            return machine->error->status;
        printf("%s\n", vlad_value_text(machine->registers[VLAD_RESULT], text, sizeof text));
        fflush(stdout);
    }
    if (r->how->report != NULL)
        r->how->report(r->how->context, machine);
    return VERSO_STATUS_OK;
}

static verso_status evaluate(const repl *r, const vlad_program *program, verso_error *error) {
    vlad_effects effects;
    vlad_machine machine;
    if (program->count == 0)
        return VERSO_STATUS_OK;
    vlad_effects_open(&effects, stdin, "standard input", stdout);
    verso_status status =
        vlad_machine_open(&machine, r->how->evaluator, program, r->sources, &effects, r->how->limit, error);
    if (status == VERSO_STATUS_OK) {
        status = evaluate_with(r, &machine, program);
        vlad_machine_close(&machine);
    }
    vlad_effects_close(&effects);
    clearerr(stdin); /* `read-real` may have reached the end of the input, which does not end the session */
    return status;
}

static void show_failure(const verso_error *error) {
    fprintf(stderr, "%s\n", cli_lines_interrupt ? "interrupted" : error->message);
    cli_lines_clear_interrupt();
}

/* ---- Words of the session ---- */

static const char *name_at(const void *context, size_t index) {
    const repl *r = context;
    size_t definitions = vlad_session_definitions(r->session);
    if (index < definitions)
        return vlad_session_definition(r->session, index);
    index -= definitions;
    if (index < VLAD_OPERATORS)
        return vlad_operator_name((vlad_operator)index);
    index -= VLAD_OPERATORS;
    static const char *const others[] = {"(help)", "(exit)"};
    if (index + 1 < VLAD_WORDS)
        return vlad_keyword_name((vlad_keyword)(index + 1));
    index -= VLAD_WORDS - 1;
    return index < sizeof others / sizeof *others ? others[index] : NULL;
}

static const char *kind_of_name(const repl *r, size_t index) {
    size_t definitions = vlad_session_definitions(r->session);
    return index < definitions ? "defined   " : index - definitions < VLAD_OPERATORS ? "primitives" : "forms     ";
}

static void show_help(const repl *r) {
    enum { WIDTH = 100 };
    const char *name, *before = "";
    size_t column = WIDTH;
    printf("Type an expression, or (define (name parameter ...) body). Tab completes a name, Ctrl-R searches the "
           "history,\n"
           "Ctrl-C ends an evaluation, (exit) or Ctrl-D the session. Derivatives: (j* f x x'), (*j f x y'),\n"
           "(checkpoint-*j f x y') return the pair of f(x) and the derivative: (*j (lambda (x) (* x (sin x))) 1 1)\n");
    for (size_t i = 0; (name = name_at(r, i)) != NULL; i++) {
        const char *kind = kind_of_name(r, i);
        bool begins = strcmp(kind, before) != 0;
        if (begins || column + strlen(name) > WIDTH)
            column = (size_t)printf("%s%s ", i == 0 ? "" : "\n", begins ? kind : "          ");
        column += (size_t)printf(" %s", name);
        before = kind;
    }
    printf("\n");
    fflush(stdout);
}

/* True if a line consists of `word`, which is then a command of the session. */
static bool is_command(const char *line, const char *word) {
    size_t length = strlen(word);
    line += strspn(line, " \t");
    return strncmp(line, word, length) == 0 && line[length + strspn(line + length, " \t\r\n")] == '\0';
}

/* ---- Pieces ---- */

/* Reads and evaluates the text `file` of the sources. Returns false if it is incomplete; then nothing is evaluated and
 * *error says what is missing. */
static bool run_text(repl *r, uint32_t file, verso_error *error) {
    vlad_program program;
    size_t before = vlad_session_definitions(r->session);
    verso_status status = vlad_session_read(r->session, file, &program, error);
    if (status == VERSO_STATUS_STATE)
        return false;
    if (status == VERSO_STATUS_OK) {
        for (size_t i = before; i < vlad_session_definitions(r->session); i++)
            printf("%s is defined\n", vlad_session_definition(r->session, i));
        fflush(stdout);
        status = evaluate(r, &program, error);
    }
    if (status != VERSO_STATUS_OK)
        show_failure(error);
    return true;
}

static void drop_piece(repl *r) {
    cli_region_free(&r->region);
    r->text = NULL;
}

/* Adds a line to the current piece, and evaluates the piece if it is complete. `last`: no line follows, so an
 * incomplete piece is an error. */
static void add_line(repl *r, const char *line, bool last) {
    verso_error error = {0};
    uint32_t file;
    r->text = cli_region_print(&r->region, "%s%s", r->text != NULL ? r->text : "", line);
    bool done = true;
    if (vlad_sources_add(r->sources, "input", r->text, strlen(r->text), &file, &error) != VERSO_STATUS_OK)
        show_failure(&error);
    else
        done = run_text(r, file, &error);
    if (!done && last)
        show_failure(&error);
    if (done || last)
        drop_piece(r);
}

static void read_first(repl *r) {
    verso_error error = {0};
    uint32_t file;
    bool again;
    if (vlad_sources_open(r->sources, r->how->file, UINT32_MAX, &file, &again, &error) != VERSO_STATUS_OK ||
        !run_text(r, file, &error))
        show_failure(&error);
}

static void read_all(repl *r) {
    const char *line;
    for (;;) {
        switch (cli_lines_next(r->lines, r->text == NULL ? "vlad> " : " ...> ", &line)) {
        case CLI_LINE_READ:
            if (r->text == NULL && is_command(line, "(exit)"))
                return;
            if (r->text == NULL && is_command(line, "(help)"))
                show_help(r);
            else
                add_line(r, line, false);
            break;
        case CLI_LINE_DROPPED:
            printf("\n");
            fflush(stdout);
            cli_lines_clear_interrupt();
            drop_piece(r);
            break;
        case CLI_LINES_ENDED:
            if (isatty(STDIN_FILENO))
                printf("\n");
            if (r->text != NULL)
                add_line(r, "", true);
            return;
        }
    }
}

int cli_vlad_repl(const cli_vlad_session *how) {
    repl r = {.how = how, .sources = vlad_sources_new()};
    int status = CLI_OK;
    r.session = r.sources != NULL ? vlad_session_new(r.sources) : NULL;
    r.lines = r.session != NULL ? cli_lines_open("verso vlad") : NULL;
    if (r.lines != NULL && !how->bare) {
        verso_error error = {0};
        vlad_sources_use_prelude(r.sources);
        if (vlad_session_prelude(r.session, &error) != VERSO_STATUS_OK)
            show_failure(&error);
    }
    if (r.lines != NULL) {
        cli_lines_complete(r.lines, name_at, &r);
        if (isatty(STDIN_FILENO))
            printf("VLAD: (help) says what there is; (exit) or Ctrl-D ends the session.\n");
        vlad_session_redefine(r.session);
        if (how->file != NULL)
            read_first(&r);
        read_all(&r);
        cli_lines_close(r.lines);
    } else
        status = cli_failure(how->command, "the terminal cannot be used, or memory is exhausted");
    drop_piece(&r);
    vlad_session_free(r.session);
    if (r.sources != NULL)
        vlad_sources_free(r.sources);
    return status;
}
