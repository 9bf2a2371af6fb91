/* A member that is not needed: the linker leaves it out, so what it calls need not exist. */
#include "model.h"

double nowhere_to_be_found(double u);

double model_unused(double u) {
    return nowhere_to_be_found(u);
}
