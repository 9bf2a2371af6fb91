/* A Kalman filter with matrices of fixed size: the likelihood of measurements by its parameters.
 * at: 0.3,0.2,0.7,1.1,0.05,-0.4
 * cuts: 10
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

typedef Matrix<double, 4, 1> State;
typedef Matrix<double, 4, 4> Covariance;

extern "C" double f(const double *x, size_t) {
    const double dt = 0.1;
    Covariance transition = Covariance::Identity();
    transition.topRightCorner<2, 2>() = dt * Matrix2d::Identity();
    transition(3, 2) = x[4] * dt;
    Matrix<double, 2, 4> observation = Matrix<double, 2, 4>::Identity();
    Covariance noise = x[0] * x[0] * Covariance::Identity();
    Matrix2d error;
    error << x[2], x[1], x[1], x[3];
    State state(x[5], 0, 1, 0.5);
    Covariance covariance = Covariance::Identity();
    double likelihood = 0;
    for (int step = 0; step < 30; step++) {
        Vector2d measured(std::cos(0.2 * step), std::sin(0.3 * step));
        state = transition * state;
        covariance = transition * covariance * transition.transpose() + noise;
        Vector2d innovation = measured - observation * state;
        Matrix2d s = observation * covariance * observation.transpose() + error;
        Matrix<double, 4, 2> gain = covariance * observation.transpose() * s.inverse();
        state += gain * innovation;
        covariance = (Covariance::Identity() - gain * observation) * covariance;
        likelihood -= 0.5 * (innovation.dot(s.llt().solve(innovation)) + std::log(s.determinant()));
    }
    return likelihood;
}
