/* A satellite between Earth and Moon, followed with adaptive steps, whose number is not known beforehand.
 *
 * The Arenstorf orbit is computed by the Dormand-Prince pair of orders 5 and 4. `steps` is VERSO_UNKNOWN; the
 * callback `finished` recognises the last state, and the schedule `online` keeps a fixed number of states. The
 * gradient of the final distance with respect to the launch and to the mass of the Moon is then checked: against
 * storing every state, against tangents, and by a Taylor test. docs/example-adaptive.md explains it. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/verso.h>

enum { SIZE = 4, STAGES = 7, INPUTS = SIZE + 1 }; /* position and velocity; inputs: the launch, and the mass */

/* The state. It includes the proposed step size: without it, a repeated step would differ from the first one. */
typedef struct orbit {
    double t, h, u[SIZE];
} orbit;

typedef struct model {
    orbit now;
    double mass, end, tolerance;
    double adjoint[INPUTS];
    double *sizes; /* the step sizes that were taken, for a replay; NULL: not recorded */
    uint64_t calls, kill_after;
} model;

static const double nodes[STAGES][STAGES] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double error_weights[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                             -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* ---- The equation ---- */

/* Computes f of du/dt = f(u, mass) and, unless `jacobian` is NULL, its derivatives with respect to u and mass. */
static void equation(const double *u, double mass, double *f, double (*jacobian)[INPUTS]) {
    double x = u[0], y = u[1], p = x + mass, q = x - (1 - mass), weights[2] = {1 - mass, mass}, along[2] = {p, q};
    double ax = 0, ay = 0, xx = 0, xy = 0, yy = 0, cubes[2];
    for (int body = 0; body < 2; body++) {
        double d = along[body], square = d * d + y * y, cube = square * sqrt(square), fifth = cube * square;
        ax += weights[body] * d / cube;
        ay += weights[body] * y / cube;
        xx += weights[body] * (1 / cube - 3 * d * d / fifth);
        xy -= weights[body] * 3 * d * y / fifth;
        yy += weights[body] * (1 / cube - 3 * y * y / fifth);
        cubes[body] = cube;
    }
    f[0] = u[2];
    f[1] = u[3];
    f[2] = x + 2 * u[3] - ax;
    f[3] = y - 2 * u[2] - ay;
    if (jacobian == NULL)
        return;
    const double rows[SIZE][INPUTS] = {{0, 0, 1, 0, 0},
                                       {0, 0, 0, 1, 0},
                                       {1 - xx, -xy, 0, 2, p / cubes[0] - q / cubes[1] - xx},
                                       {-xy, 1 - yy, -2, 0, y / cubes[0] - y / cubes[1] - xy}};
    memcpy(jacobian, rows, sizeof rows);
}

/* ---- One step ---- */

/* Computes the state at which a stage evaluates f. That of the last stage is the result of the step, of order 5. */
static void stage_state(const double *u, double h, double (*k)[SIZE], int stage, double *at) {
    for (int i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int j = 0; j < stage; j++)
            sum += nodes[stage][j] * k[j][i];
        at[i] = u[i] + h * sum;
    }
}

/* Tries a step of size h: computes `next`, and returns the estimated error in units of the tolerance. */
static double attempt(const model *m, const double *u, double h, double *next) {
    double k[STAGES][SIZE], norm = 0;
    for (int stage = 0; stage < STAGES; stage++) {
        stage_state(u, h, k, stage, next);
        equation(next, m->mass, k[stage], NULL);
    }
    for (int i = 0; i < SIZE; i++) {
        double error = 0;
        for (int j = 0; j < STAGES; j++)
            error += h * error_weights[j] * k[j][i];
        error /= m->tolerance * (1 + fmax(fabs(u[i]), fabs(next[i])));
        norm += error * error / SIZE;
    }
    return sqrt(norm);
}

/* Replaces `now` by the next state and returns the accepted step size, which depends on the state alone. */
static double take_step(const model *m, orbit *now) {
    double next[SIZE], h = now->h, error;
    for (bool first = true;; first = false) {
        double left = m->end - now->t;
        bool last = h >= left;
        error = attempt(m, now->u, last ? left : h, next);
        double factor = fmin(5, fmax(0.2, 0.9 * pow(error, -0.2)));
        if (error <= 1) {
            double taken = last ? left : h;
            now->t = last ? m->end : now->t + h;
            now->h = taken * (first ? factor : fmin(1, factor));
            memcpy(now->u, next, sizeof next);
            return taken;
        }
        h = (last ? left : h) * fmin(1, factor);
    }
}

/* Advances the tangent `du` by one step of size h. The size counts as constant: the derivative is that of the method
 * with the sizes that were taken. */
static void tangent_step(double mass, const double *u, double h, double *du, double dmass) {
    double k[STAGES][SIZE], dk[STAGES][SIZE], at[SIZE], dat[SIZE], jacobian[SIZE][INPUTS];
    for (int stage = 0; stage < STAGES; stage++) {
        stage_state(u, h, k, stage, at);
        stage_state(du, h, dk, stage, dat);
        equation(at, mass, k[stage], jacobian);
        for (int i = 0; i < SIZE; i++) {
            dk[stage][i] = jacobian[i][SIZE] * dmass;
            for (int j = 0; j < SIZE; j++)
                dk[stage][i] += jacobian[i][j] * dat[j];
        }
    }
    memcpy(du, dat, sizeof dat); /* the state of the last stage is the result of the step */
}

static void adjoint_step(double mass, const double *u, double h, double *adjoint) {
    double k[STAGES][SIZE], bar[STAGES][SIZE] = {{0}}, at[SIZE], jacobian[STAGES][SIZE][INPUTS], before[SIZE];
    for (int stage = 0; stage < STAGES; stage++) {
        stage_state(u, h, k, stage, at);
        equation(at, mass, k[stage], jacobian[stage]);
    }
    memcpy(before, adjoint, sizeof before);
    for (int j = 0; j < STAGES - 1; j++)
        for (int i = 0; i < SIZE; i++)
            bar[j][i] = h * nodes[STAGES - 1][j] * adjoint[i];
    for (int stage = STAGES - 2; stage >= 0; stage--) {
        for (int j = 0; j < INPUTS; j++) {
            double sum = 0;
            for (int i = 0; i < SIZE; i++)
                sum += jacobian[stage][i][j] * bar[stage][i];
            if (j == SIZE) {
                adjoint[SIZE] += sum;
                continue;
            }
            before[j] += sum;
            for (int earlier = 0; earlier < stage; earlier++)
                bar[earlier][j] += h * nodes[stage][earlier] * sum;
        }
    }
    memcpy(adjoint, before, sizeof before);
}

/* ---- Callbacks of the loop ---- */

static void count_call(model *m) {
    if (m->kill_after > 0 && ++m->calls == m->kill_after)
        raise(SIGKILL); /* for the test: simulates a power failure */
}

static int advance(void *context, uint64_t step) {
    model *m = context;
    count_call(m);
    double h = take_step(m, &m->now);
    if (m->sizes != NULL)
        m->sizes[step] = h;
    return isfinite(m->now.u[0]) ? 0 : 1;
}

static int adjoint(void *context, uint64_t step) {
    model *m = context;
    (void)step;
    count_call(m);
    orbit next = m->now;
    adjoint_step(m->mass, m->now.u, take_step(m, &next), m->adjoint);
    return 0;
}

/* The functional is half the squared distance from the centre of mass at the end. */
static int start(void *context, uint64_t steps) {
    model *m = context;
    (void)steps;
    memset(m->adjoint, 0, sizeof m->adjoint);
    m->adjoint[0] = m->now.u[0];
    m->adjoint[1] = m->now.u[1];
    return 0;
}

static int finished(void *context, uint64_t step) {
    const model *m = context;
    (void)step;
    return m->now.t >= m->end;
}

/* ---- Gradients and checks ---- */

static const double launch[INPUTS] = {0.994, 0, 0, -2.00158510637908252240537862224, 0.012277471};

static void begin(model *m, const double *inputs) {
    m->now = (orbit){.t = 0, .h = 1e-4};
    memcpy(m->now.u, inputs, sizeof m->now.u);
    m->mass = inputs[SIZE];
}

static void print_notice(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "%s\n", sentence);
}

/* Computes the gradient with one run and prints it. `steps` is the number of steps or VERSO_UNKNOWN. Returns the
 * number of steps. */
static uint64_t compute_gradient(model *m, uint64_t steps, verso_run_options *options, const char *what) {
    verso_program program;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    verso_error error = {0};
    begin(m, launch);
    verso_loop loop = {
        .size = sizeof(verso_loop),
        .context = m,
        .steps = steps,
        .advance = advance,
        .adjoint = adjoint,
        .start = start,
        .finished = steps == VERSO_UNKNOWN ? finished : NULL,
        .state = {{&m->now, sizeof m->now}},
        .adjoint_state = {{m->adjoint, sizeof m->adjoint}},
        .name = "adaptive",
        .inputs = {{&m->mass, sizeof m->mass}, {&m->end, sizeof m->end}, {&m->tolerance, sizeof(double)}}};
    options->notice = print_notice;
    verso_status status = verso_loop_program(&loop, &program, &error);
    if (status == VERSO_STATUS_OK)
        status = verso_run(&program, options, &report, &error);
    verso_loop_close(&loop);
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "adaptive: %s\n", error.message);
        exit(1);
    }
    printf("%-22s %6llu steps, %7llu forward steps, %6llu states stored\n  gradient", what,
           (unsigned long long)report.predicted.steps, (unsigned long long)report.forward_steps,
           (unsigned long long)(report.writes[0] + report.writes[1]));
    for (int i = 0; i < INPUTS; i++)
        printf(" %.17g", m->adjoint[i]);
    printf("\n");
    return report.predicted.steps;
}

static double functional(const double *u) {
    return 0.5 * (u[0] * u[0] + u[1] * u[1]);
}

/* Returns the functional for other inputs, with the step sizes that were taken. */
static double replay(const model *m, uint64_t steps, const double *inputs) {
    model other = *m;
    double u[SIZE], next[SIZE];
    begin(&other, inputs);
    memcpy(u, other.now.u, sizeof u);
    for (uint64_t step = 0; step < steps; step++) {
        attempt(&other, u, m->sizes[step], next);
        memcpy(u, next, sizeof u);
    }
    return functional(u);
}

/* Compares the directional derivative by tangents with that by the adjoint. */
static bool check_tangent(const model *m, uint64_t steps, const double *direction) {
    double u[SIZE], du[SIZE], next[SIZE], by_adjoint = 0;
    memcpy(u, launch, sizeof u);
    memcpy(du, direction, sizeof du);
    for (uint64_t step = 0; step < steps; step++) {
        tangent_step(launch[SIZE], u, m->sizes[step], du, direction[SIZE]);
        attempt(m, u, m->sizes[step], next);
        memcpy(u, next, sizeof u);
    }
    double by_tangent = u[0] * du[0] + u[1] * du[1];
    for (int i = 0; i < INPUTS; i++)
        by_adjoint += m->adjoint[i] * direction[i];
    double difference = fabs(by_adjoint / by_tangent - 1);
    printf("tangent %.15g, adjoint %.15g: relative difference %.1e\n", by_tangent, by_adjoint, difference);
    return difference < 1e-9;
}

/* Taylor test: the remainder f(x + e d) - f(x) - e g.d must decrease like e^2. */
static bool check_taylor(const model *m, uint64_t steps, const double *direction) {
    double base = replay(m, steps, launch), slope = 0, last = 0, order = 0;
    for (int i = 0; i < INPUTS; i++)
        slope += m->adjoint[i] * direction[i];
    printf("Taylor test with the same step sizes:\n");
    for (double epsilon = 1e-7; epsilon > 5e-9; epsilon /= 2) {
        double inputs[INPUTS];
        for (int i = 0; i < INPUTS; i++)
            inputs[i] = launch[i] + epsilon * direction[i];
        double rest = fabs(replay(m, steps, inputs) - base - epsilon * slope);
        order = last > 0 ? log2(last / rest) : 0;
        printf("  distance %.3e  rest %.6e  order %.3f\n", epsilon, rest, order);
        last = rest;
    }
    return order > 1.9 && order < 2.1;
}

static int check(model *m, uint64_t steps, const double *first) {
    const double direction[INPUTS] = {0.6, -0.3, 0.2, 0.5, 0.1};
    verso_run_options all;
    verso_run_options_init(&all);
    all.spec.kind = VERSO_KIND_STORE_ALL;
    m->sizes = calloc(steps + 1, sizeof *m->sizes);
    if (m->sizes == NULL)
        return 1;
    compute_gradient(m, steps, &all, "store-all");
    bool same = memcmp(first, m->adjoint, sizeof m->adjoint) == 0;
    printf("the gradients are %s\n", same ? "the same, bit for bit" : "DIFFERENT");
    bool good = check_tangent(m, steps, direction);
    good = check_taylor(m, steps, direction) && good;
    free(m->sizes);
    return same && good ? 0 : 1;
}

int main(int argc, char **argv) {
    model m = {.end = 17.0652165601579625588917206249, .tolerance = 1e-12};
    verso_run_options options;
    verso_run_options_init(&options);
    verso_schedule_spec_init(&options.spec, VERSO_KIND_ONLINE);
    options.spec.slots = 20;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--slots") == 0)
            options.spec.slots = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--tolerance") == 0)
            m.tolerance = strtod(value, NULL);
        else if (strcmp(argv[i], "--end") == 0)
            m.end = strtod(value, NULL);
        else if (strcmp(argv[i], "--directory") == 0)
            options.directory = value;
        else if (strcmp(argv[i], "--kill-after") == 0)
            m.kill_after = strtoull(value, NULL, 10);
        else {
            fprintf(stderr, "usage: adaptive [--slots N] [--tolerance X] [--end T] [--directory RUN] "
                            "[--kill-after CALLBACKS]\n");
            return 2;
        }
    }
    options.spec.with_disk = options.directory != NULL; /* with a directory the run is also durable */
    options.spec.write_cost = options.spec.read_cost = 4;
    double first[INPUTS];
    uint64_t steps =
        compute_gradient(&m, VERSO_UNKNOWN, &options, options.directory != NULL ? "online with disk" : "online");
    memcpy(first, m.adjoint, sizeof first);
    m.kill_after = 0;
    return check(&m, steps, first);
}
