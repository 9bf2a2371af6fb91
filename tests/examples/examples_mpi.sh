# Tests examples/heat_mpi with four ranks: the gradient is the same under every schedule, after the death of a rank,
# and if a rank's newest capsule is damaged, its journal is torn or its directory is lost. ctest sets BUILD.
set -euo pipefail

heat=$BUILD/examples/heat_mpi
if [[ ! -x $heat ]] || ! command -v mpirun >/dev/null; then
    echo "skipped: MPI is not here"
    exit 77
fi
if [[ ${VERSO_SANITIZE:-} == *thread* ]]; then
    echo "skipped: MPI is not built for the thread sanitizer, which would find fault with it"
    exit 77
fi
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "examples_mpi.sh: $*" >&2
    exit 1
}

# As root, on fewer cores than ranks, without a network; MPI itself does not free all it takes.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
# Ranks that are left behind need no time to say good-bye.
export OMPI_MCA_odls_base_sigkill_timeout=0
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0

small=(--rows 22 --columns 15 --steps 60 --memory 6000 --taylor no)
run() {
    timeout 60 mpirun -n 4 "$heat" "${small[@]}" "$@" >output 2>notices
}
gradient_of() {
    run "$@" || { cat output notices; fail "heat_mpi $* failed"; }
    grep '^cost' output
}
# Dies of itself, so the status is not 0; that it hangs (124) is another matter.
die() {
    local status=0
    run "$@" || status=$?
    ((status != 124)) || { cat notices; fail "heat_mpi $*: the ranks wait for each other"; }
    ((status != 0)) || fail "heat_mpi $*: it was to die"
}

expected=$(gradient_of --directory all --schedule store-all --memory 1000000 --taylor yes)
[[ $expected == cost* ]] || fail "no gradient"
for schedule in "revolve --slots 4" "disk --slots 3" "two-level --slots 5 --distance 15"; do
    # shellcheck disable=SC2086
    [[ $(gradient_of --directory "${schedule%% *}" --schedule $schedule) == "$expected" ]] || fail "$schedule: another gradient"
done
# Ranks have 6, 6, 5 and 5 rows: in 6,000 bytes one rank could keep more states than another.
[[ $(gradient_of --directory automatic) == "$expected" ]] || fail "automatic: another gradient"
[[ $(gradient_of --directory automatic) == "$expected" ]] || fail "a run that is done: another gradient"

# Suspended by a limit, again and again.
for ((turn = 0; ; turn++)); do
    run --directory suspended --schedule disk --slots 3 --step-limit 70 && break
    ((turn < 10)) || fail "no end"
done
[[ $(grep '^cost' output) == "$expected" ]] || fail "suspended: another gradient"

resilient=(--schedule disk --slots 3 --distance 8)
newest() { # of a rank: state or adjoint
    ls -t "$1"/capsules/* | sed -n 1p
}
disturbed() { # what, killed after so many callbacks, which rank
    local what=$1 directory=$1-$2
    die --directory "$directory" "${resilient[@]}" --kill-after "$2" --kill-rank "$3"
    case $what in
    twice) die --directory "$directory" "${resilient[@]}" --kill-after 5 --kill-rank 0 ;;
    capsule) printf '\377' | dd of="$(newest "$directory/rank-2")" bs=1 seek=130 conv=notrunc status=none ;;
    torn) truncate -s -100 "$directory/rank-2/journal" ;;
    lost) rm -r "$directory/rank-2" ;;
    esac
    [[ $(gradient_of --directory "$directory" "${resilient[@]}") == "$expected" ]] ||
        fail "$what, killed at callback $2: another gradient"
    local word="is continued"
    [[ $what == lost ]] && word="begins anew"
    grep -q "$word" notices || { cat notices; fail "$what, killed at callback $2: no word that it $word"; }
}
disturbed twice 40 1
disturbed twice 170 3
disturbed capsule 40 2
disturbed capsule 150 0
disturbed torn 35 3
disturbed torn 160 1
disturbed lost 120 2
