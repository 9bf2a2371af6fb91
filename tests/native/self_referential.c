/* at: 0.7,1.1,0.25,2.0
 * Structs that point to each other in a ring, both ways, and to members of themselves. */
#include <math.h>
#include <stddef.h>

typedef struct station {
    double level, flow, *watched;
    struct station *left, *right;
} station;

static void equalise(station *s) {
    double flow = 0.2 * (s->left->level - s->level) + 0.1 * sin(s->right->level);
    s->flow = 0.5 * s->flow + flow;
    s->level += s->flow;
    s->left->level -= s->flow * *s->watched;
}

double f(const double *x, size_t n) {
    station ring[4];
    for (size_t i = 0; i < n; i++) {
        station *s = &ring[i];
        *s = (station){x[i], 0, i & 1 ? &s->level : &ring[0].flow, &ring[(i + n - 1) % n], &ring[(i + 1) % n]};
    }
    station *at = ring;
    for (int i = 0; i < 14; i++) {
        equalise(at);
        at = i % 3 ? at->right : at->left->left;
        if (i == 6)
            at->watched = &at->right->level;
    }
    double sum = 0;
    do {
        sum += at->level * at->flow + at->level;
        at = at->right;
    } while (at != ring);
    return sum;
}
