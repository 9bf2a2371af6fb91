/* Fourier transforms by FFTW, of doubles and floats, in random shapes: complex, real to complex and back, of one to
 * four dimensions, many, with strides, in place and not, with plans of `main` and of the differentiated function, and
 * for new arrays. Gradients must agree with tangent mode to rounding, and with differences. */
#include "../native/api/expect.h"

#include <complex.h>
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { ROOM = 700, FORMS = 3 };

typedef enum made { BY_MAIN, BY_FUNCTION, FOR_OTHERS, MADE } made;

static struct {
    int form, rank, n[4], many, step, sign, made;
    bool in_place, single, preserves;
    void *in, *out;
    fftw_plan plan;
    fftwf_plan plan_single;
} now;

static unsigned flags(void) {
    return FFTW_ESTIMATE | (now.form == 2 && now.preserves ? FFTW_PRESERVE_INPUT : 0);
}

static int product(const int *n, int rank) {
    int all = 1;
    for (int i = 0; i < rank; i++)
        all *= n[i];
    return all;
}

/* The numbers between the arrays of two transforms: enough for either side. */
static int distance(void) {
    int last = now.n[now.rank - 1];
    return product(now.n, now.rank - 1) * (now.in_place ? 2 * (last / 2 + 1) : last + 2) * now.step;
}

/* What FFTW leaves between the rows of real numbers that it has computed in place is not specified. */
static bool is_padding(int i) {
    int last = now.n[now.rank - 1];
    return now.form == 2 && now.in_place && i % (2 * (last / 2 + 1)) >= last;
}

#define MAKE(x, R, C, NAME, PLAN) \
    static x##plan NAME##_many(void *in, void *out) { \
        int d = distance(), s = now.step; \
        int half = now.in_place ? d / 2 : d; \
        switch (now.form) { \
        case 0: \
            return x##plan_many_dft(now.rank, now.n, now.many, in, NULL, s, d, out, NULL, s, d, now.sign, flags()); \
        case 1: return x##plan_many_dft_r2c(now.rank, now.n, now.many, in, NULL, s, d, out, NULL, s, half, flags()); \
        default: return x##plan_many_dft_c2r(now.rank, now.n, now.many, in, NULL, s, half, out, NULL, s, d, flags()); \
        } \
    } \
    static x##plan NAME##_make(void *in, void *out) { \
        const int *n = now.n; \
        if (now.many > 1 || now.step > 1) \
            return NAME##_many(in, out); \
        switch (now.form * 4 + now.rank) { \
        case 1: return x##plan_dft_1d(n[0], in, out, now.sign, flags()); \
        case 2: return x##plan_dft_2d(n[0], n[1], in, out, now.sign, flags()); \
        case 3: return x##plan_dft_3d(n[0], n[1], n[2], in, out, now.sign, flags()); \
        case 4: return x##plan_dft(4, n, in, out, now.sign, flags()); \
        case 5: return x##plan_dft_r2c_1d(n[0], in, out, flags()); \
        case 6: return x##plan_dft_r2c_2d(n[0], n[1], in, out, flags()); \
        case 7: return x##plan_dft_r2c_3d(n[0], n[1], n[2], in, out, flags()); \
        case 8: return x##plan_dft_r2c(4, n, in, out, flags()); \
        case 9: return x##plan_dft_c2r_1d(n[0], in, out, flags()); \
        case 10: return x##plan_dft_c2r_2d(n[0], n[1], in, out, flags()); \
        case 11: return x##plan_dft_c2r_3d(n[0], n[1], n[2], in, out, flags()); \
        default: return x##plan_dft_c2r(4, n, in, out, flags()); \
        } \
    } \
    static void NAME##_execute(x##plan plan, void *in, void *out) { \
        if (now.made != FOR_OTHERS) \
            x##execute(plan); \
        else if (now.form == 0) \
            x##execute_dft(plan, in, out); \
        else if (now.form == 1) \
            x##execute_dft_r2c(plan, in, out); \
        else \
            x##execute_dft_c2r(plan, in, out); \
    } \
    static double NAME##_run(const double *x) { \
        R *in = now.in, *out = now.out; \
        if (now.made == FOR_OTHERS) { \
            in = x##malloc(2 * ROOM * sizeof *in); \
            out = now.in_place ? in : x##malloc(2 * ROOM * sizeof *out); \
        } \
        x##plan plan = PLAN; \
        if (now.made == BY_FUNCTION) \
            plan = NAME##_make(in, out); \
        for (int i = 0; i < ROOM; i++) \
            out[i] = in[i] = (R)(x[i] * x[(i + 1) % ROOM]); \
        NAME##_execute(plan, in, out); \
        double sum = 0; \
        for (int i = 0; i < ROOM; i++) \
            sum += is_padding(i) ? 0 \
                                 : cos(1.3 * i) * (double)out[i] + 1e-3 * (double)(out[i] * out[i]) + \
                                       (now.form == 2 && !now.preserves ? 0 : 0.5 * sin(i) * (double)in[i]); \
        if (now.made == BY_FUNCTION) \
            x##destroy_plan(plan); \
        if (now.made == FOR_OTHERS) { \
            x##free(in); \
            if (!now.in_place) \
                x##free(out); \
        } \
        return sum; \
    }
MAKE(fftw_, double, fftw_complex, d, now.plan)
MAKE(fftwf_, float, fftwf_complex, s, now.plan_single)

static double f(const double *x, size_t n) {
    (void)n;
    return now.single ? s_run(x) : d_run(x);
}

static uint64_t state;

static int pick(int count) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)count);
}

static void choose(void) {
    static const int most[] = {0, 40, 7, 4, 3};
    now.form = pick(FORMS);
    now.rank = 1 + pick(4);
    for (int i = 0; i < now.rank; i++)
        now.n[i] = 1 + pick(most[now.rank]);
    bool many = pick(2);
    now.many = many ? 1 + pick(2) : 1;
    now.step = many && now.rank == 1 ? 1 + pick(2) : 1;
    now.sign = pick(2) ? FFTW_FORWARD : FFTW_BACKWARD;
    now.in_place = now.step == 1 && pick(3) == 0;
    now.preserves = now.rank == 1 && !now.in_place && pick(2);
    now.made = pick(MADE);
    now.single = pick(2);
}

static double difference(const double *x, const double *u, double h) {
    static double moved[ROOM];
    double value[2];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < ROOM; i++)
            moved[i] = x[i] + (side == 0 ? h : -h) * u[i];
        value[side] = f(moved, ROOM);
    }
    return (value[0] - value[1]) / (2 * h);
}

static void check_one(uint64_t seed) {
    static double x[ROOM], u[ROOM], gradient[ROOM];
    double product = 0, size = 0, tangent = 0;
    for (int i = 0; i < ROOM; i++) {
        x[i] = 0.2 + 1e-3 * pick(1000);
        u[i] = 1e-3 * pick(2000) - 1;
    }
    EXPECT_OK(verso_gradient(f, x, ROOM, gradient, NULL, NULL, &error));
    EXPECT_OK(verso_directional(f, x, ROOM, u, &tangent, NULL, &error));
    for (int i = 0; i < ROOM; i++) {
        product += gradient[i] * u[i];
        size += fabs(gradient[i] * u[i]);
    }
    double slope = difference(x, u, now.single ? 1e-2 : 1e-5);
    bool agree = fabs(product - tangent) <= (now.single ? 1e-4 : 1e-12) * (size + 1);
    bool right = fabs(product - slope) <= (now.single ? 1e-2 : 1e-6) * (size + 1);
    EXPECT(agree && right,
           "seed %d: form %d, %s, rank %d (%d %d %d %d), many %d, step %d, in place %d, made %d, preserves %d: reverse "
           "%.15g, tangent %.15g, differences %.15g",
           (int)seed, now.form, now.single ? "float" : "double", now.rank, now.n[0], now.n[1], now.n[2], now.n[3],
           now.many, now.step, now.in_place, now.made, now.preserves, product, tangent, slope);
}

static void run_one(uint64_t seed) {
    state = seed;
    pick(2);
    choose();
    now.in = fftw_malloc(4 * ROOM * sizeof(double));
    now.out = now.in_place ? now.in : fftw_malloc(4 * ROOM * sizeof(double));
    now.plan = now.single ? NULL : d_make(now.in, now.out);
    now.plan_single = now.single ? s_make(now.in, now.out) : NULL;
    check_one(seed);
    if (now.single)
        fftwf_destroy_plan(now.plan_single);
    else
        fftw_destroy_plan(now.plan);
    fftw_free(now.in);
    if (!now.in_place)
        fftw_free(now.out);
}

/* Diffusion in a spectrum, with a nonlinear step between, in a loop, within a budget: plans are made once. */
static fftw_complex *spectrum;
static double *field;
static fftw_plan there, back;

static double evolve(const double *x, size_t n) {
    memcpy(field, x, n * sizeof *field);
    for (int step = 0; step < 8; step++) {
        fftw_execute(there);
        for (size_t k = 0; k <= n / 2; k++)
            spectrum[k] *= exp(-1e-3 * (double)(k * k)) / (double)n;
        fftw_execute(back);
        for (size_t i = 0; i < n; i++)
            field[i] = sin(field[i]) + x[i] * field[i];
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += field[i] * field[i] / (double)(i + 1);
    return sum;
}

static void check_loop(void) {
    enum { N = 64 };
    double x[N];
    field = fftw_alloc_real(N);
    spectrum = fftw_alloc_complex(N / 2 + 1);
    there = fftw_plan_dft_r2c_1d(N, field, spectrum, FFTW_MEASURE);
    back = fftw_plan_dft_c2r_1d(N, spectrum, field, FFTW_MEASURE);
    for (int i = 0; i < N; i++)
        x[i] = 0.5 + 0.3 * sin(2 * i);
    verso_check_options options = VERSO_CHECK_OPTIONS_INIT;
    verso_native_options within = VERSO_NATIVE_OPTIONS_INIT;
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    within.memory = 1000000;
    options.within = &within;
    EXPECT_OK(verso_check_gradient(evolve, x, N, &options, &report, &error));
    EXPECT(report.holds && report.within && report.stretches > 8, "value %d, dot %d, Taylor %d, cuts %d, within %d",
           report.value_holds, report.dot_holds, report.taylor_holds, report.cuts_hold, report.within_holds);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(spectrum);
    fftw_free(field);
}

/* A plan without a rule, which main has made. */
static double in_halves[8], out_halves[8];
static fftw_plan of_halves;

static double halves(const double *x, size_t n) {
    memcpy(in_halves, x, n * sizeof *x);
    fftw_execute(of_halves);
    return out_halves[1];
}

int main(int count, char **words) {
    int cases = count > 1 ? atoi(words[1]) : 500;
    uint64_t seed = count > 2 ? strtoull(words[2], NULL, 0) : 1;
    for (int i = 0; i < cases; i++)
        run_one(seed + (uint64_t)i);
    check_loop();
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, gradient[8];
    of_halves = fftw_plan_r2r_1d(8, in_halves, out_halves, FFTW_REDFT10, FFTW_ESTIMATE);
    EXPECT(verso_gradient(halves, x, 8, gradient, NULL, NULL, &error) == VERSO_STATUS_INVALID, "a plan without a rule");
    return failed;
}
