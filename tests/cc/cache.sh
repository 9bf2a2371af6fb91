# Tests the cache of object files (cc/driver/cache.h, cc/emit/keys.c): what a relink takes from it, what it makes again, and
# that a cache that is damaged, missing, read-only or open to others changes no program. The programs are divided into many
# small parts by --part. ctest sets VERSO and SOURCE.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
source=$(realpath "$SOURCE")
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
export VERSO_CACHE=$folder/made/here/cache
unset VERSO_CACHE_LIMIT

fail() {
    echo "cache.sh: FAILED: $*" >&2
    exit 1
}

# ---- A program of four files ----

printf '#!/bin/sh\nexec "%s/verso-transform" --part 40 "$@"\n' "$(dirname "$VERSO")" >transform
chmod +x transform
export VERSO_TRANSFORM=$folder/transform
for name in a b c; do
    cat >$name.c <<C
#include <math.h>
static double step_$name(double x, int i) { return sin(x) * cos(x + i) + exp(-x * x) / (1 + i); }
double f_$name(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += step_$name(x[i], i) * x[i];
    return sum;
}
C
done
cat >main.c <<'C'
#include <stdio.h>
#include <verso/native.h>
double f_a(const double *, int), f_b(const double *, int), f_c(const double *, int);
static double f(const double *x, size_t n) { return f_a(x, (int)n) * f_b(x, (int)n) + f_c(x, (int)n); }
int main(void) {
    double x[] = {0.5, 1.5, 2.5}, gradient[3] = {0};
    if (verso_gradient(f, x, 3, gradient, NULL, NULL, NULL) != VERSO_STATUS_OK)
        return 1;
    printf("%.17g %.17g %.17g\n", gradient[0], gradient[1], gradient[2]);
}
C
compile() { "$VERSO" cc -O0 "-I$source/include" -c "$1.c"; }
for name in a b c main; do
    compile $name
done
link() { "$VERSO" cc -O2 a.o b.o c.o main.o -o "${1:-program}" -lm; }
entries() { find "$VERSO_CACHE" -name '*.o' | sort; }
count() { find "$VERSO_CACHE" -type f | wc -l; }

# ---- The same bits with and without a cache ----

VERSO_CACHE='' link without
VERSO_CACHE=off link without
[[ ! -e $VERSO_CACHE && ! -e off ]] || fail "an empty VERSO_CACHE, or off, does not switch the cache off"
link first
[[ $(stat -c %a "$VERSO_CACHE") == 700 ]] || fail "the folder has mode $(stat -c %a "$VERSO_CACHE")"
[[ -z $(find "$VERSO_CACHE" -type f ! -perm 600) ]] || fail "entries do not have mode 600"
[[ -z $(find "$VERSO_CACHE" -type f ! -name '*.o') ]] || fail "temporary files are left"
all=$(count)
((all > 6)) || fail "there are only $all entries"
entries >before
link second
cmp without first && cmp first second || fail "the programs differ"
entries | cmp - before || fail "a second link makes other entries"
expected=$(./first)

# Parts are taken even if the program as a whole is not known: its entry is the last one that was made.
whole=$(find "$VERSO_CACHE" -name '*.o' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
entries | xargs md5sum >sums
rm "$whole"
link second
cmp first second || fail "a program of known parts differs"
md5sum --quiet -c sums || fail "other entries"

# ---- One file changes ----

sed -i 's/sum = 0;/sum = 0; sum += x[0] * x[1];/' b.c
compile b
link second
VERSO_CACHE='' link third
cmp second third || fail "after a change, the program differs from one without a cache"
[[ $(./second) != "$expected" ]] || fail "the change is ignored"
made=$(($(count) - all))
((made >= 3 && made * 2 <= all + 2)) || fail "a change of one file makes $made of $all entries again"
VERSO_CACHE='' link without
echo "cache.sh: $all entries, $made of them made again after a change of one file"

# ---- Damage ----

damaged() { # WHAT: after this damage, the link makes the same program, and mends the entries
    link second || fail "the link fails because entries are $1"
    cmp second third || fail "the program is wrong because entries are $1"
}
entries | while read -r entry; do truncate -s 100 "$entry"; done
damaged "truncated"
entries | while read -r entry; do : >"$entry"; done
damaged "empty"
entries | while read -r entry; do
    printf '\x55\xaa\x55' | dd of="$entry" bs=1 seek=$(($(stat -c %s "$entry") / 2)) conv=notrunc status=none
done
damaged "changed in the middle"
entries >list
paste -d ' ' list <(tail -n +2 list) | while read -r one other; do [[ -z $other ]] || cp "$other" "$one"; done
damaged "those of other parts"
rm -rf "$VERSO_CACHE"/*
mkdir "$VERSO_CACHE/$(basename "$(tail -n 1 list)")"
damaged "folders"
rm -rf "${VERSO_CACHE:?}"/*

# ---- Folders that cannot be used ----

link second
chmod 770 "$VERSO_CACHE"
rm -f "$VERSO_CACHE"/*
damaged "in a folder that a group may write to"
[[ $(count) == 0 ]] || fail "the cache is used although others may write to it"
chmod 700 "$VERSO_CACHE"
link second
(($(count) > 0)) || fail "the cache is not used"
find "$VERSO_CACHE" -type f -exec chmod 666 {} +
find "$VERSO_CACHE" -type f | head -n 1 >one
md5sum $(cat one) >sums
damaged "open to others"
[[ $(stat -c %a "$(cat one)") == 600 ]] || fail "an entry that others may write to was taken"
rm -rf "$VERSO_CACHE"
: >"$VERSO_CACHE"
damaged "in a file instead of a folder"
rm "$VERSO_CACHE"
mkdir "$VERSO_CACHE"
chmod 500 "$VERSO_CACHE"
damaged "in a read-only folder"
chmod 700 "$VERSO_CACHE"
env -u VERSO_CACHE HOME="$folder/home" XDG_CACHE_HOME=relative "$VERSO" cc -O2 a.o b.o c.o main.o -o second -lm
[[ -n $(ls "$folder/home/.cache/verso") && ! -e relative ]] || fail "HOME/.cache/verso is not used"
env -u VERSO_CACHE XDG_CACHE_HOME="$folder/xdg" "$VERSO" cc -O2 a.o b.o c.o main.o -o second -lm
[[ -n $(ls "$folder/xdg/verso") ]] || fail "XDG_CACHE_HOME/verso is not used"

# ---- Two links at a time; the limit ----

rm -rf "$VERSO_CACHE"
link one &
link two &
wait
cmp one third && cmp two third || fail "two links at a time make other programs"
all=$(du -sb --apparent-size "$VERSO_CACHE" | cut -f 1)
touch -d '1 day ago' "$(entries | head -n 1)"
entries | head -n 1 >oldest
printf x >"$VERSO_CACHE/making-old"
touch -d '1 day ago' "$VERSO_CACHE/making-old"
sed -i 's/x\[1\]/x[2]/' b.c
compile b
VERSO_CACHE_LIMIT=$((all * 3 / 4)) link second
size=$(du -sb --apparent-size "$VERSO_CACHE" | cut -f 1)
((size < all * 3 / 4 + 8192)) || fail "the cache takes $size bytes, with a limit of $((all * 3 / 4))"
[[ ! -e $VERSO_CACHE/making-old ]] || fail "an old temporary file stays"
VERSO_CACHE='' link third
cmp second third || fail "the limit changes the program"
VERSO_CACHE_LIMIT=10 link second
cmp second third || fail "a tiny limit changes the program"
echo "cache.sh: passed"
