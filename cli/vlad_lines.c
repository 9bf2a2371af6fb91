/* Implements vlad_lines.h.
 *
 * libedit reads characters with the function next_character, which knows why a read was interrupted: by Ctrl-C (discard
 * the line), by SIGCONT (the process was stopped and the shell has used the terminal: set it up again), or by SIGWINCH
 * (the window has a new size). The signal handler only sets flags; it is installed without SA_RESTART, so that a signal
 * interrupts a read. SIGCONT and SIGWINCH are caught only while a line is read, so that they do not interrupt other
 * reads. */
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
/* The first ALWAYS of the `signals` are caught all the time, the others while a line is read. */
enum { ALWAYS = 2, SIGNALS = 4 };

struct cli_lines {
    EditLine *editor; /* NULL: standard input is not a terminal */
    History *history;
    char *history_path;   /* file of the history; NULL: it is not saved */
    const char *prompt;   /* current prompt */
    cli_lines_word *word; /* words for completion; NULL: none */
    const void *context;
    char *plain;                      /* buffer of getline */
    size_t plain_size;                /* its size */
    struct sigaction before[SIGNALS]; /* previous handlers, in the order of `signals` */
};

/* Global, because signal handlers have no other state. */
volatile sig_atomic_t cli_lines_interrupt;
static volatile sig_atomic_t continued, resized;

static const int signals[SIGNALS] = {SIGINT, SIGALRM, SIGCONT, SIGWINCH};

/* Sets the flags. A Ctrl-C that arrives just before a read begins would not interrupt it; therefore SIGALRM interrupts
 * reads every second until cli_lines_clear_interrupt is called. */
static void handle_signal(int signal) {
    if (signal == SIGINT)
        cli_lines_interrupt = 1;
    if (signal == SIGCONT)
        continued = 1;
    if (signal == SIGWINCH)
        resized = 1;
    if (cli_lines_interrupt)
        alarm(1);
}

void cli_lines_clear_interrupt(void) {
    alarm(0);
    cli_lines_interrupt = 0;
}

static void catch_signals(cli_lines *lines, size_t first, size_t end) {
    struct sigaction action = {.sa_handler = handle_signal};
    sigemptyset(&action.sa_mask);
    for (size_t i = first; i < end; i++)
        sigaction(signals[i], &action, &lines->before[i]);
}

static void release_signals(const cli_lines *lines, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        sigaction(signals[i], &lines->before[i], NULL);
}

/* ---- The history file ---- */

/* Creates all folders of a path. */
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

/* Returns the path that the XDG Base Directory Specification prescribes, which ignores relative paths; NULL if there is
 * none or its folder cannot be created. */
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
    char *path = verso__alloc(size, 1);
    if (path != NULL) {
        snprintf(path, size, "%s%s%s", folder, below, name);
        if (make_folders(path))
            return path;
    }
    verso__dealloc(path);
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

/* Handles SIGWINCH and SIGCONT, after which reading continues. */
static void update_terminal(EditLine *editor) {
    if (resized)
        el_resize(editor);
    if (continued)
        el_set(editor, EL_PREP_TERM, 1);
    if (resized || continued)
        el_set(editor, EL_REFRESH);
    resized = continued = 0;
}

/* Reads a character for libedit. Returns 1 on success; 0 at the end of the input; -1 on errors and after Ctrl-C. */
static int next_character(EditLine *editor, wchar_t *character) {
    mbstate_t state = {0};
    while (!cli_lines_interrupt) {
        char byte;
        update_terminal(editor);
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

/* ---- Completion ---- */

/* Words that begin with what is in front of the cursor. */
typedef struct matches {
    const char *begin; /* what is in front of the cursor */
    size_t length;     /* its length */
    const char *first; /* the first match; NULL: none */
    size_t common;     /* length of the beginning that all matches have in common */
    size_t count;
} matches;

static matches find_matches(const cli_lines *lines, const char *begin, size_t length) {
    matches m = {.begin = begin, .length = length};
    const char *word;
    for (size_t i = 0; (word = lines->word(lines->context, i)) != NULL; i++) {
        if (strncmp(word, begin, length) != 0)
            continue;
        if (m.first == NULL) {
            m.first = word;
            m.common = strlen(word);
        }
        size_t same = 0;
        while (same < m.common && word[same] == m.first[same])
            same++;
        m.common = same;
        m.count++;
    }
    return m;
}

static void show_matches(const cli_lines *lines, const matches *m) {
    const char *word;
    printf("\n");
    for (size_t i = 0; (word = lines->word(lines->context, i)) != NULL; i++)
        if (strncmp(word, m->begin, m->length) == 0)
            printf("%s  ", word);
    printf("\n");
    fflush(stdout);
}

/* Completes the word in front of the cursor as far as it is unique; if it is not, shows the possibilities. */
static unsigned char complete(EditLine *editor, int key) {
    const cli_lines *lines = lines_of(editor);
    const LineInfo *line = el_line(editor);
    const char *begin = line->cursor;
    (void)key;
    while (begin > line->buffer && strchr(" \t\n()[]'\"", begin[-1]) == NULL)
        begin--;
    size_t length = (size_t)(line->cursor - begin);
    if (lines->word == NULL || length == 0)
        return CC_ERROR;
    matches m = find_matches(lines, begin, length);
    char text[128];
    if (m.common > length && m.common - length < sizeof text - 1) {
        memcpy(text, m.first + length, m.common - length);
        text[m.common - length] = '\0';
        return el_insertstr(editor, text) == 0 ? CC_REFRESH : CC_ERROR;
    }
    if (m.count < 2)
        return CC_ERROR;
    show_matches(lines, &m);
    return CC_REDISPLAY;
}

void cli_lines_complete(cli_lines *lines, cli_lines_word *word, const void *context) {
    lines->word = word;
    lines->context = context;
}

static bool open_editor(cli_lines *lines, const char *program) {
    HistEvent event;
    setlocale(LC_CTYPE, ""); /* the encoding only: numbers must not depend on the locale */
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
    /* The narrow function would never free its wide copies of the two texts. */
    el_wset(lines->editor, EL_ADDFN, L"complete", L"complete the name", complete);
    el_set(lines->editor, EL_BIND, "^I", "complete", NULL);
    el_source(lines->editor, NULL); /* ~/.editrc: the user's key bindings */
    lines->history_path = history_path();
    if (lines->history_path != NULL)
        history(lines->history, &event, H_LOAD, lines->history_path); /* fails the first time, when there is no file */
    return true;
}

cli_lines *cli_lines_open(const char *program) {
    cli_lines *lines = verso__alloc(1, sizeof *lines);
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
    verso__dealloc(lines->history_path);
    verso__dealloc(lines);
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
    el_set(lines->editor, EL_PREP_TERM,
           1); /* before the prompt, so that keys typed at once are not echoed or interpreted otherwise */
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
