/* Tests values and capsules of VLAD as bytes: what is written is read back the same, also in another machine; shared
 * parts are written once; forged bytes are refused, or a machine can continue from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/words.h"
#include "tests/support/vlad_capsules.h"
#include "tests/support/vlad_subject.h"
#include "vlad/bytes.h"
#include "vlad/vector.h"

static const vlad_evaluator *const evaluators[] = {&vlad_interpreter, &vlad_hybrid};
enum { EVALUATORS = sizeof evaluators / sizeof *evaluators };

/* A subject that knows the numbers of its program. */
typedef struct subject {
    vlad_subject s;
    vlad_index index;
} subject;

static void open_subject(subject *u, const vlad_evaluator *evaluator, const char *text) {
    vlad_subject_open(&u->s, evaluator, text, VLAD_CAPSULES_INPUT);
    assert_int_equal(vlad_index_open(&u->index, &u->s.program, &u->s.error), VERSO_STATUS_OK);
    u->index.converted = u->s.machine.converted;
}

static void close_subject(subject *u) {
    vlad_index_close(&u->index);
    vlad_subject_close(&u->s);
}

static char *write(subject *u, vlad_value value, size_t *size) {
    char *bytes;
    if (vlad_bytes_write(&u->index, value, &bytes, size, &u->s.error) != VERSO_STATUS_OK)
        fail_msg("%s", u->s.error.message);
    assert_true(*size % VERSO_WORD == 0);
    return bytes;
}

static verso_status read(subject *u, const char *bytes, size_t size, vlad_value *value) {
    return vlad_bytes_read(&u->s.machine.heap, &u->index, VLAD_LEVELS, bytes, size, value, &u->s.error);
}

static vlad_value read_right(subject *u, const char *bytes, size_t size) {
    vlad_value value;
    if (read(u, bytes, size, &value) != VERSO_STATUS_OK)
        fail_msg("%s\n%s", u->s.text, u->s.error.message);
    return value;
}

/* Does not traverse the value, because that would give each version of a vector its own elements. */
static vlad_value evaluate(subject *u) {
    vlad_subject_begin(&u->s);
    u->s.machine.limit = VLAD_FOR_EVER;
    if (vlad_machine_run(&u->s.machine) != VLAD_ENDED)
        fail_msg("%s", u->s.error.message);
    return u->s.machine.registers[VLAD_RESULT];
}

/* Writes the value of a program, reads it in another machine with the same program, and writes it there: the bytes must
 * be the same. */
static char *give_to_another(const char *text, subject *two, size_t *size, vlad_value *value) {
    subject one;
    char first[4096], second[4096];
    open_subject(&one, &vlad_interpreter, text);
    open_subject(two, &vlad_interpreter, text);
    vlad_value original = evaluate(&one);
    char *bytes = write(&one, original, size);
    *value = read_right(two, bytes, *size);
    vlad_value_text(original, first, sizeof first);
    vlad_value_text(*value, second, sizeof second);
    assert_string_equal(first, second);
    size_t again_size;
    char *again = write(two, *value, &again_size);
    assert_int_equal(*size, again_size);
    assert_memory_equal(bytes, again, *size);
    verso__dealloc(again);
    close_subject(&one);
    return bytes;
}

/* ---- Values ---- */

static void values_are_the_same(void **state) {
    static const char *const others[] = {
        "1", "(/ 0 0)", "(/ -1 0)", "-0.", "()", "#t", "#f", "(vector)", "sin", "'(1 . 2)", "(vector (vector) ())"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others + VLAD_CAPSULE_PROGRAMS; i++) {
        subject u;
        size_t size;
        vlad_value value;
        verso__dealloc(
            give_to_another(i < VLAD_CAPSULE_PROGRAMS ? vlad_capsule_programs[i] : others[i - VLAD_CAPSULE_PROGRAMS],
                            &u, &size, &value));
        close_subject(&u);
    }
}

static vlad_value field(vlad_value value, int number) {
    assert_true(vlad_is_object(value));
    return vlad_object_of(value)->field[number];
}

static void what_is_shared_is_written_once(void **state) {
    subject u;
    size_t size;
    vlad_value value;
    (void)state;
    verso__dealloc(give_to_another("(let ((a (list 1 2))) (cons a a))", &u, &size, &value));
    assert_int_equal(size, (2 + 3 * 3) * VERSO_WORD); /* three pairs */
    assert_true(field(value, 0) == field(value, 1));
    close_subject(&u);
    verso__dealloc(give_to_another("(define (twice n x) (if (= n 0) x (twice (- n 1) (cons x x)))) (twice 200 1)", &u,
                                   &size, &value));
    assert_int_equal(size, (2 + 200 * 3) * VERSO_WORD);
    close_subject(&u);
    /* Equal closures are shared, also if they were made in different places. */
    verso__dealloc(
        give_to_another("(define (f x) (g x)) (define (g x) x) (cons (list f f) (list g f))", &u, &size, &value));
    assert_true(field(field(value, 0), 0) == field(field(field(value, 1), 1), 0));
    close_subject(&u);
}

static void long_lists_are_written(void **state) {
    subject u;
    size_t size;
    vlad_value value;
    (void)state;
    verso__dealloc(
        give_to_another("(let loop ((i 0) (l ())) (if (= i 1000000) l (loop (+ i 1) (cons i l))))", &u, &size, &value));
    assert_int_equal(size, (2 + 3 * 1000000) * VERSO_WORD);
    uint64_t count = 0;
    for (; value != VLAD_NULL; value = field(value, 1), count++)
        assert_true(field(value, 0) == vlad_number((double)(999999 - count)));
    assert_int_equal(count, 1000000);
    close_subject(&u);
}

/* A thousand versions of a vector of a thousand take a few words each, and are what they were. */
static void versions_of_vectors_are_differences(void **state) {
    subject u;
    size_t size;
    vlad_value value;
    (void)state;
    verso__dealloc(give_to_another(
        "(define (list-of n) (if (= n 0) () (cons n (list-of (- n 1)))))"
        "(let loop ((i 0) (v (list->vector (list-of 1000))) (l ()))"
        "  (if (= i 1000) (cons v l) (loop (+ i 1) (vector-set v (modulo (* i 7) 1000) (+ 5000 i)) (cons v l))))",
        &u, &size, &value));
    assert_in_range(size / VERSO_WORD, 0, 1000 * 3 + 1000 * 4 + 1000 + 10);
    vlad_value newer = field(value, 0), l = field(value, 1);
    for (uint64_t i = 1000; i-- > 0; newer = field(l, 0), l = field(l, 1))
        for (uint64_t j = 0; j < 1000; j++) {
            vlad_value was = vlad_vector_ref(&u.s.machine.heap, field(l, 0), j);
            vlad_value is = vlad_vector_ref(&u.s.machine.heap, newer, j);
            assert_true(is == (j == i * 7 % 1000 ? vlad_number(5000 + (double)i) : was));
        }
    assert_true(l == VLAD_NULL);
    close_subject(&u);
}

/* ---- Capsules ---- */

/* Runs at most `steps` steps and returns the capsule there; NULL if the program has ended. */
static char *capture_at(subject *u, uint64_t steps, size_t *size) {
    vlad_subject_begin(&u->s);
    if (vlad_subject_run(&u->s, steps).outcome != VLAD_INTERRUPTED)
        return NULL;
    vlad_subject_capture(&u->s);
    return write(u, u->s.machine.registers[VLAD_SPARE], size);
}

static char *capture_half_way(subject *u, size_t *size) {
    vlad_subject_begin(&u->s);
    return capture_at(u, vlad_subject_run(&u->s, VLAD_FOR_EVER).steps / 2, size);
}

static void evaluations_go_on_elsewhere(void **state) {
    (void)state;
    for (int i = 0; i < VLAD_CAPSULE_PROGRAMS; i++)
        for (int j = 0; j < EVALUATORS; j++) {
            subject one, two;
            open_subject(&one, evaluators[j], vlad_capsule_programs[i]);
            open_subject(&two, evaluators[j], vlad_capsule_programs[i]);
            vlad_subject_begin(&one.s);
            vlad_ending whole = vlad_subject_run(&one.s, VLAD_FOR_EVER);
            vlad_subject_begin(&two.s); /* so that the input is read there, too */
            (void)vlad_subject_run(&two.s, VLAD_FOR_EVER);
            size_t size, again_size;
            char *bytes;
            for (uint64_t steps = 0; (bytes = capture_at(&one, steps, &size)) != NULL; steps++) {
                two.s.machine.registers[VLAD_SPARE] = read_right(&two, bytes, size);
                vlad_subject_resume(&two.s, steps);
                vlad_subject_capture(&two.s);
                char *again = write(&two, two.s.machine.registers[VLAD_SPARE], &again_size);
                assert_int_equal(size, again_size);
                assert_memory_equal(bytes, again, size);
                vlad_subject_require_same(&two.s, whole, vlad_subject_run(&two.s, VLAD_FOR_EVER));
                verso__dealloc(again);
                /* A machine that has done fewer steps so far than a player within the capsule. */
                two.s.machine.registers[VLAD_SPARE] = read_right(&two, bytes, size);
                vlad_subject_resume(&two.s, 0);
                vlad_ending end = vlad_subject_run(&two.s, VLAD_FOR_EVER);
                end.steps += steps;
                vlad_subject_require_same(&two.s, whole, end);
                verso__dealloc(bytes);
            }
            close_subject(&one);
            close_subject(&two);
        }
}

/* ---- Forged bytes ---- */

/* Reads bytes that may be wrong: they must be refused, or be a capsule that can be resumed and run for a while. */
static void try_bytes(subject *u, const char *bytes, size_t size) {
    vlad_machine *machine = &u->s.machine;
    vlad_value value;
    machine->heap.exhausted = false;
    u->s.error = (verso_error){0};
    verso_status status = read(u, bytes, size, &value);
    if (status != VERSO_STATUS_OK) {
        assert_true(status == VERSO_STATUS_CORRUPT || status == VERSO_STATUS_NO_MEMORY);
        assert_true(u->s.error.message[0] != '\0');
        return;
    }
    if (!vlad_is_kind(value, VLAD_CAPSULE))
        return;
    machine->registers[VLAD_SPARE] = value;
    vlad_subject_resume(&u->s, 0);
    machine->limit = 2000;
    (void)vlad_machine_run(machine);
}

static void bytes_that_end_too_early(void **state) {
    (void)state;
    for (int i = 0; i < VLAD_CAPSULE_PROGRAMS; i++)
        for (int j = 0; j < EVALUATORS; j++) {
            subject u;
            size_t size;
            vlad_value value;
            open_subject(&u, evaluators[j], vlad_capsule_programs[i]);
            char *bytes = capture_half_way(&u, &size);
            assert_non_null(bytes);
            for (size_t less = 0; less < size; less++) {
                char *part = malloc(less + 1); /* so that a sanitizer sees where it ends */
                assert_non_null(part);
                memcpy(part, bytes, less);
                assert_int_equal(read(&u, part, less, &value), VERSO_STATUS_CORRUPT);
                free(part);
            }
            verso__dealloc(bytes);
            close_subject(&u);
        }
}

static uint64_t seed_of_tests(void) {
    const char *given = getenv("VERSO_SEED");
    return given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
}

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* Some words become others: of the same bytes, small ones, references, neighbours. */
static void change(char *bytes, size_t size, uint64_t *seed) {
    for (uint64_t times = 1 + next_random(seed) % 3; times > 0; times--) {
        unsigned char *at = (unsigned char *)bytes + next_random(seed) % (size / VERSO_WORD) * VERSO_WORD;
        const unsigned char *from = (unsigned char *)bytes + next_random(seed) % (size / VERSO_WORD) * VERSO_WORD;
        const unsigned char *here = at;
        uint64_t word = verso__get_word(&here);
        switch (next_random(seed) % 6) {
        case 0: word = verso__get_word(&from); break;
        case 1: word = next_random(seed) % 70; break;
        case 2: word = VLAD_POINTER | next_random(seed) % (size / VERSO_WORD); break;
        case 3: word += next_random(seed) % 2 == 0 ? 1 : UINT64_MAX; break;
        case 4: word ^= UINT64_C(1) << next_random(seed) % 64; break;
        default: word = VLAD_NULL + next_random(seed) % 4; break;
        }
        verso__put_word(&at, word);
    }
}

/* Each byte in turn, and then words at random. */
static void bytes_that_are_wrong(void **state) {
    uint64_t seed = seed_of_tests();
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < VLAD_CAPSULE_PROGRAMS; i++)
        for (int j = 0; j < EVALUATORS; j++) {
            subject u;
            size_t size;
            open_subject(&u, evaluators[j], vlad_capsule_programs[i]);
            u.s.machine.heap.limit = 64 << 20;
            for (uint64_t steps = 5; steps < 400; steps += 45) {
                char *bytes = capture_at(&u, steps, &size);
                if (bytes == NULL)
                    break;
                char *wrong = malloc(size);
                assert_non_null(wrong);
                for (size_t k = 0; k < size && size < 2000; k++) {
                    memcpy(wrong, bytes, size);
                    wrong[k] = (char)(wrong[k] ^ (1 << next_random(&seed) % 8));
                    try_bytes(&u, wrong, size);
                }
                for (int k = 0; k < 1000; k++) {
                    memcpy(wrong, bytes, size);
                    change(wrong, size, &seed);
                    try_bytes(&u, wrong, size);
                }
                free(wrong);
                verso__dealloc(bytes);
            }
            close_subject(&u);
        }
}

/* ---- Seeds of fuzz_vlad_bytes ---- */

static int write_seeds(const char *folder) {
    for (int i = 0; i < VLAD_CAPSULE_PROGRAMS; i++)
        for (int j = 0; j < EVALUATORS; j++) {
            subject u;
            size_t size;
            char path[4096];
            open_subject(&u, evaluators[j], vlad_capsule_programs[i]);
            char *bytes = capture_half_way(&u, &size);
            (void)snprintf(path, sizeof path, "%s/%s-%d", folder, j == 0 ? "interpreted" : "converted", i);
            FILE *file = bytes != NULL ? fopen(path, "wb") : NULL;
            if (file == NULL || fputc(2 * i + j, file) == EOF || fwrite(bytes, 1, size, file) != size ||
                fclose(file) != 0)
                return 1;
            verso__dealloc(bytes);
            close_subject(&u);
        }
    return 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_same),         cmocka_unit_test(what_is_shared_is_written_once),
        cmocka_unit_test(long_lists_are_written),      cmocka_unit_test(versions_of_vectors_are_differences),
        cmocka_unit_test(evaluations_go_on_elsewhere), cmocka_unit_test(bytes_that_end_too_early),
        cmocka_unit_test(bytes_that_are_wrong),
    };
    if (argc == 3 && strcmp(argv[1], "--seeds") == 0)
        return write_seeds(argv[2]);
    return cmocka_run_group_tests_name("values of VLAD as bytes", tests, NULL, NULL);
}
