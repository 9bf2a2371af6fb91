/* Offload: the tape is in memory up to a limit, and beyond it in a file. See tape.h.
 *
 * The tape is divided into blocks, which have the same offset in the file as in memory. The records that are
 * written first are read last, so the blocks that are only in the file are always the lowest ones:
 *
 *   0                low            filed                   tape
 *   |  in the file   |    in both   |       in memory       |
 *
 * Recording. Generated code does not test for room, but a safepoint calls verso__native_offload_pass every
 * block or so. It hands full blocks to the writer's thread, early enough that they are written before their
 * memory is needed; then it gives the memory back and makes the block inaccessible, so that an erroneous read
 * is a fault and not zeros.
 *
 * Reversing. Reverse functions do not test either, but each safepoint compares the tape with state.tape_stop.
 * The reverse sweep passes every safepoint that the recording has passed, with the tape exactly where it was
 * then. So the safepoints at which blocks were handed over are remembered (marks), and are the stops of the
 * sweep. At a stop, everything down to the next lower mark is read back or waited for; blocks below that are
 * read ahead, and blocks above are given back. Between two marks there is about one block, and never more than
 * one snapshot or what one custom adjoint keeps: checkpointed calls are marks, too (callsites.c).
 *
 * A call that is recorded during the reverse sweep makes the tape grow again, over blocks that have a copy in
 * the file; that copy is forgotten when the recording begins. All writing is complete when reversing begins, so
 * that no block changes while it is written.
 *
 * The file has no name: it is removed as soon as it was made, and disappears with the process. Bytes that are
 * read back are compared with a checksum that stayed in memory. The thread accesses only `filed`, `there`, the
 * sums, and the blocks that it was handed. */
#include "native/tape/tape.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/wide.h"
#include "base/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_UNLESS_SAID (UINT64_C(256) << 20)
#define MEMORY_LEAST (UINT64_C(4) << 20)
#define BLOCK_MOST (UINT64_C(8) << 20)
/* The minimum number of blocks that the limit is divided into. */
enum { PARTS = 16 };

struct verso__native_offloading {
    verso__worker *worker;
    char *path;
    verso__file file;
    uint64_t limit, block; /* bytes */
    uint64_t unwritten;    /* bytes at the end of a recording that are not handed to the writer */
    uint64_t ahead;        /* bytes below the sweep that are read ahead */
    bool named;            /* the file still has its name, because it could not be removed when it was made */

    char **marks; /* tape addresses at which the sweep stops, ascending */
    size_t mark_count, mark_room;
    verso_identity *sums; /* checksums of the blocks in the file */
    size_t sum_room;

    uint64_t low;           /* blocks below this number are only in the file, and inaccessible */
    uint64_t handed;        /* blocks below this number were handed to the writer */
    atomic_ullong filed;    /* blocks below this number are in the file */
    atomic_ullong there;    /* blocks from this number on are in memory; blocks from `low` up to it are being read */
    atomic_bool given_up;   /* the writer skips blocks that it has not begun to write */
    uint64_t most, in_file; /* peak bytes in memory and in the file */
};

typedef struct verso__native_offloading offloading;

static struct verso__native_offloading *offload_now; /* NULL: the tape stays in memory */

bool verso__native_offload_is_on(void) {
    return offload_now != NULL;
}

static offloading *now(void) {
    return offload_now;
}

static uint64_t offset_of(const char *tape) {
    return (uint64_t)(uintptr_t)tape - VERSO_NATIVE_TAPE_AT;
}

static char *block_at(const offloading *o, uint64_t number) {
    return verso__native_address(VERSO_NATIVE_TAPE_AT + number * o->block);
}

static verso_status no_memory(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the tables of a recording in a file");
}

/* ---- In the worker's thread ---- */

typedef struct transfer {
    verso__job job;
    offloading *of;
    uint64_t number;
} transfer;

static verso_status write_block(verso__job *job, verso_error *error) {
    const transfer *t = (const transfer *)job;
    offloading *o = t->of;
    if (atomic_load(&o->given_up))
        return VERSO_STATUS_OK;
    const char *bytes = block_at(o, t->number);
    o->sums[t->number] = verso__checksum_wide(bytes, o->block);
    verso_status status = verso__file_write_at(&o->file, bytes, o->block, t->number * o->block, error);
    if (status == VERSO_STATUS_OK)
        atomic_store(&o->filed, t->number + 1);
    return status;
}

static verso_status read_block(verso__job *job, verso_error *error) {
    const transfer *t = (const transfer *)job;
    offloading *o = t->of;
    char *bytes = block_at(o, t->number);
    size_t got;
    verso_status status = verso__file_read_at(&o->file, bytes, o->block, t->number * o->block, &got, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (got < o->block || !verso__identity_equal(verso__checksum_wide(bytes, o->block), o->sums[t->number]))
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "the recording was read back from '%.300s' with other bytes than were written; is the disk "
                           "sound? Offload to another directory.",
                           o->path);
    atomic_store(&o->there, t->number);
    return VERSO_STATUS_OK;
}

static void free_transfer(verso__job *job) {
    verso__dealloc(job);
}

/* ---- Handing over ---- */

static verso_status submit(offloading *o, uint64_t number, verso_status (*run)(verso__job *, verso_error *),
                           verso_error *error) {
    transfer *t = verso__alloc(1, sizeof *t);
    if (t == NULL)
        return no_memory(error);
    *t = (transfer){.job = {.run = run, .dispose = free_transfer}, .of = o, .number = number};
    return verso__worker_submit(o->worker, &t->job, error);
}

/* The thread writes sums, so it must be idle while they move. */
static verso_status reserve_sum(offloading *o, uint64_t number, verso_error *error) {
    if (number < o->sum_room)
        return VERSO_STATUS_OK;
    verso_status status = verso__worker_drain(o->worker, error);
    if (status != VERSO_STATUS_OK)
        return status;
    size_t room = 2 * (size_t)number + 64;
    verso_identity *sums = verso__realloc(o->sums, room, sizeof *sums);
    if (sums == NULL)
        return no_memory(error);
    o->sums = sums;
    o->sum_room = room;
    return VERSO_STATUS_OK;
}

static verso_status hand_over(offloading *o, verso_error *error) {
    verso_status status = reserve_sum(o, o->handed, error);
    if (status == VERSO_STATUS_OK)
        status = submit(o, o->handed, write_block, error);
    if (status == VERSO_STATUS_OK && ++o->handed * o->block > o->in_file)
        o->in_file = o->handed * o->block;
    return status;
}

/* Gives back the memory of the lowest block in memory, after it was written to the file. */
static verso_status give_back(offloading *o, verso_error *error) {
    verso_status status = o->handed == o->low ? hand_over(o, error) : VERSO_STATUS_OK;
    if (status == VERSO_STATUS_OK && atomic_load(&o->there) > o->low)
        status = verso__worker_drain(o->worker, error); /* the block is being read */
    while (status == VERSO_STATUS_OK && atomic_load(&o->filed) <= o->low)
        status = verso__worker_wait_one(o->worker, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_drop(block_at(o, o->low), block_at(o, o->low + 1));
    if (!verso__native_protect(block_at(o, o->low), block_at(o, o->low + 1), false))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "a part of the tape that is in a file cannot be guarded: %s",
                           strerror(errno));
    atomic_store(&o->there, ++o->low);
    return VERSO_STATUS_OK;
}

static void note_most(offloading *o, uint64_t end) {
    if (end - o->low * o->block > o->most)
        o->most = end - o->low * o->block;
}

/* ---- Recording ---- */

/* Makes room for the tape, whose records end at `end` and which continues at `next`. */
static verso_status make_room(offloading *o, const char *end, char *next, verso_error *error) {
    uint64_t full = offset_of(end) / o->block, wanted = offset_of(next) + o->block;
    verso_status status = VERSO_STATUS_OK;
    while (status == VERSO_STATUS_OK && o->handed < full && wanted - o->handed * o->block > o->unwritten)
        status = hand_over(o, error);
    while (status == VERSO_STATUS_OK && o->low < full && wanted - o->low * o->block > o->limit)
        status = give_back(o, error);
    note_most(o, wanted);
    verso__native_tape_set_next_check(next + o->block, true);
    return status;
}

static const char *last_mark(const offloading *o) {
    return o->mark_count > 0 ? o->marks[o->mark_count - 1] : verso__native_tape();
}

/* Adds a mark, unless the last one is less than a block away: a loop that records nothing calls this often. */
static verso_status mark(offloading *o, char *tape, verso_error *error) {
    if ((uint64_t)(tape - last_mark(o)) < o->block)
        return VERSO_STATUS_OK;
    if (o->mark_count == o->mark_room) {
        size_t room = 2 * o->mark_room + 64;
        char **marks = verso__realloc(o->marks, room, sizeof *marks);
        if (marks == NULL)
            return no_memory(error);
        o->marks = marks;
        o->mark_room = room;
    }
    o->marks[o->mark_count++] = tape;
    return VERSO_STATUS_OK;
}

void verso__native_offload_pass(char *tape) {
    verso_error error = {0};
    verso_status status = mark(now(), tape, &error);
    if (status == VERSO_STATUS_OK)
        status = make_room(now(), tape, tape, &error);
    if (status != VERSO_STATUS_OK)
        verso__native_give_up(status, "%s", error.message);
}

void verso__native_offload_pass_if_due(void) {
    if (now() != NULL && (uint64_t)(verso__native_now.tape - last_mark(now())) >= now()->block)
        verso__native_offload_pass(verso__native_now.tape);
}

verso_status verso__native_offload_snapshot(size_t size, verso_error *error) {
    char *tape = verso__native_now.tape;
    return now() != NULL ? make_room(now(), tape, tape + size, error) : VERSO_STATUS_OK;
}

void verso__native_offload_prepare_recording(void) {
    offloading *o = now();
    if (o == NULL)
        return;
    uint64_t number = offset_of(verso__native_now.tape) / o->block;
    if (o->handed > number) {
        o->handed = number;
        atomic_store(&o->filed, number);
    }
    verso__native_tape_set_next_check(verso__native_now.tape + o->block, false);
}

/* ---- Reversing ---- */

static verso_status read_next_block(offloading *o, verso_error *error) {
    uint64_t number = o->low - 1;
    if (!verso__native_protect(block_at(o, number), block_at(o, number + 1), true))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY,
                           "a part of the tape that is in a file cannot be read back: %s", strerror(errno));
    o->low = number;
    return submit(o, number, read_block, error);
}

/* Reads back what the sweep, which is at `end`, needs next: everything down to the last mark. */
static verso_status bring_back(offloading *o, const char *end, verso_error *error) {
    uint64_t needed = offset_of(last_mark(o)) / o->block;
    uint64_t above = (offset_of(end) + o->block - 1) / o->block * o->block;
    verso_status status = VERSO_STATUS_OK;
    verso__native_now.tape_stop = o->mark_count > 0 ? o->marks[o->mark_count - 1] : NULL;
    verso__native_tape_keep(above);
    while (status == VERSO_STATUS_OK && o->low > 0 && (o->low > needed || above - (o->low - 1) * o->block < o->ahead))
        status = read_next_block(o, error);
    note_most(o, above);
    while (status == VERSO_STATUS_OK && atomic_load(&o->there) > needed)
        status = verso__worker_wait_one(o->worker, error);
    return status;
}

verso_status verso__native_offload_prepare_sweep(verso_error *error) {
    offloading *o = now();
    if (o == NULL)
        return VERSO_STATUS_OK;
    verso_status status = VERSO_STATUS_OK;
    if (o->handed > atomic_load(&o->filed)) {
        atomic_store(&o->given_up, true);
        status = verso__worker_drain(o->worker, error);
        atomic_store(&o->given_up, false);
        o->handed = atomic_load(&o->filed);
    }
    return status == VERSO_STATUS_OK ? bring_back(o, verso__native_now.tape, error) : status;
}

void verso__native_offload_stop(void) {
    offloading *o = now();
    verso_error error = {0};
    const char *end = o->marks[--o->mark_count];
    verso_status status = bring_back(o, end, &error);
    if (status != VERSO_STATUS_OK)
        verso__native_give_up(status, "%s", error.message);
}

bool verso__native_offload_is_file_only(const void *address) {
    const offloading *o = now();
    return o != NULL && (uintptr_t)address >= VERSO_NATIVE_TAPE_AT && (const char *)address < block_at(o, o->low);
}

/* ---- Beginning and end ---- */

static uint64_t block_for(uint64_t limit) {
    uint64_t block = BLOCK_MOST;
    while (block > limit / PARTS)
        block /= 2;
    return block;
}

/* No other process or thread uses the name, because there is one differentiation at a time in a process. */
static verso_status make_file(offloading *o, const verso_native_options *options, verso_error *error) {
    const verso__system *system = verso__system_current();
    char name[64];
    snprintf(name, sizeof name, "verso-tape-%ld-%.6f", (long)getpid(), verso__date());
    o->path = verso__path_join(options->offload_directory, name);
    if (o->path == NULL)
        return no_memory(error);
    verso_status status = verso__file_open_own(system, o->path, O_RDWR | O_CREAT | O_EXCL, &o->file, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_remove(system, o->path, error);
    o->named = o->file.handle >= 0 && status != VERSO_STATUS_OK;
    return status;
}

static verso_status make_thread(offloading *o, bool synchronous, verso_error *error) {
    verso_error why = {0};
    verso_status status = verso__worker_new(synchronous, &o->worker, &why);
    if (status == VERSO_STATUS_OK)
        return VERSO_STATUS_OK;
    return verso__fail(error, status, "the recording cannot be offloaded: %.200s; ask for synchronous offload",
                       why.message);
}

verso_status verso__native_offload_open(const verso_native_options *options, verso_error *error) {
    if (options->offload_memory != 0 && options->offload_memory < MEMORY_LEAST)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the offload's memory limit of %llu bytes is too small; at least %llu bytes are needed",
                           (unsigned long long)options->offload_memory, (unsigned long long)MEMORY_LEAST);
    offloading *o = verso__alloc(1, sizeof *o);
    if (o == NULL)
        return no_memory(error);
    offload_now = o;
    o->file.handle = -1;
    o->limit = options->offload_memory != 0 ? options->offload_memory : MEMORY_UNLESS_SAID;
    o->block = block_for(o->limit);
    o->unwritten = options->offload_synchronous ? o->limit : o->limit / 4 * 3;
    o->ahead = options->offload_synchronous ? 0 : o->limit / 4 * 3;
    verso_status status = make_file(o, options, error);
    if (status == VERSO_STATUS_OK)
        status = make_thread(o, options->offload_synchronous, error);
    verso__native_tape_keep(o->limit);
    if (status == VERSO_STATUS_OK)
        verso__native_tape_set_next_check(verso__native_tape() + o->block, true);
    return status;
}

uint64_t verso__native_offload_close(verso_native_report *report) {
    offloading *o = now();
    if (o == NULL)
        return report->tape_bytes;
    uint64_t most = verso__min_u64(o->most, report->tape_bytes);
    verso__worker_free(o->worker);
    if (o->named)
        (void)verso__file_remove(o->file.system, o->path, NULL);
    (void)verso__file_close(&o->file, NULL); /* the file is not needed any more */
    (void)verso__native_protect(block_at(o, 0), block_at(o, o->low), true);
    verso__native_tape_keep(o->limit);
    report->offload_bytes = o->in_file;
    offload_now = NULL;
    verso__dealloc(o->path);
    verso__dealloc(o->marks);
    verso__dealloc(o->sums);
    verso__dealloc(o);
    return most;
}
