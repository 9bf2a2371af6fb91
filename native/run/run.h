/* Room `run`: a run of the program that can be suspended, copied and put back, and its exchange with the outside world.
 *
 *   job.c         what is differentiated, and how far its run has come
 *   capsule.c     copies registers, stack, arena and globals, and puts a run back any number of times, bit for bit
 *   caller.c      the words of the caller's stack that a run has changed
 *   generators.c  the states of the C library's random number generators
 *   outside.c     refuses writes to memory that no capsule holds
 *   world.c       makes calls to the outside world once, and logs their results
 *   spill.c       keeps a long log in a file instead of memory
 *   log.c         keeps that log in a file, for a durable run
 *   posts.c       lists messages to other processes of a parallel program, for a durable run
 *   handles.c     replaces handles of libraries, which are addresses, in capsules
 *   objects.c     finds the memory that pointers lead to
 *   foreign.c     calls foreign functions once, and logs what they change
 *   files.c       follows numbers that are written to files and read again
 *   variables.c   lists the program's variables
 *   notes.c       notes what such calls have done to numbers, for their derivatives
 *   fortran.c     reads descriptors of Fortran arrays
 *   symbols.c     maps results of dlsym to the program's own functions
 *
 * Requires: rooms `memory` and `cells`.
 * Leaves: capsules, and repeated runs that get the same results from the outside world.
 * Owns: the job, its place, the base of capsules, the log, the files, the notes of a call. */
#ifndef NATIVE_RUN_RUN_H
#define NATIVE_RUN_RUN_H

#include "native/cells/cells.h"
#include "native/run/caller.h"
#include "native/run/capsule.h"
#include "native/run/files.h"
#include "native/run/foreign.h"
#include "native/run/generators.h"
#include "native/run/handles.h"
#include "native/run/job.h"
#include "native/run/log.h"
#include "native/run/notes.h"
#include "native/run/objects.h"
#include "native/run/outside.h"
#include "native/run/posts.h"
#include "native/run/variables.h"
#include "native/run/world.h"

#endif
