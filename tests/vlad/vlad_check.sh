# Tests `verso vlad --check`: the derivatives of all examples pass with every evaluator and several schedules, and the
# programs print the same as without --check. The same holds for random programs (those of
# tests/vlad/test_vlad_random.c), which may have corners at the point of differentiation but no other failure.
# VERSO_PROGRAMS: number of random programs (20); VERSO_SEED: the seed, which a failure prints.
# tests/vlad/test_vlad_check.c tests what --check reports about wrong derivatives. ctest sets VERSO, SOURCE and BUILD;
# by hand:
# VERSO=build/verso SOURCE=. BUILD=build bash tests/vlad/vlad_check.sh [NAME...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/vlad_scripts.sh"

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}" "${BUILD:?the build folder}"
VERSO=$(realpath "$VERSO")
BUILD=$(realpath "$BUILD")
SOURCE=$(realpath "$SOURCE")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ways=("" "--hybrid --seed 2" "--compile --seed 3")
can_compile || ways=("${ways[@]:0:2}")
check() { # FILE OPTION...: input in $scratch/in; the report in $scratch/report
    local status=0
    timeout 300 "$VERSO" vlad "$@" --check <"$scratch/in" >"$scratch/out" 2>"$scratch/report" || status=$?
    return "$status"
}

expect_pass() { # FILE OPTION...
    "$VERSO" vlad "$1" --interpret <"$scratch/in" >"$scratch/expected"
    check "$@" || complain "$*: exit status $?: $(cat "$scratch/report")"
    cmp -s "$scratch/out" "$scratch/expected" || complain "$*: other output"
    grep -q '^PASS (seed' "$scratch/report" || complain "$*: $(cat "$scratch/report")"
}

declare -A inputs=([determinant]=4 [listing2]="50 3 1" [listing4]=3 [particle]=.1)
names=("$@")
(($# > 0)) || mapfile -t names < <(ls "$SOURCE"/examples/vlad/*.vlad | xargs -n 1 basename -s .vlad)
for name in "${names[@]}"; do
    echo "${inputs[$name]:-}" >"$scratch/in"
    for way in "${ways[@]}"; do
        # shellcheck disable=SC2086
        expect_pass "$SOURCE/examples/vlad/$name.vlad" $way
    done
done
(($# == 0)) || exit $((failed > 0))

# Effects, and schedules, some of which do not fit all leaves.
cd "$SOURCE/tests/vlad"
cp effects.in "$scratch/in"
for schedule in "" "--schedule revolve --slots 3 --leaf 50" "--leaf 100 --space 3" "--schedule none --leaf 300" "--schedule online --slots 4"; do
    # shellcheck disable=SC2086
    expect_pass effects.vlad $schedule
done

# --check prints nothing to standard output, and statistics are those of the program.
echo "50 3 1" >"$scratch/in"
check "$SOURCE/examples/vlad/listing2.vlad" --stats
grep -v '^memory' "$scratch/report" | grep -E '^(steps|checkpointed)' >"$scratch/steps"
"$VERSO" vlad "$SOURCE/examples/vlad/listing2.vlad" --interpret --stats <"$scratch/in" 2>&1 >"$scratch/out" |
    grep -E '^(steps|checkpointed)' | cmp -s - "$scratch/steps" || complain "--check --stats: not the program's own"

# What fails, and what does not go together.
expect_status() { # STATUS WORDS FILE OPTION...
    local status=0 wanted=$1 words=$2
    shift 2
    check "$@" || status=$?
    [[ $status == "$wanted" ]] || complain "$*: exit status $status instead of $wanted"
    grep -q -- "$words" "$scratch/report" || complain "$*: $(cat "$scratch/report")"
}
cat >"$scratch/corner.vlad" <<'END'
(*j (lambda (x) (if (< x 0) (- 0 x) x)) 0 1)
END
echo '(write-real 1)' >"$scratch/none.vlad"
for way in "${ways[@]}"; do
    # shellcheck disable=SC2086
    expect_status 1 'a corner at x' "$scratch/corner.vlad" $way
    # shellcheck disable=SC2086
    expect_status 1 'takes no derivative' "$scratch/none.vlad" $way
    grep -q '^FAIL' "$scratch/report" || complain "no derivative: no verdict"
done
expect_status 1 'this parameter takes' error_pattern.vlad
expect_status 2 'only one of' effects.vlad --run "$scratch/run"
expect_status 2 'runs the program' effects.vlad -o "$scratch/program"
expect_status 2 'needs a FILE' effects.vlad --repl
expect_status 2 'seed' effects.vlad --seed x

# Random programs. If a number is not finite, dot products are meaningless.
count=${VERSO_PROGRAMS:-20}
cd "$scratch"
seed=$("$BUILD/tests/test_vlad_random" "$scratch" "$count" | tail -n 1)
seq 1 40 >in
for ((i = 0; i < count; i++)); do
    options=(--seed $((i + 1)) --leaf $((i + 1)))
    ((i % 2 == 0)) || options+=(--hybrid)
    ((i % 5 > 0)) || options+=(--collect)
    status=0 checked=0
    "$VERSO" vlad "$i.vlad" --interpret <in >expected 2>err || status=$?
    check "$i.vlad" "${options[@]}" || checked=$?
    cmp -s out expected && ((status <= checked && checked <= 1)) ||
        complain "program $i, seed $seed, ${options[*]}: status $checked instead of $status, or other output"
    ! grep 'application [0-9]*:' report | grep -v -E 'Taylor:|nan|inf' ||
        complain "program $i, seed $seed, ${options[*]}"
done
((failed == 0)) || exit 1
echo "vlad_check.sh: ${#names[@]} programs, $count random ones, seed $seed (${SECONDS} s)"
