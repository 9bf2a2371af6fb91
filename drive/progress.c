/* Formats progress as one line of text and draws it on a terminal.
 *
 * The line consists of parts. The least important parts are left out until the line fits, and the bar takes the
 * remaining room. Each drawing fills the whole line, so that no state is kept between two drawings and any number
 * of runs may draw. Whether block characters can be shown is read from the environment as well as from the C
 * library, because a program that never calls setlocale gets ASCII from the library whatever the terminal supports. */
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <verso/run.h>

#include "base/text.h"
#include "base/wide.h"

enum { PART_MAX = 160, GAP = 2, BAR_LEAST = 10, BAR_MOST = 42, WIDTH_MAX = 400, WIDTH_USUAL = 80 };
enum { RATE_MOST = 1000000000 }; /* steps per second that are shown at most */

/* The parts in the order of the line. */
typedef enum part_name { PHASE, BAR, PERCENT, POSITION, WORK, ELAPSED, LEFT, MEMORY, RISK, PART_COUNT } part_name;

/* The order in which parts are left out. The phase stays, truncated if necessary. */
static const part_name least_first[] = {WORK, MEMORY, ELAPSED, RISK, POSITION, BAR, LEFT, PERCENT};

typedef struct line {
    char parts[PART_COUNT][PART_MAX]; /* text of each part in ASCII; "": left out. The bar is drawn later */
    unsigned bar;                     /* columns of the bar; 0: no bar */
    double done;                      /* share of the work that is done */
} line;

/* ---- The parts ---- */

static bool names_utf8(const char *name) {
    for (; *name != '\0'; name++)
        if ((name[0] == 'U' || name[0] == 'u') && (name[1] == 'T' || name[1] == 't') &&
            (name[2] == 'F' || name[2] == 'f') && name[3 + (name[3] == '-')] == '8')
            return true;
    return false;
}

static bool can_show_blocks(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"}; /* the first that is set decides */
    if (names_utf8(nl_langinfo(CODESET)))
        return true;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && *value != '\0')
            return names_utf8(value);
    }
    return false;
}

/* Returns tenths of a percent, rounded down: 1000 only if the run is done. */
static unsigned permille(const verso_progress *progress) {
    verso__wide done = progress->work_done, total = progress->work_total;
    if (progress->phase == VERSO_PHASE_DONE || done >= total)
        return progress->phase == VERSO_PHASE_DONE ? 1000 : 999;
    return (unsigned)(done * 1000 / total);
}

/* Formats the position; the part PHASE gives the direction. */
static void format_position(const verso_progress *progress, char *text) {
    uint64_t steps = progress->steps, at = progress->reached;
    if (progress->phase == VERSO_PHASE_REVERSE && progress->adjoint <= steps)
        at = steps - progress->adjoint;
    if (steps == VERSO_UNKNOWN)
        snprintf(text, PART_MAX, "step %s", verso__grouped(progress->reached).text);
    else if (progress->phase == VERSO_PHASE_DONE)
        snprintf(text, PART_MAX, "%s step%s", verso__grouped(steps).text, steps == 1 ? "" : "s");
    else
        snprintf(text, PART_MAX, "%s/%s", verso__grouped(at).text, verso__grouped(steps).text);
}

/* Returns true if the length of the run is only estimated. */
static bool is_estimated(const verso_progress *progress) {
    return progress->steps == VERSO_UNKNOWN && progress->phase != VERSO_PHASE_DONE;
}

static void format_work(const verso_progress *progress, line *line) {
    if (progress->work_total == 0) {
        double rate = (double)progress->work_done / progress->seconds;
        if (progress->seconds > 0 && rate >= 1 && rate <= RATE_MOST)
            snprintf(line->parts[WORK], PART_MAX, "%s steps/s", verso__tick(rate, rate).text);
        return;
    }
    unsigned share = permille(progress);
    const char *about = is_estimated(progress) ? "~" : "";
    line->done = share / 1000.0;
    line->bar = BAR_LEAST;
    if (share == 1000)
        strcpy(line->parts[PERCENT], " 100 %");
    else
        snprintf(line->parts[PERCENT], PART_MAX, "%s%*u.%u %%", about, is_estimated(progress) ? 1 : 2, share / 10,
                 share % 10);
    if (progress->work_done < progress->work_total && progress->phase != VERSO_PHASE_DONE) {
        double work = (double)(progress->work_total - progress->work_done);
        snprintf(line->parts[WORK], PART_MAX, "%s steps to run", verso__tick(work, work).text);
    }
}

static void format_all(const verso_progress *progress, line *line) {
    static const char *const phases[] = {"forward", "reverse", "done"};
    *line = (struct line){0};
    strcpy(line->parts[PHASE], phases[progress->phase <= VERSO_PHASE_DONE ? progress->phase : VERSO_PHASE_DONE]);
    format_work(progress, line);
    format_position(progress, line->parts[POSITION]);
    snprintf(line->parts[ELAPSED], PART_MAX, "%s", verso__duration(progress->seconds).text);
    snprintf(line->parts[MEMORY], PART_MAX, "%s", verso__bytes((double)progress->memory).text);
    if (progress->phase == VERSO_PHASE_DONE)
        return;
    if (progress->seconds_left >= 0 && isfinite(progress->seconds_left))
        snprintf(line->parts[LEFT], PART_MAX, "%s%s left", is_estimated(progress) ? "~" : "",
                 verso__duration(progress->seconds_left).text);
    else if (progress->phase == VERSO_PHASE_FORWARD && progress->steps == VERSO_UNKNOWN)
        strcpy(line->parts[LEFT], "length not known yet"); /* so neither percentage nor remaining time is known */
    if (progress->steps_at_risk > 0)
        snprintf(line->parts[RISK], PART_MAX, "at risk: %s step%s, %s", verso__grouped(progress->steps_at_risk).text,
                 progress->steps_at_risk == 1 ? "" : "s", verso__duration(progress->seconds_at_risk).text);
}

/* ---- Making it fit ---- */

static size_t columns_of(const line *line) {
    size_t columns = 0;
    for (size_t i = 0; i < PART_COUNT; i++) {
        size_t part = i == BAR ? line->bar : strlen(line->parts[i]);
        columns += part > 0 ? part + (i > 0 ? GAP : 0) : 0;
    }
    return columns;
}

static void fit(line *line, size_t width) {
    for (size_t i = 0; i < sizeof least_first / sizeof *least_first && columns_of(line) > width; i++) {
        if (least_first[i] == BAR)
            line->bar = 0;
        line->parts[least_first[i]][0] = '\0';
    }
    while (line->bar > 0 && line->bar < BAR_MOST && columns_of(line) < width)
        line->bar++;
    if (columns_of(line) > width)
        line->parts[PHASE][width] = '\0';
}

/* ---- Drawing ---- */

static char *draw_bar(const line *line, bool blocks, char *at) {
    unsigned cells = line->bar - 2, eighths = (unsigned)(line->done * cells * 8);
    *at++ = blocks ? '|' : '[';
    for (unsigned i = 0; i < cells; i++) {
        unsigned filled = eighths > 8 * i ? eighths - 8 * i : 0;
        if (!blocks)
            *at++ = filled >= 8 ? '#' : '.';
        else if (filled == 0)
            *at++ = ' ';
        else { /* U+2588 is a full block, U+258F an eighth of it */
            *at++ = '\xE2';
            *at++ = '\x96';
            *at++ = (char)(0x90 - (filled < 8 ? filled : 8));
        }
    }
    *at++ = blocks ? '|' : ']';
    return at;
}

typedef struct drawn {
    size_t columns, size; /* columns and bytes of the whole line */
    size_t head;          /* bytes of the phase and the bar, which may be coloured */
} drawn;

static drawn draw(const verso_progress *progress, size_t width, char *text) {
    line line;
    format_all(progress, &line);
    fit(&line, width);
    drawn drawn = {.columns = columns_of(&line)};
    char *at = text;
    for (size_t i = 0; i < PART_COUNT; i++) {
        bool is_bar = i == BAR && line.bar > 0;
        if (!is_bar && line.parts[i][0] == '\0')
            continue;
        if (at > text) {
            memset(at, ' ', GAP);
            at += GAP;
        }
        size_t size = strlen(line.parts[i]);
        memcpy(at, line.parts[i], size);
        at = is_bar ? draw_bar(&line, can_show_blocks(), at) : at + size;
        if (i <= BAR)
            drawn.head = (size_t)(at - text);
    }
    *at = '\0';
    drawn.size = (size_t)(at - text);
    return drawn;
}

void verso_progress_text(const verso_progress *progress, unsigned width, char *text) {
    draw(progress, width, text);
}

/* ---- On a terminal ---- */

static size_t terminal_width(int descriptor) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    long width = columns != NULL ? strtol(columns, NULL, 10) : 0;
    return width > 0 ? (size_t)width : WIDTH_USUAL;
}

/* As no-color.org defines it: any non-empty value turns colours off. */
static bool wants_colour(void) {
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (refused == NULL || *refused == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

void verso_progress_bar(void *stream, const verso_progress *progress) {
    static const char *const colours[] = {"\x1b[36m", "\x1b[35m", "\x1b[32m"};
    FILE *file = stream;
    if (file == NULL || fileno(file) < 0 || !isatty(fileno(file)))
        return;
    size_t width = terminal_width(fileno(file)) - 1; /* writing to the last column would wrap the line */
    width = width < WIDTH_MAX ? width : WIDTH_MAX;
    char text[4 * WIDTH_MAX + 1];
    drawn line = draw(progress, width, text);
    bool coloured = wants_colour() && progress->phase <= VERSO_PHASE_DONE;
    fprintf(file, "\r%s%.*s%s%s", coloured ? colours[progress->phase] : "", (int)line.head, text,
            coloured ? "\x1b[0m" : "", text + line.head);
    if (line.columns < width) /* overwrite the rest of an earlier, longer line */
        fprintf(file, "%*s", (int)(width - line.columns), "");
    if (progress->phase == VERSO_PHASE_DONE)
        fputc('\n', file);
    fflush(file);
}
