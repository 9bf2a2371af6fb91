# Tests durable VLAD programs under real signals (SIGTERM, SIGINT, SIGKILL at random instants, processes that live
# from a few hundredths of a second to 0.3 s) and time limits: each process makes progress, one that was asked to stop
# exits with 75, and the run ends with the bits of an undisturbed one. This is tested with every evaluator and with
# compilation; the compiled program is kept. Steps are counted once, the result of a finished run is printed at once,
# and damaged files are reported and computed again. VERSO_KILLS: number of kills (12); VERSO_SEED: the seed. ctest
# sets VERSO and SOURCE.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/vlad_scripts.sh"

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
cd "$SOURCE/tests/vlad"
kills=${VERSO_KILLS:-12}
seed=${VERSO_SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$seed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
modes=(--interpret --hybrid --compile)
can_compile || modes=(--interpret --hybrid)

exec 3>&2
set -m # else what runs in the background ignores SIGINT
fail() {
    echo "vlad_signals.sh (seed $seed): $*" >&3
    exit 1
}

# Waits until the process catches SIGINT (bit 1 of SigCgt) or has ended. Before that, while the loader still works, a
# signal ends any process. A process that is still this shell has not begun. The status shows it if one never catches.
wait_until_it_catches() { # PID
    local i own name state mask
    own=$(cat /proc/$$/comm)
    for ((i = 0; i < 2000; i++)); do
        read -r name state mask < <(awk '$1 == "Name:" || $1 == "State:" || $1 == "SigCgt:" { printf "%s ", $2 }' \
            "/proc/$1/status") || true
        [[ -n ${state:-} && $state != Z ]] || return 0
        [[ $name == "$own" ]] || ((!(0x$mask & 2))) || return 0
        sleep 0.005
    done
}

# Starts a process, sends it a signal after the given milliseconds, and sets `status`. There is no shell in between.
play() { # SIGNAL MILLISECONDS NAME OPTION...
    local signal=$1 name=$3 pid
    local life
    life=$(printf '%d.%03d' $(($2 / 1000)) $(($2 % 1000)))
    shift 3
    "$VERSO" vlad "$name.vlad" "$@" <"$name.in" >>"$scratch/out" 2>"$scratch/err" &
    pid=$!
    [[ $signal == KILL ]] || wait_until_it_catches "$pid"
    sleep "$life"
    kill -"$signal" "$pid" 2>/dev/null || true
    status=0
    wait "$pid" || status=$?
}

# Kills the run until the wanted number of kills has hit, then lets it end.
killed=0
disturb() { # MODE NAME KILLS OPTION...
    local mode=$1 name=$2 left=$3 run=$scratch/run-$1-$2-$round processes=0 signals=(TERM INT KILL) signal
    shift 3
    : >"$scratch/out"
    while ((left > 0)); do
        signal=${signals[RANDOM % 3]}
        play "$signal" $((30 + RANDOM % 270)) "$name" "$mode" --run "$run" "$@"
        processes=$((processes + 1))
        ((processes < 20 * kills + 100)) || fail "$mode $name: $processes processes, and no end"
        ((status != 0)) || break
        [[ $status == 75 && $signal != KILL || $status == 137 && $signal == KILL ]] ||
            fail "$mode $name: status $status after SIG$signal: $(cat "$scratch/err")"
        left=$((left - 1)) killed=$((killed + 1))
    done
    if ((status != 0)); then
        "$VERSO" vlad "$name.vlad" "$mode" --run "$run" "$@" <"$name.in" >>"$scratch/out" 2>"$scratch/err" ||
            fail "$mode $name: $(cat "$scratch/err")"
    fi
    # A line that was printed in the instant before a kill may be printed again; and all of them, when it had just ended.
    cmp -s <(uniq "$scratch/out") <(uniq "$scratch/expected-$name") ||
        cmp -s <(uniq "$scratch/out") <(cat "$scratch/expected-$name" "$scratch/expected-$name" | uniq) ||
        fail "$mode $name: $(diff "$scratch/out" "$scratch/expected-$name" | head -n 5)"
}

# Nothing but limits: the number of processes is bounded because each makes progress.
limited() { # MODE NAME OPTION...
    local mode=$1 name=$2 run=$scratch/limited-$1-$2 processes=0 status=75 began seconds
    shift 2
    began=$(date +%s%N)
    # The last bits of nested derivatives depend on the schedule.
    "$VERSO" vlad "$name.vlad" "$mode" --run "$run-alone" "$@" <"$name.in" >"$scratch/expected" || fail "$mode $name: it does not run at all"
    # A quarter of what the whole run took here, so that the limit strikes on machines of any speed.
    seconds=$(awk -v ns=$(($(date +%s%N) - began)) -v halved="${halved:-0}" 'BEGIN { printf "%.5f", ns / 4e9 / 2 ^ halved }')
    : >"$scratch/out"
    while ((status == 75)); do
        status=0
        VERSO_TIME_LIMIT=$seconds "$VERSO" vlad "$name.vlad" "$mode" --run "$run" "$@" <"$name.in" >>"$scratch/out" 2>"$scratch/err" || status=$?
        processes=$((processes + 1))
        ((processes < 2000)) || fail "$mode $name: $processes processes of $seconds s, and no end"
        [[ $status != 75 ]] || grep -q "^suspended in '$run'" "$scratch/err" || fail "$mode $name: no word of the suspension"
    done
    ((status == 0)) || fail "$mode $name: status $status: $(cat "$scratch/err")"
    # It may have been slow when it was measured: half of that, then. The bits are compared when the limit has struck.
    if ((processes == 1)); then
        ((${halved:-0} < 8)) || fail "$mode $name: a limit of $seconds s has suspended nothing"
        halved=$((${halved:-0} + 1))
        rm -rf "$run" "$run-alone"
        limited "$mode" "$name" "$@"
        return
    fi
    halved=0
    cmp -s "$scratch/out" "$scratch/expected" || fail "$mode $name: other bits under limits"
}

"$VERSO" vlad long_effects.vlad --interpret --leaf 300 <long_effects.in >"$scratch/expected-long_effects"
"$VERSO" vlad long_nested.vlad --interpret --leaf 300 <long_nested.in >"$scratch/expected-long_nested"
exec 2>/dev/null # bash tells of each kill
# How many kills hit a run depends on the machine: makes as many runs as it takes for all kills.
each=$(((kills + 2 * ${#modes[@]} - 1) / (2 * ${#modes[@]})))
for ((round = 0; round == 0 || killed < kills; round++)); do
    ((round < kills)) || fail "only $killed kills in $round rounds: runs are too short"
    for mode in "${modes[@]}"; do
        for name in long_effects long_nested; do
            ((round > 0 && killed >= kills)) || disturb "$mode" "$name" "$each" --leaf 300
        done
    done
done
exec 2>&3
limited --interpret long_effects --leaf 300
limited --hybrid long_effects --memory 300k --interval 0.01
limited --interpret long_nested --schedule online --slots 6 --leaf 700

# A finished run prints its result again, and `verso status` reports it as finished.
run=$scratch/run---interpret-long_effects-0
again() { # WHAT
    "$VERSO" vlad long_effects.vlad --interpret --leaf 300 --run "$run" --stats <long_effects.in >"$scratch/out" 2>"$scratch/err" ||
        fail "$1: $(cat "$scratch/err")"
    cmp -s "$scratch/out" "$scratch/expected-long_effects" || fail "$1: $(diff "$scratch/out" "$scratch/expected-long_effects" | head -n 5)"
}
again "a finished run"
"$VERSO" status "$run" | grep -q "which has ended" || fail "status: $("$VERSO" status "$run")"
"$VERSO" status "$run" | grep -q "2 derivatives (checkpoint-\*j) done" || fail "status: $("$VERSO" status "$run")"
[[ $("$VERSO" status "$run" --json | grep -c '"state": "done"') == 2 ]] || fail "status --json"

# Where the program stood is lost: it begins anew, its derivatives do not, and nothing is printed twice.
rm "$run/place"
"$VERSO" vlad long_effects.vlad --interpret --leaf 300 --run "$run" --stats <long_effects.in >"$scratch/out" 2>"$scratch/err"
[[ ! -s $scratch/out ]] || fail "what was printed is printed again"
grep -q ", 0 more were run" "$scratch/err" || fail "a finished derivative was computed again: $(cat "$scratch/err")"
again "a run that has found its end again"

# Damage is reported, and costs only time.
for file in place 1.count; do
    rm -f "$run/place"
    [[ $file != place ]] || "$VERSO" vlad long_effects.vlad --interpret --leaf 300 --run "$run" <long_effects.in >/dev/null
    printf 'x' | dd of="$run/$file" bs=1 seek=20 conv=notrunc status=none
    "$VERSO" vlad long_effects.vlad --interpret --leaf 300 --run "$run" <long_effects.in >"$scratch/out" 2>"$scratch/err" ||
        fail "damaged $file: $(cat "$scratch/err")"
    grep -q "^note: .*$file: it is damaged.* anew" "$scratch/err" || fail "damaged $file: no notice: $(cat "$scratch/err")"
    again "after a damaged $file"
done

# Limits without a run are refused; what is no number of seconds is, too.
if "$VERSO" vlad long_effects.vlad --interval 1 </dev/null 2>"$scratch/err"; then fail "--interval without --run"; fi
grep -q -- "--interval and --time-limit need --run" "$scratch/err" || fail "$(cat "$scratch/err")"
if "$VERSO" vlad long_effects.vlad --interpret --run "$run" --time-limit soon </dev/null 2>"$scratch/err"; then fail "--time-limit soon"; fi
grep -q -- "--time-limit: 'soon'" "$scratch/err" || fail "$(cat "$scratch/err")"

# A program that waits for its input can be suspended, too.
mkfifo "$scratch/pipe"
"$VERSO" vlad long_effects.vlad --interpret --run "$scratch/waits" <"$scratch/pipe" 2>/dev/null &
pid=$!
exec 4>"$scratch/pipe"
while [[ ! -f $scratch/waits/effects ]]; do sleep 0.05; done
sleep 0.3
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
exec 4>&-
((status == 75)) || fail "a program that waits for its input: status $status"
echo "vlad_signals.sh: $killed kills, seed $seed (${SECONDS} s)"
