/* The file store as the driver opens it: with the driver's own worker, which several stores can share and which
 * also writes the journal. The worker keeps the order of submission, so a journal record is written after the
 * capsules that it refers to, and a capsule is removed after the record that makes it superfluous. The computing
 * thread need not wait. */
#ifndef VERSO_STORE_FILE_H
#define VERSO_STORE_FILE_H

#include "base/worker.h"

#include <verso/store.h>

/* Opens a file store that writes with `writer`. The caller keeps the worker until the store is closed; the worker
 * must have a thread exactly if options->foreground is false. Closing the store waits for the worker. */
verso_status verso__store_file_open_with(const verso_file_store_options *options, verso__worker *writer,
                                         verso_store *store, verso_error *error);

/* Discards a capsule to which no journal record refers that was submitted after it. If writing it has not begun, it
 * is never written. (`discard` always writes and then removes it, because a restart may use a record in between.) */
verso_status verso__store_file_withdraw(verso_store *store, const verso_capsule_name *name, verso_error *error);

#endif
