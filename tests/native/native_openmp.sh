# Tests random OpenMP programs (tests/native/openmp) with `verso cc`: each is compiled with OpenMP and without it, and the
# gradients are compared. Usage: bash tests/native/native_openmp.sh [FIRST COUNT]. ctest runs 60 programs,
# tests/long/native_openmp 1,000. ctest sets VERSO and SOURCE; JOBS batches run at a time (2).
#
# A seed whose program is wrong is printed; `native_openmp.sh SEED 1` repeats it, and keeps its source if KEEP names a
# folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
here=$(realpath "$SOURCE")/tests/native
batch=20
levels=(-O2 -O0 -O3 -O1)
if ! compgen -G "/usr/lib/llvm-19/lib/libomp.so" >/dev/null; then
    echo "skipped: the run time of OpenMP is not installed"
    exit 77
fi

check_batch() { # SHARED FIRST COUNT LEVEL
    local status=0
    mkdir "$1/$2"
    cd "$1/$2"
    "$1/generate" "$2" "$3" >program.c
    "$VERSO" cc -std=gnu17 -w "$4" -fopenmp -c program.c -o with.o
    "$VERSO" cc -std=gnu17 -w "$4" -c program.c -o without.o
    "$VERSO" cc -fopenmp with.o "$1/main.o" -o with -lm
    "$VERSO" cc -fopenmp without.o "$1/main.o" -o without -lm
    export OMP_NUM_THREADS=3 OMP_WAIT_POLICY=passive
    timeout 100 ./without gradients || status=$?
    timeout 100 ./with gradients --compare || status=$?
    if [[ -n ${KEEP:-} ]]; then
        mkdir -p "$KEEP"
        cp program.c "$KEEP/$2.c"
    fi
    cd /
    rm -rf "${1:?}/$2"
    if ((status != 0)); then
        echo "seeds $2 to $(($2 + $3 - 1)) ($4): status $status"
        return 1
    fi
}

if [[ ${1:-} == --batch ]]; then
    check_batch "$2" "$3" "$4" "$5"
    exit
fi

(($# == 2)) || set -- 1 60
shared=$(mktemp -d)
trap 'rm -rf "$shared"' EXIT
"${CLANG:-clang-19}" -std=c17 -O1 -Wall -Wextra -Werror "$here/openmp/generate.c" -o "$shared/generate"
"$VERSO" cc -std=gnu17 -O2 "-I$here/../../include" -c "$here/openmp/main.c" -o "$shared/main.o"
export VERSO SOURCE
batches=()
for ((seed = $1, k = 0; seed < $1 + $2; seed += batch, k++)); do
    left=$(($1 + $2 - seed))
    batches+=("$shared $seed $((left < batch ? left : batch)) ${levels[k % ${#levels[@]}]}")
done
if ! printf '%s\n' "${batches[@]}" | xargs -L 1 -P "${JOBS:-2}" bash "${BASH_SOURCE[0]}" --batch; then
    echo "native_openmp.sh: seeds $1 to $(($1 + $2 - 1)): some are wrong ($SECONDS s)" >&2
    exit 1
fi
echo "native_openmp.sh: seeds $1 to $(($1 + $2 - 1)): right ($SECONDS s)"
