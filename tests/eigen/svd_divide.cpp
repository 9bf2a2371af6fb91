/* Singular values of 20 columns, which BDCSVD finds by bisection: open/svd_bdc.cpp. With its vectors frozen,
 * diag(U' A V) has their derivatives. JacobiSVD has those of the vectors, too.
 *
 * at: random:480:-1:1
 * cuts: 10
 * noise: 1e-11
 */
#include <Eigen/Dense>
#include <cstddef>
#include <verso/native.h>

using namespace Eigen;

static MatrixXd frozen(const MatrixXd &a) {
    return a.unaryExpr([](double value) { return verso_frozen(value); });
}

extern "C" double f(const double *x, size_t n) {
    Index columns = 20, rows = static_cast<Index>(n) / columns;
    Map<const MatrixXd> a(x, rows, columns);
    BDCSVD<MatrixXd> divided(a, ComputeThinU | ComputeThinV);
    VectorXd values = (frozen(divided.matrixU()).transpose() * a * frozen(divided.matrixV())).diagonal();
    JacobiSVD<MatrixXd> rotated(a, ComputeThinU | ComputeThinV);
    VectorXd b = VectorXd::LinSpaced(rows, 1, 2);
    return values.array().log().sum() + values[0] + rotated.solve(b).squaredNorm();
}
