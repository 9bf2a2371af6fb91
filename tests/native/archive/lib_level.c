/* A member of the static library with state of its own file. */
#include "model.h"

#include <math.h>

static const double weight = 0.75;

double model_level(double u) {
    return tanh(weight * u) + shared_level;
}
