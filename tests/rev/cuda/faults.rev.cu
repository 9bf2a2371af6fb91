// A check that fails in a kernel is reported to the host: the ancilla of one thread is not empty again. Exits with 77
// where there is no GPU.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <verso/rev.h>

// Where y[i] is not x[i], t is not empty again.
rev __global__ void copies(double *out, const double *x, const double *y, passive int n) {
    anc int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        anc double t = 0;
        t += x[i];
        out[i] += t;
        t -= y[i];
        drop t == 0;
    }
}

enum { DROPPED = __LINE__ - 4 };

#ifdef VERSO_REV_GENERATED
static int faults = 0;

static void count_fault(const rev_fault *fault, void *context) {
    (void)context;
    std::printf("%s:%d: %s: %s: found %.17g, expected %.17g\n", fault->file, fault->line, rev_fault_text(fault->kind),
                fault->check, fault->found, fault->expected);
    faults++;
}

static bool take(rev_fault *fault) {
    if (rev_device_fault_take(fault) != 0)
        return false;
    if (fault->kind != REV_FAULT_NONE)
        rev_fault_raise_on_host(fault);
    return true;
}

int main() {
    enum { N = 1000, WRONG = 77 };
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return 77;
    double *out, *x, *y, *bars[3];
    double **all[] = {&out, &x, &y, &bars[0], &bars[1], &bars[2]};
    for (double **one : all) {
        if (cudaMallocManaged(one, N * sizeof(double)) != cudaSuccess)
            return 1;
        std::memset(*one, 0, N * sizeof(double));
    }
    rev_handler_set(count_fault, nullptr);
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i;

    rev_fault fault;
    copies<<<(N + 63) / 64, 64>>>(out, x, y, N);
    bool right = take(&fault) && fault.kind == REV_FAULT_NONE;
    y[WRONG] += 0.25;
    copies<<<(N + 63) / 64, 64>>>(out, x, y, N);
    right = take(&fault) && right && fault.kind == REV_FAULT_ANCILLA && fault.line == DROPPED && fault.found == -0.25 &&
            std::strstr(fault.file, "faults.rev.cu") && std::strcmp(fault.check, "t == 0") == 0;
    copies_adj<<<(N + 63) / 64, 64>>>(out, bars[0], x, bars[1], y, bars[2], N);
    right = take(&fault) && right && fault.kind == REV_FAULT_ANCILLA && std::fabs(fault.found) == 0.25;
    copies_inv<<<(N + 63) / 64, 64>>>(out, x, x, N);
    right = take(&fault) && right && fault.kind == REV_FAULT_NONE && faults == 2;
    return !right;
}
#endif
