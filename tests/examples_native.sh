# examples/native, compiled by `verso cc`: each checks its own gradient and says so by its exit status.
# ctest runs it with VERSO and SOURCE set; everything it makes is in one temporary folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library needs more to be linked with"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$VERSO" cc -O2 -Wall -Wextra -Werror "$SOURCE/examples/native/waves.c" -lm -o "$scratch/waves"
"$scratch/waves" "$scratch/picture.pgm" | tee "$scratch/said"
# Within 32 MB: it takes less than 16 MB more than that and than a plain call, runs every step twice at least, and no more than thrice.
awk '/^plain call/ { plain = $6 } /^within 32 MB/ { if ($7 - plain < 48 && $9 >= 2 && $9 <= 3) kept = 1 }
     /^everything recorded/ { if ($6 > 250 && $8 == 1) all = 1 } /have the same bits/ { same = 1 }
     END { exit !(kept && all && same) }' "$scratch/said" || { echo "not the table that was expected" >&2; exit 1; }
# The picture: on the line from what was pushed to the weaker springs it is dark, away from it grey.
shade() { # ROW COLUMN
    tail -c $((200 * 200)) "$scratch/picture.pgm" | tail -c +$((200 * $1 + $2 + 1)) | head -c 1 | od -An -tu1
}
(($(shade 90 95) < 60)) || { echo "not dark on the way: $(shade 90 95)" >&2; exit 1; }
(($(shade 190 95) > 110 && $(shade 190 95) < 145)) || { echo "not grey off the way: $(shade 190 95)" >&2; exit 1; }
