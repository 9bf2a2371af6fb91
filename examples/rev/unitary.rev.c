/* A product with an orthogonal matrix in place (listing 14 of the paper): rotations of neighbouring rows. The angles of
 * a hidden matrix are found from what it does to vectors, by gradient descent in the memory of the vectors alone. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

/* The reversible function is in the library. */
#ifdef VERSO_REV_GENERATED
#include "library/matrices.c"
#else
#include "library/matrices.rev.c"
#endif

enum { ROWS = 8, COLUMNS = 16, ANGLES = ROWS * (ROWS - 1) / 2, SIZE = ROWS * COLUMNS };

rev void mismatch(double *loss, const double *x, passive const double *wanted, passive int count) {
    for (int i = 0; i < count; i++) {
        *loss += (x[i] - wanted[i]) * (x[i] - wanted[i]) / count;
    }
}

int main(void) {
    uint64_t seed = 4;
    double first[SIZE], x[SIZE], wanted[SIZE], angles[ANGLES], hidden[ANGLES];
    for (int i = 0; i < SIZE; i++)
        wanted[i] = x[i] = first[i] = host_normal(&seed);
    for (int i = 0; i < ANGLES; i++) {
        hidden[i] = 0.5 * host_normal(&seed);
        angles[i] = 0;
    }
    rev_unitary(wanted, hidden, ROWS, COLUMNS);
    double before = 0, after = 0, loss = 0, first_loss;
    for (int i = 0; i < SIZE; i++) {
        before += first[i] * first[i];
        after += wanted[i] * wanted[i];
    }
    rev_unitary(x, angles, ROWS, COLUMNS);
    mismatch(&loss, x, wanted, SIZE);
    first_loss = loss;
    printf("square of all numbers: %.12f before, %.12f after; loss of no rotation: %.6f\n", before, after, first_loss);
#ifdef VERSO_REV_GENERATED
    rev_unitary_inv(x, angles, ROWS, COLUMNS);
    double m[ANGLES] = {0}, v[ANGLES] = {0}, drift = 0;
    for (int step = 1; step <= 2000; step++) {
        double loss_bar = 1, x_bar[SIZE] = {0}, angles_bar[ANGLES] = {0};
        loss = 0;
        rev_unitary(x, angles, ROWS, COLUMNS);
        mismatch(&loss, x, wanted, SIZE);
        double value = loss;
        mismatch_adj(&loss, &loss_bar, x, x_bar, wanted, SIZE);
        rev_unitary_adj(x, x_bar, angles, angles_bar, ROWS, COLUMNS);
        loss = value;
        host_adam(angles, angles_bar, m, v, ANGLES, step, 0.01);
    }
    for (int i = 0; i < SIZE; i++)
        drift = fmax(drift, fabs(x[i] - first[i]));
    printf("loss after 2000 steps: %.3e; the vectors have drifted by %.1e\n", loss, drift);
    return loss > 1e-3 * first_loss;
#else
    return 0;
#endif
}
