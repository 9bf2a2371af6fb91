/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of float and double by value through virtual functions. */
#include <cstddef>
union v {
    float f;
    double d;
};
struct base {
    virtual v go(v a) const = 0;
    virtual ~base() = default;
};
struct nar : base {
    v go(v a) const override {
        a.f *= 3;
        return a;
    }
};
struct wid : base {
    double w;
    explicit wid(double x) : w(x) {}
    v go(v a) const override {
        a.d *= w;
        return a;
    }
};
struct same : base {
    v go(v a) const override { return a; }
};
extern "C" double f(const double *x, std::size_t n) {
    double s = 0;
    nar p;
    same q;
    for (std::size_t i = 0; i < n; i++) {
        wid w(x[0]);
        v a, b;
        a.f = static_cast<float>(x[i]);
        b.d = x[i] * x[1];
        const base *k[] = {&p, &q, &w};
        s += static_cast<double>(k[i % 2]->go(a).f) * x[2] + k[1 + i % 2]->go(b).d;
    }
    return s;
}
