# Tests that compiled programs keep their memory budgets, see tests/native/memory.c. ctest sets VERSO and SOURCE; by
# hand:
# VERSO=build/verso SOURCE=. bash tests/native/native_memory.sh [quick|all|KERNEL [BYTES [SCHEDULE|- [durable]]]]
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-std=gnu17 -O2 -Wall -Wextra -Werror "-I$SOURCE" "-I$SOURCE/include")
"$VERSO" cc "${flags[@]}" -c "$SOURCE/bench/native/kernels.c" -o "$scratch/kernels.o"
unset VERSO_MEMORY VERSO_SCHEDULE VERSO_RUN VERSO_REPORT VERSO_OFFLOAD
for floats in "" -DFLOATS; do
    "$VERSO" cc "${flags[@]}" ${floats:+"$floats"} -c "$SOURCE/tests/native/memory.c" -o "$scratch/memory.o"
    "$VERSO" cc "$scratch/memory.o" "$scratch/kernels.o" -o "$scratch/memory" -lm
    VERSO_RUN=$scratch "$scratch/memory" "$@"
done
