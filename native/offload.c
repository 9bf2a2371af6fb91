/* Offload: the tape lives in memory up to a limit, and beyond it in a file. See native.h.
 *
 * The tape is divided into blocks, which lie in the file as they lie in memory: at the same distance from the
 * beginning. What is pushed first is popped last, so it is always the lowest blocks that are in the file alone:
 *
 *   0                low            filed                   tape
 *   |  in the file   |    in both   |       in memory       |
 *
 * Recording. Generated code does not test for room, but safepoints come by every so many bytes (tape.look). There full
 * blocks are handed to the writer's thread, early enough that they are written when their memory is needed; then it is
 * given back, and the block is made inaccessible: whoever read it by mistake would fault, and not read zeros.
 *
 * Reversing. Reverse functions read without a test, too, but each safepoint asks whether the tape is where the sweep
 * shall come by (state.tape_stop). The reverse sweep passes every safepoint that the recording has passed, with the
 * tape exactly where it was then; so safepoints at which blocks were handed over are remembered (marks), and are stops
 * of the sweep. At a stop everything down to the mark below is brought back, or waited for; what is below that is read
 * ahead, and what is above is given back. Between two marks is about a block, and never more than one snapshot or what
 * one custom adjoint keeps: calls that are checkpointed are marks like safepoints (callsites.c).
 *
 * A call that is recorded while reversing makes the tape grow again, over blocks that have a copy in the file: that
 * copy is forgotten when it begins. Writing is over when reversing begins, so nothing is written while it changes.
 *
 * The file has no name: it is removed when it was made, and is gone with the process, however that ends. What is read
 * back is compared with a checksum that stayed in memory. The thread touches nothing but `filed`, `there`, sums and
 * the blocks that it was handed. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/wide.h"
#include "base/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_UNLESS_SAID (UINT64_C(256) << 20)
#define MEMORY_LEAST (UINT64_C(4) << 20)
#define BLOCK_MOST (UINT64_C(8) << 20)
/* In how many blocks the limit is divided at least. */
enum { PARTS = 16 };

struct verso_native_offloading {
    verso_worker *worker;
    char *path;
    verso_file file;
    uint64_t limit, block; /* bytes */
    uint64_t behind;       /* the last so many bytes of a recording are not handed to the writer */
    uint64_t ahead;        /* so many bytes below the sweep are read */
    bool named;            /* the file could not be removed when it was made */

    char **marks; /* where the sweep comes by, ascending */
    size_t mark_count, mark_room;
    verso_identity *sums; /* of blocks in the file */
    size_t sum_room;

    uint64_t low;           /* blocks below are in the file alone, and cannot be accessed */
    uint64_t handed;        /* blocks below are in the file, or will be */
    atomic_ullong filed;    /* blocks below are in the file */
    atomic_ullong there;    /* blocks from here on are in memory: those from `low` on are being read */
    atomic_bool given_up;   /* what is handed to the writer and has not begun is not needed any more */
    uint64_t most, in_file; /* bytes in memory and in the file at most */
};

typedef struct verso_native_offloading offloading;

static offloading *now(void) {
    return verso_native_runtime.offload;
}

static uint64_t offset_of(const char *tape) {
    return (uint64_t)(uintptr_t)tape - VERSO_NATIVE_TAPE_AT;
}

static char *block_at(const offloading *o, uint64_t number) {
    return verso_native_address(VERSO_NATIVE_TAPE_AT + number * o->block);
}

static verso_status no_memory(verso_error *error) {
    return verso_fail(error, VERSO_NO_MEMORY, "no memory for what is to be known about a recording in a file.");
}

/* ---- In the worker's thread ---- */

typedef struct transfer {
    verso_job job;
    offloading *of;
    uint64_t number;
} transfer;

static verso_status write_block(verso_job *job, verso_error *error) {
    const transfer *t = (const transfer *)job;
    offloading *o = t->of;
    if (atomic_load(&o->given_up))
        return VERSO_OK;
    const char *bytes = block_at(o, t->number);
    o->sums[t->number] = verso_checksum_wide(bytes, o->block);
    verso_status status = verso_file_write_at(&o->file, bytes, o->block, t->number * o->block, error);
    if (status == VERSO_OK)
        atomic_store(&o->filed, t->number + 1);
    return status;
}

static verso_status read_block(verso_job *job, verso_error *error) {
    const transfer *t = (const transfer *)job;
    offloading *o = t->of;
    char *bytes = block_at(o, t->number);
    size_t got;
    verso_status status = verso_file_read_at(&o->file, bytes, o->block, t->number * o->block, &got, error);
    if (status != VERSO_OK)
        return status;
    if (got < o->block || !verso_identity_equal(verso_checksum_wide(bytes, o->block), o->sums[t->number]))
        return verso_fail(error, VERSO_CORRUPT,
                          "the recording was read back from '%.300s' with other bytes than were written; is the disk "
                          "sound? Offload to another directory.",
                          o->path);
    atomic_store(&o->there, t->number);
    return VERSO_OK;
}

static void free_transfer(verso_job *job) {
    verso_dealloc(job);
}

/* ---- Handing over ---- */

static verso_status submit(offloading *o, uint64_t number, verso_status (*run)(verso_job *, verso_error *),
                           verso_error *error) {
    transfer *t = verso_alloc(1, sizeof *t);
    if (t == NULL)
        return no_memory(error);
    *t = (transfer){.job = {.run = run, .dispose = free_transfer}, .of = o, .number = number};
    return verso_worker_submit(o->worker, &t->job, error);
}

/* The thread writes sums, so it must not while they move. */
static verso_status reserve_sum(offloading *o, uint64_t number, verso_error *error) {
    if (number < o->sum_room)
        return VERSO_OK;
    verso_status status = verso_worker_drain(o->worker, error);
    if (status != VERSO_OK)
        return status;
    size_t room = 2 * (size_t)number + 64;
    verso_identity *sums = verso_realloc(o->sums, room, sizeof *sums);
    if (sums == NULL)
        return no_memory(error);
    o->sums = sums;
    o->sum_room = room;
    return VERSO_OK;
}

static verso_status hand_over(offloading *o, verso_error *error) {
    verso_status status = reserve_sum(o, o->handed, error);
    if (status == VERSO_OK)
        status = submit(o, o->handed, write_block, error);
    if (status == VERSO_OK && ++o->handed * o->block > o->in_file)
        o->in_file = o->handed * o->block;
    return status;
}

/* The lowest block that is in memory has a copy in the file, and its memory is given back. */
static verso_status give_back(offloading *o, verso_error *error) {
    verso_status status = o->handed == o->low ? hand_over(o, error) : VERSO_OK;
    if (status == VERSO_OK && atomic_load(&o->there) > o->low)
        status = verso_worker_drain(o->worker, error); /* it is being read */
    while (status == VERSO_OK && atomic_load(&o->filed) <= o->low)
        status = verso_worker_wait_one(o->worker, error);
    if (status != VERSO_OK)
        return status;
    verso_native_drop(block_at(o, o->low), block_at(o, o->low + 1));
    if (!verso_native_protect(block_at(o, o->low), block_at(o, o->low + 1), false))
        return verso_fail(error, VERSO_NO_MEMORY, "a part of the tape that is in a file cannot be guarded: %s.",
                          strerror(errno));
    atomic_store(&o->there, ++o->low);
    return VERSO_OK;
}

static void note_most(offloading *o, uint64_t end) {
    if (end - o->low * o->block > o->most)
        o->most = end - o->low * o->block;
}

/* ---- Recording ---- */

/* What is recorded ends at `end`; it will go on at `next`. */
static verso_status make_room(offloading *o, const char *end, char *next, verso_error *error) {
    uint64_t full = offset_of(end) / o->block, wanted = offset_of(next) + o->block;
    verso_status status = VERSO_OK;
    while (status == VERSO_OK && o->handed < full && wanted - o->handed * o->block > o->behind)
        status = hand_over(o, error);
    while (status == VERSO_OK && o->low < full && wanted - o->low * o->block > o->limit)
        status = give_back(o, error);
    note_most(o, wanted);
    verso_native_runtime.tape.look = verso_native_now.tape_limit = next + o->block;
    return status;
}

static const char *last_mark(const offloading *o) {
    return o->mark_count > 0 ? o->marks[o->mark_count - 1] : verso_native_tape();
}

/* A loop that records nothing comes by more often than there is something to remember. */
static verso_status mark(offloading *o, char *tape, verso_error *error) {
    if ((uint64_t)(tape - last_mark(o)) < o->block)
        return VERSO_OK;
    if (o->mark_count == o->mark_room) {
        size_t room = 2 * o->mark_room + 64;
        char **marks = verso_realloc(o->marks, room, sizeof *marks);
        if (marks == NULL)
            return no_memory(error);
        o->marks = marks;
        o->mark_room = room;
    }
    o->marks[o->mark_count++] = tape;
    return VERSO_OK;
}

void verso_native_offload_pass(char *tape) {
    verso_error error = {0};
    verso_status status = mark(now(), tape, &error);
    if (status == VERSO_OK)
        status = make_room(now(), tape, tape, &error);
    if (status != VERSO_OK)
        verso_native_give_up(status, "%s", error.message);
}

void verso_native_offload_left(void) {
    if (now() != NULL && (uint64_t)(verso_native_now.tape - last_mark(now())) >= now()->block)
        verso_native_offload_pass(verso_native_now.tape);
}

verso_status verso_native_offload_snapshot(size_t size, verso_error *error) {
    char *tape = verso_native_now.tape;
    return now() != NULL ? make_room(now(), tape, tape + size, error) : VERSO_OK;
}

void verso_native_offload_again(void) {
    offloading *o = now();
    if (o == NULL)
        return;
    uint64_t number = offset_of(verso_native_now.tape) / o->block;
    if (o->handed > number) {
        o->handed = number;
        atomic_store(&o->filed, number);
    }
    verso_native_runtime.tape.look = verso_native_now.tape + o->block;
}

/* ---- Reversing ---- */

static verso_status ask_for(offloading *o, verso_error *error) {
    uint64_t number = o->low - 1;
    if (!verso_native_protect(block_at(o, number), block_at(o, number + 1), true))
        return verso_fail(error, VERSO_NO_MEMORY, "a part of the tape that is in a file cannot be read back: %s.",
                          strerror(errno));
    o->low = number;
    return submit(o, number, read_block, error);
}

/* The sweep is at `end`, and reads what is down to the last mark next. */
static verso_status bring_back(offloading *o, const char *end, verso_error *error) {
    uint64_t needed = offset_of(last_mark(o)) / o->block;
    uint64_t above = (offset_of(end) + o->block - 1) / o->block * o->block;
    verso_status status = VERSO_OK;
    verso_native_now.tape_stop = o->mark_count > 0 ? o->marks[o->mark_count - 1] : NULL;
    verso_native_tape_keep(above);
    while (status == VERSO_OK && o->low > 0 && (o->low > needed || above - (o->low - 1) * o->block < o->ahead))
        status = ask_for(o, error);
    note_most(o, above);
    while (status == VERSO_OK && atomic_load(&o->there) > needed)
        status = verso_worker_wait_one(o->worker, error);
    return status;
}

verso_status verso_native_offload_turn(verso_error *error) {
    offloading *o = now();
    if (o == NULL)
        return VERSO_OK;
    verso_status status = VERSO_OK;
    if (o->handed > atomic_load(&o->filed)) {
        atomic_store(&o->given_up, true);
        status = verso_worker_drain(o->worker, error);
        atomic_store(&o->given_up, false);
        o->handed = atomic_load(&o->filed);
    }
    return status == VERSO_OK ? bring_back(o, verso_native_now.tape, error) : status;
}

void verso_native_offload_stop(void) {
    offloading *o = now();
    verso_error error = {0};
    const char *end = o->marks[--o->mark_count];
    verso_status status = bring_back(o, end, &error);
    if (status != VERSO_OK)
        verso_native_give_up(status, "%s", error.message);
}

bool verso_native_offload_away(const void *address) {
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

/* Nobody else has the name: there is one differentiation at a time in a process. */
static verso_status make_file(offloading *o, const verso_native_offload *options, verso_error *error) {
    const verso_system *system = options->system != NULL ? options->system : &verso_system_machine;
    char name[64];
    snprintf(name, sizeof name, "verso-tape-%ld-%.6f", (long)getpid(), verso_date());
    o->path = verso_path_join(options->directory, name);
    if (o->path == NULL)
        return no_memory(error);
    verso_status status = verso_file_open(system, o->path, O_RDWR | O_CREAT | O_EXCL, &o->file, error);
    if (status == VERSO_OK)
        status = verso_file_remove(system, o->path, error);
    o->named = o->file.handle >= 0 && status != VERSO_OK;
    return status;
}

static verso_status make_thread(offloading *o, bool synchronous, verso_error *error) {
    verso_error why = {0};
    verso_status status = verso_worker_new(synchronous, &o->worker, &why);
    if (status == VERSO_OK)
        return VERSO_OK;
    return verso_fail(error, status, "the recording cannot be offloaded: %.200s; ask for synchronous offload.",
                      why.message);
}

verso_status verso_native_offload_open(const verso_native_offload *options, verso_error *error) {
    if (options->memory != 0 && options->memory < MEMORY_LEAST)
        return verso_fail(error, VERSO_INVALID,
                          "an offload whose recording has %llu bytes of memory is too small: %llu would do.",
                          (unsigned long long)options->memory, (unsigned long long)MEMORY_LEAST);
    offloading *o = verso_alloc(1, sizeof *o);
    if (o == NULL)
        return no_memory(error);
    verso_native_runtime.offload = o;
    o->file.handle = -1;
    o->limit = options->memory != 0 ? options->memory : MEMORY_UNLESS_SAID;
    o->block = block_for(o->limit);
    o->behind = options->synchronous ? o->limit : o->limit / 4 * 3;
    o->ahead = options->synchronous ? 0 : o->limit / 4 * 3;
    verso_status status = make_file(o, options, error);
    if (status == VERSO_OK)
        status = make_thread(o, options->synchronous, error);
    verso_native_tape_keep(o->limit);
    if (status == VERSO_OK)
        verso_native_runtime.tape.look = verso_native_now.tape_limit = verso_native_tape() + o->block;
    return status;
}

uint64_t verso_native_offload_close(verso_native_report *report) {
    offloading *o = now();
    if (o == NULL)
        return report->tape_bytes;
    uint64_t most = verso_min_u64(o->most, report->tape_bytes);
    verso_worker_free(o->worker);
    if (o->named)
        (void)verso_file_remove(o->file.system, o->path, NULL);
    (void)verso_file_close(&o->file, NULL); /* nobody will read it */
    (void)verso_native_protect(block_at(o, 0), block_at(o, o->low), true);
    verso_native_tape_keep(o->limit);
    report->offload_bytes = o->in_file;
    verso_native_runtime.offload = NULL;
    verso_dealloc(o->path);
    verso_dealloc(o->marks);
    verso_dealloc(o->sums);
    verso_dealloc(o);
    return most;
}
