# Tests examples/wave on a small grid: the gradient is the same under every schedule, in memory and in files, and if
# it is killed and continued; the Taylor test has order 2; and the reflector appears in the right place. ctest sets
# BUILD.
set -euo pipefail

wave=$BUILD/examples/wave
if [[ ! -x $wave ]]; then
    echo "skipped: the examples are not built"
    exit 77
fi
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "examples_wave.sh: $*" >&2
    exit 1
}

small=(--side 120 --steps 150 --shots 1 --memory 100000000)
gradient_of() {
    "$wave" "${small[@]}" "$@" >output 2>notices || { cat output notices; fail "wave $* failed"; }
    grep '^gradient' output
}

# False when it was killed, without a word of the shell about it.
lives() {
    (
        exec 2>/dev/null
        "$wave" "${small[@]}" "$@" >output
    )
}

# Its exit status says whether the order is 2.
expected=$(gradient_of --schedule store-all)
grep -q '^Taylor' output || fail "no Taylor test"

small+=(--taylor no)
for schedule in "revolve --slots 3" "revolve --slots 17" "treeverse" "mixed --slots 5" "every-k --distance 12" \
    "disk --slots 3 --directory disk" "periodic --slots 3 --directory periodic" \
    "two-level --slots 8 --distance 30 --directory two" "resilient --slots 8 --distance 40 --directory resilient"; do
    # shellcheck disable=SC2086
    [[ $(gradient_of --schedule $schedule) == "$expected" ]] || fail "$schedule: another gradient"
done

# Whatever memory there is: the choice is automatic.
for memory in 1500000 4000000 20000000; do
    [[ $(gradient_of --memory $memory) == "$expected" ]] || fail "a memory of $memory bytes: another gradient"
    [[ $(gradient_of --memory $memory --directory automatic-$memory) == "$expected" ]] ||
        fail "a memory of $memory bytes and a directory: another gradient"
done
if "$wave" "${small[@]}" --memory 300000 >output 2>&1; then
    fail "a memory of less than one state cannot do"
fi
grep -q "memory budget of 300000" output || fail "the message does not name the memory: $(cat output)"

# Killed at many places, also with the newest capsule damaged.
for first in 10 100 200 280; do
    kills=0
    for ((after = first; ; after += 60)); do
        if lives --schedule disk --slots 3 --directory killed-$first --kill-after $after; then
            break
        fi
        kills=$((kills + 1))
        ((kills < 50)) || fail "no end"
        if ((kills == 1)) && [[ -d killed-$first-0/capsules ]]; then
            newest=$(ls -t killed-$first-0/capsules/* | sed -n 1p)
            printf '\377' | dd of="$newest" bs=1 seek=5000 conv=notrunc status=none
        fi
    done
    ((kills > 0)) || fail "nothing was killed"
    [[ $(grep '^gradient' output) == "$expected" ]] || fail "killed from callback $first on: another gradient"
done

# The picture: the darkest or brightest row of the middle column is at the top of the hump (half of the side).
"$wave" --side 160 --steps 700 --shots 3 --taylor no --picture picture.pgm >/dev/null 2>&1 || fail "no picture"
row=$(tail -c $((160 * 160)) picture.pgm | od -An -v -tu1 -w160 |
    awk '{ d = $81 - 128; if (d < 0) d = -d; if (d > best) { best = d; row = NR - 1 } } END { print row }')
((row >= 74 && row <= 88)) || fail "the reflector is at row 80, the picture shows row $row"
