/* A time loop with nested calls, for `verso profile` and `verso tune`: a row of ice that flows downhill. Each step
 * finds the speed of the ice by an inner iteration, then moves the ice. glacier [STEPS [GRADIENTS [INNER]]] */
#include <stdio.h>
#include <stdlib.h>
#include <verso/native.h>

#define APART __attribute__((noinline)) /* calls must remain to be checkpointed */
enum { CELLS = 60 };

static int steps = 40, inner = 12;

APART static double friction(double thickness, double speed) {
    return 1 + thickness * thickness / (1 + speed * speed);
}

APART static void drive(const double *ice, double *force) {
    for (int i = 0; i + 1 < CELLS; i++)
        force[i] = ice[i] * (ice[i] - ice[i + 1] + 0.05);
    force[CELLS - 1] = ice[CELLS - 1] * 0.05;
}

APART static void relax(const double *ice, const double *force, double *speed) {
    for (int i = 0; i < CELLS; i++) {
        double left = i > 0 ? speed[i - 1] : 0, right = i + 1 < CELLS ? speed[i + 1] : 0;
        speed[i] = (force[i] + 0.4 * (left + right)) / (friction(ice[i], speed[i]) + 0.8);
    }
}

APART static void balance(const double *ice, double *speed) {
    double force[CELLS];
    drive(ice, force);
    for (int k = 0; k < inner; k++)
        relax(ice, force, speed);
}

APART static double flux(const double *ice, const double *speed, int i) {
    return i < 0 ? 0 : ice[i] * speed[i];
}

APART static void move(double *ice, const double *speed) {
    double change[CELLS];
    for (int i = 0; i < CELLS; i++)
        change[i] = 0.1 * (flux(ice, speed, i - 1) - flux(ice, speed, i));
    for (int i = 0; i < CELLS; i++)
        ice[i] += change[i];
}

APART static void step(double *ice, double *speed) {
    balance(ice, speed);
    move(ice, speed);
}

static double volume(const double *x, size_t n) {
    double ice[CELLS], speed[CELLS] = {0}, sum = 0;
    for (int i = 0; i < CELLS; i++)
        ice[i] = x[(size_t)i % n];
    for (int t = 0; t < steps; t++)
        step(ice, speed);
    for (int i = 0; i < CELLS; i++)
        sum += ice[i] * ice[i];
    return sum;
}

int main(int argc, char **argv) {
    double x[10], gradient[10], sum = 0;
    int gradients = argc > 2 ? atoi(argv[2]) : 1;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    steps = argc > 1 ? atoi(argv[1]) : steps;
    inner = argc > 3 ? atoi(argv[3]) : inner;
    for (int i = 0; i < 10; i++)
        x[i] = 1 + 0.05 * i;
    for (int g = 0; g < gradients; g++, steps *= 2) {
        if (verso_gradient(volume, x, 10, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
            return fprintf(stderr, "%s\n", error.message), 3;
        for (int i = 0; i < 10; i++)
            sum += gradient[i];
    }
    printf("volume %.17g, gradient %.17g\n", report.value, sum);
    return getenv("GLACIER_FAILS") != NULL ? 7 : 0;
}
