/* See adolc.h. The kernels are those of kernels.c with `adouble` for numbers that depend on the input; comparisons and
 * integers use the value. The tape's buffers are large enough to stay in memory. */
#include "bench/native/adolc.h"

#include <adolc/adolc.h>
#include <cmath>
#include <vector>

namespace {

typedef const std::vector<adouble> &input;

int ilog2(double n) {
    return static_cast<int>(std::log(n) / std::log(2.0));
}

adouble listing1(input x, int t) {
    double value = x[0].value();
    adouble y = x[0];
    for (int i = 1; i <= t; i++) {
        int m = 1 << (ilog2(t) - ilog2(1 + static_cast<int>(std::fmod(value * value * value * i * 1007.0, t))));
        for (int j = 1; j <= m; j++) {
            y = y * y;
            y = sqrt(y);
        }
    }
    return y;
}

adouble det(input x, int n) {
    std::vector<adouble> b(x);
    adouble d = 1;
    for (int i = 0; i < n; i++) {
        adouble c = b[i * n + i];
        d *= c;
        for (int j = i; j < n; j++)
            b[i * n + j] /= c;
        for (int j = i + 1; j < n; j++) {
            adouble e = b[j * n + i];
            for (int k = i + 1; k < n; k++)
                b[j * n + k] -= e * b[i * n + k];
        }
    }
    return d;
}

adouble heat(input x, int t) {
    int side = static_cast<int>(std::sqrt(static_cast<double>(x.size())) + 0.5);
    std::vector<adouble> u(x), v(x.size());
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < side; i++)
            for (int j = 0; j < side; j++) {
                if (i == 0 || j == 0 || i == side - 1 || j == side - 1) {
                    v[i * side + j] = u[i * side + j];
                    continue;
                }
                adouble c = u[i * side + j];
                adouble lap =
                    u[(i - 1) * side + j] + u[(i + 1) * side + j] + u[i * side + j - 1] + u[i * side + j + 1] - 4 * c;
                v[i * side + j] = c + 0.1 * (1.0 + 0.1 * c * c) * lap - 0.01 * c * c * c;
            }
        u.swap(v);
    }
    adouble sum = 0;
    for (const adouble &each : u)
        sum += each * each;
    return sum;
}

adouble nbody(input x, int t) {
    int bodies = static_cast<int>(x.size()) / 7;
    std::vector<adouble> p(x.begin(), x.begin() + 3 * bodies), v(x.begin() + 3 * bodies, x.begin() + 6 * bodies);
    std::vector<adouble> m(x.begin() + 6 * bodies, x.end());
    double dt = 1e-3;
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < bodies; i++)
            for (int j = i + 1; j < bodies; j++) {
                adouble dx = p[3 * i] - p[3 * j], dy = p[3 * i + 1] - p[3 * j + 1], dz = p[3 * i + 2] - p[3 * j + 2];
                adouble r2 = dx * dx + dy * dy + dz * dz + 1e-2, mag = dt / (r2 * sqrt(r2));
                v[3 * i] -= dx * m[j] * mag;
                v[3 * i + 1] -= dy * m[j] * mag;
                v[3 * i + 2] -= dz * m[j] * mag;
                v[3 * j] += dx * m[i] * mag;
                v[3 * j + 1] += dy * m[i] * mag;
                v[3 * j + 2] += dz * m[i] * mag;
            }
        for (int i = 0; i < 3 * bodies; i++)
            p[i] += dt * v[i];
    }
    adouble e = 0;
    for (int i = 0; i < bodies; i++)
        e += 0.5 * m[i] * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]) + p[3 * i];
    return e;
}

void slope(const adouble *s, const adouble *q, adouble *d) {
    d[0] = q[0] * (s[1] - s[0]);
    d[1] = s[0] * (q[1] - s[2]) - s[1];
    d[2] = s[0] * s[1] - q[2] * s[2];
}

adouble lorenz(input x, int t) {
    adouble s[3] = {x[0], x[1], x[2]}, k1[3], k2[3], k3[3], k4[3], w[3];
    const adouble *q = &x[3];
    double h = 1e-4;
    for (int i = 0; i < t; i++) {
        slope(s, q, k1);
        for (int j = 0; j < 3; j++)
            w[j] = s[j] + 0.5 * h * k1[j];
        slope(w, q, k2);
        for (int j = 0; j < 3; j++)
            w[j] = s[j] + 0.5 * h * k2[j];
        slope(w, q, k3);
        for (int j = 0; j < 3; j++)
            w[j] = s[j] + h * k3[j];
        slope(w, q, k4);
        for (int j = 0; j < 3; j++)
            s[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    return s[0] + s[1] + s[2];
}

adouble sparse(input x, int t) {
    unsigned n = static_cast<unsigned>(x.size());
    std::vector<adouble> u(x), v(n);
    for (int s = 0; s < t; s++) {
        for (unsigned i = 0; i < n; i++) {
            adouble a = 0;
            unsigned h = i * 2654435761u;
            for (int k = 0; k < 5; k++) {
                h = h * 1664525u + 1013904223u;
                a += ((h >> 16) / 65536.0 - 0.5) * u[h % n];
            }
            v[i] = tanh(a);
        }
        u.swap(v);
    }
    adouble r = 0;
    for (const adouble &each : u)
        r += each * each;
    return r;
}

adouble integrand(input x, double z) {
    return x[0] * sin(x[1] * z) * exp(-x[2] * z * z) + x[3] * z;
}

adouble simpson(input x, double a, double b, const adouble &fa, const adouble &fm, const adouble &fb, int depth) {
    double m = 0.5 * (a + b);
    adouble l = integrand(x, 0.5 * (a + m)), r = integrand(x, 0.5 * (m + b));
    adouble coarse = (b - a) / 6 * (fa + 4 * fm + fb), fine = (b - a) / 12 * (fa + 4 * l + 2 * fm + 4 * r + fb);
    if (depth <= 0 || std::fabs(fine.value() - coarse.value()) < 1e-13)
        return fine;
    return simpson(x, a, m, fa, l, fm, depth - 1) + simpson(x, m, b, fm, r, fb, depth - 1);
}

adouble rec(input x, int t) {
    return simpson(x, 0, 10, integrand(x, 0), integrand(x, 5), integrand(x, 10), t);
}

/* Operations, the places and constants that they use, and values that were overwritten. */
double bytes_of(short tag) {
    size_t counts[STAT_SIZE];
    tapestats(tag, counts);
    return static_cast<double>(counts[NUM_OPERATIONS] + counts[NUM_LOCATIONS] * sizeof(locint) +
                               (counts[NUM_VALUES] + counts[TAY_STACK_SIZE]) * sizeof(double));
}

} // namespace

double adolc_gradient(int kernel, const double *x, int n, int t, double *gradient, double *tape_bytes) {
    static adouble (*const kernels[])(input, int) = {listing1, det, heat, nbody, lorenz, sparse, rec};
    const size_t buffer = size_t(1) << 27;
    const short tag = 1;
    double value, weight = 1;
    trace_on(tag, 1, buffer, buffer, buffer / 4, buffer, 0);
    {
        std::vector<adouble> inputs(n);
        for (int i = 0; i < n; i++)
            inputs[i] <<= x[i];
        adouble result = kernels[kernel](inputs, t);
        result >>= value;
    }
    trace_off();
    reverse(tag, 1, n, 0, &weight, gradient);
    if (tape_bytes)
        *tape_bytes = bytes_of(tag);
    return value;
}
