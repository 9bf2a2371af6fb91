/* The list of messages of derivatives. See posts.h.
 *
 *     DIRECTORY/posts     magic | seed | messages
 *
 * A message is a verso__native_post, its numbers if it was sent, and a checksum of both and of the checksum before it.
 * It is written by way of a buffer, because nothing needs it before an adjoint that was captured after it. What a
 * process that has died wrote after its last adjoint is overwritten. */
#include "native/run/inside.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"

#include <fcntl.h>
#include <string.h>

enum { HEADER = 2 * VERSO_WORD, BUFFER = 1 << 16 };
static const uint64_t magic = UINT64_C(0x74736f706f6f7376); /* "vsoopost" */

static struct {
    bool open, dirty;
    verso__file file;
    char *path;
    uint64_t seed, chain;
    uint64_t at; /* bytes of the list, with those in the buffer */
    char *buffer;
    size_t used; /* bytes in the buffer */
} posts;

static verso_status begin_file(verso_error *error) {
    unsigned char header[HEADER], *at = header;
    verso__put_word(&at, magic);
    verso__put_word(&at, posts.seed);
    return verso__file_write_at(&posts.file, header, sizeof header, 0, error);
}

verso_status verso__native_posts_open(const verso__native_log_place *place, verso_error *error) {
    memset(&posts, 0, sizeof posts);
    posts.file.handle = -1;
    posts.seed = posts.chain = place->seed;
    posts.path = verso__path_join(place->directory, "posts");
    posts.buffer = verso__alloc(BUFFER, 1);
    posts.open = true;
    if (posts.path == NULL || posts.buffer == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the messages of a run");
    verso_status status = verso__file_open_own(place->system, posts.path, O_RDWR | O_CREAT, &posts.file, error);
    unsigned char header[HEADER];
    const unsigned char *at = header;
    size_t got = 0;
    if (status == VERSO_STATUS_OK)
        status = verso__file_read_at(&posts.file, header, sizeof header, 0, &got, error);
    if (status != VERSO_STATUS_OK)
        return status;
    bool ours = got == sizeof header && verso__get_word(&at) == magic && verso__get_word(&at) == posts.seed;
    return ours ? VERSO_STATUS_OK : begin_file(error);
}

void verso__native_posts_close(void) {
    if (!posts.open)
        return;
    (void)verso__file_close(&posts.file, NULL);
    verso__dealloc(posts.path);
    verso__dealloc(posts.buffer);
    memset(&posts, 0, sizeof posts);
}

/* ---- Writing ---- */

static verso_status flush(verso_error *error) {
    if (posts.used == 0)
        return VERSO_STATUS_OK;
    verso_status status =
        verso__file_write_at(&posts.file, posts.buffer, posts.used, HEADER + posts.at - posts.used, error);
    posts.dirty = true;
    posts.used = 0;
    return status;
}

static verso_status write_bytes(const void *data, size_t size, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    if (size > BUFFER - posts.used)
        status = flush(error);
    if (status == VERSO_STATUS_OK && size > BUFFER) {
        status = verso__file_write_at(&posts.file, data, size, HEADER + posts.at, error);
        posts.dirty = true;
    } else if (status == VERSO_STATUS_OK && size > 0) {
        memcpy(posts.buffer + posts.used, data, size);
        posts.used += size;
    }
    posts.at += size;
    return status;
}

static uint64_t checksum_of(uint64_t before, const verso__native_post *post, const double *numbers) {
    verso_identity sum = verso__checksum_chain((verso_identity){{before, 0}}, post, sizeof *post);
    size_t size = (size_t)post->count * sizeof *numbers;
    return size > 0 ? verso__checksum_chain(sum, numbers, size).words[0] : sum.words[0];
}

verso_status verso__native_posts_add(const verso__native_post *post, const double *numbers, verso_error *error) {
    if (!posts.open)
        return VERSO_STATUS_OK;
    posts.chain = checksum_of(posts.chain, post, numbers);
    verso_status status = write_bytes(post, sizeof *post, error);
    if (status == VERSO_STATUS_OK)
        status = write_bytes(numbers, (size_t)post->count * sizeof *numbers, error);
    return status == VERSO_STATUS_OK ? write_bytes(&posts.chain, sizeof posts.chain, error) : status;
}

verso_status verso__native_posts_sync(verso_error *error) {
    if (!posts.open)
        return VERSO_STATUS_OK;
    verso_status status = flush(error);
    if (status == VERSO_STATUS_OK && posts.dirty) {
        status = verso__file_sync(&posts.file, error);
        posts.dirty = status != VERSO_STATUS_OK;
    }
    return status;
}

/* ---- Reading ---- */

uint64_t verso__native_posts_at(void) {
    return posts.open ? posts.at : 0;
}

uint64_t verso__native_posts_chain(void) {
    return posts.open ? posts.chain : 0;
}

static verso_status report_damage(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_CORRUPT, "'%.200s' is damaged: it lacks messages that an adjoint refers to",
                       posts.path);
}

verso_status verso__native_posts_return(uint64_t at, uint64_t chain, verso_error *error) {
    uint64_t there = posts.seed;
    size_t got = sizeof there;
    if (!posts.open)
        return VERSO_STATUS_OK;
    posts.used = 0;
    verso_status status = VERSO_STATUS_OK;
    if (at >= sizeof there)
        status = verso__file_read_at(&posts.file, &there, sizeof there, HEADER + at - sizeof there, &got, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (got != sizeof there || there != chain)
        return report_damage(error);
    posts.at = at;
    posts.chain = chain;
    return VERSO_STATUS_OK;
}

/* Reads the message at *at, with its numbers in *numbers. */
static verso_status read_post(uint64_t *at, uint64_t *chain, verso__native_post *post, double **numbers,
                              verso_error *error) {
    size_t got = 0;
    uint64_t sum;
    verso_status status = verso__file_read_at(&posts.file, post, sizeof *post, HEADER + *at, &got, error);
    if (status == VERSO_STATUS_OK && (got != sizeof *post || post->count > (posts.at - *at) / sizeof **numbers))
        status = report_damage(error);
    if (status != VERSO_STATUS_OK)
        return status;
    size_t size = (size_t)post->count * sizeof **numbers;
    double *room = verso__realloc(*numbers, (size_t)post->count + 1, sizeof *room);
    if (room == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to read '%s'", posts.path);
    *numbers = room;
    size_t first = 0;
    status = verso__file_read_at(&posts.file, room, size, HEADER + *at + sizeof *post, &first, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_read_at(&posts.file, &sum, sizeof sum, HEADER + *at + sizeof *post + size, &got, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *chain = checksum_of(*chain, post, room);
    *at += sizeof *post + size + sizeof sum;
    return first == size && got == sizeof sum && sum == *chain ? VERSO_STATUS_OK : report_damage(error);
}

verso_status verso__native_posts_each(verso__native_post_visit *visit, void *context, verso_error *error) {
    verso__native_post post;
    double *numbers = NULL;
    verso_status status = posts.open ? flush(error) : VERSO_STATUS_OK;
    uint64_t chain = posts.seed;
    for (uint64_t at = 0; posts.open && at < posts.at && status == VERSO_STATUS_OK;) {
        status = read_post(&at, &chain, &post, &numbers, error);
        if (status == VERSO_STATUS_OK)
            visit(context, &post, numbers);
    }
    verso__dealloc(numbers);
    return status;
}
