/* The AD operators as they take structures apart and put them together: shared by all that evaluate. */
#ifndef VLAD_DIFFERENTIATE_H
#define VLAD_DIFFERENTIATE_H

#include "vlad/cotangents.h"
#include "vlad/shape.h"

/* x with tangents of the same shape: duals of a tag. */
verso_status vlad_bundle(vlad_numbers *numbers, uint64_t tag, vlad_value x, vlad_value tangent, vlad_value *result,
                         verso_error *error);
/* (primal . tangent) of what was computed with such. */
verso_status vlad_unbundle(vlad_numbers *numbers, uint64_t tag, vlad_value y, vlad_value *result, verso_error *error);

/* x with its reals born as the first numbers of the topmost level. */
verso_status vlad_lift(vlad_numbers *numbers, vlad_value x, vlad_value *result, verso_error *error);
/* The cotangent of y, of the same shape, is added where y has numbers of the level. */
verso_status vlad_seed(vlad_cotangents *cotangents, uint64_t tag, vlad_value y, vlad_value cotangent,
                       verso_error *error);
/* y without the level. */
verso_status vlad_lower(vlad_numbers *numbers, uint64_t tag, vlad_value y, vlad_value *result, verso_error *error);
/* The cotangents of the first numbers, in the shape of x: the stretch at hand begins with them. */
verso_status vlad_gather_cotangents(const vlad_cotangents *cotangents, vlad_value x, vlad_value *result,
                                    verso_error *error);

#endif
