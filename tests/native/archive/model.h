/* What the files of this program share. */
#ifndef NATIVE_ARCHIVE_MODEL_H
#define NATIVE_ARCHIVE_MODEL_H

#include <stddef.h>

extern double shared_level;

double model_integrate(double (*weight)(double), const double *x, size_t n);
double model_level(double u);
double model_unused(double u);

#endif
