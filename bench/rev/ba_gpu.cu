/* ba_gpu [OBSERVATIONS]: Jacobians of bundle adjustment on a GPU, one thread an observation, against one core of the same
 * machine with the same generated function. Every row is compared with the core's. Made by
 *
 *     verso rev --cuda examples/rev/ba.rev.c -o ba.c
 *     nvcc -O3 -arch=native -Xcompiler -O3,-march=native -DVERSO_REV_NOCHECK -I. -Iinclude bench/rev/ba_gpu.cu */
#define EXAMPLE_NO_MAIN
#include "ba.c"

#include <time.h>

static void must(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

template <typename number> static number *to_device(const number *from, size_t count) {
    number *copy;
    must(cudaMalloc(&copy, count * sizeof *copy), "cudaMalloc");
    if (from)
        must(cudaMemcpy(copy, from, count * sizeof *copy, cudaMemcpyHostToDevice), "cudaMemcpy");
    return copy;
}

/* Rows are written by columns of observations, so that neighbouring threads write neighbouring numbers. */
__global__ static void rows(double *jacobian, const double *cameras, const double *points, const double *weights,
                            const int *camera_of, const int *point_of, const double *features, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    for (int e = 0; e < 2; e++) {
        double row[BA_ROW] = {0}, error[2] = {0, 0}, bar[2] = {e == 0 ? 1.0 : 0.0, e == 1 ? 1.0 : 0.0};
        ba_error_adj(error, bar, cameras + BA_CAMERA * camera_of[i], row, points + 3 * point_of[i], row + BA_CAMERA,
                     weights + i, row + BA_CAMERA + 3, features + 2 * i);
        for (int j = 0; j < BA_ROW; j++)
            jacobian[(size_t)(e * BA_ROW + j) * count + i] = row[j];
    }
    double error = 0, bar = 1, weight_bar = 0;
    ba_weight_error_adj(&error, &bar, weights + i, &weight_bar);
    jacobian[(size_t)(2 * BA_ROW) * count + i] = weight_bar;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 4000000;
    ba_data b = ba_data_new(1000, count / 4, count, 7);
    size_t size = (size_t)count * (2 * BA_ROW + 1);
    double *cameras = to_device(b.cameras, (size_t)BA_CAMERA * b.cameras_count), *device = to_device<double>(NULL, size);
    double *points = to_device(b.points, (size_t)3 * b.points_count), *weights = to_device(b.weights, (size_t)count);
    double *features = to_device(b.features, (size_t)2 * count);
    int *camera_of = to_device(b.camera_of, (size_t)count), *point_of = to_device(b.point_of, (size_t)count);
    double best = 1e9;
    for (int round = 0; round < 20; round++) {
        double began = seconds();
        rows<<<(count + 127) / 128, 128>>>(device, cameras, points, weights, camera_of, point_of, features, count);
        must(cudaDeviceSynchronize(), "the kernel");
        best = fmin(best, seconds() - began);
    }
    double *found = (double *)host_alloc(size, sizeof *found);
    must(cudaMemcpy(found, device, size * sizeof *found, cudaMemcpyDeviceToHost), "cudaMemcpy");
    double *expected = (double *)host_alloc(size, sizeof *expected), worst = 0, core = 1e9;
    for (int round = 0; round < 3; round++) {
        double began = seconds();
        ba_jacobian(expected, b.cameras, b.points, b.weights, b.camera_of, b.point_of, b.features, count);
        core = fmin(core, seconds() - began);
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < 2 * BA_ROW; j++)
            worst = fmax(worst, fabs(found[(size_t)j * count + i] - expected[(size_t)i * 2 * BA_ROW + j]) /
                                    fmax(1, fabs(expected[(size_t)i * 2 * BA_ROW + j])));
    printf("%d observations: GPU %.6f s, one core %.6f s, ratio %.0f, greatest difference %.1e\n", count, best, core,
           core / best, worst);
    return worst > 1e-9;
}
