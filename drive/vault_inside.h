/* Slots and vault: what each slot holds, and the capsules in files. Private to drive/. */
#ifndef DRIVE_VAULT_INSIDE_H
#define DRIVE_VAULT_INSIDE_H

#include "drive/state_inside.h"

/* slots.c */
verso__slot *verso__slots_find(verso__drive *drive, uint32_t tier, uint64_t slot); /* NULL if it is EMPTY */
/* Sets the contents and the presence of the slot that `live` names. */
verso_status verso__slots_set(verso__drive *drive, const verso__live *live, verso__presence presence,
                              verso_error *error);
/* Changes the presence of a slot whose contents were set. */
void verso__slots_mark(verso__drive *drive, uint32_t tier, uint64_t slot, verso__presence presence);
/* Lists all slots that are not EMPTY. The caller frees *live with verso__dealloc. */
verso_status verso__slots_list(const verso__drive *drive, verso__live **live, size_t *count, verso_error *error);
/* Lists the missing states with after < from <= until in ascending order. The caller frees *live with
 * verso__dealloc. */
verso_status verso__slots_missing(const verso__drive *drive, uint64_t after, uint64_t until, verso__live **live,
                                  size_t *count, verso_error *error);
/* Marks all slots in the vault that hold x_step as MISSING. */
void verso__slots_lose(verso__drive *drive, uint64_t step);
/* Returns whether x_step is MISSING in a slot. */
bool verso__slots_is_missing(const verso__drive *drive, uint64_t step);
/* Finds the latest state at or before `limit` that is PRESENT in a tier that is not in the vault. Returns false if
 * there is none. */
bool verso__slots_highest(const verso__drive *drive, uint64_t limit, verso__live *found);
void verso__slots_free(verso__drive *drive);

/* vault.c */
verso__vault_entry *verso__vault_find(verso__drive *drive, uint64_t step); /* NULL if it is not in the vault */
/* the latest undamaged state at or before `limit`; NULL: none */
verso__vault_entry *verso__vault_at_most(verso__drive *drive, uint64_t limit);
/* Adds an entry for a state that is already in the store. */
verso_status verso__vault_add(verso__drive *drive, uint64_t step, verso__vault_entry **entry, verso_error *error);
/* Writes the working state x_step to the vault, unless it is there already. `must`: makes room as
 * verso__vault_capture does. */
verso_status verso__vault_put(verso__drive *drive, uint64_t step, bool must, verso__vault_entry **entry,
                              verso_error *error);
/* Captures the program into the vault's store. If the disk limit leaves no room, removes states that are only
 * `kept`. Invalidates pointers to entries. */
verso_status verso__vault_capture(verso__drive *drive, const verso_capsule_name *name, verso_error *error);
/* Marks a state that could not be read as damaged and all slots that hold it as MISSING. The file stays until it is
 * replaced, because the failure may have been temporary. */
verso_status verso__vault_lose(verso__drive *drive, verso__vault_entry *entry, verso_error *error);
/* Removes the state from the vault and from its store. */
verso_status verso__vault_remove(verso__drive *drive, verso__vault_entry *entry, verso_error *error);
/* Marks the state as `kept`. */
void verso__vault_keep(verso__drive *drive, verso__vault_entry *entry);
/* Unmarks all `kept` states except x_0, and removes those that nothing else needs. */
verso_status verso__vault_tidy(verso__drive *drive, verso_error *error);
/* Call it when a reason to keep the state has gone. If no reason is left, removes the state, or marks it as
 * `waiting` if the last restart point needs it. */
verso_status verso__vault_settle(verso__drive *drive, verso__vault_entry *entry, verso_error *error);
/* Call it after a restart point. Removes the states that are `waiting`, and `kept` states after the current
 * adjoint. */
verso_status verso__vault_sweep(verso__drive *drive, verso_error *error);
/* Removes all states from a store, and all adjoints except that of x_but (VERSO_UNKNOWN: all). */
verso_status verso__clear(const verso_store *store, uint64_t but, verso_error *error);
verso_status verso__vault_clear(verso__drive *drive, uint64_t but, verso_error *error);
void verso__vault_free(verso__drive *drive);

#endif
