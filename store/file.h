/* The file store as the driver opens it: with a worker of the driver's, to which the driver also submits the records of
 * its journal, and which several stores share. Then a record is written after the capsules that it refers to, and a
 * capsule is removed after the record that lets it go, without anyone waiting for anything. */
#ifndef VERSO_STORE_FILE_H
#define VERSO_STORE_FILE_H

#include "base/worker.h"

#include <verso/store.h>

/* The worker outlives the store; it has a thread or none as options->foreground says. Closing the store waits for it.
 */
verso_status verso_store_file_open_with(const verso_file_store_options *options, verso_worker *writer,
                                        verso_store *store, verso_error *error);

/* Discards a capsule that no record refers to which was submitted after it: what of it has not begun to be written
 * never is. (`discard` writes and removes it, because a record in between may be the one that a restart finds.) */
verso_status verso_store_file_withdraw(verso_store *store, const verso_capsule_name *name, verso_error *error);

#endif
