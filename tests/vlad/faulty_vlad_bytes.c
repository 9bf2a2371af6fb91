/* Tests converting values of VLAD to bytes and back with every allocation failing once: NO_MEMORY each time, with a
 * message, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tests/support/vlad_capsules.h"
#include "tests/support/vlad_subject.h"
#include "vlad/bytes.h"

static const vlad_evaluator *const evaluators[] = {&vlad_interpreter, &vlad_hybrid};

/* Written, read by a heap of its own, and written again. */
static verso_status there_and_back(const vlad_subject *s, vlad_value capsule, verso_error *error) {
    vlad_index index;
    vlad_heap heap;
    vlad_value value;
    char *bytes = NULL, *again = NULL;
    size_t size, again_size;
    verso_status status = vlad_index_open(&index, &s->program, error);
    if (status != VERSO_STATUS_OK)
        return status;
    index.converted = s->machine.converted;
    vlad_heap_open(&heap, 0);
    status = vlad_bytes_write(&index, capsule, &bytes, &size, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_bytes_read(&heap, &index, VLAD_LEVELS, bytes, size, &value, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_bytes_write(&index, value, &again, &again_size, error);
    if (status == VERSO_STATUS_OK) {
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again, size);
    }
    verso__dealloc(bytes);
    verso__dealloc(again);
    vlad_heap_close(&heap);
    vlad_index_close(&index);
    return status;
}

static void try_every_allocation(vlad_subject *s) {
    vlad_value capsule = s->machine.registers[VLAD_SPARE];
    uint64_t before = verso__alloc_live();
    verso_status status = VERSO_STATUS_NO_MEMORY;
    for (uint64_t n = 1; status == VERSO_STATUS_NO_MEMORY; n++) {
        verso_error error = {0};
        assert_true(n < 1000);
        verso__alloc_fail_at(n);
        status = there_and_back(s, capsule, &error);
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), before);
        assert_true(status == VERSO_STATUS_OK || error.message[0] != '\0');
    }
    assert_int_equal(status, VERSO_STATUS_OK);
}

static void memory_may_end_anywhere(void **state) {
    (void)state;
    for (int i = 0; i < VLAD_CAPSULE_PROGRAMS; i++)
        for (size_t j = 0; j < sizeof evaluators / sizeof *evaluators; j++) {
            vlad_subject s;
            vlad_subject_open(&s, evaluators[j], vlad_capsule_programs[i], VLAD_CAPSULES_INPUT);
            vlad_subject_begin(&s);
            uint64_t steps = vlad_subject_run(&s, VLAD_FOR_EVER).steps;
            vlad_subject_begin(&s);
            assert_int_equal(vlad_subject_run(&s, steps / 2).outcome, VLAD_INTERRUPTED);
            vlad_subject_capture(&s);
            try_every_allocation(&s);
            vlad_subject_close(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_may_end_anywhere)};
    return cmocka_run_group_tests_name("values of VLAD as bytes without memory", tests, NULL, NULL);
}
