// Differentiates miniWeather's MPI version, which is compiled untouched: the total energy after some time steps, by
// perturbations of the initial temperature of each rank's columns. Compares the gradient with difference quotients, and
// with itself within a budget.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <vector>
#include <verso/native.h>

extern double *state, *state_tmp, *flux, *tend, dt;
extern int nx, nz, myrank, nranks, direction_switch;
void init(int *argc, char ***argv);
void perform_timestep(double *state, double *state_tmp, double *flux, double *tend, double dt);
void reductions(double &mass, double &te);

static const int halo = 2, variables = 4, theta = 3;
static int steps = 20;
static double *start;

// A weighted sum of the final temperatures, and the total energy: the energy alone is nearly conserved.
static double energy(const double *x, size_t n) {
    size_t row = (size_t)(nx + 2 * halo), plane = row * (size_t)(nz + 2 * halo);
    memcpy(state, start, plane * variables * sizeof *state);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < nz; k++)
            state[theta * plane + (size_t)(k + halo) * row + i + halo] += x[i] * sin(0.1 * k);
    direction_switch = 1;
    for (int t = 0; t < steps; t++)
        perform_timestep(state, state_tmp, flux, tend, dt);
    double mass, te, here = 0, all;
    reductions(mass, te);
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < nx; i++) {
            double t = state[theta * plane + (size_t)(k + halo) * row + (size_t)(i + halo)];
            here += t * t * (1 + 0.5 * sin(0.2 * i + 0.1 * k));
        }
    MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return te * 1e-6 + all;
}

static double difference(std::vector<double> &x, int of, size_t at) {
    double h = 1e-2, values[2], before = x[at];
    for (int side = 0; side < 2; side++) {
        if (myrank == of)
            x[at] = before + (side == 0 ? h : -h);
        values[side] = energy(x.data(), x.size());
    }
    x[at] = before;
    return (values[0] - values[1]) / (2 * h);
}

int main(int argc, char **argv) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_error error;
    init(&argc, &argv);
    if (argc > 1)
        steps = atoi(argv[1]);
    size_t numbers = (size_t)(nx + 2 * halo) * (size_t)(nz + 2 * halo) * variables;
    start = static_cast<double *>(malloc(numbers * sizeof *start));
    memcpy(start, state, numbers * sizeof *start);
    std::vector<double> x((size_t)nx, 0.0), gradient((size_t)nx), again((size_t)nx);
    for (size_t i = 0; i < x.size(); i++)
        x[i] = 0.01 * sin(0.3 * (double)i + myrank);
    double began = MPI_Wtime();
    double value = energy(x.data(), x.size());
    double primal = MPI_Wtime() - began;
    bool good = true;
    began = MPI_Wtime();
    verso_status status = verso_gradient(energy, x.data(), x.size(), gradient.data(), &options, &report, &error);
    double reverse = MPI_Wtime() - began;
    if (status == VERSO_STATUS_OK) {
        options.memory = report.peak_bytes / 2;
        status = verso_gradient(energy, x.data(), x.size(), again.data(), &options, NULL, &error);
    }
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "rank %d: %s\n", myrank, error.message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    good = memcmp(gradient.data(), again.data(), x.size() * sizeof(double)) == 0;
    double worst = 0, most = 0;
    for (int of = 0; of < nranks; of++)
        for (size_t at = 1; at < 40; at += 9) {
            double quotient = difference(x, of, at);
            if (myrank == of) {
                worst = fmax(worst, fabs(quotient - gradient[at]));
                most = fmax(most, fabs(quotient));
            }
        }
    good = good && worst <= 1e-6 * most;
    int all = good, every;
    MPI_Allreduce(&all, &every, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    printf("rank %d of %d: value %.12g, differences within %.1e of %.3g, gradient %.3g s for %.3g s, %.1f MB\n", myrank,
           nranks, value, worst, most, reverse, primal, (double)report.peak_bytes / 1e6);
    MPI_Finalize();
    if (myrank == 0)
        puts(every ? "PASS" : "FAIL");
    return !every;
}
