#include <stdio.h>
int main(void) {
    double n, x = .5;
    if (scanf("%lf", &n) != 1)
        return 1;
    double y = x;
    for (double i = n; i != 0; i -= 1)
        y = y - .0001 * (x * y);
    printf("%.17g\n", y);
}
