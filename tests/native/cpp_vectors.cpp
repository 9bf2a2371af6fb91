/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-exceptions
 * C++: std::vector of several pages that grows, moves and is freed in every call, over the blocks of the calls before:
 * snapshots hold what the heap is then, and must be as large in every run for peaks to be predicted. */
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace {

using field = std::vector<double>;

/* Pages and half a page, by doubling. */
[[gnu::noinline]] field spread(const field &from, std::size_t count) {
    field made;
    for (std::size_t i = 0; i < count; i++)
        made.push_back(std::sin(from[i % from.size()]) + 0.001 * static_cast<double>(i));
    return made;
}

[[gnu::noinline]] field smooth(field u) {
    field next(u.size() + 3);
    for (std::size_t i = 1; i + 1 < u.size(); i++)
        next[i] = 0.25 * u[i - 1] + 0.5 * u[i] * u[i] + 0.25 * u[i + 1];
    next.resize(u.size());
    return next;
}

[[gnu::noinline]] double norm(const field &u) {
    double sum = 0;
    for (double value : u)
        sum += value * value;
    return sum / static_cast<double>(u.size());
}

/* Vectors of vectors, one of which outlives the others. */
[[gnu::noinline]] field step(const field &signal, std::size_t size) {
    std::vector<field> levels;
    for (std::size_t level = 0; level < 3; level++)
        levels.push_back(smooth(spread(signal, size << level)));
    field kept;
    for (const field &level : levels)
        kept.push_back(norm(level));
    kept.insert(kept.begin(), signal[0] * kept[1]);
    return kept;
}

} // namespace

extern "C" double f(const double *x, size_t n) {
    field signal(x, x + n);
    for (std::size_t i = 0; i < 4; i++)
        signal = step(signal, 150 + 90 * i);
    return norm(signal) + signal.back();
}
