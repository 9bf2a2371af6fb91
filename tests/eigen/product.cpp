/* Products of matrices that are large enough for the blocked kernel, with remainders in every direction; a triangular
 * and a symmetric one; in float, too.
 * at: random:1107:-1:1
 * cuts: 10
 * noise: 1e-6
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

extern "C" double f(const double *x, size_t n) {
    Index depth = 27, rows = static_cast<Index>(n) / depth;
    MatrixXd a = Map<const MatrixXd>(x, rows, depth);
    MatrixXd b = a.transpose() * a, c = a * b;
    c.noalias() += 0.5 * a * b.triangularView<Upper>();
    MatrixXd d = b.selfadjointView<Lower>() * a.transpose();
    MatrixXf e = a.cast<float>();
    MatrixXf g = e * e.transpose();
    return c.squaredNorm() / static_cast<double>(n) + d.array().sin().sum() + static_cast<double>(g.maxCoeff()) +
           static_cast<double>(g.row(3).sum());
}
