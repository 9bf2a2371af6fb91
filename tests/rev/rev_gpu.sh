# Tests `verso rev` for CUDA: the kernels of tests/rev/cuda, with and without checks, and bench/rev-gpu are compiled
# by nvcc without warnings, and run if there is a GPU. Code with a race is refused. Exits with 77 if there is no nvcc,
# and under sanitizers. ctest sets VERSO, SOURCE and VERSO_SANITIZE.
set -euo pipefail
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$SOURCE"

fail() {
    echo "rev_gpu.sh: $*" >&2
    exit 1
}

# ---- Refused ----

cat >"$scratch/race.rev.cu" <<'END'
#include <verso/rev.h>
rev __device__ void own(double *out, const double *__restrict__ x) { *out += *x * *x; }
rev __global__ void all(double *y, const double *x) {
    anc int i = threadIdx.x;
    own(&y[i], x);
}
END
"$VERSO" rev "$scratch/race.rev.cu" -o "$scratch/race.cu" 2>"$scratch/errors" && fail "a bar of all threads is handed on as one thread's"
grep -q "5:16: error: several threads add to the bar of what is passed for 'x', which is restrict" "$scratch/errors" || {
    cat "$scratch/errors" >&2
    fail "a race is refused in other words"
}

# ---- Compiled ----

for file in tests/rev/cuda/*.rev.cu; do
    "$VERSO" rev "$file" -o "$scratch/$(basename "$file" .rev.cu).cu"
done
if [[ -n ${VERSO_SANITIZE:-} ]] || ! command -v nvcc >/dev/null; then exit 77; fi
arch=native
nvidia-smi -L >/dev/null 2>&1 || arch=sm_90
run=0
for file in tests/rev/cuda/*.rev.cu; do
    name=$(basename "$file" .rev.cu)
    for checks in -DVERSO_REV_OVERLAP -DVERSO_REV_NOCHECK; do
        if [[ $name == faults && $checks == *NOCHECK ]]; then continue; fi
        as=()
        if [[ $arch != native && $checks == *NOCHECK ]]; then as=(--ptx); fi # cannot run here: read and translated is enough
        nvcc -std=c++17 -O1 -arch=$arch "$checks" -Werror all-warnings -Xcompiler -Wall -Iinclude -I. "${as[@]}" \
            "$scratch/$name.cu" -o "$scratch/$name" || fail "nvcc $checks: $name"
        if ((${#as[@]})); then continue; fi
        status=0
        "$scratch/$name" >"$scratch/$name.out" || status=$?
        if ((status == 77)); then continue; fi
        cat "$scratch/$name.out"
        ((status == 0)) || fail "$name $checks fails with $status"
        run=$((run + 1))
    done
done

whole=1
[[ $arch == native ]] || whole=ptx
VERSO=$(realpath "$VERSO") ARCH=$arch BUILD_ONLY=$whole bench/rev-gpu/run "$scratch/bench" || fail "bench/rev-gpu is not built"
if [[ $arch == native ]]; then
    "$scratch/bench/rev-gpu" "$scratch/rev-gpu.csv" 20000 512 || fail "bench/rev-gpu fails with $?"
fi
echo "rev_gpu.sh: compiled; $run programs run"
