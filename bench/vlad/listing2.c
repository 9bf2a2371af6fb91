#include <math.h>
#include <stdio.h>

static double ilog2(double n) {
    return floor(log(n) / log(2));
}

int main(void) {
    volatile double point = 3;
    double n, x = point, y = x;
    if (scanf("%lf", &n) != 1)
        return 1;
    for (double i = 1; i <= n; i++) {
        double m = pow(2, ilog2(n) - ilog2(1 + fmod(floor(pow(3, x)) * i * 1007, n)));
        for (double j = 1; j <= m; j++)
            y = sqrt(y * y);
    }
    printf("%.17g\n", y);
}
