# Sends real signals (SIGKILL, SIGTERM, SIGINT) at random instants to `verso grad --run` and to a program under
# VERSO_RUN, in processes that live for as little as 0.3 s. Each process must make progress, report how it ended, and
# leave no process running and no file elsewhere; the run must end with the same bits as an undisturbed one. Also
# tests time limits, options, refusals and finished runs.
# ctest sets VERSO and SOURCE. VERSO_KILLS: number of kills of each kind (8); VERSO_STEPS: length of the runs;
# VERSO_SEED: the seed.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
include=$(realpath "$SOURCE")/include
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
RANDOM=${VERSO_SEED:=$((SECONDS + $$ % 32768))}
kills_wanted=${VERSO_KILLS:-8}
unset VERSO_RUN VERSO_MEMORY VERSO_SCHEDULE VERSO_INTERVAL VERSO_TIME_LIMIT

fail() {
    echo "durable_signals.sh: VERSO_SEED=$VERSO_SEED: $*" >&2
    [[ ! -s err ]] || cat err >&2
    exit 1
}

# ---- Programs ----

# A plain run takes about as long as four processes live. It logs its calls in a file.
cat >heat.c <<'END'
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
static void note(const char *word) {
    FILE *calls = fopen("calls", "a");
    fprintf(calls, "%s\n", word);
    fclose(calls);
}
double misfit(const double *u0, size_t n, int steps) {
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), sum = 0;
    note("begin");
    for (size_t i = 0; i < n; i++)
        u[i] = u0[i];
    for (int s = 0; s < steps; s++) {
        for (size_t i = 0; i < n; i++)
            v[i] = u[i] + 0.2 * (u[i ? i - 1 : n - 1] - 2 * u[i] + u[i + 1 < n ? i + 1 : 0]) + 1e-4 * sin(u[i]);
        double *t = u;
        u = v;
        v = t;
    }
    for (size_t i = 0; i < n; i++)
        sum += u[i] * u[i];
    note("end");
    free(u);
    free(v);
    return sum;
}
END
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>
double misfit(const double *u0, size_t n, int steps);
static int steps;
static double f(const double *x, size_t n) {
    return misfit(x, n, steps);
}
int main(int argc, char **argv) {
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, gradient[8];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    steps = atoi(argv[1]);
    verso_run_options how;
    verso_run_options_init(&how);
    how.automatic = true;
    how.on_signal = argc > 2;
    verso_native_options options = {.size = sizeof options, .run = &how};
    verso_status status = verso_gradient(f, x, 8, gradient, argc > 2 ? &options : NULL, &report, &error);
    if (status == VERSO_STATUS_SUSPENDED)
        return puts("suspended"), 3;
    if (status != VERSO_STATUS_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    printf("%a", report.value);
    for (int i = 0; i < 8; i++)
        printf(" %a", gradient[i]);
    printf("\n");
}
END
at=(--at 1,2,3,4,5,6,7,8)
"$VERSO" cc -O2 "-I$include" heat.c program.c -o program -lm

# ---- Killing processes ----

# Starts one process and signals it after a given time, counted from when its run has locked the directory; sets $status.
one() { # SIGNAL SECONDS DIRECTORY COMMAND...
    local pid i
    touch stamp
    sleep 0.01
    set +e
    env --default-signal=INT "${@:4}" >out 2>err &
    pid=$!
    for ((i = 0; i < 3000; i++)); do
        [[ -d /proc/$pid && ! $3/native.lock -nt stamp ]] || break
        sleep 0.01
    done
    sleep "$2"
    kill "-$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$?
    set -e
}

# No process is still running: the next one would be refused.
must_be_free() { # DIRECTORY
    local i
    for ((i = 0; i < 500; i++)); do
        [[ -e $1/native.lock ]] && ! flock -n "$1/native.lock" true || return 0
        sleep 0.01
    done
    fail "after SIGKILL a process still holds $1"
}

# Sends the given number of signals, in as many runs as necessary; processes live for 0.3 to 0.5 s. A run whose processes
# make no progress would never end.
suspend_again_and_again() { # EXPECTED STATUS_OF_TERM STATUS_OF_INT COMMAND...
    local signals=(KILL TERM KILL INT) kills=0 runs=0 processes signal expected
    while ((kills < kills_wanted)); do
        find run -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} + 2>/dev/null || true # compiling takes long
        rm -f calls
        for ((processes = 0; ; processes++)); do
            signal=${signals[RANDOM % 4]}
            one $signal "0.$((30 + RANDOM % 20))" run "${@:4}"
            ((status != 0)) || break
            case $signal in KILL) expected=137 ;; TERM) expected=$2 ;; INT) expected=$3 ;; esac
            ((status == expected)) || fail "$4: SIG$signal: status $status, not $expected"
            [[ $signal != KILL ]] || must_be_free run
            [[ ! -s out ]] || fail "$4: SIG$signal: an answer that is not there"
            ((++kills, processes < 150)) || fail "$4: no end after $processes processes"
        done
        ((++runs))
        [[ $(result) == "$1" ]] || fail "$4: another result after $processes processes"
        ! grep -q anew err || fail "$4: begun anew"
        # Only the death of a process may repeat a call of the outside world.
        [[ $(uniq calls) == $'begin\nend' ]] || fail "$4: the outside world: $(cat calls)"
        cp calls before
        status=0 # it is done
        timeout 60 "${@:4}" >out 2>err || status=$?
        ((status == 0)) && [[ $(result) == "$1" ]] || fail "$4: the finished run: status $status"
        cmp -s calls before || fail "$4: the finished run calls the function again"
        [[ -z $(ls -A "$TMPDIR") ]] || fail "$4: left in TMPDIR: $(ls "$TMPDIR")"
    done
    echo "durable_signals.sh: $kills signals in $runs runs of $4 ($SECONDS s)"
}

result() {
    if [[ $(head -c 1 out) == "{" ]]; then
        sed 's/, "steps".*//' out
    else
        cat out
    fi
}

# ---- A program under VERSO_RUN ----

steps=${VERSO_STEPS:-4000000}
expected=$(./program $steps)
memory=(env VERSO_RUN=run VERSO_MEMORY=4M)
suspend_again_and_again "$expected" 143 130 "${memory[@]}" ./program $steps
all_kills=$kills_wanted
kills_wanted=$((all_kills / 3))
suspend_again_and_again "$expected" 143 130 env VERSO_RUN=run VERSO_MEMORY=4M VERSO_SCHEDULE=revolve ./program $steps

# ---- verso grad --run ----

kills_wanted=$all_kills
grad=("$VERSO" grad heat.c:misfit "${at[@]}" --set steps=$steps --json)
"${grad[@]}" >out 2>err || fail "verso grad"
expected=$(result)
rm -f calls
suspend_again_and_again "$expected" 75 75 "${grad[@]}" --memory 4M --run run

# The kept program is used, unless a source has changed: a program that is built again could not continue the run.
cp run/build/program before
"${grad[@]}" --memory 4M --run run >out 2>err || fail "verso grad: the finished run"
cmp -s run/build/program before || fail "verso grad: the kept program was built again"
echo "// another line" >>heat.c
sed -i 's/1e-4/1e-3/' heat.c
"${grad[@]}" --memory 4M --run run >out 2>err && fail "verso grad: another program continues the run"
grep -q "another build of the program began it" err || fail "verso grad: another source is refused in other words"
sed -i 's/1e-3/1e-4/' heat.c
truncate -s -10 run/build/made
"${grad[@]}" --memory 4M --run run >out 2>err || fail "verso grad: damage to 'made' is not made good"
[[ $(result) == "$expected" ]] || fail "verso grad: another result after damage to 'made'"
[[ $(ls -d run/build*) == $'run/build\nrun/build.lock' ]] || fail "verso grad: left $(ls -d run/build*)"

# A run that is longer than the part that is measured: at its end, where memory was freed, its state is a little larger
# than in the middle. The run must not begin anew because of that.
sed 's/note("[a-z]*");//' heat.c >quiet.c
rm -rf run
"$VERSO" grad quiet.c:misfit --at "$(seq -s, 1 20)" --set steps=2000000 --memory 8M --run run --json -- \
    -Wno-unused-function >out 2>err || fail "a longer run"
[[ ! -s err ]] && grep -q '"begun_anew": 0,' out || fail "a longer run begins anew"

# ---- Time limits ----

# Each process may run for 0.2 s.
rm -rf run calls
processes=0
status=75
while ((status == 75)); do
    status=0
    "${grad[@]}" --memory 4M --run run --time-limit 0.2 --interval 5 >out 2>err || status=$?
    ((status != 75)) || grep -q "suspended in 'run'" err || fail "a time limit: said something else"
    ((++processes < 150)) || fail "a time limit: no end"
done
((status == 0 && processes > 1)) || fail "a time limit: status $status after $processes processes"
[[ $(result) == "$expected" ]] || fail "a time limit: another result"
[[ $(cat calls) == $'begin\nend' ]] || fail "a time limit: the outside world: $(cat calls)"

rm -rf run calls
status=0
VERSO_TIME_LIMIT=0.05 "${memory[@]}" ./program $steps >out 2>err || status=$?
((status == 75)) && [[ ! -s out ]] || fail "VERSO_TIME_LIMIT: status $status"
status=0
VERSO_TIME_LIMIT=soon "${memory[@]}" ./program $steps >out 2>err || status=$?
((status == 1)) && grep -q "VERSO_TIME_LIMIT: 'soon'" err || fail "VERSO_TIME_LIMIT=soon: status $status"

# A program that asks for suspension receives the status and continues to run.
VERSO_TIME_LIMIT=0.05 "${memory[@]}" ./program $steps own >out 2>err || status=$?
((status == 3)) && [[ $(cat out) == suspended ]] || fail "a caller with on_signal: status $status"

# A signal that is ignored does not suspend.
rm -rf run calls
(
    trap '' TERM
    exec "${memory[@]}" ./program $steps >out 2>err
) &
for ((i = 0; i < 20; i++)); do
    sleep 0.05
    kill -TERM $! 2>/dev/null || break
done
wait $! || fail "SIGTERM is ignored, and has suspended the run"

# ---- The function is called once ----

for way in "" "--memory 4M" "--memory 4M --run once" "--run once-more"; do
    rm -f calls
    # shellcheck disable=SC2086
    "$VERSO" grad heat.c:misfit "${at[@]}" --set steps=20000 --json $way >out 2>err || fail "verso grad $way"
    [[ $(cat calls) == $'begin\nend' ]] || fail "verso grad $way: $(wc -l <calls) notes instead of 2"
    grep -q '"seconds_primal": null, "seconds_gradient": null' out || fail "verso grad $way: times without --timing"
done
"$VERSO" grad heat.c:misfit "${at[@]}" --set steps=20000 --json --timing >out 2>err || fail "verso grad --timing"
grep -q '"seconds_primal": [0-9.]*, "seconds_gradient": [0-9.]*,' out || fail "verso grad --timing: no times"
"$VERSO" grad heat.c:misfit "${at[@]}" --set steps=9 --time-limit 3 >out 2>err && fail "--time-limit without --run"
grep -q -e "--time-limit needs --run DIRECTORY" err || fail "--time-limit without --run: refused in other words"
echo "durable_signals.sh: limits, what is kept, one call ($SECONDS s)"
