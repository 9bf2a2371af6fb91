/* A member that nobody needs: the linker leaves it out, so what it calls is nobody's trouble. */
#include "model.h"

double nowhere_to_be_found(double u);

double model_unused(double u) {
    return nowhere_to_be_found(u);
}
