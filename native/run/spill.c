/* A log of the outside world that outgrows memory: it is moved to a file, which is mapped in its place. Only the
 * pages near the entry at hand stay in the process; the others are in the system's file cache or on the disk. In a
 * durable run the file is the one in its directory; otherwise it has no name. */
#define _GNU_SOURCE
#include "native/run/inside.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes from which a log is moved to a file, and after which pages behind the current entry are let go. */
enum { SPILL_FROM = 1 << 18, WINDOW = 1 << 16, PAGE = 4096 };

static int new_file(void) {
    char path[4096];
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    if ((size_t)snprintf(path, sizeof path, "%s/verso-log-XXXXXX", folder) >= sizeof path)
        return -1;
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

static uint64_t whole_pages(uint64_t bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Makes the file as long as a log of `room` bytes needs. Its blocks exist afterwards, because writing to mapped memory
 * cannot report that the disk is full. */
static bool lengthen(const verso__native_world_state *world, uint64_t room) {
    return posix_fallocate(world->file, 0, (off_t)(world->before + room)) == 0;
}

static bool open_spill(verso__native_world_state *world) {
    world->before = 0;
    world->file = world->log != NULL ? verso__native_log_file(&world->before) : new_file();
    return world->file >= 0;
}

static void close_spill(verso__native_world_state *world) {
    if (world->log == NULL)
        close(world->file);
}

static bool move(verso__native_world_state *world, uint64_t room) {
    if (!open_spill(world))
        return false;
    char *mapped = lengthen(world, room)
                       ? mmap(NULL, world->before + room, PROT_READ | PROT_WRITE, MAP_SHARED, world->file, 0)
                       : MAP_FAILED;
    if (mapped == MAP_FAILED) {
        close_spill(world);
        return false;
    }
    if (world->bytes != NULL)
        memcpy(mapped + world->before, world->bytes, world->next < world->room ? world->next : world->room);
    verso__dealloc(world->bytes);
    world->bytes = mapped + world->before;
    world->room = room;
    world->spilled = true;
    return true;
}

static bool grow_mapping(verso__native_world_state *world, uint64_t room) {
    char *mapped = lengthen(world, room) ? mremap(world->bytes - world->before, world->before + world->room,
                                                  world->before + room, MREMAP_MAYMOVE)
                                         : MAP_FAILED;
    if (mapped == MAP_FAILED)
        return false;
    world->bytes = mapped + world->before;
    world->room = room;
    return true;
}

static bool is_long(uint64_t size) {
    uint64_t limit = verso__native_world_now.limit;
    return size > (verso__native_world_now.log != NULL ? 2 * WINDOW : SPILL_FROM) || (limit != 0 && size > limit / 2);
}

void verso__native_world_map(uint64_t size) {
    verso__native_world_state *world = &verso__native_world_now;
    world->next = 0;
    if (!world->spilled && is_long(size))
        (void)move(world, whole_pages(size + SPILL_FROM));
}

bool verso__native_world_spilled_again(void) {
    return !verso__native_world_now.spilled || lengthen(&verso__native_world_now, verso__native_world_now.room);
}

bool verso__native_world_spill(uint64_t size) {
    verso__native_world_state *world = &verso__native_world_now;
    int before = errno;
    uint64_t room = whole_pages(size + size / 2 + SPILL_FROM);
    bool done = true;
    if (!world->spilled)
        done = (world->may_spill || world->log != NULL) && is_long(size) && move(world, room);
    else if (size > world->room)
        done = grow_mapping(world, room);
    errno = before;
    return done;
}

uint64_t verso__native_world_window(void) {
    return 2 * WINDOW;
}

uint64_t verso__native_world_resident(uint64_t size) {
    return verso__native_world_now.spilled && size > 2 * WINDOW ? 2 * WINDOW : size;
}

void verso__native_world_let_go(uint64_t at, bool all) {
    verso__native_world_state *world = &verso__native_world_now;
    if (!world->spilled)
        return;
    uint64_t here = at / PAGE * PAGE, from = all || world->gone > here ? 0 : world->gone;
    if (!all && here - from < WINDOW)
        return;
    int before = errno;
    madvise(world->bytes - world->before + from, all ? world->room : here - from, MADV_DONTNEED);
    world->gone = here;
    errno = before;
}

void verso__native_world_free(void) {
    verso__native_world_state *world = &verso__native_world_now;
    if (world->spilled) {
        munmap(world->bytes - world->before, world->before + world->room);
        close_spill(world);
    } else
        verso__dealloc(world->bytes);
    world->bytes = NULL;
    world->spilled = false;
}
