# Tests examples/control.c: the gradient has the same bits for every number of slots and distance, in memory and in
# files, and if it is killed at many places and continued; it converges to the analytic gradient with order 2, as do
# differences of the cost.
# ctest sets BUILD. All files are made in one temporary folder.
set -euo pipefail

control=$BUILD/examples/control
[[ -x $control ]] || { echo "skipped: the examples are not built"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "examples_control.sh: $*" >&2
    exit 1
}

# Runs it to the end; it fails by itself when a plain loop gives other bits. `sum` is the checksum of the gradient.
run() {
    "$control" --steps 3000 "$@" >said 2>notes || { cat said notes; fail "control $* failed"; }
    sum=$(sed -n 's/.*checksum //p' said)
    [[ -n $sum ]] || fail "control $* names no checksum"
}

# ---- The same bits everywhere ----

run --slots 3000 --distance 3000 --adjoint-distance 0
expected=$sum
for slots in 4 17 100 1000; do
    for distance in 750 1500 3000; do
        run --slots $slots --distance $distance --adjoint-distance 200
        [[ $sum == "$expected" ]] || fail "$slots slots, distance $distance: another gradient"
    done
done
run --slots 20 --distance 300 --run once --report once.html --json once.json
[[ $sum == "$expected" ]] || fail "in files: another gradient"
grep -q '<svg' once.html || fail "the report has no picture"
grep -q '"resilient"' once.json || fail "the report does not name its schedule"

# ---- Killed and continued ----

files=(--slots 20 --distance 300 --adjoint-distance 200)
continued=0 deaths=0
for kill in 1 2 100 1000 2999 3000 3001 3002 3100 4000 5555 7000 9000 11000; do
    for attempt in "$kill" $((kill / 2 + 1)); do
        status=0
        { "$control" --steps 3000 "${files[@]}" --run "killed-$kill" --kill-after "$attempt" || status=$?; } &>/dev/null
        [[ $status == 0 || $status == 137 ]] || fail "killed after $attempt callbacks, it ended with $status"
        ((status == 0)) || deaths=$((deaths + 1))
    done
    run "${files[@]}" --run "killed-$kill"
    [[ $sum == "$expected" ]] || fail "killed after $kill callbacks: another gradient"
    ! grep -q 'is continued' notes || continued=$((continued + 1))
done
((continued >= 5 && deaths >= 20)) || fail "only $continued runs were continued, after $deaths deaths"

# ---- Orders ----

run
orders=$(awk 'NF == 3 && $3 ~ /^[0-9.]+$/ { print $3 }' said)
[[ $(wc -l <<<"$orders") == 9 ]] || { cat said; fail "4 orders against the analytic gradient and 5 of Taylor's test were to be printed"; }
awk '$1 < 1.95 || $1 > 2.05 { exit 1 }' <<<"$orders" || { cat said; fail "an order is not 2"; }

# ---- Wrong words ----

for words in "--steps x" "--steps" "--stepps 3"; do
    status=0
    # shellcheck disable=SC2086
    "$control" $words >/dev/null 2>&1 || status=$?
    [[ $status == 2 ]] || fail "control $words ended with $status"
done
echo "control: 13 schedules, $deaths deaths ($continued runs continued at the last start), 9 orders"
