// Kernels, their inverses and adjoints: y[i] += a x[i]^2 with one `a` for all threads, a rotation in place, and a host
// function that launches and undoes. Proves its gradient by differences; exits with 77 where there is no GPU.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <verso/rev.h>

rev __device__ void square(double *out, const double *x, double scale) {
    *out += scale * *x * *x;
}

rev __global__ void add_squares(double *y, const double *a, const double *x, passive int n) {
    anc int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        anc double t = 0;
        compute {
            t += *a * x[i];
        }
        use {
            y[i] += t * x[i] + a[0];
        }
        square(&y[i], &x[i], *a);
    }
}

rev __global__ void turn(double *y, double *z, double angle, passive int n) {
    anc int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        rot(y[i], z[i], angle * (i + 1));
    }
}

rev void both(double *y, double *z, const double *a, const double *x, passive int n) {
    add_squares<<<(n + 63) / 64, 64>>>(y, a, x, n);
    undo turn<<<(n + 63) / 64, 64>>>(y, z, 0.25, n);
    add_squares<<<(n + 63) / 64, 64>>>(z, a, y, n);
}

enum { N = 1000 };

static double loss(const double *a, const double *x) {
    double *y, *z, sum = 0;
    cudaMallocManaged(&y, N * sizeof *y);
    cudaMallocManaged(&z, N * sizeof *z);
    for (int i = 0; i < N; i++) {
        y[i] = 0.001 * i;
        z[i] = 1;
    }
    both(y, z, a, x, N);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        sum += y[i] + z[i];
    cudaFree(y);
    cudaFree(z);
    return sum;
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return 77;
    double *a, *x, *y, *z, *a_bar, *x_bar, *y_bar, *z_bar;
    double **all[] = {&a, &x, &y, &z, &a_bar, &x_bar, &y_bar, &z_bar};
    for (double **&one : all)
        cudaMallocManaged(one, N * sizeof(double));
    *a = 0.7;
    for (int i = 0; i < N; i++) {
        x[i] = std::sin(i) / 2;
        y[i] = 0.001 * i;
        z[i] = 1;
        a_bar[i] = x_bar[i] = 0;
        y_bar[i] = z_bar[i] = 1;
    }
    both(y, z, a, x, N);
#ifdef VERSO_REV_GENERATED
    both_adj(y, y_bar, z, z_bar, a, a_bar, x, x_bar, N);
    cudaDeviceSynchronize();
    double wrong = 0;
    for (int i = 0; i < N; i++)
        wrong = std::fmax(wrong, std::fabs(y[i] - 0.001 * i) + std::fabs(z[i] - 1));
    const double h = 1e-5;
    *a += h;
    double up = loss(a, x);
    *a -= 2 * h;
    double down = loss(a, x);
    *a += h;
    double by_a = (up - down) / (2 * h);
    x[17] += h;
    up = loss(a, x);
    x[17] -= 2 * h;
    down = loss(a, x);
    double by_x = (up - down) / (2 * h);
    rev_fault fault;
    int error = rev_device_fault_take(&fault);
    std::printf(
        "restored within %.2g; by a: %.9g, differences %.9g; by x[17]: %.9g, differences %.9g; fault %d, error %d\n",
        wrong, *a_bar, by_a, x_bar[17], by_x, fault.kind, error);
    return !(wrong < 1e-12 && std::fabs(*a_bar - by_a) < 1e-5 * std::fabs(by_a) && std::fabs(x_bar[17] - by_x) < 1e-6 &&
             fault.kind == REV_FAULT_NONE && error == 0);
#else
    return 0;
#endif
}
