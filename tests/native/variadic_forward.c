/* at: 0.7,1.1,0.25
 * flags: -fno-inline
 * va_list handed on to functions, by value and by pointer, copied, and to vsnprintf. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static double take(va_list *arguments) {
    return va_arg(*arguments, double);
}

static double weighted(int count, va_list arguments) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (i + 1) * va_arg(arguments, double);
    return sum;
}

static double twice(int count, ...) {
    va_list arguments, again;
    va_start(arguments, count);
    double first = take(&arguments) * take(&arguments);
    va_copy(again, arguments);
    double sum = weighted(count - 2, arguments), product = 1;
    for (int i = 2; i < count; i++)
        product *= take(&again);
    va_end(again);
    va_end(arguments);
    return first + sum * product;
}

static size_t label(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return strlen(text);
}

double f(const double *x, size_t n) {
    (void)n;
    char text[64];
    double s = twice(5, x[0], x[1], x[2], sin(x[0]), x[1]) + twice(3, x[2], x[2], x[0]);
    size_t length = label(text, sizeof text, "%s %d %.3f %c", "sum", 7, s, 'x');
    return s * (double)length + (text[length - 1] == 'x') * x[0];
}
