/* at: 0.7,1.3,-0.4,2.1
 * noise: 1e-6
 * Numbers that decide a branch and are used on one side of it, on both, or after it; in loops, with stores between. */
#include <math.h>
#include <stddef.h>

typedef struct place {
    double x, y, z;
} place;

__attribute__((noinline)) static size_t nearest(const place *all, size_t n, place from, double *distance) {
    size_t found = n;
    *distance = 1e300;
    for (size_t i = 0; i < n; i++) {
        double dx = all[i].x - from.x, dy = all[i].y - from.y, dz = all[i].z - from.z;
        double square = dx * dx + dy * dy + dz * dz;
        if (square < *distance && square > 0) {
            *distance = square;
            found = i;
        }
    }
    return found;
}

__attribute__((noinline)) static double pairs(const place *all, size_t n, double cutoff, place *force) {
    double energy = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            double dx = all[i].x - all[j].x, dy = all[i].y - all[j].y, r2 = dx * dx + dy * dy, r = sqrt(r2);
            if (r < cutoff) {
                double near = 1 / (r2 + 0.1);
                if (near > 0.3)
                    force[i].x += near * dx;
                else
                    force[j].y -= near * dy;
                energy += near * near;
            }
        }
    return energy;
}

/* What decides is used on both sides, or after the branch, or changed in memory before it. */
__attribute__((noinline)) static double several(double *x, size_t n) {
    double sum = 0, last = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        double a = x[i] * x[i + 1], b = x[i] - x[i + 1], c = x[i] * 3 + 1;
        x[i] = a + c;
        if (a > 0.5) {
            sum += a * a;
            if (b > 0)
                sum += b * b * c;
        } else
            sum -= a;
        double d = fabs(x[i + 1]) * b;
        if (d < 0)
            x[i + 1] += d * 0.5;
        last = d;
        if (c * 2 > 4) {
            for (int k = 0; k < 3; k++)
                sum += c / (k + 2 + c * c);
        }
        float single = (float)(b * a);
        if (single > 0.1f)
            sum += (double)(single * single);
    }
    return sum + last;
}

double f(const double *x, size_t n) {
    place all[4], force[4] = {{0}};
    double numbers[4], sum = 0, distance;
    for (size_t i = 0; i < n && i < 4; i++) {
        all[i] = (place){x[i], x[(i + 1) % n] * 0.5, x[i] * x[i]};
        numbers[i] = x[i];
    }
    for (size_t i = 0; i < n; i++) {
        size_t k = nearest(all, n, all[i], &distance);
        sum += distance * (double)(k + 1);
    }
    sum += pairs(all, n, 2.0, force) + several(numbers, n);
    for (size_t i = 0; i < n; i++)
        sum += force[i].x * force[i].y + force[i].x + 2 * force[i].y + numbers[i];
    return sum;
}
