/* The texts of a program, and the arena for everything that is made from them: see source.h.
 *
 * The arena is a list of blocks of growing size, so that it takes only a few allocations. A file is identified by
 * device and inode: under whatever name and link it is included, it is one text. */
#include "vlad/source.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/status.h"
#include "vlad/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef VERSO_FAULT_ALLOCATION
/* each allocation gets its own block, so that tests can fail it */
enum { FIRST_BLOCK = 1, LARGEST_BLOCK = 1, FIRST_READ = 1 };
#else
enum { FIRST_BLOCK = 16 << 10, LARGEST_BLOCK = 4 << 20, FIRST_READ = 16 << 10 };
#endif

typedef struct block {
    struct block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
} block;

typedef struct text {
    char *name;
    char *bytes;
    size_t size;
    bool is_file; /* a file, identified by device and inode */
    dev_t device;
    ino_t inode;
} text;

typedef struct opening {
    const char *path; /* in the arena */
    uint32_t file;
    uint32_t embedded; /* index in `embedded` of the first opening of that text */
} opening;

struct vlad_sources {
    block *blocks; /* the block that is being filled comes first */
    vlad_stack texts;
    vlad_stack openings;
    const vlad_embedded *embedded; /* NULL: files are read from disk */
    size_t embedded_count;
    bool prelude;
};

void vlad_sources_use_prelude(vlad_sources *sources) {
    sources->prelude = true;
}

bool vlad_sources_has_prelude(const vlad_sources *sources) {
    return sources->prelude;
}

/* ---- The arena ---- */

vlad_sources *vlad_sources_new(void) {
    vlad_sources *sources = verso__alloc(1, sizeof *sources);
    if (sources != NULL) {
        sources->texts.item = sizeof(text);
        sources->openings.item = sizeof(opening);
    }
    return sources;
}

void vlad_sources_free(vlad_sources *sources) {
    if (sources == NULL)
        return;
    for (block *next, *b = sources->blocks; b != NULL; b = next) {
        next = b->next;
        verso__dealloc(b);
    }
    for (size_t i = 0; i < sources->texts.count; i++) {
        text *t = vlad_at(&sources->texts, i);
        verso__dealloc(t->name);
        verso__dealloc(t->bytes);
    }
    vlad_stack_free(&sources->texts);
    vlad_stack_free(&sources->openings);
    verso__dealloc(sources);
}

void *vlad_sources_alloc(vlad_sources *sources, size_t size) {
    const size_t unit = alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + unit - 1) / unit * unit;
    block *b = sources->blocks;
    if (b == NULL || b->size - b->used < size) {
        size_t room = b == NULL ? FIRST_BLOCK : b->size < LARGEST_BLOCK ? 2 * b->size : LARGEST_BLOCK;
        room = room < size ? size : room;
        b = verso__alloc(1, sizeof *b + room);
        if (b == NULL)
            return NULL;
        b->size = room;
        b->next = sources->blocks;
        sources->blocks = b;
    }
    void *bytes = b->bytes + b->used;
    b->used += size;
    return bytes;
}

/* ---- Texts ---- */

/* Adds a text. Takes ownership of the bytes, also if it fails. Removes a byte order mark. */
static verso_status add(vlad_sources *sources, const char *name, char *bytes, size_t size, uint32_t *file,
                        verso_error *error) {
    size_t length = strlen(name);
    char *copy = verso__alloc(length + 1, 1);
    text *t = copy != NULL ? vlad_push(&sources->texts) : NULL;
    if (t == NULL) {
        verso__dealloc(copy);
        verso__dealloc(bytes);
        return vlad_no_memory(error);
    }
    memcpy(copy, name, length);
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        memmove(bytes, bytes + 3, size -= 3);
    *t = (text){.name = copy, .bytes = bytes, .size = size};
    *file = (uint32_t)(sources->texts.count - 1);
    return VERSO_STATUS_OK;
}

verso_status vlad_sources_add(vlad_sources *sources, const char *name, const char *bytes, size_t size, uint32_t *file,
                              verso_error *error) {
    if (size >= UINT32_MAX)
        return verso__fail(error, VERSO_STATUS_INVALID, "%s: a text of %zu bytes is too long", name, size);
    char *copy = verso__alloc(size, 1);
    if (copy == NULL)
        return vlad_no_memory(error);
    if (size > 0)
        memcpy(copy, bytes, size);
    return add(sources, name, copy, size, file, error);
}

static verso_status cannot_read(const char *path, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_IO, "cannot read `%s`: %s", path, strerror(errno));
}

/* Reads all bytes up to the end; the size of a pipe is not known beforehand. */
static verso_status read_all(verso__file *file, char **bytes, size_t *size, verso_error *error) {
    size_t capacity = 0, got = 0;
    *bytes = NULL;
    *size = 0;
    do {
        capacity = capacity > 0 ? 2 * capacity : FIRST_READ;
        char *more = capacity < UINT32_MAX ? verso__realloc(*bytes, capacity, 1) : NULL;
        if (more == NULL)
            return vlad_no_memory(error);
        *bytes = more;
        verso_status status = verso__file_read(file, more + *size, capacity - *size, &got, NULL);
        if (status != VERSO_STATUS_OK)
            return cannot_read(file->path, error);
        *size += got;
    } while (*size == capacity);
    return VERSO_STATUS_OK;
}

/* Returns the number of a file that was read before, or UINT32_MAX. */
static uint32_t known(const vlad_sources *sources, const struct stat *found) {
    for (size_t i = 0; i < sources->texts.count; i++) {
        const text *t = vlad_at(&sources->texts, i);
        if (t->is_file && t->device == found->st_dev && t->inode == found->st_ino)
            return (uint32_t)i;
    }
    return UINT32_MAX;
}

static verso_status read_file(vlad_sources *sources, verso__file *opened, uint32_t *file, bool *again,
                              verso_error *error) {
    struct stat found;
    if (fstat(opened->handle, &found) != 0)
        return cannot_read(opened->path, error);
    *file = known(sources, &found);
    *again = *file != UINT32_MAX;
    if (*again)
        return VERSO_STATUS_OK;
    char *bytes;
    size_t size;
    verso_status status = read_all(opened, &bytes, &size, error);
    if (status != VERSO_STATUS_OK) {
        verso__dealloc(bytes);
        return status;
    }
    status = add(sources, opened->path, bytes, size, file, error);
    if (status == VERSO_STATUS_OK) {
        text *t = vlad_at(&sources->texts, *file);
        t->is_file = true;
        t->device = found.st_dev;
        t->inode = found.st_ino;
    }
    return status;
}

/* Returns the path that a name in the file `from` refers to; NULL if there is no memory. */
static char *path_from(const vlad_sources *sources, const char *name, uint32_t from) {
    const char *base = from != UINT32_MAX ? vlad_sources_name(sources, from) : "";
    const char *slash = name[0] == '/' ? NULL : strrchr(base, '/');
    size_t folder = slash != NULL ? (size_t)(slash - base) + 1 : 0, length = strlen(name);
    char *path = verso__alloc(folder + length + 1, 1);
    if (path != NULL) {
        memcpy(path, base, folder);
        memcpy(path + folder, name, length);
    }
    return path;
}

static verso_status note_opening(vlad_sources *sources, const char *path, uint32_t file, uint32_t embedded,
                                 verso_error *error) {
    size_t length = strlen(path);
    char *copy = vlad_sources_alloc(sources, length + 1);
    opening *o = copy != NULL ? vlad_push(&sources->openings) : NULL;
    if (o == NULL)
        return vlad_no_memory(error);
    memcpy(copy, path, length);
    *o = (opening){.path = copy, .file = file, .embedded = embedded};
    return VERSO_STATUS_OK;
}

/* Opens a text that the compiled program contains. */
static verso_status open_embedded(vlad_sources *sources, const char *path, uint32_t *file, bool *again,
                                  verso_error *error) {
    size_t i = 0;
    while (i < sources->embedded_count && strcmp(sources->embedded[i].path, path) != 0)
        i++;
    if (i == sources->embedded_count)
        return verso__fail(error, VERSO_STATUS_IO, "cannot read `%s`: it is not part of this program", path);
    uint32_t same = sources->embedded[i].same;
    *again = false;
    for (size_t j = 0; j < sources->openings.count && !*again; j++) {
        const opening *o = vlad_at(&sources->openings, j);
        *again = o->embedded == same;
        *file = o->file;
    }
    const vlad_embedded *text = &sources->embedded[same];
    verso_status status =
        *again ? VERSO_STATUS_OK : vlad_sources_add(sources, path, text->bytes, text->size, file, error);
    return status == VERSO_STATUS_OK ? note_opening(sources, path, *file, same, error) : status;
}

static verso_status open_file(vlad_sources *sources, const char *path, uint32_t *file, bool *again,
                              verso_error *error) {
    verso__file opened;
    if (strcmp(path, "-") == 0) {
        path = "standard input";
        opened = (verso__file){.system = &verso__system_machine, .path = path, .handle = dup(STDIN_FILENO)};
    } else if (verso__file_open(&verso__system_machine, path, O_RDONLY, &opened, NULL) != VERSO_STATUS_OK)
        return cannot_read(path, error);
    verso_status status = read_file(sources, &opened, file, again, error);
    verso__file_close(&opened, NULL); /* cannot fail: nothing was written */
    return status == VERSO_STATUS_OK ? note_opening(sources, path, *file, 0, error) : status;
}

verso_status vlad_sources_open(vlad_sources *sources, const char *name, uint32_t from, uint32_t *file, bool *again,
                               verso_error *error) {
    char *path = path_from(sources, name, from);
    if (path == NULL)
        return vlad_no_memory(error);
    verso_status status = sources->embedded != NULL ? open_embedded(sources, path, file, again, error)
                                                    : open_file(sources, path, file, again, error);
    verso__dealloc(path);
    return status;
}

uint32_t vlad_sources_opened(const vlad_sources *sources) {
    return (uint32_t)sources->openings.count;
}

vlad_embedded vlad_sources_opening(const vlad_sources *sources, uint32_t index) {
    const opening *o = vlad_at(&sources->openings, index);
    const text *t = vlad_at(&sources->texts, o->file);
    uint32_t first = 0;
    while (((const opening *)vlad_at(&sources->openings, first))->file != o->file)
        first++;
    return (vlad_embedded){.path = o->path, .bytes = t->bytes, .size = t->size, .same = first};
}

void vlad_sources_embed(vlad_sources *sources, const vlad_embedded *texts, size_t count) {
    sources->embedded = texts;
    sources->embedded_count = count;
}

void vlad_sources_forget(vlad_sources *sources, uint32_t first) {
    for (size_t i = first; i < sources->texts.count; i++)
        ((text *)vlad_at(&sources->texts, i))->is_file = false;
}

uint32_t vlad_sources_count(const vlad_sources *sources) {
    return (uint32_t)sources->texts.count;
}

const char *vlad_sources_text(const vlad_sources *sources, uint32_t file, size_t *size) {
    const text *t = vlad_at(&sources->texts, file);
    *size = t->size;
    return t->bytes;
}

const char *vlad_sources_name(const vlad_sources *sources, uint32_t file) {
    return ((const text *)vlad_at(&sources->texts, file))->name;
}
