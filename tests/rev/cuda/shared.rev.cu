// What several threads read has the gradient that one core finds: a table that all look up, coefficients passed by
// value, neighbours of a stencil in an array that the kernel itself changes, copies in ancillas. Each function is
// written twice, for the GPU and for the core. Exits with 77 where there is no GPU.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <verso/rev.h>

enum { TABLE = 5, WIDTH = 71, CELLS = 6000, THREADS = 100 };

rev __host__ __device__ void mix(double *__restrict__ out, const double *__restrict__ pair, double by) {
    *out += by * pair[0] * pair[1] + sin(pair[0]);
}

// y of one colour of the board changes, and reads its neighbours of the other.
rev __host__ __device__ void cell(double *y, const double *table, double by, passive int i, passive int colour) {
    if (i >= WIDTH && i < CELLS - WIDTH && (i / WIDTH + i % WIDTH) % 2 == colour) {
        anc double pair[2] = {0};
        compute {
            pair[0] += table[i % TABLE];
            pair[1] += y[i - WIDTH] + y[i + WIDTH] + y[i - 1] * y[i + 1];
        }
        use {
            mix(&y[i], pair, by);
        }
        y[i] += table[0] * by;
    }
}

rev __global__ void half_step(double *y, const double *table, double by, passive int colour) {
    anc int i = blockIdx.x * blockDim.x + threadIdx.x;
    cell(y, table, by, i, colour);
}

rev void on_gpu(double *y, const double *table, double by) {
    for (int s = 0; s < 3; s++) {
        half_step<<<(CELLS + THREADS - 1) / THREADS, THREADS>>>(y, table, by, 0);
        half_step<<<(CELLS + THREADS - 1) / THREADS, THREADS>>>(y, table, by * by, 1);
    }
    undo half_step<<<(CELLS + THREADS - 1) / THREADS, THREADS>>>(y, table, 0.125, 1);
}

rev void on_core(double *y, const double *table, double by) {
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < CELLS; i++)
            cell(y, table, by, i, 0);
        for (int i = 0; i < CELLS; i++)
            cell(y, table, by * by, i, 1);
    }
    undo {
        for (int i = 0; i < CELLS; i++)
            cell(y, table, 0.125, i, 1);
    }
}

// Values, tangents, bars and tangents of the bars of y and the table.
struct state {
    double y[CELLS], y_dot[CELLS], y_bar[CELLS], y_bar_dot[CELLS];
    double table[TABLE], table_dot[TABLE], table_bar[TABLE], table_bar_dot[TABLE];
};

static void begin(state *s) {
    for (int i = 0; i < CELLS; i++) {
        s->y[i] = std::sin(i * 0.7) / 2;
        s->y_dot[i] = std::cos(i * 0.3);
        s->y_bar[i] = 1 + std::sin(i * 1.3);
        s->y_bar_dot[i] = 0;
    }
    for (int i = 0; i < TABLE; i++) {
        s->table[i] = 0.3 + 0.1 * i;
        s->table_dot[i] = 1 - i;
        s->table_bar[i] = s->table_bar_dot[i] = 0;
    }
}

static double apart(const double *a, const double *b, int count) {
    double worst = 0, most = 0;
    for (int i = 0; i < count; i++) {
        worst = std::fmax(worst, std::isfinite(a[i]) ? std::fabs(a[i] - b[i]) : 1e300);
        most = std::fmax(most, std::fabs(b[i]));
    }
    return worst / most;
}

#ifdef VERSO_REV_GENERATED
static double worst = 0;

static void compare(const char *what, const double *gpu, const double *core, int count) {
    double found = apart(gpu, core, count);
    std::printf("  %-28s %.1e\n", what, found);
    worst = std::fmax(worst, found);
}

static void compare_all(const char *what, const state *gpu, const state *core) {
    std::printf("%s: relative differences\n", what);
    compare("y", gpu->y, core->y, CELLS);
    compare("by y", gpu->y_bar, core->y_bar, CELLS);
    compare("by the table", gpu->table_bar, core->table_bar, TABLE);
}

// Central differences of the weighted sum of y that the bars began with.
static double by_differences(state *s, double by, double by_step, double table_step) {
    double sums[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        begin(s);
        s->table[0] += side ? table_step : -table_step;
        on_gpu(s->y, s->table, side ? by + by_step : by - by_step);
        cudaDeviceSynchronize();
        for (int i = 0; i < CELLS; i++)
            sums[side] += s->y_bar[i] * s->y[i];
    }
    return (sums[1] - sums[0]) / (2 * (by_step + table_step));
}

static bool near(const char *what, double adjoint, double differences) {
    std::printf("%s: adjoint %.10g, differences %.10g\n", what, adjoint, differences);
    return std::fabs(adjoint - differences) < 1e-6 * std::fabs(differences);
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return 77;
    state *gpu, *initial;
    if (cudaMallocManaged(&gpu, sizeof *gpu) != cudaSuccess ||
        cudaMallocManaged(&initial, sizeof *initial) != cudaSuccess)
        return 1;
    static state core;
    double by = 0.2, gpu_by_bar = 0, core_by_bar = 0, gpu_by_bar_dot = 0, core_by_bar_dot = 0;

    begin(gpu);
    begin(&core);
    begin(initial);
    on_gpu(gpu->y, gpu->table, by);
    on_core(core.y, core.table, by);
    on_gpu_adj(gpu->y, gpu->y_bar, gpu->table, gpu->table_bar, by, &gpu_by_bar);
    on_core_adj(core.y, core.y_bar, core.table, core.table_bar, by, &core_by_bar);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    compare_all("gradient", gpu, &core);
    compare("by the coefficient", &gpu_by_bar, &core_by_bar, 1);
    compare("values before", gpu->y, initial->y, CELLS);
    bool right = near("by the coefficient", gpu_by_bar, by_differences(initial, by, 1e-5, 0));
    right = near("by table[0]", gpu->table_bar[0], by_differences(initial, by, 0, 1e-5)) && right;

    begin(gpu);
    begin(&core);
    gpu_by_bar = core_by_bar = 0;
    on_gpu_jvp(gpu->y, gpu->y_dot, gpu->table, gpu->table_dot, by, 0.5);
    on_core_jvp(core.y, core.y_dot, core.table, core.table_dot, by, 0.5);
    on_gpu_hvp(gpu->y, gpu->y_dot, gpu->y_bar, gpu->y_bar_dot, gpu->table, gpu->table_dot, gpu->table_bar,
               gpu->table_bar_dot, by, 0.5, &gpu_by_bar, &gpu_by_bar_dot);
    on_core_hvp(core.y, core.y_dot, core.y_bar, core.y_bar_dot, core.table, core.table_dot, core.table_bar,
                core.table_bar_dot, by, 0.5, &core_by_bar, &core_by_bar_dot);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    compare_all("Hessian by a vector", gpu, &core);
    compare("second by y", gpu->y_bar_dot, core.y_bar_dot, CELLS);
    compare("second by the table", gpu->table_bar_dot, core.table_bar_dot, TABLE);
    compare("second by the coefficient", &gpu_by_bar_dot, &core_by_bar_dot, 1);

    rev_fault fault;
    int error = rev_device_fault_take(&fault);
    if (fault.kind != REV_FAULT_NONE)
        std::printf("%s:%d: %s: %s\n", fault.file, fault.line, rev_fault_text(fault.kind), fault.check);
    return !(worst < 1e-10 && right && error == 0 && fault.kind == REV_FAULT_NONE);
}
#endif
