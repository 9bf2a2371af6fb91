/* at: 0.7,1.1,0.25
 * Functions of the C library that keep something between calls (strtok, hsearch) or return memory of their own (gmtime,
 * asctime): when a stretch is run again they go on from where they were. */
#define _GNU_SOURCE
#include <math.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double weigh(const double *x, size_t n, double weight) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sin(weight * x[i]) * x[i];
    return sum;
}

static double words(const double *x, size_t n) {
    char text[] = ";;0.5;1.25;2;3.5;0.75;";
    double product = 1;
    for (char *part = strtok(text, ";"); part; part = strtok(NULL, ";"))
        product *= weigh(x, n, atof(part));
    return product + (strtok(NULL, ";") != NULL);
}

static double names(const double *x, size_t n) {
    static char keys[] = "mass\0size\0time\0mass";
    double numbers[3] = {x[0] * x[1], x[1], x[2]}, sum = 0;
    if (!hcreate(3) || hcreate(3))
        return -1;
    for (size_t i = 0; i < 3; i++) {
        hsearch((ENTRY){keys + 5 * i, &numbers[i]}, ENTER);
        sum += weigh(x, n, (double)i);
    }
    for (size_t i = 0; i < 4; i++) {
        ENTRY *found = hsearch((ENTRY){keys + 5 * i, NULL}, FIND);
        sum += found ? *(double *)found->data * weigh(x, n, 0.5) : 100;
    }
    sum += hsearch((ENTRY){"none", NULL}, FIND) ? 100 : x[0];
    hdestroy();
    return sum;
}

static double dates(const double *x, size_t n) {
    time_t first = 1000000000, second = 86400;
    struct tm *broken = gmtime(&first);
    char *text = asctime(broken);
    double sum = weigh(x, n, broken->tm_mon) * text[0];
    sum += gmtime(&second) == broken ? weigh(x, n, broken->tm_mday) : 100;
    return sum * broken->tm_year;
}

double f(const double *x, size_t n) {
    return words(x, n) + names(x, n) + dates(x, n);
}
