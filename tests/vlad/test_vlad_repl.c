/* Tests sessions of `verso vlad` on a pseudo-terminal, with typed text, Ctrl-C and Ctrl-D. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/folder.h"

#define CONTROL_C "\003"
#define CONTROL_D "\004"
#define UP "\033[A"
#define RUBOUT "\177"

enum { PATIENCE = 60000 }; /* milliseconds: a sanitizer on a busy machine is slow */

typedef struct terminal {
    int keys; /* and screen */
    pid_t child;
    char seen[1 << 16]; /* since the last text that was waited for */
    size_t length;
} terminal;

static void be_child(const char *screen, const char *folder, const char *option) {
    setsid();
    int tty = open(screen, O_RDWR); /* the first one a session leader opens is its controlling terminal */
    if (tty < 0 || dup2(tty, 0) < 0 || dup2(tty, 1) < 0 || dup2(tty, 2) < 0)
        _exit(126);
    setenv("TERM", "xterm", 1);
    setenv("XDG_STATE_HOME", folder, 1);
    setenv("HOME", folder, 1); /* and no ~/.editrc */
    execl(VERSO_COMMAND, "verso", "vlad", option, (char *)NULL);
    _exit(127);
}

static void open_terminal(terminal *t, const char *folder, const char *option) {
    *t = (terminal){.keys = posix_openpt(O_RDWR | O_NOCTTY)};
    assert_true(t->keys >= 0);
    assert_int_equal(grantpt(t->keys), 0);
    assert_int_equal(unlockpt(t->keys), 0);
    const char *screen = ptsname(t->keys);
    assert_non_null(screen);
    struct winsize size = {.ws_row = 50, .ws_col = 200};
    assert_int_equal(ioctl(t->keys, TIOCSWINSZ, &size), 0);
    t->child = fork();
    assert_true(t->child >= 0);
    if (t->child == 0)
        be_child(screen, folder, option);
}

static void type(const terminal *t, const char *keys) {
    size_t length = strlen(keys);
    assert_int_equal(write(t->keys, keys, length), (ssize_t)length);
}

/* Waits until the screen shows it; what was shown up to there is forgotten. */
static void see(terminal *t, const char *text) {
    for (;;) {
        t->seen[t->length] = '\0';
        char *found = strstr(t->seen, text);
        if (found != NULL) {
            size_t done = (size_t)(found - t->seen) + strlen(text);
            t->length -= done;
            memmove(t->seen, t->seen + done, t->length);
            return;
        }
        struct pollfd waiting = {.fd = t->keys, .events = POLLIN};
        ssize_t count =
            poll(&waiting, 1, PATIENCE) == 1 ? read(t->keys, t->seen + t->length, sizeof t->seen - 1 - t->length) : 0;
        if (count <= 0)
            fail_msg("'%s' was not shown, but: %s", text, t->seen);
        t->length += (size_t)count;
    }
}

/* Ends it at the prompt: before that Ctrl-D would be taken for the end of another line. */
static int end(terminal *t) {
    int status;
    char rest[256];
    struct pollfd waiting = {.fd = t->keys, .events = POLLIN};
    see(t, "vlad> ");
    type(t, CONTROL_D);
    while (poll(&waiting, 1, PATIENCE) == 1 && read(t->keys, rest, sizeof rest) > 0) /* until the other end is closed */
        ;
    if (waiting.revents == 0)
        kill(t->child, SIGKILL);
    assert_int_equal(waitpid(t->child, &status, 0), t->child);
    close(t->keys);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* ---- What it does ---- */

static void pieces_are_evaluated(void **state) {
    terminal t;
    open_terminal(&t, *state, NULL);
    see(&t, "vlad> ");
    type(&t, "(define (f x)\n");
    see(&t, " ...> ");
    type(&t, "(* x x))\n");
    see(&t, "\nf is defined\r\n");
    see(&t, "vlad> ");
    type(&t, "(f 3) (*j f 3 1)\n");
    see(&t, "\n9\r\n(9 . 6)\r\n");
    see(&t, "vlad> ");
    type(&t, "(list (vector 1 #t) f (lambda (x) x))\n");
    see(&t, "\n(#(1 #t) #[f] #[lambda])\r\n");
    see(&t, "vlad> ");
    type(&t, "(+ 1 (read-real))\n");
    see(&t, "(read-real))\r\n");
    type(&t, "41\n");
    see(&t, "42\r\n"); /* the keys before it are echoed only if the line's end had restored the terminal by then */
    assert_int_equal(end(&t), 0);
}

static void errors_do_not_end_it(void **state) {
    terminal t;
    open_terminal(&t, *state, NULL);
    see(&t, "vlad> ");
    type(&t, "(g 1)\n");
    see(&t, "input:1:2: unbound variable `g`");
    see(&t, "vlad> ");
    type(&t, "(define (g x) (+ x 1)) (g #t)\n");
    see(&t, "`+` needs real numbers, not #t");
    see(&t, "vlad> ");
    type(&t, ")\n");
    see(&t, "unexpected `)`");
    see(&t, "vlad> ");
    type(&t, "(define (g x) (+ x 2))\n"); /* takes the place of the first */
    see(&t, "\ng is defined\r\n");
    see(&t, "vlad> ");
    type(&t, "(define (g x) 7) (define (g x) 8)\n");
    see(&t, "`g` is defined twice");
    see(&t, "vlad> ");
    type(&t, "(g 5)\n"); /* a wrong definition replaces nothing */
    see(&t, "\n7\r\n");
    assert_int_equal(end(&t), 0);
}

static void interrupt_evaluations(const char *folder, const char *option) {
    static const char *const endless[] = {
        "(let loop ((i (write-real 12345))) (loop i))\n",
        "(checkpoint-*j (lambda (x) (let loop ((i (write-real 12345))) (loop (+ i x)))) 1 1)\n",
        "(checkpoint-*j (lambda (x) (checkpoint-*j (lambda (y) (let o ((i (write-real 12345))) (o y))) x 1)) 1 1)\n",
        "(cons (write-real 12345) (read-real))\n",
    };
    terminal t;
    open_terminal(&t, folder, option);
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        see(&t, "vlad> ");
        type(&t, endless[i]);
        see(&t, "\n12345\r\n");
        type(&t, CONTROL_C);
        see(&t, "interrupted\r\n");
    }
    see(&t, "vlad> ");
    type(&t, "(* 6 7)\n");
    see(&t, "\n42\r\n");
    assert_int_equal(end(&t), 0);
}

static void evaluations_can_be_interrupted(void **state) {
    interrupt_evaluations(*state, NULL);
    interrupt_evaluations(*state, "--hybrid");
}

/* Only memory use shows which evaluator runs: building a list takes frames of different sizes. */
static void converted_programs_are_evaluated(void **state) {
    static const char command[] = "printf '(define (f n) (if (= n 0) () (cons (+ n 0) (f (- n 1)))))\\n(f 3)\\n"
                                  "(checkpoint-*j (lambda (x) (* x x)) 3 1)\\n(f #t)\\n(f 20000)' | '" VERSO_COMMAND
                                  "' vlad --repl --stats %s 2>&1 | grep -v 1999";
    char text[2][8192] = {"", ""};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char line[sizeof command + 16];
        snprintf(line, sizeof line, command, i == 0 ? "--interpret" : "--hybrid");
        FILE *pipe = popen(line, "r");
        assert_non_null(pipe);
        assert_true(fread(text[i], 1, sizeof text[i] - 1, pipe) > 0);
        pclose(pipe);
        assert_non_null(strstr(text[i], "(3 2 1)\n"));
        assert_non_null(strstr(text[i], "(9 . 6)\n"));
        assert_non_null(strstr(text[i], "needs real numbers, not #t"));
    }
    assert_string_not_equal(text[0], text[1]);
}

static void a_line_can_be_dropped(void **state) {
    terminal t;
    open_terminal(&t, *state, NULL);
    see(&t, "vlad> ");
    type(&t, "(list 1");
    see(&t, "(list 1");
    type(&t, CONTROL_C);
    see(&t, "vlad> ");
    type(&t, "(list 2\n");
    see(&t, " ...> ");
    type(&t, "3");
    see(&t, "3");
    type(&t, CONTROL_C);
    see(&t, "vlad> ");
    type(&t, "(list 4)\n");
    see(&t, "\n(4)\r\n");
    assert_int_equal(end(&t), 0);
}

static void lines_are_edited_and_kept(void **state) {
    terminal t;
    open_terminal(&t, *state, NULL);
    see(&t, "vlad> ");
    type(&t, "(* 1111 55" RUBOUT ")\n");
    see(&t, "\n5555\r\n");
    see(&t, "vlad> ");
    type(&t, UP "\n");
    see(&t, "\n5555\r\n");
    assert_int_equal(end(&t), 0);
    size_t size;
    unsigned char *history = folder_read(*state, "verso/vlad_history", &size);
    assert_non_null(history);
    free(history);
    open_terminal(&t, *state, NULL); /* another session calls it back */
    see(&t, "vlad> ");
    type(&t, UP "\n");
    see(&t, "\n5555\r\n");
    assert_int_equal(end(&t), 0);
}

static void statistics_are_told(void **state) {
    terminal t;
    open_terminal(&t, *state, "--stats");
    see(&t, "vlad> ");
    type(&t, "(+ 1 2)\n");
    see(&t, "\n3\r\nsteps");
    assert_int_equal(end(&t), 0);
}

/* Without a terminal: only when it is asked for, and then without prompts. */
static void others_ask_for_it(void **state) {
    char command[4096], line[256] = "";
    (void)state;
    int status = system("exec '" VERSO_COMMAND "' vlad </dev/null >/dev/null 2>&1");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    snprintf(command, sizeof command, "printf '(+ 1\\n2)\\n(' | '%s' vlad --repl 2>&1", VERSO_COMMAND);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(line, sizeof line, pipe));
    assert_string_equal(line, "3\n");
    assert_non_null(fgets(line, sizeof line, pipe));
    assert_string_equal(line, "input:1:2: expected `)` to close the `(` at 1:1\n");
    while (fgets(line, sizeof line, pipe) != NULL)
        ;
    assert_int_equal(pclose(pipe), 0);
}

static int set_up(void **state) {
    *state = folder_new();
    return *state == NULL;
}

static int tear_down(void **state) {
    folder_remove(*state);
    return 0;
}

int main(void) {
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(pieces_are_evaluated),
        IN_A_FOLDER(errors_do_not_end_it),
        IN_A_FOLDER(evaluations_can_be_interrupted),
        IN_A_FOLDER(converted_programs_are_evaluated),
        IN_A_FOLDER(a_line_can_be_dropped),
        IN_A_FOLDER(lines_are_edited_and_kept),
        IN_A_FOLDER(statistics_are_told),
        IN_A_FOLDER(others_ask_for_it),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("verso vlad on a terminal", tests, NULL, NULL);
}
