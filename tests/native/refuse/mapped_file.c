/* at: 0.7,1.1
 * refused: run
 * message: mmap of a file
 * A file is mapped within the function that is differentiated. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

double f(const double *x, size_t n) {
    int file = open("/proc/self/exe", O_RDONLY);
    const char *text = mmap(NULL, 64, PROT_READ, MAP_PRIVATE, file, 0);
    double first = text == MAP_FAILED ? 0 : text[1];
    close(file);
    return x[0] * x[n - 1] + first;
}
