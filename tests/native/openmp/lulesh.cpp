/* Differentiates LULESH 2.0 (LLNL), a hydrodynamics code of 7000 lines with OpenMP, whose files stay as they are: the
 * energy at the origin and the kinetic energy after some cycles, with respect to the energy that is released at the origin
 * and to that of four other places. tests/long/lulesh compiles it. Compares reverse mode with tangent mode and with
 * differences. */
#define main lulesh_main
#include "lulesh.cc"
#undef main

#include <cmath>
#include <verso/native.h>

static int cycles = 60, side = 16;

static double f(const double *x, size_t n) {
    Int_t column, row, plane, parts;
    InitMeshDecomp(1, 0, &column, &row, &plane, &parts);
    Domain *domain = new Domain(1, column, row, plane, side, parts, 11, 1, 1);
    domain->e(0) *= x[0];
    for (size_t i = 1; i < n; i++)
        domain->e((Index_t)i * 7 % domain->numElem()) += 1e5 * x[i];
    while (domain->time() < domain->stoptime() && domain->cycle() < cycles) {
        TimeIncrement(*domain);
        LagrangeLeapFrog(*domain);
    }
    double kinetic = 0;
    for (Index_t i = 0; i < domain->numNode(); i++)
        kinetic += domain->nodalMass(i) *
                   (domain->xd(i) * domain->xd(i) + domain->yd(i) * domain->yd(i) + domain->zd(i) * domain->zd(i));
    double result = 1e-5 * (domain->e(0) + kinetic);
    delete domain;
    return result;
}

int main(int argc, char **argv) {
    enum { N = 5 };
    const double x[N] = {1.0, 0.3, 0.2, 0.1, 0.05}, direction[N] = {0.4, -0.3, 0.7, 0.2, -0.5};
    double gradient[N], within[N], tangent = 0, dot = 0, least = INFINITY;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    if (argc > 1)
        cycles = atoi(argv[1]);
    verso_native_options budget = VERSO_NATIVE_OPTIONS_INIT;
    budget.memory = (size_t)96 << 20;
    if (verso_gradient(f, x, N, within, &budget, &report, &error) != VERSO_STATUS_OK ||
        verso_gradient(f, x, N, gradient, NULL, &report, &error) != VERSO_STATUS_OK ||
        verso_directional(f, x, N, direction, &tangent, NULL, &error) != VERSO_STATUS_OK) {
        printf("refused: %s\n", error.message);
        return 1;
    }
    for (int i = 0; i < N; i++)
        dot += gradient[i] * direction[i];
    for (double h = 1e-3; h > 1e-7; h /= 10) {
        double up[N], down[N];
        for (int i = 0; i < N; i++) {
            up[i] = x[i] + h * direction[i];
            down[i] = x[i] - h * direction[i];
        }
        least = fmin(least, fabs((f(up, N) - f(down, N)) / (2 * h) - tangent) / fabs(tangent));
    }
    double value = f(x, N), apart = fabs(dot - tangent) / fabs(tangent);
    bool same = memcmp(within, gradient, sizeof gradient) == 0;
    printf("%d cycles of %d^3 elements: value %.15g, recorded %.15g, %.0f MB of tape\n", cycles, side, value,
           report.value, 1e-6 * (double)report.tape_bytes);
    printf(
        "derivative in one direction %.12g: reverse and tangent mode %.0e apart, differences %.0e; within 96 MB %s\n",
        dot, apart, least, same ? "the same bits" : "other bits");
    return !(apart < 1e-11 && least < 1e-7 && same && fabs(value - report.value) < 1e-12 * fabs(value));
}
