/* Room `budget`: a sweep within a memory budget, or by a schedule, on the general driver (drive/); durable runs.
 *
 *   scheduled.c         the sweep itself: begins, chooses what to do, and leaves memory as the run left it
 *   scheduled_survey.c  runs the program ahead to measure sizes or to count steps
 *   scheduled_divide.c  divides the budget, and chooses the length of steps
 *   scheduled_driver.c  hands the program to the driver, again with another division if that fails
 *   scheduled_record.c  records the run, or as much of its end as fits, without the driver
 *   division.c          the arithmetic of dividing a budget
 *   pieces.c            recordings of the last steps of a run, in slots of the tape
 *   program.c           the compiled program as a verso_program
 *   adjoint.c           the adjoint as bytes
 *   facts.c             what a durable run depends on
 *   durable.c           what a durable run stores beside its journal
 *   survey.c            how far a survey of a durable run has come, as a file
 *   describe.c          the schedule in words, for reports
 *
 * Requires: rooms `sweep` and below, drive/, schedule/, store/.
 * Leaves: what room `sweep` leaves.
 * Owns: measurements of the previous sweep of the same function. All other state is in local variables of the sweep. */
#ifndef NATIVE_BUDGET_BUDGET_H
#define NATIVE_BUDGET_BUDGET_H

#include "native/budget/adjoint.h"
#include "native/budget/describe.h"
#include "native/budget/division.h"
#include "native/budget/durable.h"
#include "native/budget/facts.h"
#include "native/budget/pieces.h"
#include "native/budget/program.h"
#include "native/budget/scheduled.h"
#include "native/budget/survey.h"

#endif
