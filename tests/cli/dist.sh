# Tests what a release is made of: the version in CITATION.cff, CHANGELOG.md and the manual pages is that of
# include/verso/version.h, and `make dist` packs all files of the commit in one folder.
# ctest sets SOURCE.
set -euo pipefail

: "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "dist.sh: $*" >&2
    exit 1
}

version=$(sed -n 's/^#define VERSO_VERSION_[MP][A-Z]* \([0-9]*\).*/\1/p' "$SOURCE/include/verso/version.h" | paste -sd .)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "'$version' is not a version"
grep -qx "version: $version" "$SOURCE/CITATION.cff" || fail "CITATION.cff does not have the version $version"
grep -q "^## \[$version\]" "$SOURCE/CHANGELOG.md" || fail "CHANGELOG.md has no entry for the version $version"
for page in "$SOURCE"/man/*.1; do
    grep -q "^\.TH .*\"Verso $version\"" "$page" || fail "$page has another version than $version"
done

if ! git -C "$SOURCE" rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
    echo "not a git checkout: the archive was not tested"
    exit 0
fi
make --no-print-directory -C "$SOURCE" dist DIST="$scratch" >"$scratch/log" || { cat "$scratch/log" && fail "make dist failed"; }
archive=$scratch/verso-$version.tar.gz
[[ -s $archive ]] || fail "make dist did not write verso-$version.tar.gz"
tar -tzf "$archive" | grep -v '/$' | sort >"$scratch/packed"
git -C "$SOURCE" ls-tree -r --name-only --full-tree HEAD | sed "s|^|verso-$version/|" | sort >"$scratch/tracked"
diff "$scratch/tracked" "$scratch/packed" || fail "the archive (>) lacks files of the commit (<) or has others"
for file in LICENSE README.md CMakeLists.txt Makefile include/verso/verso.h tools/man3; do
    grep -qx "verso-$version/$file" "$scratch/packed" || fail "the archive lacks $file"
done
echo "verso-$version.tar.gz: $(wc -l <"$scratch/packed") files"
