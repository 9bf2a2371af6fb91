/* at: random:12:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * OpenMP in C++: members, containers, iterators, private objects with constructors, reductions of classes, tasks. */
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

struct vec {
    double x = 0, y = 0;
    vec() = default;
    vec(double a, double b) : x(a), y(b) {}
    vec(const vec &other) = default;
    ~vec() { count++; }
    vec &operator=(const vec &) = default;
    vec &operator+=(const vec &other) {
        x += other.x;
        y += other.y;
        return *this;
    }
    static int count;
};
int vec::count;

#pragma omp declare reduction(add:vec : omp_out += omp_in)

template <class T> class field {
    std::vector<T> cells;

  public:
    explicit field(std::size_t n) : cells(n) {}
    T &operator[](std::size_t i) { return cells[i]; }
    template <class F> void each(F change) {
#pragma omp parallel for
        for (std::size_t i = 0; i < cells.size(); i++)
            cells[i] = change(i);
    }
    T total() {
        T sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
        for (auto at = cells.begin(); at < cells.end(); ++at)
            sum += *at * *at;
        return sum;
    }
};

} // namespace

extern "C" double f(const double *x, std::size_t n) {
    field<double> values(n);
    values.each([=](std::size_t i) { return std::sin(x[i]) * x[(i + 1) % n]; });
    vec sum, start(x[0], x[1]);
#pragma omp parallel for reduction(add : sum) firstprivate(start)
    for (std::size_t i = 0; i < n; i++) {
        start.x += 0;
        sum += vec(values[i] * start.x, x[i] * start.y);
    }
    double later = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task firstprivate(start) shared(later)
        later = start.x * start.y;
#pragma omp taskloop firstprivate(start)
        for (std::size_t i = 0; i < n; i++)
            values[i] += start.x * x[i];
    }
    return sum.x * sum.y + values.total() + later;
}
