# Tests OpenMP in Fortran: a program (tests/native/openmp/loops.f90) that is compiled with OpenMP and without it has the
# same gradient, and passes the tests of tests/native/harness.c. ctest sets VERSO and SOURCE.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
if ! command -v flang-new-19 flang-19 >/dev/null || ! compgen -G "/usr/lib/llvm-19/lib/libomp.so" >/dev/null; then
    echo "skipped: flang or the run time of OpenMP is not installed"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
native=$SOURCE/tests/native
"$VERSO" cc -std=gnu17 -O2 "-I$SOURCE/include" -c "$native/harness.c" -o "$scratch/harness.o"
for level in -O0 -O2; do
    "$VERSO" fc "$level" -fopenmp -c "$native/openmp/loops.f90" -o "$scratch/with.o"
    "$VERSO" fc "$level" -c "$native/openmp/loops.f90" -o "$scratch/without.o"
    "$VERSO" fc -fopenmp "$scratch/with.o" "$scratch/harness.o" -o "$scratch/with"
    "$VERSO" fc -fopenmp "$scratch/without.o" "$scratch/harness.o" -o "$scratch/without"
    point=0.4,1.1,0.7
    "$scratch/without" --at "$point" --gradient >"$scratch/gradient"
    OMP_NUM_THREADS=3 OMP_WAIT_POLICY=passive "$scratch/with" --at "$point" --noise 1e-10 --fast --against "$scratch/gradient"
done
