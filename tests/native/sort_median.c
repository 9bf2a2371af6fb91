/* at: 0.7,1.1,0.25,2.0,-0.4,1.5,0.9,0.3,1.3
 * Sorting by hand: quickselect for the median, heap sort, merge sort of a list of indices; robust statistics. */
#include <math.h>
#include <stddef.h>
#include <string.h>

static double select_kth(double *a, int low, int high, int k) {
    while (low < high) {
        double pivot = a[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (pivot < a[j])
                j--;
            if (i <= j) {
                double keep = a[i];
                a[i++] = a[j];
                a[j--] = keep;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return a[k];
}

static void sift(double *a, int root, int count) {
    double moved = a[root];
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && a[child + 1] > a[child])
            child++;
        if (moved >= a[child])
            break;
        a[root] = a[child];
    }
    a[root] = moved;
}

static void heap_sort(double *a, int count) {
    for (int i = count / 2 - 1; i >= 0; i--)
        sift(a, i, count);
    for (int i = count - 1; i > 0; i--) {
        double keep = a[0];
        a[0] = a[i];
        a[i] = keep;
        sift(a, 0, i);
    }
}

double f(const double *x, size_t n) {
    double a[9], b[9];
    int count = (int)n;
    memcpy(a, x, n * sizeof *x);
    double median = select_kth(a, 0, count - 1, count / 2);
    for (int i = 0; i < count; i++)
        b[i] = fabs(x[i] - median * 1.01) * (1 + 0.1 * x[0]);
    heap_sort(b, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += b[i] * b[i] * (i + 1);
    return sum + median * b[count / 2];
}
