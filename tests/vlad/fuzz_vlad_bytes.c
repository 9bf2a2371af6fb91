/* libFuzzer target: reads arbitrary bytes as capsules of VLAD programs. They are refused with a message, or a machine
 * can be resumed from them. The first byte selects the program (tests/support/vlad_capsules.h) and the evaluator.
 * Seeds: build/tests/test_vlad_bytes --seeds tests/data/fuzz_vlad_bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "tests/support/vlad_capsules.h"
#include "vlad/bytes.h"
#include "vlad/checkpoint.h"

enum { LEAF = 9, STEPS = 2000, MEMORY = 8 << 20 };

static void require(bool holds) {
    if (!holds)
        abort();
}

static void go_on(vlad_machine *machine, vlad_value capsule) {
    vlad_checkpointing how = {.leaf = LEAF};
    verso_run_options_init(&how.run);
    verso_schedule_spec_init(&how.run.spec, VERSO_KIND_BINARY);
    machine->nested = &how;
    machine->limit = STEPS;
    vlad_machine_resume(machine, capsule, 0, 0);
    if (vlad_machine_run(machine) == VLAD_FAILED)
        require(machine->error->message[0] != '\0');
    machine->nested = NULL;
}

static void try_bytes(vlad_machine *machine, const vlad_program *program, const uint8_t *data, size_t size) {
    vlad_index index;
    vlad_value value;
    verso_error *error = machine->error;
    require(vlad_index_open(&index, program, error) == VERSO_STATUS_OK);
    index.converted = machine->converted;
    verso_status status = vlad_bytes_read(&machine->heap, &index, VLAD_LEVELS, (const char *)data, size, &value, error);
    if (status != VERSO_STATUS_OK)
        require(error->status == status && error->message[0] != '\0');
    else if (vlad_is_kind(value, VLAD_CAPSULE))
        go_on(machine, value);
    vlad_index_close(&index);
}

/* ---- Changes ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of what libFuzzer does to bytes little is still a capsule; so every other time a word becomes another one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
    size_t words = size / VERSO_WORD;
    if (seed % 2 == 0 || words == 0)
        return LLVMFuzzerMutate(data, size, most);
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
    const unsigned char *from = data + 1 + (random >> 8) % words * VERSO_WORD;
    unsigned char *to = data + 1 + (random >> 24) % words * VERSO_WORD;
    if (from + VERSO_WORD > data + size || to + VERSO_WORD > data + size)
        return size;
    const unsigned char *old = to;
    uint64_t small = (random >> 40) % 80;
    const uint64_t others[] = {verso__get_word(&from), small, VLAD_POINTER | small, verso__get_word(&old) + small - 40,
                               VLAD_NULL + small % 4};
    verso__put_word(&to, others[(random >> 50) % (sizeof others / sizeof *others)]);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *out;
    if (size == 0)
        return 0;
    if (out == NULL)
        require((out = fopen("/dev/null", "w")) != NULL);
    const vlad_evaluator *evaluator = data[0] % 2 == 0 ? &vlad_interpreter : &vlad_hybrid;
    const char *text = vlad_capsule_programs[data[0] / 2 % VLAD_CAPSULE_PROGRAMS];
    FILE *in = fmemopen((void *)(uintptr_t)VLAD_CAPSULES_INPUT, strlen(VLAD_CAPSULES_INPUT), "r");
    vlad_sources *sources = vlad_sources_new();
    uint32_t file;
    vlad_program program;
    vlad_effects effects;
    vlad_machine machine;
    verso_error error = {0};
    require(in != NULL && vlad_sources_add(sources, "t", text, strlen(text), &file, &error) == VERSO_STATUS_OK &&
            vlad_read_program(sources, file, &program, &error) == VERSO_STATUS_OK);
    vlad_effects_open(&effects, in, "input", out);
    require(vlad_machine_open(&machine, evaluator, &program, sources, &effects, MEMORY, &error) == VERSO_STATUS_OK);
    try_bytes(&machine, &program, data + 1, size - 1);
    vlad_machine_close(&machine);
    vlad_effects_close(&effects);
    vlad_sources_free(sources);
    fclose(in);
    return 0;
}
