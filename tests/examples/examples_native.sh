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

"$VERSO" cc -O2 -Wall -Wextra -Werror "$SOURCE/examples/native/waves.c" -lm -o "$scratch/waves"
"$scratch/waves" "$scratch/picture.pgm" | tee "$scratch/said"
# Within 32 MB: it takes less than 16 MB more than that and than a plain call, runs every step twice at least, and no more than thrice.
awk '/^plain call/ { plain = $6 } /^within 32 MB/ { if ($7 - plain < 48 && $9 >= 2 && $9 <= 3) kept = 1 }
     /^everything recorded/ { if ($6 > 128 && $8 == 1) all = 1 } /have the same bits/ { same = 1 }
     END { exit !(kept && all && same) }' "$scratch/said" || { echo "not the table that was expected" >&2; exit 1; }
# The picture: on the line from what was pushed to the weaker springs it is dark, away from it grey.
shade() { # ROW COLUMN
    tail -c $((200 * 200)) "$scratch/picture.pgm" | tail -c +$((200 * $1 + $2 + 1)) | head -c 1 | od -An -tu1
}
(($(shade 90 95) < 60)) || { echo "not dark on the way: $(shade 90 95)" >&2; exit 1; }
(($(shade 190 95) > 110 && $(shade 190 95) < 145)) || { echo "not grey off the way: $(shade 190 95)" >&2; exit 1; }
