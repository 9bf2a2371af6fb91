/* Singular values by Jacobi rotations, and a pseudo-inverse.
 * at: random:30:-1:1
 * cuts: 10
 * noise: 1e-11
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

extern "C" double f(const double *x, size_t n) {
    Index columns = 5, rows = static_cast<Index>(n) / columns;
    Map<const MatrixXd> a(x, rows, columns);
    JacobiSVD<MatrixXd> svd(a, ComputeThinU | ComputeThinV);
    VectorXd b = VectorXd::LinSpaced(rows, 1, 2);
    return svd.singularValues().array().log().sum() + svd.solve(b).squaredNorm() + svd.singularValues()[0];
}
