/* Sparse matrices in compressed rows or columns. `start` has one entry more than there are rows (columns); `index`
 * holds the columns (rows) of the values, ascending in each row (column). The pattern is passive. */
#include <complex.h>
#include <math.h>
#include <verso/rev.h>

/* y += A x; A is stored by rows. */
rev void rev_csr_matvec(double *restrict y, const double *restrict value, passive const int *restrict index,
                        passive const int *restrict start, const double *restrict x, passive int rows) {
    for (int i = 0; i < rows; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            y[i] += value[k] * x[index[k]];
        }
    }
}

/* y += A x; A is stored by columns. */
rev void rev_csc_matvec(double *restrict y, const double *restrict value, passive const int *restrict index,
                        passive const int *restrict start, const double *restrict x, passive int columns) {
    for (int j = 0; j < columns; j++) {
        for (int k = start[j]; k < start[j + 1]; k++) {
            y[index[k]] += value[k] * x[j];
        }
    }
}

rev void rev_csc_matvec_complex(double complex *restrict y, const double complex *restrict value,
                                passive const int *restrict index, passive const int *restrict start,
                                const double complex *restrict x, passive int columns) {
    for (int j = 0; j < columns; j++) {
        for (int k = start[j]; k < start[j + 1]; k++) {
            y[index[k]] += value[k] * x[j];
        }
    }
}

/* Adds the sum of A[i][j] B[i][j] to *out; both are stored by columns. Each pair of columns is merged up to the
 * end of both. So the final positions of the two cursors are known, and nothing has to be computed backwards. The
 * entries before the cursors show which of them moved last. */
rev void rev_sparse_dot(double *restrict out, const double *restrict a, passive const int *restrict a_index,
                        passive const int *restrict a_start, const double *restrict b,
                        passive const int *restrict b_index, passive const int *restrict b_start, passive int columns) {
    for (int j = 0; j < columns; j++) {
        anc int i = a_start[j];
        anc int k = b_start[j];
        from(i == a_start[j] && k == b_start[j]) while (i < a_start[j + 1] || k < b_start[j + 1]) {
            if (i < a_start[j + 1] && k < b_start[j + 1] && a_index[i] == b_index[k]) {
                *out += a[i] * b[k];
                i++;
                k++;
            } else {
                if (k == b_start[j + 1] || (i < a_start[j + 1] && a_index[i] < b_index[k])) {
                    i++;
                } else {
                    k++;
                }
                fi(k == b_start[j] || (i > a_start[j] && a_index[i - 1] > b_index[k - 1]))
            }
            fi(i > a_start[j] && k > b_start[j] && a_index[i - 1] == b_index[k - 1])
        }
        drop i == a_start[j + 1];
        drop k == b_start[j + 1];
    }
}
