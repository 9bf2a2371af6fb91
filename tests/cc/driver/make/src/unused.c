/* In the library, but not in the program. */
double unused(double x);

double unused(double x) {
    return x;
}
