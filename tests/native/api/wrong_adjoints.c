/* flags: -Ofast
 * verso_check on programs that compute in floats and with fast-math: right gradients pass, whatever the rounding, and
 * wrong ones are found, also when tangent and reverse mode are wrong alike. */
#include <math.h>
#include <stdio.h>
#include <verso/native.h>

typedef enum mistake { NONE, THOUSANDTH, SIGN, TERM, MISTAKES } mistake;
static mistake made;
static int reverse_only;

/* d/da and d/db of blend, with the mistake that is tested now. */
static double by_a(double a, double b) {
    double right = 2 * a * b + cos(a);
    return made == THOUSANDTH ? 1.001 * right : made == SIGN ? -right : made == TERM ? 2 * a * b : right;
}

static double by_b(double a, double b) {
    (void)b;
    return made == THOUSANDTH ? 1.001 * a * a : made == SIGN ? -a * a : a * a;
}

__attribute__((noinline)) static float blend_float(float a, float b) {
    return a * a * b + sinf(a);
}

__attribute__((noinline)) static double blend(double a, double b) {
    return a * a * b + sin(a);
}

static float record_float(verso_call *call, float a, float b) {
    const double kept[2] = {a, b};
    verso_keep(call, kept, sizeof kept);
    return blend_float(a, b);
}

static double record(verso_call *call, double a, double b) {
    const double kept[2] = {a, b};
    verso_keep(call, kept, sizeof kept);
    return blend(a, b);
}

static void sweep_float(verso_call *call, float a, float b) {
    const double *kept = call->kept;
    (void)a, (void)b;
    call->argument[0] += call->result[0] * by_a(kept[0], kept[1]);
    call->argument[1] += call->result[0] * by_b(kept[0], kept[1]);
}

static void sweep(verso_call *call, double a, double b) {
    const double *kept = call->kept;
    (void)a, (void)b;
    call->argument[0] += call->result[0] * by_a(kept[0], kept[1]);
    call->argument[1] += call->result[0] * by_b(kept[0], kept[1]);
}

static void turn(verso_call *call, double a, double b) {
    mistake today = made;
    made = reverse_only ? NONE : today;
    call->result[0] = call->argument[0] * by_a(a, b) + call->argument[1] * by_b(a, b);
    made = today;
}

static float tangent_float(verso_call *call, float a, float b) {
    turn(call, a, b);
    return blend_float(a, b);
}

static double tangent(verso_call *call, double a, double b) {
    turn(call, a, b);
    return blend(a, b);
}

VERSO_CUSTOM_ADJOINT(blend_float, record_float, sweep_float, tangent_float);
VERSO_CUSTOM_ADJOINT(blend, record, sweep, tangent);

enum { N = 6 };

static double floats(const double *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += blend_float((float)x[i], (float)x[i + 1]) * 0.5f;
    return sum;
}

static double doubles(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += blend(x[i], x[i + 1]) * 0.5;
    return sum;
}

/* Nothing but rounding of the inputs to float: linear. */
static double rounded(const double *x, size_t n) {
    (void)n;
    float a = (float)x[0], b = (float)x[1];
    return a * 2 + b;
}

/* Little slope beside a large value. */
static double flat(const double *x, size_t n) {
    float a[64], sum = 0;
    for (size_t i = 0; i < 64; i++)
        a[i] = (float)(x[i % n] * (double)(i + 1) * 0.05);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 64; i++)
            a[i] = 1 / (1 + expf(-a[i]));
    for (int i = 0; i < 64; i++)
        sum += a[i] * (float)(i + 1);
    return sum;
}

static int is_right(double (*f)(const double *x, size_t n), const char *name, uint64_t seed) {
    const double x[N] = {0.3, 0.7, 1.1, -0.4, 0.9, 0.55};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_error error;
    if (verso_check_gradient(
            f, x, N, &(verso_check_options){.size = sizeof(verso_check_options), .seed = seed, .cuts = 2, .every = 1},
            &report, &error) != VERSO_STATUS_OK)
        return puts(error.message), -1;
    if (made == NONE && !report.holds)
        printf("%s, seed %d: value %d dot %d Taylor %d (order %g) cuts %d; gradient %g, differences %g +- %g\n", name,
               (int)seed, report.value_holds, report.dot_holds, report.taylor_holds, report.taylor_order,
               report.cuts_hold, report.dot_reverse, report.difference, report.difference_doubt);
    if (made != NONE && report.ill_conditioned)
        return puts("a wrong derivative is called ill-conditioned"), -1;
    if (!report.value_fast || !report.value_holds)
        return printf("%s: the value is %.17g instead of %.17g\n", name, report.value_recorded, report.value_plain), -1;
    return report.holds;
}

int main(void) {
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        made = NONE;
        wrong += is_right(floats, "floats", seed) != 1;
        wrong += is_right(doubles, "doubles", seed) != 1;
        wrong += is_right(rounded, "rounded", seed) != 1;
        wrong += is_right(flat, "flat", seed) != 1;
        for (made = THOUSANDTH; made < MISTAKES; made++)
            for (reverse_only = 0; reverse_only < 2; reverse_only++)
                if (is_right(floats, "floats", seed) != 0 || is_right(doubles, "doubles", seed) != 0)
                    wrong += printf("mistake %d (%d), seed %d: not found\n", (int)made, reverse_only, (int)seed);
    }
    return wrong != 0;
}
