/* See durable.h. An adjoint is the value ((y . cotangents) . (steps . effects)). The driver takes capsules between
 * two actions, where no collection happens. */
#include "vlad/durable.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"

static void forget(vlad_durable *durable) {
    verso__dealloc(durable->bytes);
    durable->bytes = NULL;
    durable->size = 0;
}

void vlad_durable_close(vlad_durable *durable) {
    forget(durable);
}

/* ---- Values ---- */

static vlad_value adjoint_value(vlad_durable *durable) {
    vlad_heap *heap = &durable->machine->heap;
    vlad_value table = vlad_cotangents_save(durable->cotangents);
    vlad_value first = table == VLAD_NOTHING ? table : vlad_pair(heap, *durable->y, table);
    vlad_value second =
        vlad_pair(heap, vlad_number((double)*durable->steps), vlad_number((double)*durable->effects_after));
    return first == VLAD_NOTHING || second == VLAD_NOTHING ? VLAD_NOTHING : vlad_pair(heap, first, second);
}

static vlad_value part(vlad_value pair, int number) {
    return vlad_is_kind(pair, VLAD_PAIR) ? vlad_object_of(pair)->field[number] : VLAD_NULL;
}

static bool is_count(vlad_value value) {
    return vlad_is_plain(value) && vlad_plain(value) >= 0 && vlad_plain(value) <= 0x1p53;
}

static verso_status put_adjoint(vlad_durable *durable, vlad_value value, verso_error *error) {
    vlad_value table = part(part(value, 0), 1), steps = part(part(value, 1), 0), effects = part(part(value, 1), 1);
    if (!vlad_is_kind(table, VLAD_TABLE) || !is_count(steps) || !is_count(effects))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "an adjoint is not one of this program");
    *durable->y = part(part(value, 0), 0);
    *durable->steps = (uint64_t)vlad_plain(steps);
    *durable->effects_after = (uint64_t)vlad_plain(effects);
    vlad_cotangents_clear(durable->cotangents);
    return vlad_cotangents_load(durable->cotangents, table) ? VERSO_STATUS_OK
                                                            : vlad_heap_failure(&durable->machine->heap, error);
}

/* ---- Bytes ---- */

/* The driver asks for the size first. An error is reported when it asks for the bytes. */
size_t vlad_durable_size(vlad_durable *durable, verso_capsule_kind kind) {
    vlad_machine *machine = durable->machine;
    forget(durable);
    vlad_value value = kind == VERSO_CAPSULE_ADJOINT ? adjoint_value(durable)
                                                     : vlad_machine_capture(machine, durable->level, durable->player);
    if (value == VLAD_NOTHING)
        (void)vlad_heap_failure(&machine->heap, &durable->error);
    else
        (void)vlad_bytes_write(durable->index, value, &durable->bytes, &durable->size, &durable->error);
    return durable->size;
}

verso_status vlad_durable_capture(vlad_durable *durable, verso_capsule_kind kind, void *bytes, size_t size,
                                  verso_error *error) {
    if (durable->bytes == NULL)
        (void)vlad_durable_size(durable, kind);
    if (durable->bytes == NULL || durable->size != size)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "%s", durable->error.message);
    memcpy(bytes, durable->bytes, size);
    forget(durable);
    return VERSO_STATUS_OK;
}

verso_status vlad_durable_resume(vlad_durable *durable, verso_capsule_kind kind, const void *bytes, size_t size,
                                 verso_error *error) {
    vlad_value value;
    verso_status status = vlad_bytes_read(&durable->machine->heap, durable->index, VLAD_LEVELS - 1 - durable->level,
                                          bytes, size, &value, error);
    if (status != VERSO_STATUS_OK || kind == VERSO_CAPSULE_ADJOINT)
        return status == VERSO_STATUS_OK ? put_adjoint(durable, value, error) : status;
    if (!vlad_is_kind(value, VLAD_CAPSULE))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "a state is not one of this program");
    vlad_machine_resume(durable->machine, value, durable->level, durable->player);
    return VERSO_STATUS_OK;
}

verso_status vlad_durable_identity(vlad_durable *durable, vlad_value state, vlad_value other, uint64_t leaf,
                                   verso_identity *identity, verso_error *error) {
    const vlad_sources *sources = durable->machine->sources;
    const vlad_value values[] = {state, other};
    verso_status status = VERSO_STATUS_OK;
    const uint64_t how[] = {leaf, durable->index->converted != NULL};
    *identity = verso__checksum_wide(how, sizeof how);
    for (uint32_t file = 0; file < vlad_sources_count(sources); file++) {
        size_t size;
        const char *text = vlad_sources_text(sources, file, &size);
        *identity = verso__checksum_chain(*identity, text, size);
    }
    for (int i = 0; status == VERSO_STATUS_OK && i < 2; i++) {
        char *bytes;
        size_t size;
        status = vlad_bytes_write(durable->index, values[i], &bytes, &size, error);
        if (status == VERSO_STATUS_OK)
            *identity = verso__checksum_chain(*identity, bytes, size);
        verso__dealloc(bytes);
    }
    return status;
}
