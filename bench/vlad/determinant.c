#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    double **b = malloc((size_t)n * sizeof *b), d = 1;
    for (int i = 0; i < n; i++) {
        b[i] = malloc((size_t)n * sizeof **b);
        for (int j = 0; j < n; j++)
            b[i][j] = i == j ? 2 : 1. / (i + j + 1);
    }
    for (int i = 0; i < n; i++) {
        double pivot = b[i][i];
        for (int j = i + 1; j < n; j++) {
            double e = b[j][i] / pivot;
            for (int k = i + 1; k < n; k++)
                b[j][k] -= e * b[i][k];
        }
        d *= pivot;
    }
    printf("%.17g\n", d);
}
