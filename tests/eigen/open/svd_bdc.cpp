/* Singular values by dividing and conquering, which starts at 16 columns. Eigen solves the secular equation by
 * bisection when rational interpolation stalls, and the result of a bisection has the derivative of the interval's ends
 * (docs/native.md, "A number found by comparisons"). Tangent and reverse mode agree, and differ from differences:
 * tests/long/eigen holds `verso check` to saying so. tests/eigen/svd_divide.cpp has the remedies.
 *
 * at: random:480:-1:1
 * cuts: 10
 * noise: 1e-11
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

extern "C" double f(const double *x, size_t n) {
    Index columns = 20, rows = static_cast<Index>(n) / columns;
    Map<const MatrixXd> a(x, rows, columns);
    BDCSVD<MatrixXd> svd(a, ComputeThinU | ComputeThinV);
    VectorXd b = VectorXd::LinSpaced(rows, 1, 2);
    return svd.singularValues().array().log().sum() + svd.solve(b).squaredNorm() + svd.singularValues()[0];
}
