/* Eigenvalues and eigenvectors of a symmetric matrix.
 * at: random:36:-1:1
 * cuts: 10
 * noise: 1e-11
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

extern "C" double f(const double *x, size_t n) {
    Index size = static_cast<Index>(std::sqrt(static_cast<double>(n)));
    Map<const MatrixXd> a(x, size, size);
    SelfAdjointEigenSolver<MatrixXd> solver(a + a.transpose());
    VectorXd weights = VectorXd::LinSpaced(size, 1, 3);
    return weights.dot(solver.eigenvalues()) + solver.eigenvectors().col(0).array().pow(4).sum() +
           solver.eigenvalues().cwiseAbs().maxCoeff();
}
