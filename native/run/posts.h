/* Messages of derivatives between the processes of a parallel program, in a durable run: what this process has sent and
 * which messages it has used, in order. A process that continues from an older place than another one gets the messages
 * from there that were on the way, and none twice. Each list belongs to a place of the reverse sweep: adjoint capsules
 * contain how long it was. Without an open file, the functions do nothing. */
#ifndef NATIVE_RUN_POSTS_H
#define NATIVE_RUN_POSTS_H

#include "native/memory/memory.h"

enum { VERSO_NATIVE_POST_KEY = 3 };
/* A message. Numbers follow if it was sent. */
typedef struct verso__native_post {
    uint32_t used, peer; /* not 0: it came from `peer` and was used; else it was sent there */
    uint64_t key[VERSO_NATIVE_POST_KEY];
    uint64_t count; /* numbers that follow */
} verso__native_post;

struct verso__native_log_place;
verso_status verso__native_posts_open(const struct verso__native_log_place *place, verso_error *error);
void verso__native_posts_close(void);
/* Adds a message to the list. */
verso_status verso__native_posts_add(const verso__native_post *post, const double *numbers, verso_error *error);
/* Writes the list to the disk. To be called before an adjoint leaves the process. */
verso_status verso__native_posts_sync(verso_error *error);
/* Returns the bytes of the list, and a checksum of it. */
uint64_t verso__native_posts_at(void);
uint64_t verso__native_posts_chain(void);
/* Returns to the place at which the list had `at` bytes with this checksum. VERSO_STATUS_CORRUPT if it had not. */
verso_status verso__native_posts_return(uint64_t at, uint64_t chain, verso_error *error);
/* Calls `visit` for each message of the list, in order. VERSO_STATUS_CORRUPT if the file is damaged. */
typedef void verso__native_post_visit(void *context, const verso__native_post *post, const double *numbers);
verso_status verso__native_posts_each(verso__native_post_visit *visit, void *context, verso_error *error);

#endif
