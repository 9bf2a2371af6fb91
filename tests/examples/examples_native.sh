# Tests examples/native, compiled by `verso cc`: each program checks its own gradient and reports the result by its
# exit status.
# ctest sets VERSO and SOURCE. All files are made in one temporary folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library needs more to be linked with"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$VERSO" c++ -O2 -Wall -Wextra -Werror "$SOURCE/examples/native/heat.cpp" -o "$scratch/heat"
"$scratch/heat"
# The examples of `verso grad --help`, without what compiles or runs for long.
native=$SOURCE/examples/native
"$VERSO" check "$native/heat.c:misfit" --at "@$native/field.txt" --set steps=500 --memory 16M >"$scratch/checked" ||
    { cat "$scratch/checked"; exit 1; }
"$VERSO" check "$native/rosenbrock.c:f" --at -1.2,1 >"$scratch/checked" || { cat "$scratch/checked"; exit 1; }
"$VERSO" grad "$native/heat.c:step" --at u=0,1,3,1 --of u --weights 0,1,0,0 | grep -q 'u\[1\] *0\.8$'

# With a residual of 1e-7, the gradient through the iteration is wrong by more than a thousandth.
"$VERSO" cc -O2 -Wall -Wextra -Werror "$native/linear_solve.c" -lm -o "$scratch/linear_solve"
"$scratch/linear_solve" | awk '$1 == "1e-07" { found = $2 > 1e-3 && $3 < 1e-8 } END { exit !found }'

"$VERSO" cc -O2 -Wall -Wextra -Werror "$SOURCE/examples/native/waves.c" -lm -o "$scratch/waves"
"$scratch/waves" "$scratch/picture.pgm" | tee "$scratch/said"
# Within 32 MB: it takes less than 16 MB more than that and than a plain call, runs every step twice at least, and no more than thrice.
awk '/^plain call/ { plain = $6 } /^within 32 MB/ { if ($7 - plain < 48 && $9 >= 2 && $9 <= 3) kept = 1 }
     /^everything recorded/ { if ($6 > 64 && $8 == 1) all = 1 } /have the same bits/ { same = 1 }
     END { exit !(kept && all && same) }' "$scratch/said" || { echo "not the table that was expected" >&2; exit 1; }
# The picture: on the line from what was pushed to the weaker springs it is dark, away from it grey.
shade() { # ROW COLUMN
    tail -c $((200 * 200)) "$scratch/picture.pgm" | tail -c +$((200 * $1 + $2 + 1)) | head -c 1 | od -An -tu1
}
(($(shade 90 95) < 60)) || { echo "not dark on the way: $(shade 90 95)" >&2; exit 1; }
(($(shade 190 95) > 110 && $(shade 190 95) < 145)) || { echo "not grey off the way: $(shade 190 95)" >&2; exit 1; }

# A parallel program: the same bits with everything recorded, within a budget, and when it is killed again and again.
if compgen -G "/usr/lib/llvm-19/lib/libomp.so" >/dev/null; then
    "$VERSO" cc -O2 -Wall -Wextra -Werror -fopenmp "$native/cluster.c" -lm -o "$scratch/cluster"
    export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
    "$scratch/cluster" 100 | tee "$scratch/whole"
    VERSO_MEMORY=16M "$scratch/cluster" 100 | tee "$scratch/within"
    for ((kills = 0; kills < 40; kills++)); do
        VERSO_MEMORY=16M VERSO_RUN="$scratch/run" VERSO_INTERVAL=0.05 "$scratch/cluster" 100 >"$scratch/killed" &
        sleep "0.$((kills + 2))"
        kill -KILL $! 2>/dev/null || break # it has ended
        wait $! 2>/dev/null || true
    done
    wait $!
    echo "killed $kills times"
    awk '/^gradient of/ { if (++n == 1) first = $NF; else if ($NF != first) differ = 1 } END { exit n != 3 || differ }' \
        "$scratch/whole" "$scratch/within" "$scratch/killed" || { echo "the gradients of the cluster differ" >&2; exit 1; }
fi
