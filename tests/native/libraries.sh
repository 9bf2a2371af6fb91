# Tests shared libraries that differentiate, in hosts that `verso cc` has not compiled: several libraries at once, threads,
# nested calls, fork, dlclose (tests/native/libraries/host.c); and linking with them. ctest sets VERSO, SOURCE and CC.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: the library is instrumented"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}" "${CC:=gcc}"
here=$SOURCE/tests/native/libraries
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() {
    echo "libraries.sh: $*" >&2
    exit 1
}

"$VERSO" cc -O2 -fPIC -DSCALE=2.0 -shared "$here/model.c" -o libone.so -lm
# As CMake and meson link: no symbol may be undefined.
"$VERSO" cc -O2 -fPIC -DSCALE=5.0 -c "$here/model.c" -o other.o
"$VERSO" cc -shared -Wl,--no-undefined other.o -o libother.so -lm
"$VERSO" c++ -O2 -fPIC -shared "$here/model.cpp" -o libcpp.so
for kind in -pie -no-pie; do
    "$CC" -O1 "$kind" ${kind/-pie/-fPIE} "-I$SOURCE/include" "$here/host.c" -o host -ldl -lm -lpthread 2>/dev/null ||
        "$CC" -O1 "$kind" "-I$SOURCE/include" "$here/host.c" -o host -ldl -lm -lpthread
    timeout 60 ./host ./libone.so ./libother.so ./libcpp.so "$scratch/run" || fail "a host that is linked with $kind"
done

# A program that `verso cc` has linked, which differentiates itself, too.
cat >main.c <<'C'
#include <stdio.h>
#include <verso/native.h>
verso_status model_gradient(const double *x, size_t n, double *gradient, verso_error *error);
static double square(const double *x, size_t n) {
    return n > 0 ? x[0] * x[0] : 0;
}
int main(void) {
    double x[] = {3}, own, other;
    verso_error error = {0};
    for (int i = 0; i < 3; i++)
        if (verso_gradient(square, x, 1, &own, NULL, NULL, &error) != VERSO_STATUS_OK ||
            model_gradient(x, 1, &other, &error) != VERSO_STATUS_OK)
            return fprintf(stderr, "%s\n", error.message), 1;
    printf("%g %.6f\n", own, other);
}
C
"$VERSO" cc -O2 main.c -L. -lone "-Wl,-rpath,$scratch" -o program
[[ $(./program) == "6 -1.117662" ]] || fail "a program with a library: $(./program)"
echo "libraries.sh: all passed"
