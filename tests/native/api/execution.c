/* Interrupting, copying and resuming a run, without derivatives: at every safepoint, any number of times, in any order,
 * of a program with integers only in one part: recursion, heap, globals, function pointers, a region on main's stack.
 */
#include "expect.h"

#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { QUEENS = 5, COPIES_MOST = 20000 };

typedef struct board {
    int column[QUEENS];
    long solutions;
    double weights[QUEENS]; /* declared: not on the heap */
} board;

static unsigned long path; /* every decision leaves its mark */

static int is_free(const board *b, int row, int column) {
    for (int i = 0; i < row; i++)
        if (b->column[i] == column || b->column[i] - column == i - row || b->column[i] - column == row - i)
            return 0;
    return 1;
}

typedef struct list {
    struct list *next;
    int value;
} list;

static list *found;

static void place(board *b, int row) {
    if (row == QUEENS) {
        list *one = malloc(sizeof *one);
        *one = (list){found, b->column[0]};
        found = one;
        b->solutions++;
        b->weights[b->column[0]] += 0.5 * (double)b->solutions;
        return;
    }
    for (int column = 0; column < QUEENS; column++) {
        path = path * 31 + (unsigned long)(row * QUEENS + column);
        if (is_free(b, row, column)) {
            b->column[row] = column;
            place(b, row + 1);
        }
    }
}

static void solve(void *context) {
    place(context, 0);
}

typedef struct outcome {
    long solutions;
    unsigned long path;
    double weights[QUEENS];
    int listed;
} outcome;

static outcome outcome_of(const board *b) {
    outcome o = {.solutions = b->solutions, .path = path};
    memcpy(o.weights, b->weights, sizeof o.weights);
    for (const list *at = found; at; at = at->next)
        o.listed = o.listed * 7 + at->value + 1;
    return o;
}

static bool same(const outcome *a, const outcome *b) {
    return a->solutions == b->solutions && a->path == b->path && a->listed == b->listed &&
           memcmp(a->weights, b->weights, sizeof a->weights) == 0;
}

static board *boards; /* on the heap, so that copies hold it */

static void run_to_end(verso_execution *execution) {
    bool ended = false;
    EXPECT(verso_execution_run(execution, UINT64_MAX, NULL, &ended, &error) == VERSO_STATUS_OK && ended, "%s",
           error.message);
}

int main(void) {
    verso_execution_copy *copies[COPIES_MOST]; /* not a global: those are put back */
    double beside[2] = {1, 2};                 /* on main's stack: declared, so it is put back */
    verso_array region = {beside, 2, VERSO_SCALAR_DOUBLE, beside};
    verso_execution *execution = NULL, *second = NULL;
    uint64_t done, steps = 0;
    bool ended = false;
    boards = calloc(1, sizeof *boards);
    EXPECT(verso_execution_open(solve, boards, &region, 1, &execution, &error) == VERSO_STATUS_OK, "%s", error.message);
    if (failed)
        return 1;
    EXPECT(verso_execution_open(solve, boards, NULL, 0, &second, &error) == VERSO_STATUS_STATE && !second,
           "two at a time");
    EXPECT(verso_execution_capture(execution, &copies[0], &error) == VERSO_STATUS_OK, "%s", error.message);
    while (!ended && steps + 1 < COPIES_MOST) {
        EXPECT(verso_execution_run(execution, 1, &done, &ended, &error) == VERSO_STATUS_OK, "%s", error.message);
        EXPECT(done == 1, "a step took %d", (int)done);
        EXPECT(verso_execution_capture(execution, &copies[++steps], &error) == VERSO_STATUS_OK, "%s", error.message);
    }
    EXPECT(ended && steps > 200, "%d steps", (int)steps);
    EXPECT(verso_execution_run(execution, 1, &done, &ended, &error) == VERSO_STATUS_OK && done == 0 && ended,
           "after the end");
    outcome expected = outcome_of(boards);
    verso_execution_resume(execution, copies[0]);
    EXPECT(verso_execution_run(execution, UINT64_MAX, &done, &ended, &error) == VERSO_STATUS_OK && ended, "%s",
           error.message);
    EXPECT(done == steps, "%d steps in a single pass", (int)done);
    EXPECT(expected.solutions == 10, "%ld solutions", expected.solutions);
    for (uint64_t i = 0, at = 0; i < 2 * steps && !failed; i++) {
        beside[1] = -7; /* put back with the rest, as are the heap and all globals */
        path = 0;
        boards->solutions = -1;
        at = (at + 7919) % (steps + 1);
        verso_execution_resume(execution, copies[at]);
        EXPECT(beside[1] == 2, "a region was not put back");
        EXPECT(verso_execution_run(execution, i % 5, &done, &ended, &error) == VERSO_STATUS_OK, "%s", error.message);
        EXPECT(done == (steps - at < i % 5 ? steps - at : i % 5), "%d steps from %d", (int)done, (int)at);
        verso_execution_copy *another = NULL;
        EXPECT(verso_execution_capture(execution, &another, &error) == VERSO_STATUS_OK, "%s", error.message);
        EXPECT(verso_execution_copy_size(another) == verso_execution_copy_size(copies[at + done]), "another size");
        run_to_end(execution);
        outcome first = outcome_of(boards);
        verso_execution_resume(execution, another);
        run_to_end(execution);
        outcome again = outcome_of(boards);
        EXPECT(same(&first, &expected) && same(&again, &expected), "from step %d: another outcome", (int)at);
        verso_execution_copy_free(another);
    }
    for (uint64_t i = 0; i <= steps; i++)
        verso_execution_copy_free(copies[i]);
    verso_execution_close(execution);
    return failed;
}
