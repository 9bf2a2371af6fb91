/* LU decompositions: with partial pivoting, large enough to be done in blocks, and with full pivoting.
 * at: random:400:-1:1
 * cuts: 10
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

extern "C" double f(const double *x, size_t n) {
    Index size = static_cast<Index>(std::sqrt(static_cast<double>(n)));
    MatrixXd a = Map<const MatrixXd>(x, size, size) + 2 * MatrixXd::Identity(size, size);
    VectorXd b = VectorXd::LinSpaced(size, 1, 2);
    PartialPivLU<MatrixXd> partial(a);
    FullPivLU<MatrixXd> full(a.topLeftCorner(6, 6));
    return partial.solve(b).squaredNorm() + std::log(std::fabs(partial.determinant())) + full.inverse().norm() +
           full.solve(b.head(6)).sum();
}
