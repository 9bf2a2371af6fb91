# What a gradient of an MPI program costs: the halo solver (examples/mpi/halo.c) on 1 and 2 ranks, each as many times a run
# on as many ranks. Times are the least of several. Prints a table, and writes mpi.csv if a folder is given. Requires two
# idle cores.
# bash bench/mpi.sh [FOLDER]; VERSO and SOURCE must be set.
set -euo pipefail
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
SOURCE=$(realpath "$SOURCE")
. "$SOURCE/tests/support/mpi.sh"
csv=/dev/null
[[ -z ${1:-} ]] || csv=$(realpath "$1")/mpi.csv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

echo "mpi,memory,ranks,run_seconds,gradient_seconds,ratio,bytes_mb" >"$csv"
printf '%-8s %-8s %5s %10s %10s %7s %10s %8s\n' MPI memory ranks run gradient ratio "to 1 rank" MB
for mpi in "${mpis[@]}"; do
    compile "$mpi" -O2 "-I$SOURCE/include" "$SOURCE/examples/mpi/halo.c" -o "halo.$mpi" -lm
    for memory in "" 32M; do
        one=
        for ranks in 1 2; do
            VERSO_MEMORY=$memory start "$mpi" "$ranks" "./halo.$mpi" 400 300 200 7 >output
            read -r gradient run bytes < <(
                sed -n 's/.*, \([0-9.e+-]*\) s for \([0-9.e+-]*\) s of the solver, \([0-9.]*\) MB.*/\1 \2 \3/p' output)
            ratio=$(awk "BEGIN { print $gradient / $run }")
            one=${one:-$ratio}
            printf '%-8s %-8s %5d %10s %10s %7.2f %10.2f %8s\n' "$mpi" "${memory:--}" "$ranks" "$run" "$gradient" "$ratio" \
                "$(awk "BEGIN { print $ratio / $one }")" "$bytes"
            echo "$mpi,$memory,$ranks,$run,$gradient,$ratio,$bytes" >>"$csv"
        done
    done
done
