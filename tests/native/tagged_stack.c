/* at: 0.7,1.3
 * An interpreter in the manner of QuickJS: values are a union and a tag, returned in two registers, kept on a stack;
 * integers are added as such as long as they do not overflow, and become doubles then. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct value {
    union {
        int32_t i;
        double d;
        void *p;
    } u;
    int64_t tag;
} value;

enum { INTEGER, FLOAT = 7, EXCEPTION = 6, UNDEFINED = 3 };

static value of_integer(int32_t i) {
    return (value){.u = {.i = i}, .tag = INTEGER};
}

static value of_number(double d) {
    return (value){.u = {.d = d}, .tag = FLOAT};
}

static value of_long(int64_t i) {
    return i == (int32_t)i ? of_integer((int32_t)i) : of_number((double)i);
}

/* As an integer where it is one. */
static value of_any(double d) {
    int32_t i = fabs(d) < 1e9 ? (int32_t)d : 0;
    return i == d ? of_integer(i) : of_number(d);
}

static int to_number(double *result, value v) {
    switch (v.tag) {
    case INTEGER: *result = v.u.i; return 0;
    case FLOAT: *result = v.u.d; return 0;
    default: return -1;
    }
}

__attribute__((noinline)) static int add_slow(value *top) {
    double a, b;
    if (to_number(&a, top[-2]) != 0 || to_number(&b, top[-1]) != 0) {
        top[-2] = (value){.tag = UNDEFINED};
        return -1;
    }
    top[-2] = of_any(a + b);
    return 0;
}

static void multiply(value *top) {
    if (top[-2].tag == INTEGER && top[-1].tag == INTEGER) {
        top[-2] = of_long((int64_t)top[-2].u.i * top[-1].u.i);
    } else {
        double a = top[-2].tag == FLOAT ? top[-2].u.d : top[-2].u.i;
        double b = top[-1].tag == FLOAT ? top[-1].u.d : top[-1].u.i;
        top[-2] = of_number(a * b);
    }
}

static value run(const char *code, const value *arguments, int depth) {
    value stack[8], *top = stack, result = {.tag = UNDEFINED};
    for (;; code++) {
        switch (*code) {
        case 'x': *top++ = arguments[0]; break;
        case 'y': *top++ = arguments[1]; break;
        case '1': *top++ = of_integer(1); break;
        case '9': *top++ = of_integer(2000000000); break;
        case '=': top[0] = top[-1], top++; break;
        case '+': {
            int32_t sum;
            if (top[-2].tag == INTEGER && top[-1].tag == INTEGER) {
                if (__builtin_add_overflow(top[-2].u.i, top[-1].u.i, &sum))
                    top[-2] = of_number((double)top[-2].u.i + top[-1].u.i);
                else
                    top[-2] = of_integer(sum);
            } else if (top[-2].tag == FLOAT && top[-1].tag == FLOAT) {
                top[-2] = of_number(top[-2].u.d + top[-1].u.d);
            } else if (add_slow(top) != 0) {
                goto exception;
            }
            top--;
            break;
        }
        case '*':
            multiply(top);
            top--;
            break;
        case '(': /* calls the code behind it with the two values on the stack */
            if (depth > 3)
                goto exception;
            top[-2] = run(code + 1, top - 2, depth + 1);
            top--;
            if (top[-1].tag == EXCEPTION)
                goto exception;
            while (*code != ')')
                code++;
            break;
        case 'n':
            switch (top[-1].tag) {
            case INTEGER: top[-1] = of_integer(-top[-1].u.i); break;
            case FLOAT: top[-1] = of_number(-top[-1].u.d); break;
            default: goto exception;
            }
            break;
        case ')': result = *--top; goto done;
        default:
        exception:
            result = (value){.tag = EXCEPTION};
            goto done;
        }
    }
done:
    while (top > stack)
        (--top)->tag = UNDEFINED;
    return result;
}

double f(const double *x, size_t n) {
    static const char *const codes[] = {"xy*)",       "11+x*1+)",  "99+99+*x*y=*+)", "xy(x=*y+n)1+x*)",
                                        "19*9*xy*+)", "xy(11+)y*)"};
    double sum = 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        double each = 0;
        value arguments[2] = {of_number(x[0]), of_any(x[n - 1])};
        to_number(&each, run(codes[i], arguments, 0));
        sum += each * (fabs(each) > 1e6 ? 1e-18 : 1);
    }
    return sum;
}
