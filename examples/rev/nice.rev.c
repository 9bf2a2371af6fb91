/* A NICE network (additive coupling layers) that learns the density of points in the plane, trained in the memory of
 * one layer: each layer is undone on the way back, so activations are not kept. The points lie on two half moons; the
 * network maps them to independent logistic variables, with a scale for each.
 *
 * After `verso rev` the program trains with Adam, prints the loss, and shows that a deeper network needs no more
 * memory than its weights. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

enum { POINTS = 256, HIDDEN = 16, LAYERS = 8, LAYER = 3 * HIDDEN + 1, WEIGHTS = LAYERS * LAYER + 2 };

/* ---- Reversible ------------------------------------------------------------------------------------------------- */

/* b[i] += w2 tanh(w1 a[i] + b1) + b2 for all points: `weights` are w1, b1, w2 of HIDDEN each, and b2. */
rev void coupling(double *restrict b, const double *restrict a, const double *restrict weights, passive int points) {
    for (int i = 0; i < points; i++) {
        b[i] += weights[3 * HIDDEN];
        for (int h = 0; h < HIDDEN; h++) {
            b[i] += weights[2 * HIDDEN + h] * tanh(weights[h] * a[i] + weights[HIDDEN + h]);
        }
    }
}

/* Both coordinates of all points, in place; layers change them in turn. */
rev void network(double *restrict x, double *restrict y, const double *restrict weights, passive int points,
                 passive int layers) {
    for (int l = 0; l < layers; l++) {
        if (l % 2 == 0) {
            coupling(y, x, &weights[l * LAYER], points);
        } else {
            coupling(x, y, &weights[l * LAYER], points);
        }
    }
}

/* Minus the mean logarithm of the density: logistic in exp(scale) times each coordinate. */
rev void surprise(double *restrict loss, const double *restrict x, const double *restrict y,
                  const double *restrict scales, passive int points) {
    for (int i = 0; i < points; i++) {
        *loss += (2 * log(1 + exp(-exp(scales[0]) * x[i])) + exp(scales[0]) * x[i]) / points;
        *loss += (2 * log(1 + exp(-exp(scales[1]) * y[i])) + exp(scales[1]) * y[i]) / points;
    }
    *loss -= scales[0] + scales[1];
}

/* ---- A run ------------------------------------------------------------------------------------------------------ */

static void moons(double *x, double *y, uint64_t *seed) {
    for (int i = 0; i < POINTS; i++) {
        double angle = 3.14159265358979 * host_uniform(seed);
        x[i] = i % 2 ? cos(angle) - 0.5 : 0.5 - cos(angle);
        y[i] = i % 2 ? sin(angle) - 0.25 : 0.25 - sin(angle);
        x[i] += 0.05 * host_normal(seed);
        y[i] += 0.05 * host_normal(seed);
    }
}

static double loss_of(double *x, double *y, const double *weights) {
    double loss = 0;
    network(x, y, weights, POINTS, LAYERS);
    surprise(&loss, x, y, weights + LAYERS * LAYER, POINTS);
    return loss;
}

#ifdef VERSO_REV_GENERATED
static double train(double *x, double *y, double *weights) {
    double m[WEIGHTS] = {0}, v[WEIGHTS] = {0}, loss = 0;
    for (int step = 1; step <= 1500; step++) {
        double bar[WEIGHTS] = {0}, x_bar[POINTS] = {0}, y_bar[POINTS] = {0}, loss_bar = 1;
        loss = loss_of(x, y, weights);
        if (step == 1 || step % 500 == 0)
            printf("step %4d: loss %.4f\n", step, loss);
        double value = loss, *scales = weights + LAYERS * LAYER, *scales_bar = bar + LAYERS * LAYER;
        surprise_adj(&value, &loss_bar, x, x_bar, y, y_bar, scales, scales_bar, POINTS);
        network_adj(x, x_bar, y, y_bar, weights, bar, POINTS, LAYERS);
        host_adam(weights, bar, m, v, WEIGHTS, step, 0.003);
    }
    return loss;
}
#endif

int main(void) {
    uint64_t seed = 12;
    double x[POINTS], y[POINTS], weights[WEIGHTS], first[POINTS];
    moons(x, y, &seed);
    memcpy(first, x, sizeof x);
    for (int i = 0; i < WEIGHTS; i++)
        weights[i] = i < LAYERS * LAYER ? 0.5 * host_normal(&seed) : 0;
#ifdef VERSO_REV_GENERATED
    double loss = train(x, y, weights), drift = 0;
    for (int i = 0; i < POINTS; i++)
        drift = fmax(drift, fabs(x[i] - first[i]));
    printf("after 1500 times there and back the points have moved by %.1e\n", drift);
    return !(loss < 1) || drift > 1e-8;
#else
    printf("loss of random weights: %.6f\n", loss_of(x, y, weights));
    return first[0] == x[0];
#endif
}
