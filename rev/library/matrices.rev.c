/* Dense products. Matrices are stored by rows. The innermost loops run along rows of all operands, so that
 * compilers vectorise the forward, inverse and adjoint functions alike. */
#include <math.h>
#include <verso/rev.h>

/* y += W x + b; W has `rows` rows and `columns` columns. */
rev void rev_affine(double *restrict y, const double *restrict w, const double *restrict b, const double *restrict x,
                    passive int rows, passive int columns) {
    for (int i = 0; i < rows; i++) {
        y[i] += b[i];
        for (int j = 0; j < columns; j++) {
            y[i] += w[i * columns + j] * x[j];
        }
    }
}

/* C += A B; A has `rows` rows and `inner` columns, B `inner` rows and `columns` columns. */
rev void rev_matmul(double *restrict c, const double *restrict a, const double *restrict b, passive int rows,
                    passive int inner, passive int columns) {
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < inner; k++) {
            for (int j = 0; j < columns; j++) {
                c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
            }
        }
    }
}

/* X := U X, where the orthogonal matrix U is a product of rotations of neighbouring rows by `angles`, an array of
 * rows (rows - 1) / 2 numbers. It works in place: rotations undo rotations, so nothing is stored. */
rev void rev_unitary(double *restrict x, const double *restrict angles, passive int rows, passive int columns) {
    for (int c = 0; c < columns; c++) {
        for (int j = 0; j < rows - 1; j++) {
            for (int i = 0; i < rows - 1 - j; i++) {
                rot(x[(rows - 2 - i) * columns + c], x[(rows - 1 - i) * columns + c],
                    angles[j * (2 * rows - 1 - j) / 2 + i]);
            }
        }
    }
}

rev_instantiate(rev_affine, float, fixed);
rev_instantiate(rev_matmul, float, fixed);
rev_instantiate(rev_unitary, float);
