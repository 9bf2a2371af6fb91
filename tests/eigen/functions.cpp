/* Eigen's own vectorised functions, in double and float: they take numbers apart by their bits.
 * at: random:37:0.1:2.5
 * cuts: 10
 * noise: 1e-5
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

template <typename Array> static double every(const Array &a) {
    Array sum = a.exp() + a.log() + a.sqrt() + a.rsqrt() + a.square() * a.cube() + a.inverse() + a.abs();
    sum += a.sin() * a.cos() + a.tan() * 0.01f + a.tanh() + a.pow(1.5f) + a.log1p() + a.expm1();
    sum += a.min(a.square()) + a.max(a.sqrt()) + (a > 1).select(a, 2 * a) + a.floor() * a + a.round() + a.ceil();
    sum += (a / 3).asin() + (a / 3).acos() + a.atan() + a.sinh() + a.cosh() + (a.log().exp() - a) + a.log10();
    return static_cast<double>(sum.sum() + a.prod() + a.minCoeff() + a.maxCoeff());
}

extern "C" double f(const double *x, size_t n) {
    ArrayXd a = Map<const ArrayXd>(x, static_cast<Index>(n));
    return every(a) + every(ArrayXf(a.cast<float>()));
}
