/* at: 0.37,0.83,1.9,-0.61
 * Functions for wide characters, and bcopy, move and overwrite numbers. */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

enum { MOST = 8, WIDE = sizeof(double) / sizeof(wchar_t) };

double f(const double *x, size_t n) {
    double a[MOST], b[MOST], c[MOST], sum = 0;
    wmemcpy((wchar_t *)a, (const wchar_t *)x, WIDE * n);
    bcopy(a, b, n * sizeof *b);
    wchar_t *end = wmempcpy((wchar_t *)c, (const wchar_t *)b, WIDE * n);
    wmemmove((wchar_t *)(c + 1), (const wchar_t *)c, WIDE * (n - 1));
    wmemset((wchar_t *)a, 0, WIDE * (n - 1)); /* all but the last are 0 */
    for (size_t i = 0; i < n; i++)
        sum += (a[i] + b[i] * c[i]) * (double)(i + 1);
    return sum * (double)(end - (wchar_t *)c);
}
