/* A picture of the ground by reverse time migration.
 *
 * Waves are sent out near the surface and recorded along a line. The gradient of the misfit between these data and
 * those of a smooth model, with respect to the squared slowness, is a picture of the reflector that the smooth model
 * lacks. It needs the wave field of all steps in reverse order. docs/example-wave.md explains it. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/verso.h>

enum {
    SPONGE = 30,       /* width of the absorbing border, in cells */
    DEPTH = SPONGE + 2 /* row of the source and the receivers */
};

#define SPACING 10.0 /* metres */
#define PACE 0.002   /* time step, in seconds */
#define PEAK 12.0    /* frequency of the Ricker wavelet, in hertz */

typedef struct model {
    int side; /* cells */
    uint64_t steps;
    int source; /* column */
    /* The wave field: `u` at this step, `before` at the previous one. A step overwrites the older field and swaps the
     * pointers, so that nothing is copied; therefore the loop has `save` and `load` instead of regions. */
    double *u, *before;
    double *u_bar, *before_bar; /* their adjoints, swapped likewise */
    double *slowness;           /* squared */
    double *factor, *damping;   /* (PACE / SPACING)^2 / slowness; by which a wave is multiplied in each step */
    double *factor_bar;         /* the gradient with respect to `factor` */
    double *data;               /* recorded field in the row of the receivers, for each state */
    uint64_t calls, kill_after;
} model;

static size_t cells(const model *m) {
    return (size_t)m->side * (size_t)m->side;
}

static double wavelet(uint64_t step) {
    double t = (double)step * PACE - 1.2 / PEAK, a = 3.14159265358979323846 * PEAK * t;
    return (1 - 2 * a * a) * exp(-a * a);
}

/* The five-point Laplacian, without the factor 1 / SPACING^2. */
static inline double laplacian(const double *u, size_t at, size_t side) {
    return u[at - 1] + u[at + 1] + u[at - side] + u[at + side] - 4 * u[at];
}

static void count_call(model *m) {
    if (m->kill_after > 0 && ++m->calls == m->kill_after)
        raise(SIGKILL); /* for the test: simulates a power failure */
}

/* ---- Callbacks of the loop ---- */

/* new = damping * (2 u - before + factor * (laplacian u + source)), and u, which is then the older one, is damped. */
static int advance(void *context, uint64_t step) {
    model *m = context;
    size_t side = (size_t)m->side;
    double *u = m->u, *next = m->before;
    count_call(m);
    for (size_t row = 1; row + 1 < side; row++)
        for (size_t at = row * side + 1; at < (row + 1) * side - 1; at++)
            next[at] = m->damping[at] * (2 * u[at] - next[at] + m->factor[at] * laplacian(u, at, side));
    size_t source = DEPTH * side + (size_t)m->source;
    next[source] += m->damping[source] * m->factor[source] * wavelet(step);
    for (size_t at = 0; at < cells(m); at++)
        u[at] *= m->damping[at];
    m->before = u;
    m->u = next;
    return 0;
}

/* The transpose of the step; adds to the gradient with respect to `factor`. It does not change the state. */
static int adjoint(void *context, uint64_t step) {
    model *m = context;
    size_t side = (size_t)m->side, source = DEPTH * side + (size_t)m->source;
    double *a = m->u_bar, *b = m->before_bar;
    count_call(m);
    for (size_t at = 0; at < cells(m); at++) /* `advance` never writes the border, whose damping is 0 */
        a[at] *= m->damping[at];
    m->factor_bar[source] += a[source] * wavelet(step);
    for (size_t row = 1; row + 1 < side; row++)
        for (size_t at = row * side + 1; at < (row + 1) * side - 1; at++) {
            const double *f = m->factor;
            m->factor_bar[at] += a[at] * laplacian(m->u, at, side);
            b[at] = m->damping[at] * b[at] + 2 * a[at] + f[at - 1] * a[at - 1] + f[at + 1] * a[at + 1] +
                    f[at - side] * a[at - side] + f[at + side] * a[at + side] - 4 * f[at] * a[at];
        }
    for (size_t at = 0; at < cells(m); at++)
        a[at] = -a[at];
    m->before_bar = a;
    m->u_bar = b;
    return 0;
}

static int start(void *context, uint64_t steps) {
    model *m = context;
    (void)steps;
    memset(m->u_bar, 0, cells(m) * sizeof(double));
    memset(m->before_bar, 0, cells(m) * sizeof(double));
    memset(m->factor_bar, 0, cells(m) * sizeof(double));
    return 0;
}

/* Half the squared difference to the data, at each state; the receivers are a row of cells between the sponges. */
static int cost(void *context, uint64_t step, double *value) {
    model *m = context;
    for (int column = SPONGE; column < m->side - SPONGE; column++) {
        size_t at = (size_t)(DEPTH * m->side + column);
        double difference = m->u[at] - m->data[step * (uint64_t)m->side + (uint64_t)column];
        *value += 0.5 * difference * difference;
        m->u_bar[at] += difference;
    }
    return 0;
}

static int save(void *context, void *bytes) {
    const model *m = context;
    double *to = bytes;
    memcpy(to, m->u, cells(m) * sizeof *to);
    memcpy(to + cells(m), m->before, cells(m) * sizeof *to);
    return 0;
}

static int load(void *context, const void *bytes) {
    model *m = context;
    const double *from = bytes;
    memcpy(m->u, from, cells(m) * sizeof *from);
    memcpy(m->before, from + cells(m), cells(m) * sizeof *from);
    return 0;
}

static int save_adjoint(void *context, void *bytes) {
    const model *m = context;
    double *to = bytes;
    memcpy(to, m->u_bar, cells(m) * sizeof *to);
    memcpy(to + cells(m), m->before_bar, cells(m) * sizeof *to);
    memcpy(to + 2 * cells(m), m->factor_bar, cells(m) * sizeof *to);
    return 0;
}

static int load_adjoint(void *context, const void *bytes) {
    model *m = context;
    const double *from = bytes;
    memcpy(m->u_bar, from, cells(m) * sizeof *from);
    memcpy(m->before_bar, from + cells(m), cells(m) * sizeof *from);
    memcpy(m->factor_bar, from + 2 * cells(m), cells(m) * sizeof *from);
    return 0;
}

/* ---- The ground ---- */

static void *allocate(size_t count) {
    void *bytes = calloc(count, sizeof(double));
    if (bytes == NULL) {
        fprintf(stderr, "wave: no memory\n");
        exit(1);
    }
    return bytes;
}

static void open_model(model *m) {
    double **all[] = {&m->u,        &m->before, &m->u_bar,   &m->before_bar,
                      &m->slowness, &m->factor, &m->damping, &m->factor_bar};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = allocate(cells(m));
    m->data = allocate((m->steps + 1) * (size_t)m->side);
    for (int row = 0; row < m->side; row++)
        for (int column = 0; column < m->side; column++) {
            int edge = (int)fmin(fmin(row, column), fmin(m->side - 1 - row, m->side - 1 - column));
            double depth = edge < SPONGE ? 0.010 * (SPONGE - edge) : 0;
            m->damping[row * m->side + column] = edge == 0 ? 0 : exp(-depth * depth);
        }
}

static void close_model(model *m) {
    double *all[] = {m->u,      m->before,  m->u_bar,      m->before_bar, m->slowness,
                     m->factor, m->damping, m->factor_bar, m->data};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* Sets the slowness: of the true ground, with a second layer below a hump and a fault, or of the smooth model without
 * it. */
static void set_ground(model *m, bool true_ground) {
    double side = m->side;
    for (int row = 0; row < m->side; row++)
        for (int column = 0; column < m->side; column++) {
            double x = (column - 0.5 * side) / side;
            double depth = side * (0.6 - 0.1 * exp(-40 * x * x) + (x > 0.2 ? 0.06 : 0));
            double speed = true_ground && row >= depth ? 2400 : 2000;
            m->slowness[row * m->side + column] = 1 / (speed * speed);
        }
}

/* Sets the wave field to zero, and the factors to those of the slowness. */
static void set_to_rest(model *m) {
    for (size_t at = 0; at < cells(m); at++)
        m->factor[at] = PACE * PACE / (SPACING * SPACING * m->slowness[at]);
    memset(m->u, 0, cells(m) * sizeof(double));
    memset(m->before, 0, cells(m) * sizeof(double));
}

static void record_data(model *m) {
    uint64_t kill_after = m->kill_after;
    m->kill_after = 0;
    set_ground(m, true);
    set_to_rest(m);
    for (uint64_t step = 0; step <= m->steps; step++) {
        memcpy(m->data + step * (uint64_t)m->side, m->u + DEPTH * m->side, (size_t)m->side * sizeof(double));
        if (step < m->steps)
            advance(m, step);
    }
    set_ground(m, false);
    m->kill_after = kill_after;
}

/* ---- The gradient ---- */

static void print_notice(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "%s\n", sentence);
}

/* Returns the misfit, and adds its gradient with respect to the squared slowness to `image`. */
static double add_gradient(model *m, const verso_run_options *options, double *image, verso_run_report *report) {
    verso_program program;
    verso_error error = {0};
    set_to_rest(m);
    verso_loop loop = {.size = sizeof(verso_loop),
                       .context = m,
                       .steps = m->steps,
                       .advance = advance,
                       .adjoint = adjoint,
                       .start = start,
                       .cost = cost,
                       .state_size = 2 * cells(m) * sizeof(double),
                       .save = save,
                       .load = load,
                       .adjoint_size = 3 * cells(m) * sizeof(double),
                       .save_adjoint = save_adjoint,
                       .load_adjoint = load_adjoint,
                       .name = "wave",
                       .inputs = {{m->slowness, cells(m) * sizeof(double)},
                                  {m->data, (m->steps + 1) * (size_t)m->side * sizeof(double)},
                                  {&m->source, sizeof m->source}}};
    verso_status status = verso_loop_program(&loop, &program, &error);
    if (status == VERSO_STATUS_OK)
        status = verso_run(&program, options, report, &error);
    verso_loop_close(&loop);
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "wave: %s\n", error.message);
        exit(1);
    }
    for (size_t at = 0; at < cells(m); at++)
        image[at] -= m->factor_bar[at] * m->factor[at] / m->slowness[at];
    return loop.value;
}

static double misfit(model *m) {
    double value = 0;
    set_to_rest(m);
    start(m, m->steps);
    for (uint64_t step = 0; step <= m->steps; step++) {
        cost(m, step, &value);
        if (step < m->steps)
            advance(m, step);
    }
    return value;
}

/* Taylor test: the remainder f(m + e d) - f(m) - e g.d must decrease like e^2. */
static bool check_taylor(model *m, const double *image) {
    double *direction = allocate(cells(m)), base = misfit(m), slope = 0, last = 0, order = 0;
    for (size_t at = 0; at < cells(m); at++) {
        double x = (double)(at % (size_t)m->side) / m->side - 0.5, z = (double)(at / (size_t)m->side) / m->side - 0.45;
        direction[at] = m->slowness[at] * exp(-40 * (x * x + z * z));
        slope += image[at] * direction[at];
    }
    printf("Taylor test:\n");
    for (double epsilon = 0.004; epsilon > 0.0002; epsilon /= 2) {
        for (size_t at = 0; at < cells(m); at++)
            m->slowness[at] += epsilon * direction[at];
        double remainder = fabs(misfit(m) - base - epsilon * slope);
        set_ground(m, false);
        order = last > 0 ? log2(last / remainder) : 0;
        printf("  distance %.3e  rest %.6e  order %.3f\n", epsilon, remainder, order);
        last = remainder;
    }
    free(direction);
    return order > 1.9 && order < 2.1;
}

/* ---- The picture ---- */

/* Returns the brightness of a cell; dark and light are the two signs. Cells near the source and the receivers would
 * outshine everything and are left out; brightness grows with depth, because deeper reflections are fainter. */
static double shade(const model *m, const double *image, int row, int column) {
    bool inside = row > DEPTH + 12 && row < m->side - SPONGE && column >= SPONGE && column < m->side - SPONGE;
    return inside ? image[row * m->side + column] * row : 0;
}

static bool write_picture(const model *m, const double *image, const char *path) {
    double square = 0;
    for (int row = 0; row < m->side; row++)
        for (int column = 0; column < m->side; column++)
            square += shade(m, image, row, column) * shade(m, image, row, column);
    double scale = 40 / sqrt(square / (double)cells(m));
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    fprintf(file, "P5\n%d %d\n255\n", m->side, m->side);
    for (int row = 0; row < m->side; row++)
        for (int column = 0; column < m->side; column++)
            fputc((int)fmax(0, fmin(255, 128 + scale * shade(m, image, row, column))), file);
    return fclose(file) == 0;
}

/* Returns a checksum of the image (FNV-1a). */
static unsigned long long fingerprint(const double *image, size_t count) {
    const unsigned char *bytes = (const unsigned char *)image;
    unsigned long long hash = 14695981039346656037U;
    for (size_t i = 0; i < count * sizeof *image; i++)
        hash = (hash ^ bytes[i]) * 1099511628211U;
    return hash;
}

typedef struct request {
    int shots;
    const char *picture, *directory;
    bool taylor;
} request;

static bool migrate(model *m, const request *wanted, verso_run_options *options, double *image) {
    char directory[4096];
    bool good = true;
    for (int shot = 0; shot < wanted->shots; shot++) {
        verso_run_report report = VERSO_RUN_REPORT_INIT;
        m->source = SPONGE + (m->side - 2 * SPONGE) * (2 * shot + 1) / (2 * wanted->shots);
        record_data(m);
        if (wanted->directory != NULL) { /* one durable run per shot; finished ones are loaded */
            snprintf(directory, sizeof directory, "%s-%d", wanted->directory, shot);
            options->directory = directory;
        }
        double value = add_gradient(m, options, image, &report);
        printf("shot %d at column %d: misfit %.17g; %s, %llu forward steps for %llu, %.1f MiB of capsules\n", shot,
               m->source, value, verso_kind_word(report.spec.kind), (unsigned long long)report.forward_steps,
               (unsigned long long)m->steps, (double)report.memory_peak / 0x100000);
        if (shot == 0 && wanted->taylor)
            good = check_taylor(m, image); /* so far the image is that of this shot only */
    }
    return good;
}

static bool read_option(const char *word, const char *value, model *m, request *wanted, verso_run_options *options) {
    unsigned long long number = strtoull(value, NULL, 10);
    if (strcmp(word, "--side") == 0)
        m->side = (int)number;
    else if (strcmp(word, "--steps") == 0)
        m->steps = number;
    else if (strcmp(word, "--shots") == 0)
        wanted->shots = (int)number;
    else if (strcmp(word, "--memory") == 0) /* bytes */
        options->memory = number;
    else if (strcmp(word, "--schedule") == 0) {
        options->automatic = false;
        return verso_kind_from_word(value, &options->spec.kind);
    } else if (strcmp(word, "--slots") == 0)
        options->spec.slots = number;
    else if (strcmp(word, "--distance") == 0)
        options->spec.distance = number;
    else if (strcmp(word, "--directory") == 0)
        wanted->directory = value;
    else if (strcmp(word, "--picture") == 0)
        wanted->picture = value;
    else if (strcmp(word, "--taylor") == 0)
        wanted->taylor = strcmp(value, "no") != 0;
    else if (strcmp(word, "--kill-after") == 0)
        m->kill_after = number;
    else
        return false;
    return *value != 0;
}

int main(int argc, char **argv) {
    model m = {.side = 200, .steps = 1000};
    request wanted = {.shots = 7, .picture = "wave.pgm", .taylor = true};
    verso_run_options options;
    verso_run_options_init(&options);
    options.spec.write_cost = options.spec.read_cost = 4; /* in steps; for --schedule */
    options.automatic = true;
    options.memory = 16 << 20;
    options.notice = print_notice;
    for (int i = 1; i < argc; i += 2)
        if (!read_option(argv[i], i + 1 < argc ? argv[i + 1] : "", &m, &wanted, &options)) {
            fprintf(stderr, "usage: wave [--side CELLS] [--steps N] [--shots N] [--memory BYTES] [--schedule KIND "
                            "--slots N] [--directory RUN] [--picture FILE.pgm] [--taylor no]\n");
            return 2;
        }
    if (m.side < 4 * SPONGE || wanted.shots < 1) {
        fprintf(stderr, "wave: --side must be at least %d and --shots at least 1\n", 4 * SPONGE);
        return 2;
    }
    open_model(&m);
    double *image = allocate(cells(&m));
    bool good = migrate(&m, &wanted, &options, image);
    printf("gradient %016llx\n", fingerprint(image, cells(&m)));
    if (!write_picture(&m, image, wanted.picture)) {
        perror(wanted.picture);
        good = false;
    }
    free(image);
    close_model(&m);
    return good ? 0 : 1;
}
