/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-exceptions
 * C++: std::vector that grows and moves, of structs and of vectors, std::unique_ptr, std::map, std::function. */
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace {

struct layer {
    std::vector<std::vector<double>> weights;
    std::function<double(double)> activation;

    std::vector<double> operator()(const std::vector<double> &in) const {
        std::vector<double> out;
        for (const auto &row : weights) {
            double sum = 0;
            for (std::size_t i = 0; i < row.size(); i++)
                sum += row[i] * in[i];
            out.push_back(activation(sum));
        }
        return out;
    }
};

struct node {
    double value;
    std::unique_ptr<node> next;
};

} // namespace

extern "C" double f(const double *x, size_t n) {
    std::vector<layer> network;
    for (int depth = 0; depth < 3; depth++) {
        layer made;
        for (std::size_t i = 0; i < n; i++) {
            made.weights.emplace_back(n, 0.1 * depth);
            made.weights.back()[(i + 1) % n] = x[i];
        }
        double gain = 1 + 0.1 * depth * x[0];
        made.activation = [gain](double u) { return std::tanh(gain * u); };
        network.push_back(std::move(made));
    }
    std::vector<double> signal(x, x + n);
    std::unique_ptr<node> list;
    std::map<int, double> sums;
    for (const layer &each : network) {
        signal = each(signal);
        list.reset(new node{signal[0] * signal[1], std::move(list)});
        sums[static_cast<int>(signal.size()) * (signal[2] > 0.3 ? 1 : 2)] += signal[2];
    }
    double result = 0;
    for (const node *at = list.get(); at; at = at->next.get())
        result = 0.5 * result + at->value;
    for (const auto &entry : sums)
        result += entry.first * entry.second;
    return result;
}
