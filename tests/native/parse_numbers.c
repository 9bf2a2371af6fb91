/* at: 0.7,1.1,0.25
 * Text beside numbers: parsed with strtod, sscanf, strtol, strtok; what comes out has no derivative. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    char name[16];
    double value;
    int index;
} setting;

static int parse(const char *text, setting *into) {
    char copy[128];
    int count = 0;
    strncpy(copy, text, sizeof copy - 1);
    copy[sizeof copy - 1] = '\0';
    for (char *part = strtok(copy, ";"); part; part = strtok(NULL, ";"))
        if (sscanf(part, " %15[a-z] = %lf @ %d", into[count].name, &into[count].value, &into[count].index) == 3)
            count++;
    return count;
}

double f(const double *x, size_t n) {
    setting settings[4];
    char *end;
    int count = parse("scale = 2.5 @ 0; shift = -1.25e-1 @ 1; power = 3 @ 2; wrong", settings);
    double values[3] = {x[0], x[1], x[2]}, factor = strtod("0.125rest", &end);
    for (int i = 0; i < count; i++) {
        values[settings[i].index] *= settings[i].value;
        if (strcmp(settings[i].name, "shift") == 0)
            values[1] += settings[0].value;
    }
    return values[0] * values[1] + pow(x[0], settings[2].value) + factor * x[2] * (double)strlen(end) +
           (double)strtol("0x1f", NULL, 0) * sin(x[n - 1]) + atof("1.5") * values[2];
}
