# Tests derivatives of BLAS and LAPACK with the libraries of Debian: OpenBLAS, and the reference implementation, shared
# and static. (OpenBLAS as a static library works, too, but takes long to link.)
# ctest sets VERSO and SOURCE; by hand: VERSO=build/verso SOURCE=. bash tests/libraries/blas.sh
set -euo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
VERSO=$(realpath "$VERSO")
folder=$(realpath "$SOURCE")/tests/libraries
libraries=/usr/lib/$(gcc -print-multiarch)
for needed in /usr/include/lapacke.h "$libraries/openblas-pthread/libopenblas.so" "$libraries/blas/libblas.a"; do
    if ! [[ -f $needed ]]; then
        echo "skipped: $needed is missing (tools/deps tests)"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OPENBLAS_NUM_THREADS=1

for name in routines network unknown; do
    "$VERSO" cc -std=gnu17 -O2 -Wall -Wextra -Werror "-I$SOURCE/include" -c "$folder/$name.c" -o "$name.o"
done

check() { # WHAT LINKER-ARGUMENT...: `run` is run before the programs
    local what=$1
    shift
    for name in routines network; do
        "$VERSO" cc "$name.o" -o "$name-$what" "$@" -lm
    done
    "./routines-$what" 3000 "$(date +%s)" || { echo "$what: see above"; exit 1; }
    "./network-$what" || { echo "$what: see above"; exit 1; }
}

reference=("-L$libraries/lapack" "-L$libraries/blas" "-Wl,-rpath,$libraries/lapack:$libraries/blas" -llapacke -llapack -lblas)
openblas=("-L$libraries/openblas-pthread" "-Wl,-rpath,$libraries/openblas-pthread" -llapacke -lopenblas)
check openblas "${openblas[@]}"
check reference "${reference[@]}"
check reference-static "$libraries/liblapacke.a" "$libraries/lapack/liblapack.a" "$libraries/blas/libblas.a" -lgfortran

"$VERSO" cc unknown.o -o unknown "${openblas[@]}" -lm >said 2>&1 || true
[[ ! -x unknown ]] || ./unknown >>said 2>&1
grep -q 'LAPACKE_dgesvx_work, a routine of BLAS or LAPACK without a rule.*dgesv' said || {
    echo "an unknown routine is refused in other words:"
    cat said
    exit 1
}
