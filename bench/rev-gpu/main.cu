/* rev-gpu FILE.csv [OBSERVATIONS [WIDTH]]: compares adjoint kernels on a GPU with one core of the same machine and with
 * their forward kernels. Gradients are compared with the core's and with differences; it fails if they differ.
 *
 *   core        seconds of one core: the function forward, its adjoint; the least of 3
 *   GPU         the same of the GPU, by its own clock, data already there; the median of 21, after 3 that do not count
 *   core/GPU    speed-up over one core
 *   adj/fwd     the GPU's adjoint in units of its forward function
 *   difference  greatest difference to the core's derivatives, relative to the greatest of them
 *   gap         the same for central differences, of some of them */
#include "kernels.cu"

#include "bench/rev-gpu/core.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

enum { WARM = 3, ROUNDS = 21, CORE_ROUNDS = 3, PAIRS = 4 };

struct result {
    const char *name;
    char size[64];
    double core[2], gpu[2]; /* forward, adjoint */
    double difference, gap; /* negative: not measured */
};

/* ---- Small parts ---- */

static void must(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

template <typename number> static number *on_device(const number *from, size_t count) {
    number *copy;
    must(cudaMalloc(&copy, count * sizeof *copy), "cudaMalloc");
    if (from)
        must(cudaMemcpy(copy, from, count * sizeof *copy, cudaMemcpyHostToDevice), "cudaMemcpy");
    else
        must(cudaMemset(copy, 0, count * sizeof *copy), "cudaMemset");
    return copy;
}

static std::vector<double> from_device(const double *from, size_t count) {
    std::vector<double> copy(count);
    must(cudaMemcpy(copy.data(), from, count * sizeof(double), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return copy;
}

/* Returns the greatest difference, relative to the greatest expected number; infinity if a number is not finite. */
static double difference(const std::vector<double> &found, const std::vector<double> &expected) {
    double worst = 0, most = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        worst = fmax(worst, std::isfinite(found[i]) ? fabs(found[i] - expected[i]) : INFINITY);
        most = fmax(most, fabs(expected[i]));
    }
    return worst / most;
}

static double core_seconds(const std::function<void()> &work) {
    timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    work();
    clock_gettime(CLOCK_MONOTONIC, &ended);
    return (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
}

static double gpu_seconds(const std::function<void()> &work) {
    static cudaEvent_t began = nullptr, ended = nullptr;
    float milliseconds = 0;
    if (!began) {
        must(cudaEventCreate(&began), "cudaEventCreate");
        must(cudaEventCreate(&ended), "cudaEventCreate");
    }
    must(cudaEventRecord(began), "cudaEventRecord");
    work();
    must(cudaEventRecord(ended), "cudaEventRecord");
    must(cudaEventSynchronize(ended), "the kernels");
    must(cudaGetLastError(), "a launch");
    must(cudaEventElapsedTime(&milliseconds, began, ended), "cudaEventElapsedTime");
    return milliseconds / 1e3;
}

/* Runs forward and adjoint in turn: the adjoint restores the values. */
static void time_gpu(result *r, const std::function<void()> &forward, const std::function<void()> &adjoint) {
    std::vector<double> seconds[2];
    for (int round = 0; round < WARM + ROUNDS; round++) {
        double first = gpu_seconds(forward), second = gpu_seconds(adjoint);
        if (round < WARM)
            continue;
        seconds[0].push_back(first);
        seconds[1].push_back(second);
    }
    for (int i = 0; i < 2; i++) {
        std::sort(seconds[i].begin(), seconds[i].end());
        r->gpu[i] = seconds[i][ROUNDS / 2];
    }
}

static void time_core(result *r, const std::function<void()> &forward, const std::function<void()> &adjoint) {
    r->core[0] = r->core[1] = INFINITY;
    for (int round = 0; round < CORE_ROUNDS; round++) {
        r->core[0] = fmin(r->core[0], core_seconds(forward));
        r->core[1] = fmin(r->core[1], core_seconds(adjoint));
    }
}

/* ---- Bundle adjustment ---- */

struct device_scene {
    double *errors, *errors_bar, *cameras, *cameras_bar, *points, *points_bar, *weights, *weights_bar, *features;
    int *camera_of, *point_of, count;
};

static device_scene scene_on_device(const core_scene &s) {
    size_t cameras = (size_t)CORE_CAMERA * s.cameras_count, points = (size_t)3 * s.points_count, count = s.count;
    return {on_device<double>(NULL, 3 * count), on_device<double>(NULL, 3 * count), on_device(s.cameras, cameras),
            on_device<double>(NULL, cameras),   on_device(s.points, points),        on_device<double>(NULL, points),
            on_device(s.weights, count),        on_device<double>(NULL, count),     on_device(s.features, 2 * count),
            on_device(s.camera_of, count),      on_device(s.point_of, count),       s.count};
}

static void device_forward(const device_scene &d) {
    scene(d.errors, d.cameras, d.points, d.weights, d.camera_of, d.point_of, d.features, d.count);
}

static void device_adjoint(const device_scene &d) {
    scene_adj(d.errors, d.errors_bar, d.cameras, d.cameras_bar, d.points, d.points_bar, d.weights, d.weights_bar,
              d.camera_of, d.point_of, d.features, d.count);
}

/* Returns the derivative of the sum of seeds times errors with respect to one number, by differences. */
static double scene_differences(const device_scene &d, double *number, const std::vector<double> &seeds) {
    const double h = 1e-5;
    double kept, sum = 0;
    std::vector<double> sides[2];
    must(cudaMemcpy(&kept, number, sizeof kept, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int side = 0; side < 2; side++) {
        double moved = kept + (side ? h : -h);
        must(cudaMemcpy(number, &moved, sizeof moved, cudaMemcpyHostToDevice), "cudaMemcpy");
        must(cudaMemset(d.errors, 0, 3 * sizeof(double) * d.count), "cudaMemset");
        device_forward(d);
        sides[side] = from_device(d.errors, (size_t)3 * d.count);
    }
    must(cudaMemcpy(number, &kept, sizeof kept, cudaMemcpyHostToDevice), "cudaMemcpy");
    must(cudaMemset(d.errors, 0, 3 * sizeof(double) * d.count), "cudaMemset");
    for (size_t i = 0; i < seeds.size(); i++)
        sum += seeds[i] * (sides[1][i] - sides[0][i]);
    return sum / (2 * h);
}

static void compare_scene(result *r, const core_scene &s, const device_scene &d) {
    size_t cameras = (size_t)CORE_CAMERA * s.cameras_count, points = (size_t)3 * s.points_count, count = s.count;
    uint64_t seed = 11;
    std::vector<double> seeds(3 * count), errors(3 * count),
        bars[3] = {std::vector<double>(cameras), std::vector<double>(points), std::vector<double>(count)};
    for (double &one : seeds)
        one = host_uniform(&seed);
    std::vector<double> seeds_core = seeds;
    core_errors(&s, errors.data());
    must(cudaMemcpy(d.errors_bar, seeds.data(), 3 * count * sizeof(double), cudaMemcpyHostToDevice), "cudaMemcpy");
    device_forward(d);
    r->difference = difference(from_device(d.errors, 3 * count), errors);
    device_adjoint(d);
    core_gradient(&s, errors.data(), seeds_core.data(), bars[0].data(), bars[1].data(), bars[2].data());
    const double *found[] = {d.cameras_bar, d.points_bar, d.weights_bar};
    for (int i = 0; i < 3; i++)
        r->difference = fmax(r->difference, difference(from_device(found[i], bars[i].size()), bars[i]));
    double *moved[] = {d.cameras + CORE_CAMERA * 5, d.points + 3 * 7}; /* one camera, one point */
    size_t first[] = {CORE_CAMERA * 5, 3 * 7}, length[] = {CORE_CAMERA, 3};
    for (int k = 0; k < 2; k++) {
        std::vector<double> adjoint, differences;
        for (size_t i = 0; i < length[k]; i++) {
            adjoint.push_back(bars[k][first[k] + i]);
            differences.push_back(scene_differences(d, moved[k] + i, seeds));
        }
        r->gap = fmax(r->gap, difference(adjoint, differences));
    }
}

static result measure_gradient(const core_scene &s, const device_scene &d) {
    result r = {"bundle adjustment, gradient", "", {0, 0}, {0, 0}, 0, 0};
    snprintf(r.size, sizeof r.size, "%d observations", s.count);
    size_t cameras = (size_t)CORE_CAMERA * s.cameras_count, points = (size_t)3 * s.points_count, count = s.count;
    std::vector<double> errors(3 * count), seeds(3 * count, 1.0),
        bars[3] = {std::vector<double>(cameras), std::vector<double>(points), std::vector<double>(count)};
    compare_scene(&r, s, d);
    time_gpu(&r, [&] { device_forward(d); }, [&] { device_adjoint(d); });
    time_core(
        &r, [&] { core_errors(&s, errors.data()); },
        [&] { core_gradient(&s, errors.data(), seeds.data(), bars[0].data(), bars[1].data(), bars[2].data()); });
    return r;
}

/* The Jacobian is stored by columns, so that neighbouring threads write neighbouring numbers. */
__global__ static void jacobian_rows(double *jacobian, const double *cameras, const double *points,
                                     const double *weights, const int *camera_of, const int *point_of,
                                     const double *features, int count) {
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

static result measure_jacobian(const core_scene &s, const device_scene &d) {
    result r = {"bundle adjustment, Jacobian", "", {0, 0}, {0, 0}, 0, -1};
    snprintf(r.size, sizeof r.size, "%d observations", s.count);
    size_t count = s.count, size = count * (2 * CORE_ROW + 1);
    double *jacobian = on_device<double>(NULL, size);
    std::vector<double> errors(3 * count), expected(size), turned(size);
    time_gpu(
        &r, [&] { device_forward(d); },
        [&] {
            jacobian_rows<<<(s.count + BLOCK - 1) / BLOCK, BLOCK>>>(jacobian, d.cameras, d.points, d.weights,
                                                                    d.camera_of, d.point_of, d.features, s.count);
        });
    time_core(&r, [&] { core_errors(&s, errors.data()); }, [&] { core_jacobian(&s, expected.data()); });
    std::vector<double> found = from_device(jacobian, size);
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; j < 2 * CORE_ROW; j++)
            turned[i * 2 * CORE_ROW + j] = found[j * count + i];
        turned[count * 2 * CORE_ROW + i] = found[2 * CORE_ROW * count + i];
    }
    r.difference = difference(turned, expected);
    must(cudaFree(jacobian), "cudaFree");
    return r;
}

/* ---- Waves ---- */

struct waves {
    int width;
    double courant, courant_bar;
    std::vector<double> host[6]; /* a, a_bar, b, b_bar, speed, speed_bar */
    double *device[6];
};

static void waves_reset(waves *w, double speed_step) {
    uint64_t seed = 5;
    size_t cells = (size_t)w->width * w->width;
    for (int k = 0; k < 6; k++)
        w->host[k].resize(cells);
    for (size_t i = 0; i < cells; i++) {
        double x = (double)(i % w->width) / w->width, y = (double)(i / w->width) / w->width;
        double values[6] = {sin(9 * x) * sin(7 * y),
                            host_uniform(&seed),
                            sin(9.1 * x) * sin(7.1 * y),
                            host_uniform(&seed),
                            0.5 + 0.3 * x + host_uniform(&seed) / 10,
                            0};
        values[4] += speed_step * x;
        for (int k = 0; k < 6; k++)
            w->host[k][i] = values[k];
    }
    for (int k = 0; k < 6; k++)
        must(cudaMemcpy(w->device[k], w->host[k].data(), cells * sizeof(double), cudaMemcpyHostToDevice), "cudaMemcpy");
    w->courant_bar = 0;
}

static void waves_forward(const waves &w) {
    wave(w.device[0], w.device[2], w.device[4], w.courant, w.width, w.width, PAIRS);
}

static void waves_adjoint(waves *w) {
    wave_adj(w->device[0], w->device[1], w->device[2], w->device[3], w->device[4], w->device[5], w->courant,
             &w->courant_bar, w->width, w->width, PAIRS);
}

/* Returns the sum whose derivatives the first bars are, with the Courant number or the speeds moved. */
static double waves_differences(waves *w, double courant_step, double speed_step) {
    size_t cells = (size_t)w->width * w->width;
    double sum = 0, kept = w->courant;
    std::vector<double> sides[2][2];
    for (int side = 0; side < 2; side++) {
        waves_reset(w, side ? speed_step : -speed_step);
        w->courant = kept + (side ? courant_step : -courant_step);
        waves_forward(*w);
        sides[side][0] = from_device(w->device[0], cells);
        sides[side][1] = from_device(w->device[2], cells);
    }
    w->courant = kept;
    for (size_t i = 0; i < cells; i++)
        sum += w->host[1][i] * (sides[1][0][i] - sides[0][0][i]) + w->host[3][i] * (sides[1][1][i] - sides[0][1][i]);
    return sum / (2 * (courant_step + speed_step));
}

static void compare_waves(result *r, waves *w) {
    size_t cells = (size_t)w->width * w->width;
    double by_courant = waves_differences(w, 1e-5, 0), by_speed = waves_differences(w, 0, 1e-5);
    waves_reset(w, 0);
    std::vector<double> core[6], *c = core;
    for (int k = 0; k < 6; k++)
        core[k] = w->host[k];
    double courant_bar = 0, along = 0;
    waves_forward(*w);
    core_wave(c[0].data(), c[2].data(), c[4].data(), w->courant, w->width, w->width, PAIRS);
    r->difference =
        fmax(difference(from_device(w->device[0], cells), c[0]), difference(from_device(w->device[2], cells), c[2]));
    waves_adjoint(w);
    core_wave_adj(c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data(), c[5].data(), w->courant,
                  &courant_bar, w->width, w->width, PAIRS);
    for (int k = 0; k < 6; k++)
        r->difference = fmax(r->difference, difference(from_device(w->device[k], cells), c[k]));
    r->difference = fmax(r->difference, fabs(w->courant_bar - courant_bar) / fabs(courant_bar));
    for (size_t i = 0; i < cells; i++)
        along += c[5][i] * ((double)(i % w->width) / w->width);
    r->gap = fmax(difference({w->courant_bar}, {by_courant}), difference({along}, {by_speed}));
    for (int k = 0; k < 4; k += 2) /* the adjoint must have restored the first values */
        r->difference = fmax(r->difference, difference(from_device(w->device[k], cells), w->host[k]));
}

static result measure_waves(int width) {
    result r = {"wave stencil, 8 steps", "", {0, 0}, {0, 0}, 0, 0};
    snprintf(r.size, sizeof r.size, "%d x %d", width, width);
    waves w = {};
    w.width = width;
    w.courant = 0.25;
    for (double *&array : w.device)
        array = on_device<double>(NULL, (size_t)width * width);
    compare_waves(&r, &w);
    time_gpu(&r, [&] { waves_forward(w); }, [&] { waves_adjoint(&w); });
    std::vector<double> *h = w.host;
    time_core(
        &r, [&] { core_wave(h[0].data(), h[2].data(), h[4].data(), w.courant, width, width, PAIRS); },
        [&] {
            core_wave_adj(h[0].data(), h[1].data(), h[2].data(), h[3].data(), h[4].data(), h[5].data(), w.courant,
                          &w.courant_bar, width, width, PAIRS);
        });
    for (double *array : w.device)
        must(cudaFree(array), "cudaFree");
    return r;
}

/* ---- Results ---- */

static bool print(FILE *csv, const result &r) {
    bool right = r.difference < 1e-9 && r.gap < 1e-5;
    char gap[16] = "";
    if (r.gap >= 0)
        snprintf(gap, sizeof gap, "%.1e", r.gap);
    printf("| %s | %s | %.3f | %.3f | %.3f | %.3f | %.0f | %.0f | %.2f | %.1e | %s |%s\n", r.name, r.size,
           r.core[0] * 1e3, r.core[1] * 1e3, r.gpu[0] * 1e3, r.gpu[1] * 1e3, r.core[0] / r.gpu[0], r.core[1] / r.gpu[1],
           r.gpu[1] / r.gpu[0], r.difference, gap, right ? "" : " WRONG");
    fprintf(csv, "\"%s\",\"%s\",%.9g,%.9g,%.9g,%.9g,%.3g,%s\n", r.name, r.size, r.core[0], r.core[1], r.gpu[0],
            r.gpu[1], r.difference, gap);
    return right;
}

int main(int argc, char **argv) {
    int devices = 0, count = argc > 2 ? atoi(argv[2]) : 4000000, width = argc > 3 ? atoi(argv[3]) : 8192;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "rev-gpu: there is no GPU\n");
        return 77;
    }
    FILE *csv = argc > 1 && count > 100 && width > 8 ? fopen(argv[1], "w") : NULL;
    if (!csv) {
        fprintf(stderr, "usage: rev-gpu FILE.csv [OBSERVATIONS [WIDTH]]\n");
        return 2;
    }
    core_scene s = core_scene_new(count < 1000000 ? 50 : 1000, count / 4, count);
    device_scene d = scene_on_device(s);
    fprintf(csv, "case,size,core_forward,core_adjoint,gpu_forward,gpu_adjoint,difference,gap\n");
    printf(
        "| case | size | core forward, ms | core adjoint, ms | GPU forward, ms | GPU adjoint, ms | forward, core/GPU "
        "| adjoint, core/GPU | adjoint/forward on the GPU | difference | gap |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    bool right = print(csv, measure_gradient(s, d));
    right = print(csv, measure_jacobian(s, d)) && right;
    right = print(csv, measure_waves(width)) && right;
    return fclose(csv) != 0 || !right;
}
