/* Cholesky decompositions of a symmetric positive matrix, LLT (in blocks) and LDLT.
 * at: random:1600:-1:1
 * cuts: 10
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

extern "C" double f(const double *x, size_t n) {
    Index size = static_cast<Index>(std::sqrt(static_cast<double>(n)));
    Map<const MatrixXd> a(x, size, size);
    MatrixXd s = a * a.transpose() + 3 * MatrixXd::Identity(size, size);
    VectorXd b = VectorXd::LinSpaced(size, -1, 1);
    LLT<MatrixXd> plain(s);
    LDLT<MatrixXd> pivoting(s);
    return b.dot(plain.solve(b)) + plain.matrixL().toDenseMatrix().diagonal().array().log().sum() +
           pivoting.solve(b).squaredNorm() + pivoting.vectorD().array().sqrt().sum();
}
