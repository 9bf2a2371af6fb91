/* Tests progress: the line fits for all numbers and widths, and is written to terminals only. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include <verso/run.h>

#include "base/wide.h"
#include "tests/support/random_spec.h"

enum { WIDEST = 300 };

static verso_progress example(void) {
    return (verso_progress){.phase = VERSO_PHASE_REVERSE,
                            .steps = 1000,
                            .reached = 1000,
                            .adjoint = 380,
                            .work_done = 3000,
                            .work_total = 4000,
                            .steps_at_risk = 12,
                            .seconds = 75,
                            .seconds_at_risk = 3,
                            .seconds_left = 25,
                            .memory = 64000000};
}

static void use_charset(bool utf8) {
    setenv("LC_ALL", utf8 ? "C.UTF-8" : "C", 1);
}

/* ---- The line ---- */

/* Columns of UTF-8 of which each character takes one; fails at control characters. */
static size_t columns(const char *text, bool ascii) {
    size_t count = 0;
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        assert_true(byte >= ' ' && (!ascii || byte < 0x7F));
        count += (byte & 0xC0) != 0x80;
    }
    return count;
}

static uint64_t any_count(random_source *source) {
    switch (random_below(source, 8)) {
    case 0: return 0;
    case 1: return VERSO_UNKNOWN;
    default: return random_below(source, UINT64_C(1) << random_below(source, 64));
    }
}

static verso__wide any_wide(random_source *source) {
    verso__wide high = random_below(source, 3) == 0 ? any_count(source) : 0;
    return high << 64 | any_count(source);
}

static double any_time(random_source *source) {
    static const double odd[] = {0, -1, 1e300, 1e-300, 1e17};
    size_t choice = random_below(source, 12);
    if (choice < sizeof odd / sizeof *odd)
        return odd[choice];
    return choice == 10 ? NAN : choice == 11 ? INFINITY : (double)any_count(source) / 1e9;
}

static verso_progress any_progress(random_source *source) {
    return (verso_progress){.phase = (verso_phase)random_below(source, 3),
                            .steps = any_count(source),
                            .reached = any_count(source),
                            .adjoint = any_count(source),
                            .work_done = any_wide(source),
                            .work_total = any_wide(source),
                            .steps_at_risk = any_count(source),
                            .seconds = any_time(source),
                            .seconds_at_risk = any_time(source),
                            .seconds_left = any_time(source),
                            .memory = any_count(source)};
}

static void no_line_is_too_long(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int i = 0; i < 40000; i++) {
        bool utf8 = i % 2;
        use_charset(utf8);
        verso_progress progress = any_progress(&source);
        unsigned width = (unsigned)random_below(&source, WIDEST + 1);
        size_t size = 4 * (size_t)width + 1;
        char *text = malloc(size); /* exactly the room that is promised, for the sanitizer to watch */
        assert_non_null(text);
        verso_progress_text(&progress, width, text);
        assert_in_range(columns(text, !utf8), 0, width);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        free(text);
    }
}

static void check_line(const verso_progress *progress, unsigned width, const char *wanted) {
    char text[4 * WIDEST + 1];
    verso_progress_text(progress, width, text);
    assert_string_equal(text, wanted);
}

static void the_line_says_where_the_run_stands(void **state) {
    (void)state;
    verso_progress progress = example();
    use_charset(false);
    check_line(&progress, 118,
               "reverse  [##########....]  75.0 %  620/1,000  1,000 steps to run  1 min 15 s  25 s left  64 MB  "
               "at risk: 12 steps, 3 s");
    progress.phase = VERSO_PHASE_FORWARD;
    progress.adjoint = VERSO_UNKNOWN;
    progress.reached = 700;
    progress.work_done = 1;
    progress.seconds_left = -1;
    progress.steps_at_risk = 1;
    check_line(&progress, 60, "forward  [........]   0.0 %  700/1,000  at risk: 1 step, 3 s");
}

static void parts_go_in_the_order_of_their_weight(void **state) {
    (void)state;
    verso_progress progress = example();
    use_charset(false);
    check_line(&progress, 0, "");
    check_line(&progress, 4, "reve");
    check_line(&progress, 7, "reverse");
    check_line(&progress, 15, "reverse  75.0 %");
    check_line(&progress, 26, "reverse  75.0 %  25 s left");
    check_line(&progress, 38, "reverse  [######..]  75.0 %  25 s left");
}

static void blocks_are_drawn_in_eighths(void **state) {
    (void)state;
    verso_progress progress = example();
    use_charset(true);
    progress.work_done = 3256; /* 0.814 of 8 cells: 6 whole ones and 4 eighths */
    check_line(&progress, 38,
               "reverse  |\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88"
               "\xE2\x96\x8C |  81.4 %  25 s left");
}

static void all_is_done_only_when_it_is(void **state) {
    (void)state;
    verso_progress progress = example();
    use_charset(false);
    progress.work_done = 3999;
    progress.work_total = 4000;
    check_line(&progress, 15, "reverse  99.9 %");
    progress.work_done = 4000;
    check_line(&progress, 15, "reverse  99.9 %");
    progress.work_done = UINT64_MAX / 2 + 1;
    progress.work_total = UINT64_MAX;
    progress.seconds_left = -1;
    check_line(&progress, 15, "reverse  50.0 %");
    progress.phase = VERSO_PHASE_DONE;
    check_line(&progress, 64, "done  [################]   100 %  1,000 steps  1 min 15 s  64 MB");
}

static void without_a_number_of_steps_there_is_no_percentage(void **state) {
    (void)state;
    verso_progress progress = example();
    progress.phase = VERSO_PHASE_FORWARD;
    progress.steps = progress.adjoint = VERSO_UNKNOWN;
    progress.reached = 12345;
    progress.work_total = 0;
    progress.seconds_left = -1;
    check_line(&progress, 200,
               "forward  step 12,345  40 steps/s  1 min 15 s  length not known yet  64 MB  at risk: 12 steps, 3 s");
}

/* An estimate is marked. */
static void an_expected_length_gives_an_estimate(void **state) {
    (void)state;
    verso_progress progress = example();
    use_charset(false);
    progress.phase = VERSO_PHASE_FORWARD;
    progress.steps = progress.adjoint = VERSO_UNKNOWN;
    progress.reached = 12345;
    check_line(&progress, 32, "forward  ~75.0 %  ~25 s left");
    progress.work_done = 40;
    check_line(&progress, 32, "forward  ~1.0 %  ~25 s left");
    progress.phase = VERSO_PHASE_DONE;
    check_line(&progress, 15, "done   100 %");
}

static void the_environment_decides_what_can_be_shown(void **state) {
    (void)state;
    static const struct {
        const char *all, *ctype, *lang;
        bool blocks;
    } cases[] = {{"", "", "", false},
                 {"", "", "en_US.UTF-8", true},
                 {"", "", "de_DE.utf8", true},
                 {"C", "", "en_US.UTF-8", false},
                 {"", "en_GB.ISO-8859-1", "en_US.UTF-8", false},
                 {"", "C.UTF-8", "C", true},
                 {"UT", "", "C.UTF-8", false},
                 {"C.utf-16", "", "", false}};
    verso_progress progress = example();
    char text[4 * WIDEST + 1];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("LC_ALL", cases[i].all, 1);
        setenv("LC_CTYPE", cases[i].ctype, 1);
        setenv("LANG", cases[i].lang, 1);
        verso_progress_text(&progress, 100, text);
        assert_int_equal(strchr(text, '#') == NULL, cases[i].blocks);
    }
}

/* ---- On a terminal ---- */

typedef struct terminal {
    int master, slave;
    FILE *stream;
} terminal;

static terminal open_terminal(unsigned short width) {
    terminal t = {.master = posix_openpt(O_RDWR | O_NOCTTY)};
    assert_true(t.master >= 0 && grantpt(t.master) == 0 && unlockpt(t.master) == 0);
    t.slave = open(ptsname(t.master), O_RDWR | O_NOCTTY);
    assert_true(t.slave >= 0);
    struct winsize size = {.ws_row = 24, .ws_col = width};
    assert_int_equal(ioctl(t.slave, TIOCSWINSZ, &size), 0);
    struct termios mode;
    assert_int_equal(tcgetattr(t.slave, &mode), 0);
    mode.c_oflag &= ~(tcflag_t)OPOST; /* what is written is what is read */
    assert_int_equal(tcsetattr(t.slave, TCSANOW, &mode), 0);
    t.stream = fdopen(t.slave, "w");
    assert_non_null(t.stream);
    return t;
}

static void read_terminal(const terminal *t, char *text, size_t size) {
    ssize_t count = read(t->master, text, size - 1);
    assert_true(count >= 0);
    text[count] = '\0';
}

static void close_terminal(terminal *t) {
    fclose(t->stream);
    close(t->master);
}

static void a_terminal_gets_whole_lines(void **state) {
    (void)state;
    terminal t = open_terminal(60);
    verso_progress progress = example();
    char text[1024], line[4 * WIDEST + 1];
    use_charset(false);
    setenv("NO_COLOR", "1", 1);
    setenv("TERM", "xterm", 1);

    verso_progress_bar(t.stream, &progress);
    read_terminal(&t, text, sizeof text);
    verso_progress_text(&progress, 59, line);
    assert_int_equal(text[0], '\r');
    assert_int_equal(strlen(text), 60); /* the line, filled up to all but the last column */
    assert_memory_equal(text + 1, line, strlen(line));

    progress.phase = VERSO_PHASE_DONE;
    verso_progress_bar(t.stream, &progress);
    read_terminal(&t, text, sizeof text);
    assert_int_equal(text[strlen(text) - 1], '\n');
    assert_int_equal(strlen(text), 61);
    close_terminal(&t);
}

static void colour_can_be_refused(void **state) {
    (void)state;
    static const struct {
        const char *no_color, *terminal;
        bool coloured;
    } cases[] = {{"", "xterm", true}, {"1", "xterm", false}, {"", "dumb", false}};
    terminal t = open_terminal(60);
    verso_progress progress = example();
    use_charset(true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        setenv("NO_COLOR", cases[i].no_color, 1);
        setenv("TERM", cases[i].terminal, 1);
        verso_progress_bar(t.stream, &progress);
        read_terminal(&t, text, sizeof text);
        assert_int_equal(strchr(text, '\x1b') != NULL, cases[i].coloured);
    }
    close_terminal(&t);
}

static void a_terminal_without_a_width_is_taken_at_its_word(void **state) {
    (void)state;
    static const struct {
        const char *columns;
        size_t width;
    } cases[] = {{"50", 50}, {"nonsense", 80}, {"-3", 80}, {"0", 80}, {"1", 1}, {"100000", 401}};
    use_charset(false);
    setenv("NO_COLOR", "1", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        terminal t = open_terminal(0);
        verso_progress progress = example();
        char text[1024];
        setenv("COLUMNS", cases[i].columns, 1);
        verso_progress_bar(t.stream, &progress);
        read_terminal(&t, text, sizeof text);
        assert_int_equal(strlen(text), cases[i].width);
        close_terminal(&t);
    }
    unsetenv("COLUMNS");
}

static void nothing_but_a_terminal_gets_anything(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    verso_progress progress = example();
    verso_progress_bar(stream, &progress);
    progress.phase = VERSO_PHASE_DONE;
    verso_progress_bar(stream, &progress);
    verso_progress_bar(NULL, &progress);
    fclose(stream);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_too_long),
        cmocka_unit_test(the_line_says_where_the_run_stands),
        cmocka_unit_test(parts_go_in_the_order_of_their_weight),
        cmocka_unit_test(blocks_are_drawn_in_eighths),
        cmocka_unit_test(all_is_done_only_when_it_is),
        cmocka_unit_test(without_a_number_of_steps_there_is_no_percentage),
        cmocka_unit_test(an_expected_length_gives_an_estimate),
        cmocka_unit_test(the_environment_decides_what_can_be_shown),
        cmocka_unit_test(a_terminal_gets_whole_lines),
        cmocka_unit_test(colour_can_be_refused),
        cmocka_unit_test(a_terminal_without_a_width_is_taken_at_its_word),
        cmocka_unit_test(nothing_but_a_terminal_gets_anything),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
