/* at: 0.7,1.1,-0.4
 * std::atomic<double>, in one thread. */
#include <atomic>
#include <cstddef>
#include <memory>

static void add(std::atomic<double> &to, double value) {
    double old = to.load();
    while (!to.compare_exchange_weak(old, old + value))
        ;
}

extern "C" double f(const double *x, size_t n) {
    std::atomic<double> total{0}, last{1};
    auto shared = std::make_shared<double>(x[0]);
    for (size_t i = 0; i < n; i++) {
        std::shared_ptr<double> again = shared;
        add(total, x[i] * x[i] * *again);
        last.store(total.exchange(total * x[i]));
    }
    return total * last;
}
