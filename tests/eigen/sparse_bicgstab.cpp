/* BiCGSTAB on a sparse matrix that is not symmetric, with an incomplete LU as preconditioner.
 * at: random:49:0.5:2
 * cuts: 10
 * noise: 1e-10
 */
#include <Eigen/Sparse>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace Eigen;

static SparseMatrix<double> laplacian(const double *x, int side) {
    std::vector<Triplet<double>> entries;
    for (int i = 0; i < side; i++)
        for (int k = 0; k < side; k++) {
            int at = i * side + k;
            entries.emplace_back(at, at, 0.1 + 4 * x[at]);
            if (k + 1 < side) {
                entries.emplace_back(at, at + 1, -0.5 * (x[at] + x[at + 1]));
                entries.emplace_back(at + 1, at, -0.5 * (x[at] + x[at + 1]));
            }
            if (i + 1 < side) {
                entries.emplace_back(at, at + side, -std::sqrt(x[at] * x[at + side]));
                entries.emplace_back(at + side, at, -std::sqrt(x[at] * x[at + side]));
            }
        }
    SparseMatrix<double> a(side * side, side * side);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
}

extern "C" double f(const double *x, size_t n) {
    int side = static_cast<int>(std::sqrt(static_cast<double>(n)));
    SparseMatrix<double> a = laplacian(x, side);
    a.coeffRef(0, 1) *= 1.5;
    a.makeCompressed();
    BiCGSTAB<SparseMatrix<double>, IncompleteLUT<double>> solver(a);
    VectorXd b = VectorXd::LinSpaced(a.rows(), 1, 2);
    return b.dot(solver.solve(b));
}
