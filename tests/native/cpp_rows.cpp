/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:40:-1:1
 * noise: 1e-12
 * Vectors of vectors, whose rows are found through pointers in objects that are passed by address, and vectors of complex
 * numbers that recursive functions make and drop. */
#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

typedef std::vector<std::vector<double>> matrix;
typedef std::vector<std::complex<double>> signal;

static __attribute__((noinline)) matrix product(const matrix &a, const matrix &b) {
    std::size_t n = a.size();
    matrix c(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t j = 0; j < n; j++)
            for (std::size_t k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
    return c;
}

static __attribute__((noinline)) double relax(matrix &u, int sweeps) {
    int n = (int)u.size();
    matrix next = u;
    for (int t = 0; t < sweeps; t++) {
        for (int i = 1; i + 1 < n; i++)
            for (int j = 1; j + 1 < n; j++)
                next[i][j] = u[i][j] * (0.5 + 0.1 * u[i][j - 1]) + 0.1 * (u[i - 1][j] + u[i + 1][j] - u[i][j + 1]);
        std::swap(u, next);
    }
    double sum = 0;
    for (const std::vector<double> &row : u)
        for (double v : row)
            sum += v * v;
    return sum;
}

static void transform(signal &a) {
    std::size_t n = a.size();
    if (n == 1)
        return;
    signal even(n / 2), odd(n / 2);
    for (std::size_t i = 0; i < n / 2; i++) {
        even[i] = a[2 * i];
        odd[i] = a[2 * i + 1];
    }
    transform(even);
    transform(odd);
    for (std::size_t k = 0; k < n / 2; k++) {
        std::complex<double> turned = std::polar(1.0, -6.283185307179586 * (double)k / (double)n) * odd[k];
        a[k] = even[k] + turned;
        a[k + n / 2] = even[k] - turned;
    }
}

extern "C" double f(const double *x, std::size_t n) {
    const std::size_t size = 18;
    matrix a(size, std::vector<double>(size)), b = a;
    for (std::size_t i = 0; i < size; i++)
        for (std::size_t j = 0; j < size; j++) {
            a[i][j] = 0.2 * x[(i + 3 * j) % n];
            b[i][j] = std::cos((double)(i * j)) * x[j % n];
        }
    matrix c = product(a, b);
    double sum = 0.01 * relax(c, 3);
    signal s(16);
    for (std::size_t i = 0; i < s.size(); i++)
        s[i] = std::complex<double>(x[i % n], 0.5 * x[(i + 2) % n]);
    transform(s);
    for (std::size_t i = 0; i < s.size(); i++)
        sum += std::norm(s[i]) / (1.0 + (double)i);
    return sum;
}
