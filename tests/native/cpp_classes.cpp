/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-exceptions -fno-inline
 * C++: classes with virtual functions, constructors and destructors, operators, references, new and delete. */
#include <cmath>
#include <cstddef>

namespace {

class shape {
  public:
    explicit shape(double size) : size_(size) {}
    virtual ~shape() {}
    virtual double area() const = 0;
    virtual void scale(double by) { size_ *= by; }

  protected:
    double size_;
};

class circle : public shape {
  public:
    using shape::shape;
    double area() const override { return 3.14159 * size_ * size_; }
};

class ring : public circle {
  public:
    ring(double outer, double inner) : circle(outer), inner_(inner) {}
    ~ring() override { total_freed += inner_; }
    double area() const override { return circle::area() - inner_.area(); }
    void scale(double by) override {
        circle::scale(by);
        inner_.scale(by * by);
    }
    static double total_freed;

  private:
    struct hole {
        double size;
        hole(double s) : size(s) {}
        operator double() const { return size; }
        double area() const { return 3.0 * size * size; }
        void scale(double by) { size *= by; }
    } inner_;
};

double ring::total_freed = 0;

struct vector3 {
    double x, y, z;
    vector3 operator+(const vector3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    vector3 operator*(double s) const { return {x * s, y * s, z * s}; }
    vector3 &operator+=(const vector3 &o) { return *this = *this + o; }
    double &operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
};

double total(shape *const *shapes, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        shapes[i]->scale(1 + 0.1 * i);
        sum += shapes[i]->area() * (i + 1);
    }
    return sum;
}

} // namespace

extern "C" double f(const double *x, size_t) {
    ring::total_freed = 0;
    shape *shapes[] = {new circle(x[0]), new ring(x[3], x[2]), new circle(x[1] * x[1])};
    vector3 v{x[0], x[1], x[2]}, w = v * x[3];
    double sum = total(shapes, 3);
    for (shape *s : shapes)
        delete s;
    v += w * std::sin(sum);
    v[1] *= v[2];
    return sum + v.x * v.y + v.z + ring::total_freed;
}
