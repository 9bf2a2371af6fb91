/* See vlad_lines.h.
 *
 * libedit reads characters by a function of ours, so that we know why a read came to nothing: Ctrl-C (drop the line), a
 * process that was stopped and goes on (the shell had the terminal: prepare it again), or another size of the window.
 * Handlers only leave notes; they are set without SA_RESTART, so that a read ends when one comes. The last two are
 * caught while a line is read only: nobody else who reads shall be disturbed by them. */
#include "cli/vlad_lines.h"

#include "base/alloc.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY_LINES = 1000 };
/* Caught all the time, and while a line is read. */
enum { ALWAYS = 2, SIGNALS = 4 };

struct cli_lines {
    EditLine *editor; /* NULL: no terminal */
    History *history;
    char *history_path; /* NULL: nowhere to keep it */
    const char *prompt;
    char *plain; /* getline's */
    size_t plain_size;
    struct sigaction before[SIGNALS]; /* in the order of `signals` */
};

/* Handlers have nothing but what is global. */
volatile sig_atomic_t cli_lines_interrupt;
static volatile sig_atomic_t continued, resized;

static const int signals[SIGNALS] = {SIGINT, SIGALRM, SIGCONT, SIGWINCH};

/* A Ctrl-C that comes just before a read begins would be forgotten by it: so it is said again every second, until
 * somebody has noticed. */
static void note(int signal) {
    if (signal == SIGINT)
        cli_lines_interrupt = 1;
    if (signal == SIGCONT)
        continued = 1;
    if (signal == SIGWINCH)
        resized = 1;
    if (cli_lines_interrupt)
        alarm(1);
}

void cli_lines_noticed(void) {
    alarm(0);
    cli_lines_interrupt = 0;
}

static void catch_signals(cli_lines *lines, size_t first, size_t end) {
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    for (size_t i = first; i < end; i++)
        sigaction(signals[i], &action, &lines->before[i]);
}

static void release_signals(const cli_lines *lines, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        sigaction(signals[i], &lines->before[i], NULL);
}

/* ---- The history's file ---- */

/* All folders on the way to a file. */
static bool make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int made = mkdir(path, 0700);
        bool there = made == 0 || errno == EEXIST;
        *slash = '/';
        if (!there)
            return false;
    }
    return true;
}

/* Where the XDG Base Directory Specification has it; relative paths there are to be ignored. */
static char *history_path(void) {
    static const char name[] = "/verso/vlad_history";
    const char *folder = getenv("XDG_STATE_HOME"), *below = "";
    if (folder == NULL || folder[0] != '/') {
        folder = getenv("HOME");
        below = "/.local/state";
    }
    if (folder == NULL || folder[0] != '/')
        return NULL;
    size_t size = strlen(folder) + strlen(below) + sizeof name;
    char *path = verso_alloc(size, 1);
    if (path != NULL) {
        snprintf(path, size, "%s%s%s", folder, below, name);
        if (make_folders(path))
            return path;
    }
    verso_dealloc(path);
    return NULL;
}

/* ---- The editor ---- */

static cli_lines *lines_of(EditLine *editor) {
    void *lines = NULL;
    el_get(editor, EL_CLIENTDATA, &lines);
    return lines;
}

static char *prompt_of(EditLine *editor) {
    return (char *)lines_of(editor)->prompt; /* libedit only reads it */
}

/* After a signal that is no reason to stop reading. */
static void look_after_terminal(EditLine *editor) {
    if (resized)
        el_resize(editor);
    if (continued)
        el_set(editor, EL_PREP_TERM, 1);
    if (resized || continued)
        el_set(editor, EL_REFRESH);
    resized = continued = 0;
}

/* 1: a character; else there is none. */
static int next_character(EditLine *editor, wchar_t *character) {
    mbstate_t state = {0};
    while (!cli_lines_interrupt) {
        char byte;
        look_after_terminal(editor);
        ssize_t count = read(STDIN_FILENO, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count != 1)
            return (int)count;
        size_t length = mbrtowc(character, &byte, 1, &state);
        if (length == (size_t)-2)
            continue;
        if (length == (size_t)-1)
            *character = L'?';
        return 1;
    }
    return -1;
}

static bool open_editor(cli_lines *lines, const char *program) {
    HistEvent event;
    setlocale(LC_CTYPE, ""); /* how characters are written; numbers are not asked of the locale */
    lines->editor = el_init(program, stdin, stdout, stderr);
    lines->history = history_init();
    if (lines->editor == NULL || lines->history == NULL)
        return false;
    el_set(lines->editor, EL_CLIENTDATA, lines);
    el_set(lines->editor, EL_PROMPT, prompt_of);
    el_set(lines->editor, EL_EDITOR, "emacs");
    el_set(lines->editor, EL_GETCFN, next_character);
    history(lines->history, &event, H_SETSIZE, HISTORY_LINES);
    history(lines->history, &event, H_SETUNIQUE, 1);
    el_set(lines->editor, EL_HIST, history, lines->history);
    el_set(lines->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(lines->editor, NULL); /* ~/.editrc, where users have their own keys */
    lines->history_path = history_path();
    if (lines->history_path != NULL)
        history(lines->history, &event, H_LOAD, lines->history_path); /* there is none the first time */
    return true;
}

cli_lines *cli_lines_open(const char *program) {
    cli_lines *lines = verso_alloc(1, sizeof *lines);
    if (lines == NULL)
        return NULL;
    catch_signals(lines, 0, ALWAYS);
    if (isatty(STDIN_FILENO) && !open_editor(lines, program)) {
        cli_lines_close(lines);
        return NULL;
    }
    return lines;
}

void cli_lines_close(cli_lines *lines) {
    HistEvent event;
    alarm(0);
    release_signals(lines, 0, ALWAYS);
    if (lines->history != NULL && lines->history_path != NULL)
        history(lines->history, &event, H_SAVE, lines->history_path);
    if (lines->history != NULL)
        history_end(lines->history);
    if (lines->editor != NULL)
        el_end(lines->editor);
    free(lines->plain);
    verso_dealloc(lines->history_path);
    verso_dealloc(lines);
}

/* ---- Lines ---- */

static cli_line_outcome next_plain(cli_lines *lines, const char **line) {
    ssize_t length = getline(&lines->plain, &lines->plain_size, stdin);
    *line = lines->plain;
    if (length >= 0)
        return CLI_LINE_READ;
    bool dropped = cli_lines_interrupt && !feof(stdin);
    clearerr(stdin);
    return dropped ? CLI_LINE_DROPPED : CLI_LINES_ENDED;
}

static bool is_blank(const char *line) {
    return line[strspn(line, " \t\r\n")] == '\0';
}

cli_line_outcome cli_lines_next(cli_lines *lines, const char *prompt, const char **line) {
    if (lines->editor == NULL)
        return next_plain(lines, line);
    int count = 0;
    HistEvent event;
    lines->prompt = prompt;
    catch_signals(lines, ALWAYS, SIGNALS);
    el_set(lines->editor, EL_PREP_TERM, 1); /* before the prompt invites keys that would be taken for something else */
    *line = el_gets(lines->editor, &count);
    release_signals(lines, ALWAYS, SIGNALS);
    if (cli_lines_interrupt)
        return CLI_LINE_DROPPED;
    if (*line == NULL || count <= 0)
        return CLI_LINES_ENDED;
    if (!is_blank(*line))
        history(lines->history, &event, H_ENTER, *line);
    return CLI_LINE_READ;
}
