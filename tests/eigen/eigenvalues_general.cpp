/* Eigenvalues of a matrix that is not symmetric: some of them complex.
 * at: random:36:-1:1
 * cuts: 10
 * noise: 1e-10
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

extern "C" double f(const double *x, size_t n) {
    Index size = static_cast<Index>(std::sqrt(static_cast<double>(n)));
    EigenSolver<MatrixXd> solver(Map<const MatrixXd>(x, size, size), false);
    double sum = 0;
    for (Index i = 0; i < size; i++)
        sum += std::norm(solver.eigenvalues()[i]) + std::exp(solver.eigenvalues()[i].real());
    return sum;
}
