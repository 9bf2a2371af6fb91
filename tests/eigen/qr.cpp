/* QR decompositions by Householder reflections, without and with column pivoting: least squares.
 * at: random:96:-1:1
 * cuts: 10
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

extern "C" double f(const double *x, size_t n) {
    Index columns = 5, rows = static_cast<Index>(n) / (columns + 1);
    Map<const MatrixXd> a(x, rows, columns);
    VectorXd b = Map<const VectorXd>(x + rows * columns, rows);
    VectorXd first = a.householderQr().solve(b);
    ColPivHouseholderQR<MatrixXd> pivoting(a);
    VectorXd second = pivoting.solve(b);
    MatrixXd q = pivoting.householderQ();
    return first.squaredNorm() + second.sum() + (a * first - b).norm() + q.col(columns - 1).cwiseAbs().sum();
}
