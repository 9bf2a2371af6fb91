/* Implements vlad_subject.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/vlad_subject.h"

enum { LEAF = 9 };

void vlad_subject_open(vlad_subject *s, const vlad_evaluator *evaluator, const char *text, const char *input) {
    uint32_t file;
    *s = (vlad_subject){.text = text, .sources = vlad_sources_new(), .how.leaf = LEAF};
    s->in = input[0] != '\0' ? fmemopen((void *)(uintptr_t)input, strlen(input), "r") : fopen("/dev/null", "r");
    s->out = open_memstream(&s->printed, &s->printed_size);
    assert_true(s->sources != NULL && s->in != NULL && s->out != NULL);
    vlad_effects_open(&s->effects, s->in, "input", s->out);
    verso_run_options_init(&s->how.run);
    verso_schedule_spec_init(&s->how.run.spec, VERSO_KIND_BINARY);
    if (vlad_sources_add(s->sources, "t", text, strlen(text), &file, &s->error) != VERSO_STATUS_OK ||
        vlad_read_program(s->sources, file, &s->program, &s->error) != VERSO_STATUS_OK || s->program.count == 0 ||
        vlad_machine_open(&s->machine, evaluator, &s->program, s->sources, &s->effects, 0, &s->error) !=
            VERSO_STATUS_OK) {
        print_error("%s\n", text); /* fail_msg would truncate it */
        fail_msg("%s", s->error.message);
    }
    s->machine.nested = &s->how;
}

void vlad_subject_close(vlad_subject *s) {
    vlad_machine_close(&s->machine);
    vlad_effects_close(&s->effects);
    fclose(s->in);
    fclose(s->out);
    free(s->printed);
    vlad_sources_free(s->sources);
}

/* ---- Running ---- */

void vlad_subject_begin(vlad_subject *s) {
    s->effects.at = 0;
    s->machine.steps = 0;
    s->machine.numbers.count = s->machine.player_count = 0; /* an interrupted evaluation may have left some */
    vlad_machine_begin(&s->machine, s->program.expressions[s->program.count - 1]);
}

static vlad_value mix_bits(void *context, vlad_value real, vlad_value other) {
    uint64_t *bits = context;
    (void)other;
    assert_true(vlad_is_plain(real));
    *bits = (*bits ^ real) * UINT64_C(0x9e3779b97f4a7c15);
    *bits ^= *bits >> 29;
    return VLAD_NULL;
}

vlad_ending vlad_subject_run(vlad_subject *s, uint64_t limit) {
    vlad_ending ending = {.outcome = VLAD_FAILED};
    s->machine.limit = limit;
    s->error = (verso_error){0};
    ending.outcome = vlad_machine_run(&s->machine);
    ending.steps = s->machine.steps;
    if (ending.outcome == VLAD_FAILED)
        memcpy(ending.text, s->error.message, sizeof ending.text);
    if (ending.outcome == VLAD_ENDED) {
        vlad_value value = s->machine.registers[VLAD_RESULT];
        vlad_value_text(value, ending.text, sizeof ending.text);
        assert_int_equal(vlad_shape_map(&s->machine.heap, value, VLAD_NOTHING, mix_bits, &ending.bits, NULL, &s->error),
                         VERSO_STATUS_OK);
        assert_int_equal(s->machine.numbers.count, 0);
        assert_int_equal(s->machine.player_count, 0);
    }
    return ending;
}

void vlad_subject_require_same(const vlad_subject *s, vlad_ending expected, vlad_ending found) {
    if (expected.outcome != found.outcome || expected.steps != found.steps || expected.bits != found.bits ||
        strcmp(expected.text, found.text) != 0) {
        print_error("%s\n", s->text); /* fail_msg would truncate it */
        fail_msg("%d, %llu steps: %s\n%d, %llu steps: %s\nbits %llx %llx", (int)expected.outcome,
                 (unsigned long long)expected.steps, expected.text, (int)found.outcome, (unsigned long long)found.steps,
                 found.text, (unsigned long long)expected.bits, (unsigned long long)found.bits);
    }
}

/* ---- Capsules ---- */

void vlad_subject_capture(vlad_subject *s) {
    vlad_value capsule = vlad_machine_capture(&s->machine, 0, 0);
    assert_true(vlad_is_kind(capsule, VLAD_CAPSULE));
    s->machine.registers[VLAD_SPARE] = capsule;
}

/* Overwrites the machine's state with wrong values, which resuming must replace. */
static void wipe(vlad_machine *machine) {
    vlad_value capsule = machine->registers[VLAD_SPARE];
    for (size_t i = 0; i < machine->register_count; i++)
        machine->registers[i] = vlad_number(1e300);
    machine->registers[VLAD_SPARE] = capsule;
    machine->at = NULL;
    machine->term = NULL;
    machine->phase = 7;
    for (int i = 0; i < VLAD_LEVELS; i++) {
        machine->numbers.levels[i] = (vlad_level){.tag = 1, .born = 12345};
        machine->numbers.tapes[i] = machine->plays[i] = VLAD_NULL;
        machine->players[i] = (vlad_player){.base = 1};
    }
    machine->numbers.count = machine->player_count = 0;
    machine->effects->at = 0;
}

void vlad_subject_resume(vlad_subject *s, uint64_t steps) {
    wipe(&s->machine);
    s->machine.steps = steps;
    vlad_machine_resume(&s->machine, s->machine.registers[VLAD_SPARE], 0, 0);
}
