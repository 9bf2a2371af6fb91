/* Programs that use MPI: adds the adjoints of MPI's functions to them. */
#ifndef CC_DRIVER_MPI_H
#define CC_DRIVER_MPI_H

#include "cc/driver/arguments.h"
#include "cc/driver/places.h"
#include "cc/driver/session.h"
#include "cc/driver/trace.h"

/* If the compiler would find an mpi.h in a folder that the command line or the environment names, adds options with
 * which the object file notes the folder. */
void driver_note_mpi(driver_session *session, const driver_arguments *arguments, const driver_places *places,
                     driver_words *command);
/* If a program that differentiates calls MPI, compiles the adjoints, and adds the object file to `arguments`.
 * *added: it did. Returns false after printing a message. */
bool driver_add_mpi(driver_session *session, driver_arguments *arguments, const driver_places *places,
                    const driver_trace *trace, bool *added);

#endif
