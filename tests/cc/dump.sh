# Tests that `verso cc --verso-dump=PASS` prints the program after each pass in cc/passes_named.h. ctest sets VERSO
# and SOURCE.
set -euo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
source=$(realpath "$SOURCE")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >twice.c <<'END' # for the pass `second`
#include <verso/hessian.h>

double f(const double *x, size_t n);

verso_status twice(const double *x, size_t n, const double *direction, double *product) {
    return verso_hvp(f, x, n, direction, product, NULL, NULL, NULL, NULL);
}
END
"$VERSO" cc -std=gnu17 -O1 "-I$source/include" -c "$source/tests/native/harness.c" "$source/tests/native/loop_for.c" twice.c
"$VERSO" cc harness.o loop_for.o twice.o --verso-dump=all -o program -lm 2>all
passes=$(sed -n 's/#define CC_PASSES_NAMED //p' "$source/cc/passes_named.h" | tr -d '",')
for pass in $passes; do
    if (($(grep -c "^; ---- $pass ----\$" all) != 1)); then
        echo "--verso-dump=all does not print what $pass leaves" >&2
        exit 1
    fi
done
"$VERSO" cc harness.o loop_for.o --verso-dump=normal -o program -lm 2>one
if [[ $(grep "^; ---- " one) != "; ---- normal ----" ]] || ! grep -q "define .*@f.base(" one; then
    echo "--verso-dump=normal prints something else" >&2
    exit 1
fi
echo "dump.sh: $passes"
