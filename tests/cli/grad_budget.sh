# Tests `verso grad` and `verso check` with memory budgets and schedules. ctest sets VERSO and SOURCE.
# shellcheck source=tests/cli/grad.bash
source "${SOURCE:?the folder of the source}/tests/cli/grad.bash"

cat >heat.c <<'END'
#include <stdlib.h>
double heat(const double *u0, int n, int steps) {
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), sum = 0;
    for (int i = 0; i < n; i++)
        u[i] = u0[i];
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++)
            v[i] = u[i] + 0.01 * (u[(i + n - 1) % n] - 2 * u[i] + u[(i + 1) % n]) * (1 + u[i] * u[i]);
        double *swap = u;
        u = v;
        v = swap;
    }
    for (int i = 0; i < n; i++)
        sum += u[i] * u[i];
    free(u);
    free(v);
    return sum;
}
END
heat=(heat.c:heat --at 0.1,0.7,0.3,0.9 --set steps=20000)
answer() { sed 's/, "steps".*//' out; }
expect 0 grad "${heat[@]}" --json
prints '"steps": 1, "forward_steps": 0, "recordings": 1, "capsules": 0, '
prints '"budget_bytes": null'
prints '"schedule": "single pass"'
whole=$(answer)
within() { # SCHEDULE ARGUMENT...: what is played
    local schedule=$1
    shift
    expect 0 grad "${heat[@]}" --json "$@"
    json_check <out >/dev/null || fail "verso grad $*: not JSON: $out"
    prints "\"schedule\": \"$schedule: "
    [[ $(answer) == "$whole" ]] || fail "verso grad $*: other bits"
}
within online --memory 500k
prints '"budget_bytes": 500000'
within online --memory 500k --leaf 8Ki
within revolve --schedule revolve --slots 3 --leaf 64k
prints '3 slots"'
within binary --schedule binary --time 2 --split bisection --leaf 64k
within disk --schedule disk --slots 1 --leaf 64k
within levels --schedule levels,levels=2:0:0,inf:5:5 --leaf 64k
export VERSO_MEMORY=500k
within online
VERSO_SCHEDULE=mixed,leaf=16k within mixed
VERSO_SCHEDULE=mixed within revolve --schedule revolve --memory 1M
unset VERSO_MEMORY

expect 0 grad "${heat[@]}" --memory 500k
grep -Eq '^  memory .* at most of 500 kB, .* of it recorded at a time$' out || fail "memory: $out"
grep -Eq '^  schedule        online: [0-9,]+ steps, [0-9]+ slots$' out || fail "schedule: $out"
grep -Eq '^  steps           [0-9,]+ of .* kB, [0-9,]+ run without being recorded \([0-9.]+ times each\), [0-9]+ capsules$' out ||
    fail "steps: $out"
expect 0 grad "${heat[@]}" --memory 500k --report run.json
json_check <run.json >/dev/null || fail "the report: $(cat run.json)"
grep -q '"kind": "online"' run.json || fail "the report does not name its schedule: $(cat run.json)"
grep -q '"reason": "online: not everything can be recorded' run.json || fail "no reason: $(cat run.json)"
VERSO_REPORT=run.html expect 0 grad "${heat[@]}"
grep -q 'recorded in a single pass' run.html || fail "the page does not say why"

# Offload: a recording of 9 MB, 4 MB of which are in memory.
offload=("long.c:f" --at 0.5,1.5)
cat >long.c <<'EOF'
#include <math.h>
#include <stddef.h>
double f(const double *x, size_t n) {
    double s = 1;
    for (int k = 0; k < 300000; k++)
        s = 0.5 * s + sin(1 + s * x[(size_t)k % n]);
    return s;
}
EOF
expect 0 grad "${offload[@]}" --out whole.txt
for words in "" ,synchronous; do
    expect 0 grad "${offload[@]}" --out offloaded.txt --offload "$TMPDIR,limit=4Mi$words"
    cmp whole.txt offloaded.txt || fail "offloaded$words, the gradient has other bits"
    grep -Eq '^  memory .* at most; .* MB recorded, up to .* MB of it in a file$' out || fail "memory: $out"
done
expect 0 check "${offload[@]}" --offload "$TMPDIR,limit=4Mi"
usage "--offload: 'limit' is not an option of an offload" "${offload[@]}" --offload "$TMPDIR,limit"
usage "leave out either" "${offload[@]}" --offload "$TMPDIR" --memory 1M
failure "at least 4194304 bytes" "${offload[@]}" --offload "$TMPDIR,limit=4k"

usage "--memory: 'x' is not a number of bytes" "${heat[@]}" --memory x
usage "--memory: '0' must be greater than 0" "${heat[@]}" --memory 0
usage "--schedule: 'revolv' is not a kind of schedule; the kinds are auto, store-all" "${heat[@]}" --schedule revolv
usage "revolve needs a number of capsules (slots=N), or a memory budget" "${heat[@]}" --schedule revolve
usage "--slots: 'two' is not a number" "${heat[@]}" --schedule revolve --slots two
usage "--schedule: auto does not take slots" "${heat[@]}" --slots 2
usage "--schedule: resilient needs distance=STEPS" "${heat[@]}" --schedule resilient --slots 2
usage "--report: 'run.txt' must end in .json or .html" "${heat[@]}" --report run.txt
usage "--run: the name of the directory is empty" "${heat[@]}" --run ''
VERSO_MEMORY=lots usage "VERSO_MEMORY: 'lots' is not a number of bytes" "${heat[@]}"
VERSO_SCHEDULE=disk,slots usage "VERSO_SCHEDULE: slots takes a value" "${heat[@]}"
failure "the report: cannot create 'none/run.json': No such file" "${heat[@]}" --report none/run.json
failure "the budget of 1000 bytes is too small; at least " "${heat[@]}" --memory 1k
least=${err#*at least }
expect 0 grad "${heat[@]}" --memory "${least%% *}"
failure "it needs at least 2" "${heat[@]}" --schedule single-recovery,distance=5 --slots 1 --leaf 64k

expect 0 check "${heat[@]}" --memory 500k
grep -Eq '^  budget        0 numbers differ, online: .* none +pass$' out || fail "the budget's row: $out"
expect 0 check "${heat[@]}" --schedule revolve --slots 2 --leaf 100k --json
prints '"budget": {"schedule": "revolve: '
prints '"differing": 0, "passed": true}, "passed": true}'
json_check <out >/dev/null || fail "not JSON: $out"
expect 1 check "${heat[@]}" --memory 1k
says 'is too small; at least'

finish
