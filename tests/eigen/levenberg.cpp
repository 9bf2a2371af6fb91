/* Levenberg and Marquardt's method, as in many programs: a curve is fitted, and the fit is differentiated by the data.
 * at: random:12:0.9:1.1
 * cuts: 10
 * noise: 1e-10
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

static VectorXd residuals(const Vector3d &p, const VectorXd &y) {
    VectorXd t = VectorXd::LinSpaced(y.size(), 0, 2);
    return (p[0] * (-p[1] * t.array()).exp() + p[2] - y.array()).matrix();
}

extern "C" double f(const double *x, size_t n) {
    Map<const VectorXd> factors(x, static_cast<Index>(n));
    VectorXd t = VectorXd::LinSpaced(factors.size(), 0, 2);
    VectorXd y = factors.array() * (2 * (-1.3 * t.array()).exp() + 0.5);
    Vector3d p(1, 1, 0);
    double lambda = 1e-3;
    for (int iteration = 0; iteration < 15; iteration++) {
        VectorXd r = residuals(p, y);
        MatrixXd jacobian(r.size(), 3);
        jacobian.col(0) = (-p[1] * t.array()).exp();
        jacobian.col(1) = -p[0] * t.array() * (-p[1] * t.array()).exp();
        jacobian.col(2).setOnes();
        Matrix3d normal = jacobian.transpose() * jacobian;
        normal.diagonal() *= 1 + lambda;
        Vector3d step = -normal.ldlt().solve(jacobian.transpose() * r);
        if (residuals(p + step, y).squaredNorm() < r.squaredNorm()) {
            p += step;
            lambda *= 0.3;
        } else {
            lambda *= 2;
        }
    }
    return p.squaredNorm() + residuals(p, y).squaredNorm();
}
