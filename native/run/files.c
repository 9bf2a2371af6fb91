/* Numbers that are written to files and read again. See run.h; cc/lower/world.c generates the calls.
 *
 * A number that is written to a file and read again in the same run is the same number, with the same
 * derivative. So each write of bytes gets a range of addresses which has cells but no memory
 * (VERSO_NATIVE_FILES_AT). A note (notes.c) says that the bytes were copied there and, when they are read,
 * another note says that they were copied from there. No address is used twice, so that these cells are never
 * overwritten.
 *
 * The contents of a file are identified by device, inode and offset: the file may be closed and opened again
 * under another name. Bytes that are overwritten or truncated are forgotten. A pipe has no offsets: bytes come
 * out in the order in which they went in, and a checksum verifies that they are the same.
 *
 * When a run is repeated, its log contains all notes; a durable run that continues in another process reads
 * from its log which numbers are in files. */
#include "native/run/inside.h"

#include "base/alloc.h"
#include "base/checksum.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    verso__native_file *list;
    size_t count, room;
    char *next; /* the first address that is not used; NULL: none is used */
} files_state;

enum { NUMBER_LEAST = 4 };

/* Numbers in a file, and the addresses that stand for them. */
typedef struct piece {
    uint64_t offset, size;
    char *at;
    uint64_t sum; /* checksum of the bytes; 0: not known */
} piece;

struct verso__native_file {
    uint64_t device, inode;
    bool text;     /* this run has written numbers to it as text, in a statement of Fortran */
    piece *pieces; /* sorted by offset, without overlaps */
    size_t count, room;
    uint64_t taken; /* of a pipe: bytes that were read */
    uint64_t given; /* of a pipe: bytes that were written */
};

/* ---- Pieces ---- */

_Noreturn static void no_memory(void) {
    verso__native_give_up(VERSO_STATUS_NO_MEMORY, "%s: no memory to remember which numbers are in files",
                          verso__native_world_now.call->where);
}

/* Returns the index of the first piece that ends after the offset. */
static size_t find_piece(const verso__native_file *file, uint64_t offset) {
    size_t low = 0, high = file->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->pieces[middle].offset + file->pieces[middle].size <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(verso__native_file *file, size_t at, piece new) {
    if (file->count == file->room) {
        size_t room = file->room > 0 ? 2 * file->room : 8;
        piece *longer = verso__realloc(file->pieces, room, sizeof *longer);
        if (longer == NULL)
            no_memory();
        file->pieces = longer;
        file->room = room;
    }
    memmove(&file->pieces[at + 1], &file->pieces[at], (file->count - at) * sizeof *file->pieces);
    file->pieces[at] = new;
    file->count++;
}

static void erase(verso__native_file *file, uint64_t offset, uint64_t size) {
    uint64_t end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
    size_t at = find_piece(file, offset);
    while (at < file->count && file->pieces[at].offset < end) {
        piece *old = &file->pieces[at];
        uint64_t old_end = old->offset + old->size;
        if (old->offset < offset && old_end > end)
            insert(file, at + 1, (piece){end, old_end - end, old->at + (end - old->offset), 0});
        old = &file->pieces[at];
        old->sum = 0;
        if (old->offset < offset) {
            old->size = offset - old->offset;
            at++;
        } else if (old_end > end) {
            *old = (piece){end, old_end - end, old->at + (end - old->offset), 0};
        } else {
            memmove(old, old + 1, (file->count - at - 1) * sizeof *old);
            file->count--;
        }
    }
}

/* Inserts a piece. Consecutive writes become one piece if `join` is true. */
static void place(verso__native_file *file, piece new, bool join) {
    erase(file, new.offset, new.size);
    size_t at = find_piece(file, new.offset);
    piece *before = at > 0 ? &file->pieces[at - 1] : NULL;
    if (join && before != NULL && before->offset + before->size == new.offset && before->at + before->size == new.at) {
        before->size += new.size;
        before->sum = 0;
    } else
        insert(file, at, new);
    if (new.at + new.size > files_state.next)
        files_state.next = new.at + new.size;
}

/* ---- Files ---- */

/* Returns the file. If it is not known, adds it (`make`) or returns NULL. */
static verso__native_file *find_file(uint64_t device, uint64_t inode, bool make) {
    for (size_t i = files_state.count; i-- > 0;) {
        verso__native_file *file = &files_state.list[i];
        if (file->device == device && file->inode == inode)
            return file;
    }
    if (!make)
        return NULL;
    if (files_state.count == files_state.room) {
        size_t room = files_state.room > 0 ? 2 * files_state.room : 8;
        verso__native_file *longer = verso__realloc(files_state.list, room, sizeof *longer);
        if (longer == NULL)
            no_memory();
        files_state.list = longer;
        files_state.room = room;
    }
    verso__native_file *file = &files_state.list[files_state.count++];
    *file = (verso__native_file){.device = device, .inode = inode};
    return file;
}

static int descriptor_of(uint64_t handle) {
    return (handle & VERSO_NATIVE_DESCRIPTOR) != 0 ? (int)(uint32_t)handle : fileno((FILE *)(uintptr_t)handle);
}

/* Returns the offset of bytes that were just written or read at the file's current position. */
static int64_t offset_before(uint64_t handle, uint64_t bytes) {
    off_t now = (handle & VERSO_NATIVE_DESCRIPTOR) != 0 ? lseek(descriptor_of(handle), 0, SEEK_CUR)
                                                        : ftello((FILE *)(uintptr_t)handle);
    return (int64_t)now - (int64_t)bytes;
}

/* Adds a note that the file has (or, if the piece's address is NULL, no longer has) these numbers, for
 * processes that read the log. */
static void note_piece(const verso__native_file *file, const piece *piece) {
    verso__native_note_add(VERSO_NATIVE_NOTE_FILE, verso__native_address(file->device), 0,
                           verso__native_address(file->inode));
    verso__native_note_add(VERSO_NATIVE_NOTE_PIECE, piece->at, piece->size, verso__native_address(piece->offset));
    verso__native_world_now.files = true;
}

void verso__native_files_inherit(const verso__native_note *notes, uint64_t count) {
    verso__native_file *file = NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (notes[i].kind == VERSO_NATIVE_NOTE_FILE)
            file = find_file((uintptr_t)notes[i].data, (uintptr_t)notes[i].from, true);
        if (notes[i].kind != VERSO_NATIVE_NOTE_PIECE || file == NULL)
            continue;
        if (notes[i].size == 0)
            file->text = true;
        else if (notes[i].data == NULL)
            erase(file, (uintptr_t)notes[i].from, notes[i].size);
        else
            place(file, (piece){(uintptr_t)notes[i].from, notes[i].size, notes[i].data, 0}, true);
    }
}

void verso__native_files_forget(void) {
    for (size_t i = 0; i < files_state.count; i++)
        verso__dealloc(files_state.list[i].pieces);
    verso__dealloc(files_state.list);
    memset(&files_state, 0, sizeof files_state);
}

verso__native_range verso__native_files_range(void) {
    char *begin = verso__native_address(VERSO_NATIVE_FILES_AT), *next = files_state.next;
    return (verso__native_range){begin, next > begin ? next : begin};
}

/* ---- Calls ---- */

void verso__native_file_begin(const verso__native_outside *call) {
    verso__native_world_now.call = call;
    verso__native_notes_begin();
}

/* Returns unused addresses with the same offset from a multiple of 8 as `data`. */
static char *new_addresses(const char *data, uint64_t bytes) {
    char *at = verso__native_files_range().end;
    at += ((uintptr_t)data - (uintptr_t)at) % 8;
    if (bytes < VERSO_NATIVE_FILES_SIZE && (uintptr_t)at + bytes < VERSO_NATIVE_FILES_AT + VERSO_NATIVE_FILES_SIZE)
        return at;
    verso__native_give_up(VERSO_STATUS_INVALID,
                          "%s: the run has written more bytes to files than Verso can follow; write less, or in a "
                          "function that is declared VERSO_INACTIVE",
                          verso__native_world_now.call->where);
}

/* What an inactive function writes has no derivatives. */
static void wrote(verso__native_file *file, char *data, piece new, bool inactive, bool pipe) {
    if (inactive || new.size < NUMBER_LEAST) {
        new.at = NULL;
        erase(file, new.offset, new.size);
    } else {
        new.at = new_addresses(data, new.size);
        place(file, new, !pipe);
        verso__native_note_add(VERSO_NATIVE_NOTE_COPIED, new.at, new.size, data);
    }
    note_piece(file, &new);
}

void verso__native_file_wrote(uint64_t handle, char *data, uint64_t bytes, int64_t offset, uint64_t inactive) {
    struct stat about;
    int before = errno;
    if (bytes > 0 && fstat(descriptor_of(handle), &about) == 0 && (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode))) {
        bool pipe = S_ISFIFO(about.st_mode);
        verso__native_file *file =
            find_file(about.st_dev, about.st_ino, pipe || (bytes >= NUMBER_LEAST && inactive == 0));
        if (file != NULL) {
            int64_t from = pipe ? (int64_t)file->given : offset >= 0 ? offset : offset_before(handle, bytes);
            file->given += bytes;
            if (from >= 0)
                wrote(file, data, (piece){(uint64_t)from, bytes, NULL, pipe ? verso__checksum(data, bytes) : 0},
                      inactive != 0, pipe);
        }
    }
    errno = before;
}

/* Verifies that the bytes read are those that were written: other text in the pipe would shift them. */
static void check_pipe(const piece *piece, const char *data, uint64_t from, uint64_t bytes) {
    bool whole = piece->offset >= from && piece->offset + piece->size <= from + bytes;
    if (whole && verso__checksum(data + (piece->offset - from), piece->size) == piece->sum)
        return;
    verso__native_give_up(
        VERSO_STATUS_INVALID,
        "%s reads numbers from a pipe otherwise than this run has written them to it, and Verso cannot "
        "follow their derivatives; read them as they were written, each write by one read or several "
        "by one, and nothing else through that pipe",
        verso__native_world_now.call->where);
}

static void have_read(verso__native_file *file, char *data, uint64_t from, uint64_t bytes, bool pipe) {
    for (size_t i = find_piece(file, from); i < file->count && file->pieces[i].offset < from + bytes; i++) {
        const piece *piece = &file->pieces[i];
        uint64_t begin = piece->offset > from ? piece->offset : from;
        uint64_t end = piece->offset + piece->size < from + bytes ? piece->offset + piece->size : from + bytes;
        if (pipe)
            check_pipe(piece, data, from, bytes);
        verso__native_note_add(VERSO_NATIVE_NOTE_COPIED, data + (begin - from), end - begin,
                               piece->at + (begin - piece->offset));
    }
}

void verso__native_file_read(uint64_t handle, char *data, uint64_t bytes, int64_t offset, uint64_t inactive) {
    struct stat about;
    int before = errno;
    if (files_state.count > 0 && bytes > 0 && fstat(descriptor_of(handle), &about) == 0) {
        bool pipe = S_ISFIFO(about.st_mode);
        verso__native_file *file = find_file(about.st_dev, about.st_ino, false);
        if (file != NULL) {
            int64_t from = pipe ? (int64_t)file->taken : offset >= 0 ? offset : offset_before(handle, bytes);
            file->taken += bytes;
            if (from >= 0 && inactive == 0)
                have_read(file, data, (uint64_t)from, bytes, pipe);
        }
    }
    errno = before;
}

/* The file was opened, or its length was set: forgets numbers beyond its end. */
void verso__native_file_cut(uint64_t handle) {
    struct stat about;
    int before = errno, descriptor = handle == 0 ? -1 : descriptor_of(handle);
    if (files_state.count > 0 && descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        verso__native_file *file = find_file(about.st_dev, about.st_ino, false);
        if (file != NULL) {
            piece gone = {(uint64_t)about.st_size, UINT64_MAX >> 8, NULL, 0};
            erase(file, gone.offset, gone.size);
            note_piece(file, &gone);
        }
    }
    errno = before;
}

/* ---- Calls of Fortran's statements (fortran.c) ---- */

uint64_t verso__native_file_number(uint64_t device, uint64_t inode) {
    return (uint64_t)(find_file(device, inode, true) - files_state.list);
}

void verso__native_file_put(uint64_t number, char *data, uint64_t bytes, uint64_t offset, bool inactive) {
    if (bytes > 0)
        wrote(&files_state.list[number], data, (piece){offset, bytes, NULL, 0}, inactive, false);
}

void verso__native_file_get(uint64_t number, char *data, uint64_t bytes, uint64_t offset) {
    if (bytes > 0)
        have_read(&files_state.list[number], data, offset, bytes, false);
}

/* Text ends the file where it is written. */
void verso__native_file_put_text(uint64_t number, uint64_t offset, bool inactive) {
    verso__native_file *file = &files_state.list[number];
    piece gone = {offset, UINT64_MAX >> 8, NULL, 0}, mark = {0, 0, NULL, 0};
    erase(file, gone.offset, gone.size);
    note_piece(file, &gone);
    file->text = !inactive || (file->text && offset > 0);
    if (!inactive)
        note_piece(file, &mark);
}

bool verso__native_file_has_text(uint64_t number) {
    return files_state.list[number].text;
}
