/* Tests random VLAD programs with all evaluators: same value to the bit, same steps, same message; also if
 * interrupted somewhere and resumed from the capsule alone while memory is collected. VERSO_SEED selects other
 * programs.
 *
 * With a folder and a number as arguments, it only writes that number of programs, which print their value, to the
 * folder: tests/vlad/vlad_random.sh compiles them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/random_spec.h"
#include "tests/support/vlad_subject.h"

enum { PROGRAMS = 600, DEPTH = 5, STEPS_MOST = 30000, NAMES = 2 * DEPTH, INTERRUPTIONS = 4 };

static const vlad_evaluator *const evaluators[] = {&vlad_interpreter, &vlad_hybrid};
enum { EVALUATORS = sizeof evaluators / sizeof *evaluators };

static uint64_t seed;

/* ---- Programs ---- */

typedef struct writer {
    FILE *out;
    random_source random;
    unsigned names;        /* v0, v1, ... */
    unsigned scope[NAMES]; /* those that are seen here */
    unsigned seen;
    unsigned budget;
} writer;

/* A number, in words where # is another one, @ a new variable, which is seen from ! on; & ends the scope of the last
 * one. */
static const char *const shapes[] = {
    "(+ # #)",
    "(* # #)",
    "(- # (* # #))",
    "(sin #)",
    "(atan # (exp (sin #)))",
    "(if (< # #) # #)",
    "(if (zero? (floor #)) # #)",
    "(let ((@ #)) !#)&",
    "(let ((@ #)) !(let ((@ #)) !(+ # #)))&&",
    "((lambda ((cons @ @)) !(+ # #))&& (cons # #))",
    "((lambda (@ @) !(+ # #))&& # #)",
    "(let ((f (lambda (@) !#)&)) (+ (f #) (f #)))",
    "(let (((cons* @ @ 1) (cons* # # 1))) !#)&&",
    "(let loop ((i 2) (@ #)) !(if (= i 0) # (loop (- i 1) #)))&",
    "(letrec ((e (lambda (@) !(if (< # 0) # (o #)))&) (o (lambda (@) !#)&)) (+ (e #) (o #)))",
    "(vector-ref (vector-set (vector # # #) 1 #) (modulo (floor #) 3))",
    "(vector-ref (vector-map (lambda (@) !#)& (vector # #)) 1)",
    "(car (j* (lambda (@) !#)& # #))",
    "(cdr (j* (lambda (@) !#)& # #))",
    "(cdr (*j (lambda (@) !#)& # #))",
    "(car (cdr (*j (lambda ((list @ @)) !(* # #))&& (list # #) #)))",
    "(cdr (checkpoint-*j (lambda (@) !#)& # #))",
    "(car (checkpoint-*j (lambda (@) !(* # #))& # #))",
    "((cdr (*j (lambda (g) (g #)) (let ((@ #)) !(lambda (x) (* x #)))& 1)) #)",
    "(write-real (+ # (read-real)))",
};
/* Sometimes an expression of the wrong type is used instead. */
static const char *const wrong[] = {"(+ # ())", "(# #)", "(vector-ref (vector # #) 2)", "(let ((1 #)) #)",
                                    "(*j (lambda (@) !(list # #))& # #)"};

static void write_number(writer *w, unsigned depth);

/* Recursive, as deep as DEPTH. */
static void write_shape(writer *w, const char *shape, unsigned depth) {
    unsigned fresh[2], waiting = 0;
    for (; *shape != '\0'; shape++)
        switch (*shape) {
        case '#': write_number(w, depth + 1); break;
        case '@':
            fprintf(w->out, "v%u", w->names);
            fresh[waiting++] = w->names++;
            break;
        case '!':
            for (unsigned i = 0; i < waiting; i++)
                w->scope[w->seen++] = fresh[i];
            waiting = 0;
            break;
        case '&': w->seen--; break;
        default: putc(*shape, w->out);
        }
}

static void write_number(writer *w, unsigned depth) {
    if (depth >= DEPTH || w->budget == 0 || random_below(&w->random, 4) == 0) {
        if (w->seen > 0 && random_below(&w->random, 4) > 0)
            fprintf(w->out, "v%u", w->scope[random_below(&w->random, w->seen)]);
        else
            fprintf(w->out, "%g", (double)random_below(&w->random, 40) / 8 - 1);
        return;
    }
    w->budget--;
    if (random_below(&w->random, 200) == 0)
        write_shape(w, wrong[random_below(&w->random, sizeof wrong / sizeof *wrong)], depth);
    else
        write_shape(w, shapes[random_below(&w->random, sizeof shapes / sizeof *shapes)], depth);
}

/* To be freed. */
static char *write_program(uint64_t number, const char *before, const char *after) {
    char *text;
    size_t size;
    writer w = {.random = random_from_seed(seed * PROGRAMS + number), .budget = 60};
    w.out = open_memstream(&text, &size);
    assert_non_null(w.out);
    fprintf(w.out, "(define (car (cons a b)) a) (define (cdr (cons a b)) b)\n%s", before);
    write_number(&w, 0);
    fputs(after, w.out);
    fclose(w.out);
    return text;
}

/* ---- Evaluations ---- */

static const char input[] = "1 2 -1 0.5 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30";

static vlad_ending whole_of(vlad_subject *s) {
    vlad_subject_begin(s);
    return vlad_subject_run(s, STEPS_MOST);
}

static void interrupt(vlad_subject *s, vlad_ending whole, uint64_t steps) {
    vlad_subject_begin(s);
    assert_int_equal(vlad_subject_run(s, steps).outcome, VLAD_INTERRUPTED);
    s->machine.heap.always = s->machine.heap.wanted = true;
    vlad_subject_capture(s);
    for (int i = 0; i < 2; i++) {
        vlad_subject_resume(s, steps);
        vlad_subject_require_same(s, whole, vlad_subject_run(s, STEPS_MOST));
    }
    s->machine.heap.always = false;
}

/* With checkpoint-*j on the driver. */
static vlad_ending driven(vlad_subject *s) {
    s->machine.checkpointing = &s->how;
    s->machine.nested = NULL;
    vlad_ending ending = whole_of(s);
    s->machine.checkpointing = NULL;
    s->machine.nested = &s->how;
    return ending;
}

static vlad_outcome try_program(const char *text, random_source *random) {
    vlad_ending whole = {.outcome = VLAD_INTERRUPTED}, whole_driven = whole;
    char *printed = NULL;
    for (int i = 0; i < EVALUATORS; i++) {
        vlad_subject s;
        vlad_subject_open(&s, evaluators[i], text, input);
        vlad_ending ending = whole_of(&s), ending_driven = driven(&s);
        if (i > 0) {
            vlad_subject_require_same(&s, whole, ending);
            vlad_subject_require_same(&s, whole_driven, ending_driven);
        }
        whole = ending;
        whole_driven = ending_driven;
        for (int j = 0; j < INTERRUPTIONS && whole.outcome != VLAD_INTERRUPTED && whole.steps > 0; j++)
            interrupt(&s, whole, random_below(random, whole.steps));
        fflush(s.out);
        assert_true(i == 0 || strcmp(printed, s.printed) == 0);
        free(printed);
        printed = strdup(s.printed);
        vlad_subject_close(&s);
    }
    free(printed);
    return whole.outcome;
}

static void evaluators_agree_on_random_programs(void **state) {
    (void)state;
    random_source random = random_from_seed(seed);
    unsigned counts[] = {[VLAD_ENDED] = 0, [VLAD_INTERRUPTED] = 0, [VLAD_FAILED] = 0};
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        char *text = write_program(i, "", "");
        counts[try_program(text, &random)]++;
        free(text);
    }
    print_message("%u ended, %u failed, %u were too long\n", counts[VLAD_ENDED], counts[VLAD_FAILED],
                  counts[VLAD_INTERRUPTED]);
    assert_true(counts[VLAD_ENDED] > PROGRAMS / 3 && counts[VLAD_FAILED] > 0);
}

/* Returns an exit status. */
static int write_files(const char *folder, uint64_t count) {
    bool written = true;
    for (uint64_t i = 0; written && i < count; i++) {
        char path[4096], *text = write_program(i, "(write-real ", ")\n");
        (void)snprintf(path, sizeof path, "%s/%llu.vlad", folder, (unsigned long long)i);
        FILE *out = fopen(path, "w");
        written = out != NULL && fputs(text, out) >= 0;
        written = out != NULL && fclose(out) == 0 && written;
        free(text);
    }
    printf("%llu\n", (unsigned long long)seed);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(evaluators_agree_on_random_programs)};
    seed = random_seed();
    if (argc == 3)
        return write_files(argv[1], strtoull(argv[2], NULL, 10));
    return cmocka_run_group_tests_name("evaluators of VLAD", tests, NULL, NULL);
}
