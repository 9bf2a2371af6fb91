/* The adjoints of MPI's functions. `verso cc` compiles this file when it links a program that calls MPI and asks for
 * derivatives, with the mpi.h that the program was compiled with, so that Verso works with every MPI and depends on
 * none.
 *
 *   world.h        state, which no capsule contains
 *   groups.h       communicators: their members and a number that all members agree on
 *   maps.h         datatypes: where in memory the numbers are
 *   notes.h        what a durable run logs besides
 *   messages.h     messages of derivatives between ranks
 *   entries.h      what a call has sent and received; reverses it and carries tangents
 *   calls.h        how the functions below become adjoints; staged copies of buffers
 *   point.h        blocking messages
 *   requests.h     nonblocking messages and their completion; persistent requests
 *   matched.h      messages that are matched before they are received; packing
 *   durable.h      how the ranks continue a durable run together
 *   reductions.h   weights of reductions
 *   collect.h      collective calls
 *   neighbours.h   collective calls among neighbours in a topology
 *   nonblocking.h  nonblocking collective calls
 *   queries.h      everything that communicates no numbers: communicators, groups, types, topologies
 *   plain.h        functions of MPI that are replaced in the whole program, to learn what it creates
 *
 * A communication is made once (VERSO_WORLD_ADJOINT). It leaves entries on the tape: this memory went to those ranks,
 * that memory came from these. The sweep sends the adjoints of what came, and adds those that come back for what went.
 * docs/parallel.md describes it for users. */
#ifndef VERSO_MPI_ADJOINTS_H
#define VERSO_MPI_ADJOINTS_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verso/native.h>

#include "world.h"

#include "groups.h"

#include "maps.h"

#include "notes.h"

#include "messages.h"

#include "entries.h"

#include "calls.h"

#include "point.h"

#include "requests.h"

#include "matched.h"

#include "durable.h"

#include "reductions.h"

#include "collect.h"

#include "neighbours.h"

#include "nonblocking.h"

#include "queries.h"

#include "plain.h"

#endif
