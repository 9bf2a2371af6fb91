# Tests random VLAD programs (those of tests/vlad/test_vlad_random.c), compiled: output, messages, exit status and
# step counts must be those of the interpreter, under several schedules, also if parts of the program are interpreted
# and if memory is collected at every step. VERSO_PROGRAMS: number of programs (15); VERSO_SEED: the seed, which a
# failure prints. ctest sets VERSO and BUILD.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/vlad_scripts.sh"

: "${VERSO:?the path of the command}" "${BUILD:?the build folder}"
VERSO=$(realpath "$VERSO")
can_compile || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=${VERSO_PROGRAMS:-${VERSO_SANITIZE:+6}}
count=${count:-15}
seed=$("$BUILD/tests/test_vlad_random" "$scratch" "$count" | tail -n 1)
schedules=("" "--leaf 3" "--schedule revolve --slots 2 --leaf 20")
ways=("" "--stress 2" "--stress 3 --collect")
seq 1 40 >"$scratch/input"
cd "$scratch"

run() { # OUTPUT COMMAND...: with its exit status and steps; memory may differ
    local output=$1 status=0
    shift
    timeout 60 "$@" --stats <input >out 2>err || status=$?
    { cat out; grep -v '^memory' err || true; echo "$status"; } >"$output"
}

compared=0
for ((i = 0; i < count; i++)); do
    # A program that the reader refuses has nothing to compile.
    "$VERSO" vlad "$i.vlad" -o program 2>err || continue
    for schedule in "${schedules[@]}"; do
        # shellcheck disable=SC2086
        run expected "$VERSO" vlad "$i.vlad" --interpret $schedule
        for way in "${ways[@]}"; do
            # shellcheck disable=SC2086
            run actual ./program $schedule $way
            compared=$((compared + 1))
            cmp -s expected actual && continue
            failed=$((failed + 1))
            echo "FAIL program $i, seed $seed, $schedule $way: $(diff expected actual | head -n 4 | tr '\n' ' ')"
            ((failed > 1)) || cat "$i.vlad"
        done
    done
done
((failed == 0)) || exit 1
((compared > count)) || { echo "vlad_random.sh: hardly anything was compiled (seed $seed)"; exit 1; }
echo "vlad_random.sh: $count programs, $compared runs, seed $seed (${SECONDS} s)"
