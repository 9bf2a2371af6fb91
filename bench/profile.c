/* bench/profile [--quick] [FOLDER]: which calls to checkpoint, predicted from one profile and measured (paper 2,
 * section 6: figures 4 and 5, table 1).
 *
 * Each program is compiled by `verso cc`, profiled once, and then run in a process of its own for each choice. Times
 * are processor times of the first gradient of a process, the least of several. It prints
 *
 *   flips      starting from all calls checkpointed, each one alone switched off, as in table 1: how many peaks are as
 *              predicted (exact, off by less than 0.01 MB, less than 0.1 MB, or more), how many bytes at the turn from
 *              recording to reversing are exact, and the largest error of a change of time, relative to the whole time
 *   ways       all calls checkpointed, none, the two greedy ways and `best` within the memory of the first (best also
 *              within 1.5 and 0.75 times that), and divide and conquer (the schedule `binary`) within it; with the
 *              ratio of measured to predicted time
 *   overhead   the cost of profiling: the same gradient with all calls checkpointed, with and without a profile in turn
 *   binomial   the green curves of figure 4: 80, 20 and 5 snapshots of a time loop of 80 steps, with the calls within
 *              the steps switched off along the time-first way
 *
 * Writes profile-flips.csv, profile-ways.csv, profile-binomial.csv, profile-points.csv (250 random choices, both ways,
 * the front; predicted and measured) and profile-PROGRAM.svg, which draws the measurements. --quick: smaller programs,
 * one run of each choice, 20 random choices. */
#define _DEFAULT_SOURCE /* wait4 */
#include "profile/profile.h"
#include "bench/support/output.h"
#include "profile/effects.h"
#include "profile/page.h"
#include "profile/sites.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct subject {
    const char *name, *sources;
    const char *arguments[6], *quick[6];
} subject;

#define STUDY " " BENCH_SOURCE "/examples/native/support/study.c"
static const subject subjects[] = {
    {"ice",
     BENCH_SOURCE "/examples/native/ice.c" STUDY,
     {"--size", "12", "--steps", "10"},
     {"--size", "10", "--steps", "3"}},
    {"shallow",
     BENCH_SOURCE "/examples/native/shallow.c" STUDY,
     {"--size", "48", "--steps", "60"},
     {"--size", "32", "--steps", "20"}},
    {"multigrid",
     BENCH_SOURCE "/examples/native/multigrid.c" STUDY,
     {"--size", "16", "--steps", "10"},
     {"--size", "16", "--steps", "2"}},
    {"glacier", BENCH_SOURCE "/tests/native/profile/glacier.c", {"200"}, {"60"}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, ICE = 0 };

typedef struct measured {
    double seconds;
    uint64_t tape, turn, memory;
    double user, system; /* processor time of the whole process, in seconds */
} measured;

typedef struct task {
    const subject *subject;
    bool quick;
    int runs;
    const char *folder;
    char scratch[32], program[64], sites[64], lines[64], profile_path[64];
    verso_profile *profile;
    verso_site *list;
    bool *on;
    FILE *points, *flips, *ways, *binomial;
} task;

/* ---- Running a program ------------------------------------------------------------------------------------------ */

static void compile(const task *t) {
    char command[8192];
    snprintf(command, sizeof command, "'%s' cc -O2 -g %s -lm -o '%s'", BENCH_VERSO, t->subject->sources, t->program);
    if (system(command) != 0)
        bench_fail("%s cannot be compiled", t->subject->name);
}

/* Environment variables of the program; NULL: unset. */
typedef struct settings {
    const char *sites, *profile, *memory, *schedule;
} settings;

static void set_variable(const char *name, const char *value) {
    if (value == NULL)
        unsetenv(name);
    else
        setenv(name, value, 1);
}

static _Noreturn void execute_program(const task *t, const settings *settings) {
    const char *const *arguments = t->quick ? t->subject->quick : t->subject->arguments;
    const char *argv[8] = {t->program};
    for (int i = 0; i < 6 && arguments[i] != NULL; i++)
        argv[i + 1] = arguments[i];
    set_variable("VERSO_SITES", settings->sites);
    set_variable("VERSO_PROFILE", settings->profile);
    set_variable("VERSO_MEMORY", settings->memory);
    set_variable("VERSO_SCHEDULE", settings->schedule);
    set_variable("VERSO_MEASURE", t->lines);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        _exit(126);
    execv(t->program, (char **)(uintptr_t)argv);
    _exit(127);
}

static double number_after(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at ? atof(at + strlen(word)) : NAN;
}

static measured run_once(const task *t, const settings *settings) {
    char line[1024] = "";
    int status;
    struct rusage used;
    unlink(t->lines);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        execute_program(t, settings);
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
        bench_fail("%s has failed", t->subject->name);
    FILE *file = fopen(t->lines, "r");
    if (!file || !fgets(line, sizeof line, file))
        bench_fail("%s has measured nothing", t->subject->name);
    fclose(file);
    return (measured){number_after(line, "\"seconds_processor\": "),
                      (uint64_t)number_after(line, "\"tape_bytes\": "),
                      (uint64_t)number_after(line, "\"turn_bytes\": "),
                      (uint64_t)number_after(line, "\"peak_bytes\": "),
                      (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec,
                      (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec};
}

static measured run_least(const task *t, const settings *settings, int runs) {
    measured least = {.seconds = INFINITY};
    for (int i = 0; i < runs; i++) {
        measured one = run_once(t, settings);
        if (one.seconds < least.seconds)
            least = one;
    }
    return least;
}

/* ---- A choice --------------------------------------------------------------------------------------------------- */

static verso_status write_text(void *file, const char *text, size_t size) {
    return fwrite(text, 1, size, file) == size ? VERSO_STATUS_OK : VERSO_STATUS_IO;
}

static void write_choice(task *t, const bool *on, const verso__plan *plan) {
    FILE *file = bench_create(t->scratch, "sites");
    verso__text text = {.sink = write_text, .context = file};
    for (size_t i = 0; i < t->profile->count; i++) {
        t->list[i] = t->profile->sites[i];
        t->list[i].on = on[i];
    }
    verso__sites_put(t->list, t->profile->count, plan, &text);
    if (verso__text_close(&text) != VERSO_STATUS_OK)
        bench_fail("cannot write the choice of sites");
    bench_close(file);
}

static measured measure_choice(task *t, const bool *on, const verso__plan *plan, int runs) {
    write_choice(t, on, plan);
    return run_least(t, &(settings){.sites = t->sites}, runs);
}

static size_t count_on(const task *t, const bool *on) {
    size_t count = 0;
    for (size_t i = 0; i < t->profile->count; i++)
        count += on[i];
    return count;
}

/* Measures a choice and writes it to the file of points. Fails unless the peak is the predicted one. */
static measured measure_point(task *t, const char *group, const bool *on, int runs) {
    static const verso__plan single_pass;
    verso_profile_cost cost = verso_profile_predict(t->profile, on);
    measured m = measure_choice(t, on, &single_pass, runs);
    if (m.tape != cost.peak_bytes)
        bench_fail("%s, %s: a peak of %llu bytes was predicted, it is %llu", t->subject->name, group,
                   (unsigned long long)cost.peak_bytes, (unsigned long long)m.tape);
    fprintf(t->points, "%s,%s,%zu,%llu,%llu,%.6f,%.6f\n", t->subject->name, group, count_on(t, on),
            (unsigned long long)cost.peak_bytes, (unsigned long long)m.tape, cost.seconds, m.seconds);
    return m;
}

static void open_task(task *t) {
    char path[] = "/tmp/verso-profile-XXXXXX";
    verso_error error;
    if (!mkdtemp(path))
        bench_fail("cannot make a folder for programs");
    snprintf(t->scratch, sizeof t->scratch, "%s", path);
    snprintf(t->program, sizeof t->program, "%s/program", path);
    snprintf(t->sites, sizeof t->sites, "%s/sites", path);
    snprintf(t->lines, sizeof t->lines, "%s/lines", path);
    snprintf(t->profile_path, sizeof t->profile_path, "%s/profile", path);
    compile(t);
    (void)run_once(t, &(settings){.profile = t->profile_path});
    if (verso_profile_read(t->profile_path, &t->profile, &error) != VERSO_STATUS_OK)
        bench_fail("%s", error.message);
    t->list = bench_alloc(t->profile->count, sizeof *t->list);
    t->on = bench_alloc(t->profile->count, sizeof *t->on);
}

static void close_task(task *t) {
    const char *const files[] = {t->program, t->sites, t->lines, t->profile_path};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    rmdir(t->scratch);
    verso_profile_free(t->profile);
    free(t->list);
    free(t->on);
}

/* ---- Table 1 ---------------------------------------------------------------------------------------------------- */

typedef struct flips {
    size_t sites, exact, good, acceptable, inexact, turns;
    double mistaken;
} flips;

static void switch_all(task *t, bool on) {
    memset(t->on, on, t->profile->count * sizeof *t->on);
}

static void count_flip(flips *f, double off, bool turn, double mistaken) {
    f->sites++;
    f->turns += turn;
    f->exact += off == 0;
    f->good += off > 0 && off < 0.01e6;
    f->acceptable += off >= 0.01e6 && off < 0.1e6;
    f->inexact += off >= 0.1e6;
    f->mistaken = fmax(f->mistaken, mistaken);
}

static flips try_flips(task *t, const measured *all) {
    static const verso__plan single_pass;
    verso__effect *effects = bench_alloc(t->profile->count, sizeof *effects);
    flips f = {0};
    switch_all(t, true);
    verso_profile_cost cost = verso__profile_effects(t->profile, t->on, effects);
    for (size_t i = 0; i < t->profile->count; i++) {
        const verso__effect *effect = &effects[i];
        const verso_site *site = &t->profile->sites[effect->site];
        if (effect->group == VERSO_EFFECT_NEVER || site->always)
            continue;
        switch_all(t, true);
        t->on[effect->site] = false;
        measured m = measure_choice(t, t->on, &single_pass, t->runs);
        double off = fabs((double)m.tape - (double)cost.peak_bytes - (double)effect->peak_bytes);
        bool turn = (double)m.turn == (double)cost.turn_bytes + (double)effect->turn_bytes;
        count_flip(&f, off, turn, fabs(m.seconds - all->seconds - effect->seconds) / all->seconds);
        fprintf(t->flips, "%s,%s,%s,%s,%llu,%s,%.6f,%.6f,%lld,%lld,%lld,%lld\n", t->subject->name, site->caller,
                site->callee, site->where, (unsigned long long)effect->calls, verso__effect_word(effect->group),
                effect->seconds, m.seconds - all->seconds, (long long)effect->turn_bytes,
                (long long)(m.turn - cost.turn_bytes), (long long)effect->peak_bytes,
                (long long)(m.tape - cost.peak_bytes));
    }
    free(effects);
    return f;
}

/* ---- Figures 4 and 5 -------------------------------------------------------------------------------------------- */

/* Replaces predicted numbers by measured ones. */
static void measure_front(task *t, const char *group, verso__front *front) {
    for (size_t i = 0; i < front->count; i++) {
        verso__choice *point = &front->points[i];
        measured m = measure_point(t, group, point->on, t->quick ? 1 : 2);
        point->seconds = m.seconds - verso__profile_seconds(t->profile, 0, point->peak);
    }
}

static void measure_random(task *t, verso__tuning *tuning) {
    unsigned seed = 1;
    size_t count = t->quick ? 20 : VERSO_TUNE_RANDOM;
    for (size_t k = 0; k < VERSO_TUNE_RANDOM; k++) {
        for (size_t i = 0; i < t->profile->count && k < count; i++)
            t->on[i] = (seed = seed * 1103515245 + 12345) >> 16 & 1;
        measured m = k < count ? measure_point(t, "random", t->on, 1)
                               : (measured){.seconds = tuning->random[0].seconds, .tape = tuning->random[0].peak_bytes};
        tuning->random[k] = (verso_profile_cost){.peak_bytes = m.tape, .seconds = m.seconds};
    }
}

/* The green curves of figure 4: binomial checkpointing of the time loop, with as many steps as in the paper, combined
 * with the calls that remain checkpointed along the time-first way. Bytes are those of capsules, recordings and
 * snapshots. */
enum { STEPS = 80, CURVES = 3 };
static const unsigned slots_of[CURVES] = {80, 20, 5};

static uint64_t step_bytes(const task *t) {
    memset(t->on, false, t->profile->count * sizeof *t->on);
    return verso_profile_predict(t->profile, t->on).turn_bytes / STEPS + 1;
}

static void measure_curve(task *t, const verso__front *way, unsigned slots, verso_profile_cost *points) {
    char schedule[64];
    snprintf(schedule, sizeof schedule, "revolve,slots=%u,leaf=%llu", slots, (unsigned long long)step_bytes(t));
    for (size_t i = 0; i < way->count; i++) {
        write_choice(t, way->points[i].on, &(verso__plan){0});
        measured m = run_least(t, &(settings){.sites = t->sites, .schedule = schedule}, t->quick ? 1 : 2);
        uint64_t beside = t->profile->run.beside;
        points[i] = (verso_profile_cost){.peak_bytes = m.memory > beside ? m.memory - beside : 1, .seconds = m.seconds};
        fprintf(t->binomial, "%s,%u,%zu,%llu,%.6f\n", t->subject->name, slots, count_on(t, way->points[i].on),
                (unsigned long long)points[i].peak_bytes, m.seconds);
    }
    printf("%-10s binomial, %2u snapshots   %9.4f s with all calls checkpointed, %.4f s with none: %.2f times as fast, "
           "%+.1f %% memory\n",
           t->subject->name, slots, points[0].seconds, points[way->count - 1].seconds,
           points[0].seconds / points[way->count - 1].seconds,
           100 * ((double)points[way->count - 1].peak_bytes / (double)points[0].peak_bytes - 1));
    fflush(stdout);
}

static void draw(task *t, verso__tuning *tuning, const measured *best) {
    static const char *const names[CURVES] = {"d = 80", "d = 20", "d = 5"};
    verso__tuning_curve curves[CURVES];
    for (int i = 0; i < CURVES; i++) {
        verso_profile_cost *points = bench_alloc(tuning->paths[0].count, sizeof *points);
        measure_curve(t, &tuning->paths[0], slots_of[i], points);
        curves[i] = (verso__tuning_curve){names[i], points, tuning->paths[0].count};
    }
    char name[64], style[4096];
    snprintf(name, sizeof name, "profile-%s.svg", t->subject->name);
    snprintf(style, sizeof style,
             "<style>svg{--soft:#5a6572;--rule:#dde2e8;background:#fff;font-family:sans-serif}\n%s</style>\n",
             verso__tuning_chart_style);
    FILE *file = bench_create(t->folder, name);
    verso__text text = {.sink = write_text, .context = file};
    const verso_profile_cost cost = {.peak_bytes = best->tape, .memory_bytes = best->memory, .seconds = best->seconds};
    measure_random(t, tuning);
    measure_front(t, "time-first", &tuning->paths[0]);
    measure_front(t, "memory-careful", &tuning->paths[1]);
    measure_front(t, "front", &tuning->front);
    verso__tuning_svg(tuning, &cost, style, curves, CURVES, &text);
    for (int i = 0; i < CURVES; i++)
        free((void *)(uintptr_t)curves[i].points);
    if (verso__text_close(&text) != VERSO_STATUS_OK)
        bench_fail("%s cannot be written", name);
    bench_close(file);
}

/* ---- Ways ------------------------------------------------------------------------------------------------------- */

static void tell_way(const task *t, const char *way, uint64_t budget, double predicted, const measured *m,
                     double reference) {
    printf("%-10s %-22s %9.4f s %9.4f s %8.2f %8.2f %14llu %14llu\n", t->subject->name, way, m->seconds, predicted,
           m->seconds / predicted, reference / m->seconds, (unsigned long long)m->memory, (unsigned long long)m->tape);
    fprintf(t->ways, "%s,%s,%llu,%.6f,%.6f,%llu,%llu\n", t->subject->name, way, (unsigned long long)budget, predicted,
            m->seconds, (unsigned long long)m->memory, (unsigned long long)m->tape);
    fflush(stdout);
}

/* Chooses and measures a way within a budget, which the run must not exceed. The caller frees the tuning. */
static measured try_strategy(task *t, const char *way, verso__tune_strategy strategy, uint64_t budget, double reference,
                             verso__tuning *tuning) {
    verso_error error;
    if (verso__tuning_open(t->profile, budget, strategy, tuning, &error) != VERSO_STATUS_OK)
        bench_fail("%s, %s: %s", t->subject->name, way, error.message);
    measured m = measure_choice(t, tuning->chosen, &tuning->plan, t->runs);
    if (m.memory > budget)
        bench_fail("%s, %s: %llu bytes are beyond %llu", t->subject->name, way, (unsigned long long)m.memory,
                   (unsigned long long)budget);
    tell_way(t, way, budget, tuning->cost.seconds, &m, reference);
    return m;
}

/* Measures near the least sufficient budget, where steps are short, capsules few and times hardest to predict. */
static void try_least(task *t, double reference) {
    verso__tuning tuning;
    verso_error error;
    verso__planned planned;
    const verso__front *const fronts[1] = {NULL};
    verso_status status = verso__plan_find(t->profile, 1, fronts, 0, &planned);
    uint64_t least = planned.least;
    verso__plan_close(&planned);
    if (status != VERSO_STATUS_OK ||
        verso__tuning_open(t->profile, 2 * least, VERSO_TUNE_BEST, &tuning, &error) != VERSO_STATUS_OK)
        bench_fail("%s: no plan near the least budget", t->subject->name);
    measured m = measure_choice(t, tuning.chosen, &tuning.plan, t->runs);
    tell_way(t, "best in 2 x the least", 2 * least, tuning.cost.seconds, &m, reference);
    verso__tuning_close(&tuning);
}

static void try_binary(task *t, uint64_t budget, double reference) {
    char memory[32];
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)budget);
    measured m = run_least(t, &(settings){.memory = memory, .schedule = "binary"}, t->runs);
    tell_way(t, "schedule binary", budget, NAN, &m, reference);
}

/* The seconds of `best` within the memory of all calls checkpointed, and within 1.5 times that. */
typedef struct bests {
    double all, same, more;
} bests;

static bests try_ways(task *t, const measured *all) {
    verso__tuning tuning, other;
    static const verso__plan single_pass;
    bests b = {.all = all->seconds};
    switch_all(t, true);
    uint64_t budget = verso_profile_predict(t->profile, t->on).memory_bytes;
    tell_way(t, "all", budget, verso_profile_predict(t->profile, t->on).seconds, all, b.all);
    switch_all(t, false);
    measured none = measure_choice(t, t->on, &single_pass, t->runs);
    tell_way(t, "none", budget, verso_profile_predict(t->profile, t->on).seconds, &none, b.all);
    (void)try_strategy(t, "time-first", VERSO_TUNE_TIME_FIRST, budget, b.all, &other);
    verso__tuning_close(&other);
    (void)try_strategy(t, "memory-careful", VERSO_TUNE_MEMORY_CAREFUL, budget, b.all, &other);
    verso__tuning_close(&other);
    measured best = try_strategy(t, "best", VERSO_TUNE_BEST, budget, b.all, &tuning);
    b.same = best.seconds;
    b.more = try_strategy(t, "best in 1.5 x memory", VERSO_TUNE_BEST, budget + budget / 2, b.all, &other).seconds;
    verso__tuning_close(&other);
    (void)try_strategy(t, "best in 0.75 x memory", VERSO_TUNE_BEST, budget / 4 * 3, b.all, &other);
    verso__tuning_close(&other);
    try_least(t, b.all);
    try_binary(t, budget, b.all);
    draw(t, &tuning, &best);
    verso__tuning_close(&tuning);
    return b;
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

/* Alternates, so that other work on the machine affects both. System time, mostly for new pages, is left out: it is the
 * same for both and varies more than the overhead. */
static double overhead_of(task *t) {
    measured plain = {.user = INFINITY, .system = INFINITY}, watched = plain;
    static const verso__plan single_pass;
    for (int i = 0; i < (t->quick ? 3 : 15); i++) {
        switch_all(t, true);
        measured m = measure_choice(t, t->on, &single_pass, 1);
        plain.user = fmin(plain.user, m.user);
        plain.system = fmin(plain.system, m.system);
        watched.user = fmin(watched.user, run_once(t, &(settings){.profile = t->profile_path}).user);
    }
    return (watched.user - plain.user) / (plain.user + plain.system);
}

static bests measure_subject(task *t, flips *found, double *overhead) {
    static const verso__plan single_pass;
    open_task(t);
    switch_all(t, true);
    measured all = measure_choice(t, t->on, &single_pass, t->runs);
    bests b = try_ways(t, &all);
    *found = try_flips(t, &all);
    *overhead = overhead_of(t);
    close_task(t);
    return b;
}

static void print_bar(const char *what, double value, double bar, bool most) {
    printf("%-72s %6.2f %s bar %.2f\n", what, value, (most ? value <= bar : value >= bar) ? " " : "!", bar);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    task t = {.quick = quick, .runs = quick ? 1 : 3, .folder = bench_folder(argc - quick, argv + quick)};
    flips found[SUBJECTS];
    double overheads[SUBJECTS];
    bests b[SUBJECTS];
    t.points = bench_create(t.folder, "profile-points.csv");
    t.flips = bench_create(t.folder, "profile-flips.csv");
    t.ways = bench_create(t.folder, "profile-ways.csv");
    t.binomial = bench_create(t.folder, "profile-binomial.csv");
    fprintf(t.binomial, "program,snapshots,on,bytes,seconds\n");
    fprintf(t.points, "program,group,on,predicted_bytes,bytes,predicted_s,seconds\n");
    fprintf(t.flips, "program,caller,callee,where,calls,group,predicted_s,seconds,predicted_turn,turn,predicted_peak,"
                     "peak\n");
    fprintf(t.ways, "program,way,budget_bytes,predicted_s,seconds,memory_bytes,tape_bytes\n");
    printf("%-10s %-22s %11s %11s %8s %8s %14s %14s\n", "program", "way", "time", "predicted", "ratio", "faster",
           "bytes in all", "recordings");
    for (int i = 0; i < SUBJECTS; i++) {
        t.subject = &subjects[i];
        b[i] = measure_subject(&t, &found[i], &overheads[i]);
    }
    printf("\n%-10s %6s %6s %6s %11s %8s %6s %9s %9s\n", "program", "flips", "exact", "good", "acceptable", "inexact",
           "turns", "mistaken", "overhead");
    for (int i = 0; i < SUBJECTS; i++)
        printf("%-10s %6zu %6zu %6zu %11zu %8zu %6zu %7.1f %% %7.1f %%\n", subjects[i].name, found[i].sites,
               found[i].exact, found[i].good, found[i].acceptable, found[i].inexact, found[i].turns,
               100 * found[i].mistaken, 100 * overheads[i]);
    printf("\n");
    print_bar("ice, best within the memory of all: times as fast", b[ICE].all / b[ICE].same, 2, false);
    print_bar("ice, best within 1.5 times the memory: times as fast", b[ICE].all / b[ICE].more, 2.5, false);
    print_bar("ice, overhead of a profile in %", 100 * overheads[ICE], 2, true);
    bench_close(t.points);
    bench_close(t.flips);
    bench_close(t.ways);
    bench_close(t.binomial);
    return 0;
}
