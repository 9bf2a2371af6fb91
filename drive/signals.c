/* See signals.h. */
#include "drive/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

enum { CAUGHT = 2 };
static const int caught[CAUGHT] = {SIGTERM, SIGINT};

/* State shared by all runs of the process: the signal, which the handler sets, and the previous handlers. */
static struct {
    _Atomic int number; /* the signal that came, in any thread; 0: none */
    pthread_mutex_t mutex;
    unsigned users; /* number of runs that catch signals now */
    struct sigaction before[CAUGHT];
} signals = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void note_signal(int number) {
    signals.number = number;
}

/* Installs the handler unless the process ignores the signal (a shell's background jobs ignore SIGINT). sigaction
 * cannot fail for these signals. */
static void catch_one(int number, struct sigaction *before) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, NULL, before);
    if ((before->sa_flags & SA_SIGINFO) != 0 || before->sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void verso__signals_catch(void) {
    pthread_mutex_lock(&signals.mutex);
    if (signals.users++ == 0) {
        signals.number = 0;
        for (size_t i = 0; i < CAUGHT; i++)
            catch_one(caught[i], &signals.before[i]);
    }
    pthread_mutex_unlock(&signals.mutex);
}

int verso__signals_came(void) {
    return signals.number;
}

int verso__signals_leave(void) {
    pthread_mutex_lock(&signals.mutex);
    if (--signals.users == 0)
        for (size_t i = 0; i < CAUGHT; i++)
            sigaction(caught[i], &signals.before[i], NULL);
    int number = signals.number; /* read under the mutex: a run that begins now would clear it */
    pthread_mutex_unlock(&signals.mutex);
    return number;
}
