# Memory budgets of compiled programs are kept: see tests/native/memory.c. ctest runs it with VERSO and SOURCE set; by hand:
# VERSO=build/verso SOURCE=. bash tests/native_memory.sh [KERNEL [BYTES...]]
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-std=gnu17 -O2 -Wall -Wextra -Werror "-I$SOURCE" "-I$SOURCE/include")
"$VERSO" cc "${flags[@]}" -c "$SOURCE/tests/native/memory.c" -o "$scratch/memory.o"
"$VERSO" cc "${flags[@]}" -c "$SOURCE/bench/native/kernels.c" -o "$scratch/kernels.o"
"$VERSO" cc "$scratch/memory.o" "$scratch/kernels.o" -o "$scratch/memory" -lm
unset VERSO_MEMORY VERSO_SCHEDULE VERSO_RUN VERSO_REPORT VERSO_OFFLOAD
"$scratch/memory" "$@"
