# Tests durable gradients of compiled programs: killed by SIGKILL at random instants, also while they restart, and
# continued until they are done; suspended at every step and by signals; refused for other builds, inputs and memory;
# damaged. The result must have the bits of an undisturbed run.
# ctest sets VERSO and SOURCE. VERSO_KILLS: number of kills (50); VERSO_SEED: the seed.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
programs=$(realpath "$SOURCE")/tests/native/durable
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
RANDOM=${VERSO_SEED:=$((SECONDS + $$ % 32768))}
kills_wanted=${VERSO_KILLS:-50}

fail() {
    echo "native_durable.sh: VERSO_SEED=$VERSO_SEED: $*" >&2
    [[ ! -s notices ]] || cat notices >&2
    exit 1
}

build() { # PROGRAM [FLAG...]
    build_of program.c "$@"
}

build_of() { # FILE PROGRAM [FLAG...]
    "$VERSO" cc -std=gnu17 -O2 -Wall -Wextra -Werror -fstack-protector-all "-I$programs/../../../include" "${@:3}" \
        "$programs/$1" -o "$2" -lm
}

# Another environment in each process, which must not matter.
junk() {
    printf '%*s' $((RANDOM % 3000)) x
}

run() {
    env "JUNK=$(junk)" ./program "$@" >output 2>notices
}

build program
"${CC:-cc}" -O2 "$programs/forbid.c" -o forbid

# ---- Killed ----

# False when it was killed, without a word of the shell about it.
lives() { # SECONDS WORD...
    (
        exec 2>/dev/null
        env "JUNK=$(junk)" ./program "${@:2}" >output 2>notices &
        sleep "$1"
        kill -KILL $!
        wait $!
    )
}

# Kills a run again and again, each time later, until it ends; then it must be done for good.
kill_and_continue() { # EXPECTED WORD...
    local status patience
    rm -rf killed
    for ((patience = 20; ; patience += patience / 4)); do
        status=0
        lives "$(printf '0.%03d' $((1 + RANDOM % patience)))" "${@:2}" --run killed || status=$?
        ((status != 0)) || break
        ((status == 137)) || fail "${*:2}: ended with $status"
        ((++kills, patience < 900)) || fail "${*:2}: no end"
    done
    cmp -s output "$1" || fail "${*:2}: another result"
    run "${@:2}" --run killed || fail "${*:2}: the finished run cannot be loaded"
    cmp -s output "$1" || fail "${*:2}: another result when it is loaded"
}

size=(--steps 4000 --leaf 200000)
./program --steps 4000 >expected 2>/dev/null
./program --steps 4000 --regions static >expected-regions 2>/dev/null
./program --steps 4000 --grow 100000 >expected-grown 2>/dev/null
cases=("online" "online --disk" "disk --slots 3" "periodic --slots 3" "resilient --slots 12" "revolve" "revolve --files"
    "auto" "auto --memory 2000000" "online --regions static" "online --disk --regions heap" "disk --regions stack"
    "mixed" "two-level --slots 12" "treeverse --files" "single-recovery --slots 6" "continuous --slots 6"
    "every-k --files" "online --files --memory 2500000 --grow 100000")
kills=0
for ((i = 0; i < ${#cases[@]}; i++)); do
    read -r -a words <<<"${cases[i]}"
    case ${words[*]} in
    *--regions*) result=expected-regions ;;
    *--grow*) result=expected-grown ;;
    *) result=expected ;;
    esac
    kill_and_continue $result "${size[@]}" --schedule "${words[@]}"
    while ((kills * ${#cases[@]} < kills_wanted * (i + 1))); do
        kill_and_continue $result "${size[@]}" --schedule "${words[@]}"
    done
done
echo "native_durable.sh: $kills kills of ${#cases[@]} kinds of runs ($SECONDS s)"

# ---- Suspended ----

for schedule in "online" "online --disk" "disk --slots 3" "revolve" "auto"; do
    read -r -a words <<<"$schedule"
    for limit in 7 40; do
        rm -rf suspended
        processes=0
        status=3
        while ((status == 3)); do
            status=0
            run "${size[@]}" --schedule "${words[@]}" --run suspended --step-limit $limit || status=$?
            grep -q "restarts $processes recovered 0\$" notices || fail "$schedule: process $processes lost something"
            ((++processes < 100)) || fail "$schedule: no end"
        done
        ((status == 0 && processes > 1)) || fail "$schedule, suspended after $limit steps: status $status"
        cmp -s output expected || fail "$schedule, suspended after $limit steps: another result"
    done
done

rm -rf suspended
status=3
for ((i = 0; status == 3; i++)); do
    status=0
    timeout -s TERM 0.05 ./program --steps 20000 --leaf 200000 --schedule revolve --run suspended --on-signal \
        >output 2>notices || status=$?
    ((status != 124)) || status=3 # timeout says so whatever the program said
    ((i < 100)) || fail "no end of signals"
done
((status == 0 && i > 1)) || fail "suspended by signals: status $status after $i"
./program --steps 20000 >other 2>/dev/null
cmp -s output other || fail "suspended by signals: another result"

# Without the padding, so that main's stack lies elsewhere in each process: x and the result are on it.
rm -rf suspended
status=3
while ((status == 3)); do
    status=0
    setarch -R env "JUNK=$(junk)" ./program "${size[@]}" --schedule online --run suspended --step-limit 50 \
        >output 2>notices || status=$?
done
((status == 0)) || fail "main's stack lies elsewhere: status $status"
cmp -s output expected || fail "main's stack lies elsewhere: another result"

# Linked statically, where the machine has all libraries for it.
if build static -static 2>/dev/null; then
    rm -rf suspended
    ./static "${size[@]}" --schedule online --run suspended --step-limit 80 >output 2>notices && fail "too few steps"
    ./static "${size[@]}" --schedule online --run suspended >output 2>notices || fail "linked statically: not continued"
    cmp -s output expected || fail "linked statically: another result"
fi

# ---- Refused ----

# Must be said in these words, and nothing be changed.
refused() { # WORDS COMMAND...
    local before status=0
    before=$(find half -type f ! -name '*lock' -exec md5sum {} + | sort)
    "${@:2}" >output 2>notices || status=$?
    ((status == 1)) || fail "${*:2} ended with $status instead of being refused"
    grep -q -e "$1" notices || fail "${*:2}: not refused in the words '$1'"
    [[ $before == "$(find half -type f ! -name '*lock' -exec md5sum {} + | sort)" ]] ||
        fail "${*:2}: refused, and changed files"
}

half=("${size[@]}" --run half --schedule online)
run "${half[@]}" --step-limit 80 && fail "80 steps are too few"
build other -O1
refused "another build of the program began it (build id [0-9a-f]*..., this one is [0-9a-f]*" ./other "${half[@]}"
refused "x contains different numbers" ./program "${half[@]}" --at 1.5
refused "the derivative of another function" ./program "${half[@]}" --regions static
refused "the variable 'steps' has another value" ./program "${half[@]}" --steps 4001
refused "the heap differs from the one with which it began" ./program "${half[@]}" --heap 1000
refused "personality" ./forbid ./program "${half[@]}"
refused "at another address" bash -c "ulimit -s 1000000 && exec ./program ${half[*]}"
# Other schedules and lengths of steps do not matter: those with which it began count.
run --steps 4000 --run half --schedule revolve --leaf 1000 || fail "it is not continued with what it began with"
grep -q "began with online" notices || fail "not said that it goes on with online"
cmp -s output expected || fail "continued with other options: another result"

rm -rf half
half=("${size[@]}" --run half --schedule online --regions stack)
run "${half[@]}" --step-limit 80 && fail "80 steps are too few"
refused "the derivatives of its outputs differ" ./program "${half[@]}" --weight 2
refused "context is at another address" setarch -R ./program "${half[@]}"
run "${half[@]}" || fail "regions in main's stack: refused"
cmp -s output expected-regions || fail "regions in main's stack: another result"

# One process at a time.
rm -rf half
./program --steps 100000000 --run half --schedule online >other 2>&1 &
child=$!
for ((i = 0; i < 200; i++)); do
    [[ ! -s half/journal ]] || break
    sleep 0.02
done
run --steps 100000000 --run half --schedule online && fail "two processes in one directory"
grep -q "native.lock" notices || fail "not said that another process is at work"
kill -KILL $child
wait $child 2>/dev/null || true

# ---- Damaged ----

damage() { # FILE OFFSET
    printf '\377\376' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

rm -rf half
half=("${size[@]}" --run half --schedule resilient --slots 12)
run "${half[@]}" --step-limit 100 && fail "100 steps are too few"
cp -r half whole
damage half/native 24
refused "half/native' is needed .* its checksum is wrong" ./program "${half[@]}"
rm half/native
refused "half/native' is needed .* it does not exist" ./program "${half[@]}"
cp whole/native half/native
truncate -s 100 half/native
refused "half/native' is needed to continue the run" ./program "${half[@]}"
cp whole/native half/native
damage half/journal 30
refused "journal" ./program "${half[@]}"
cp whole/journal half/journal
for file in half/capsules/*; do
    damage "$file" $(($(stat -c %s "$file") / 2))
done
run "${half[@]}" || fail "damaged capsules: it cannot be continued"
grep -q "damaged\|again\|anew" notices || fail "nothing was said about damaged capsules"
cmp -s output expected || fail "damaged capsules: another result"
# A file of a run that has no journal yet is ignored.
rm -rf half/journal half/capsules
run --steps 4000 --run half --schedule revolve --leaf 100000 || fail "no journal: it does not begin anew"
grep -q "leaf 100000 restarts 0" notices || fail "no journal: not with what is asked for now"
cmp -s output expected || fail "no journal: another result"

# ---- The outside world happens once ----

# talk WAY LIMIT: runs one process after the other, each for at most LIMIT steps; their output goes to `said`.
talk() {
    local status=3
    processes=0
    rm -rf talk said notes
    while ((status == 3)); do
        status=0
        env "JUNK=$(junk)" ./talker "$1" talk "$2" >>said 2>notices || status=$?
        ((++processes < 300)) || fail "talker $1: no end"
    done
    return $status
}

build_of talker.c talker
mkdir -p elsewhere
seq 0 59 | sed 's/^/round /' >rounds
seq 0 59 | sed 's/^/note /' >all-notes
for limit in 5 23 60; do
    talk notes $limit || fail "talker notes, $limit steps a process"
    ((processes > 1)) || fail "talker, $limit steps: only $processes processes"
    cmp -s said rounds || fail "talker, $limit steps a process: something was said twice or never"
    cmp -s notes all-notes || fail "talker, $limit steps a process: something was noted twice or never"
done
first=$(grep gradient notices)
./talker notes talk 0 2>notices || fail "talker: the finished run cannot be loaded"
[[ $(grep gradient notices) == "$first" ]] || fail "talker: another gradient when it is loaded"
cp talk/world world
damage talk/world 40
./talker notes talk 0 >output 2>notices && fail "a damaged log is trusted"
grep -q "talk/world' is damaged" notices || fail "a damaged log is not named"

# After a death the last call may be made again; no call is omitted or gets another answer.
deaths=0
rm -rf talk said
for ((patience = 15; ; patience += patience / 4)); do
    status=0
    (
        exec 2>/dev/null
        ./talker quiet talk 0 >>said 2>notices &
        sleep "$(printf '0.%03d' $((1 + RANDOM % patience)))"
        kill -KILL $!
        wait $!
    ) || status=$?
    ((status != 0)) || break
    ((status == 137)) || fail "talker: ended with $status"
    ((++deaths, patience < 900)) || fail "talker: no end"
done
[[ $(uniq said) == "$(cat rounds)" ]] || fail "talker, killed: something was left out, or came late"
(($(wc -l <said) <= 60 + deaths)) || fail "talker, killed $deaths times: $(wc -l <said) lines of 60"

talk reads 100000 <<<"$(seq 100)" || fail "talker reads in a single pass"
talk reads 20 <<<"$(seq 1000)" && fail "input is read on in another process"
grep -q "talker.c:[0-9]*: .*scanf uses a file .* that an earlier process" notices || fail "reading on: refused in other words"
talk keeps 20 && fail "a file stays open in another process"
grep -q "fprintf uses a file .* that an earlier process" notices || fail "a file that is kept: refused in other words"
talk moves 20 && fail "another process is in another folder"
grep -q "depends on the process, .* working directory" notices || fail "another folder: refused in other words"
talk environment 20 && fail "memory of the C library in another process"
grep -q "getenv returns memory of the C library" notices || fail "its memory: refused in other words"

# ---- From the shell: what `verso grad` makes is the same program each time ----

cat >spin.c <<'END'
#include <math.h>
#include <stddef.h>
double spin(const double *x, size_t n) {
    double s = 1;
    for (int i = 0; i < 20000; i++)
        s = sin(s + x[(size_t)i % n]) + 0.5;
    return s;
}
END
shell=("$VERSO" grad spin.c:spin --memory 1M --run shell)
"${shell[@]}" --at 0.3,0.7 --out first >output 2>notices || fail "verso grad --run"
"${shell[@]}" --at 0.3,0.7 --out second >output 2>notices || fail "verso grad --run: it does not know its own run"
cmp -s first second || fail "verso grad --run: another gradient when it is loaded"
"${shell[@]}" --at 0.3,0.75 >output 2>notices && fail "verso grad --run: other inputs are taken"
grep -q "contains different numbers than when it began" notices || fail "verso grad --run: refused in other words"
echo "native_durable.sh: suspended, refused, damaged; the outside world once ($SECONDS s)"
