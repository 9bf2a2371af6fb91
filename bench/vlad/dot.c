#include <math.h>
#include <stdio.h>

int main(void) {
    static double v[1000], w[1000];
    double n, s = 0;
    if (scanf("%lf", &n) != 1)
        return 1;
    for (int i = 0; i < 1000; i++) {
        v[i] = 1. / (i + 1);
        w[i] = i + 2;
    }
    for (double i = 0; i < n; i++) {
        double dot = 0;
        for (int j = 0; j < 1000; j++)
            dot += v[j] * sqrt(w[j]);
        s = .5 * s + dot;
    }
    printf("%.17g\n", s);
}
