/* A small neural network as people write it with Eigen: layers, activations by Eigen's own vectorised functions,
 * softmax and cross entropy over a batch.
 *
 * at: random:225:-0.5:0.5
 * cuts: 10
 */
#include <Eigen/Dense>
#include <cstddef>

using namespace Eigen;

struct Layer {
    MatrixXd weights;
    VectorXd bias;
    Layer(const double *&x, Index outputs, Index inputs) {
        weights = Map<const MatrixXd>(x, outputs, inputs);
        x += outputs * inputs;
        bias = Map<const VectorXd>(x, outputs);
        x += outputs;
    }
    MatrixXd operator()(const MatrixXd &batch) const { return (weights * batch).colwise() + bias; }
};

extern "C" double f(const double *x, size_t) {
    const Index inputs = 6, hidden = 10, classes = 5, batch = 7;
    MatrixXd data(inputs, batch);
    for (Index i = 0; i < data.size(); i++)
        data.data()[i] = std::sin(static_cast<double>(i * i));
    Layer first(x, hidden, inputs), second(x, hidden, hidden), third(x, classes - 1, hidden);
    MatrixXd one = first(data).array().tanh();
    MatrixXd two = second(one).unaryExpr([](double v) { return v > 0 ? v : 0.01 * v; });
    ArrayXXd scores = third(two).array();
    scores.rowwise() -= scores.colwise().maxCoeff().eval();
    ArrayXXd probabilities = scores.exp();
    probabilities.rowwise() /= probabilities.colwise().sum().eval();
    double loss = 0;
    for (Index i = 0; i < batch; i++)
        loss -= probabilities.log()(i % (classes - 1), i);
    return loss / static_cast<double>(batch) + 1e-3 * first.weights.squaredNorm();
}
