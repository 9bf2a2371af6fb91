/* A log of the outside world that outgrows memory: it is moved to a file without a name, which is mapped in its place.
 * Only the pages near the entry at hand stay in the process; the others are in the system's file cache or on the
 * disk. */
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

static bool move(verso__native_world_state *world, uint64_t room) {
    int file = new_file();
    if (file < 0)
        return false;
    void *mapped =
        ftruncate(file, (off_t)room) != 0 ? MAP_FAILED : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        close(file);
        return false;
    }
    if (world->bytes != NULL)
        memcpy(mapped, world->bytes, world->next < world->room ? world->next : world->room);
    verso__dealloc(world->bytes);
    world->bytes = mapped;
    world->room = room;
    world->file = file;
    world->spilled = true;
    return true;
}

static bool is_long(uint64_t size) {
    uint64_t limit = verso__native_world_now.limit;
    return size > SPILL_FROM || (limit != 0 && size > limit / 2);
}

bool verso__native_world_spill(uint64_t size) {
    verso__native_world_state *world = &verso__native_world_now;
    int before = errno;
    uint64_t room = whole_pages(2 * size);
    bool done = true;
    if (!world->spilled)
        done = world->may_spill && is_long(size) && move(world, room);
    else if (size > world->room) {
        void *mapped = ftruncate(world->file, (off_t)room) != 0
                           ? MAP_FAILED
                           : mremap(world->bytes, world->room, room, MREMAP_MAYMOVE);
        done = mapped != MAP_FAILED;
        if (done) {
            world->bytes = mapped;
            world->room = room;
        }
    }
    errno = before;
    return done;
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
    madvise(world->bytes + from, all ? world->room : here - from, MADV_DONTNEED);
    world->gone = here;
    errno = before;
}

void verso__native_world_free(void) {
    verso__native_world_state *world = &verso__native_world_now;
    if (world->spilled) {
        munmap(world->bytes, world->room);
        close(world->file);
    } else
        verso__dealloc(world->bytes);
    world->bytes = NULL;
    world->spilled = false;
}
