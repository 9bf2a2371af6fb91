/* The AD operators' functions that take structures apart and put them together; shared by all evaluators. All of
 * them fail with VERSO_STATUS_INVALID if two structures have different shapes, and with VERSO_STATUS_NO_MEMORY. */
#ifndef VLAD_DIFFERENTIATE_H
#define VLAD_DIFFERENTIATE_H

#include "vlad/cotangents.h"
#include "vlad/shape.h"

/* Sets *result to x with its reals replaced by duals of this tag, with tangents from a structure of the same
 * shape. */
verso_status vlad_bundle(vlad_numbers *numbers, uint64_t tag, vlad_value x, vlad_value tangent, vlad_value *result,
                         verso_error *error);
/* Sets *result to the pair (primal . tangent) of a value that was computed with such duals. */
verso_status vlad_unbundle(vlad_numbers *numbers, uint64_t tag, vlad_value y, vlad_value *result, verso_error *error);

/* Sets *result to x with its reals replaced by the first reverse numbers of the topmost level. */
verso_status vlad_lift(vlad_numbers *numbers, vlad_value x, vlad_value *result, verso_error *error);
/* Adds a cotangent, of the same shape as y, to those of the level's numbers in y. */
verso_status vlad_seed(vlad_cotangents *cotangents, uint64_t tag, vlad_value y, vlad_value cotangent,
                       verso_error *error);
/* Sets *result to y with the level's numbers replaced by their primals. */
verso_status vlad_lower(vlad_numbers *numbers, uint64_t tag, vlad_value y, vlad_value *result, verso_error *error);
/* Sets *result to the cotangents of the level's first numbers, in the shape of x. The current stretch must begin
 * with these numbers. */
verso_status vlad_gather_cotangents(const vlad_cotangents *cotangents, vlad_value x, vlad_value *result,
                                    verso_error *error);

#endif
